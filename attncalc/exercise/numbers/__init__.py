"""Numbers, vectors and matrices as people write them."""
