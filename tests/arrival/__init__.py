"""What arrives: one file of every family, as anyone may add it; `test_arrival` lays them over a copy."""
