"""What a part may ask for besides steps."""
