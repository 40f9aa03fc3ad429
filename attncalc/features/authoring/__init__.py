"""For authors: lint, variants, new exercises, the reference and the schema."""
