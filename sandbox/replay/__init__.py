"""Benchmark dialogues gone through step by step inside the chat."""
