"""Words that a part may ask for besides steps."""
