"""Who is logged in."""

ACCOUNT = "local"
"""The account of everybody while there are no logins."""
