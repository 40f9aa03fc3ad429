"""YAML text as a tree with places, and the repairs of sloppy text."""
