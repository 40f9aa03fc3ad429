"""The operations: each states its rule for one cell, once."""
