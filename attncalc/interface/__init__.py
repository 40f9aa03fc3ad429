"""What Python programs use: solutions and reports that show themselves in a notebook."""
