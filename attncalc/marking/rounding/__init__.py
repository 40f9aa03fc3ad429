"""How honest students round, and which answers that explains."""
