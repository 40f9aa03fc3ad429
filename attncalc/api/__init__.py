"""The names of `import attncalc`, and how its objects show themselves in a notebook."""
