"""Random inputs: how weights and outputs spread."""
