"""A problem file read: every key by the reader of the mechanism that it belongs to."""
