"""Making instances of what was talked, and checking that they are good ones."""
