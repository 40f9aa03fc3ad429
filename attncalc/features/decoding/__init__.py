"""Caches, decoding token by token, and the running state of linear attention."""
