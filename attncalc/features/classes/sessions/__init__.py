"""How `check` marks what is more than one file."""
