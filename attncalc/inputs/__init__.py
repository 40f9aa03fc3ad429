"""What comes in: files, numbers as people write them, and the problem they make up."""
