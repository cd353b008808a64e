"""Where memories live: ledger, vectors, index. Knows no persona, no model, no role."""
