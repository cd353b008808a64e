"""Replies judged: on record, with corrections and experiments, and in files."""
