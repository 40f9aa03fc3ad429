"""One rule, many readings; knows no file, no student, no page."""
