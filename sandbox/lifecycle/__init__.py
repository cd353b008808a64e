"""What becomes of a memory: captured, proposed, branched, looked over, forgotten."""
