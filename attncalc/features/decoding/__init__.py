"""The cost of attention: operations, caches, decoding token by token, the state of linear attention."""
