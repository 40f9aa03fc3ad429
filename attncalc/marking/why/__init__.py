"""Why an answer is wrong: mistakes that explain it."""
