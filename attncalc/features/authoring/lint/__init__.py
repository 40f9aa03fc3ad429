"""What an exercise cannot show, and other findings."""
