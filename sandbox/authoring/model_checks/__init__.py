"""Checks of an authored instance that need a model. A model may measure and flag, never write."""
