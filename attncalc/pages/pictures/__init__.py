"""What the pictures of a solution share."""
