"""What attention costs: operations, caches, decoding token by token, the state of linear attention."""
