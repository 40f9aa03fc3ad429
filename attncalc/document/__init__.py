"""What is said before any format decides how it looks: blocks, and the writers of worked steps."""
