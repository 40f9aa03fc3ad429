"""Read pastes from books, chats, notebooks and spreadsheets: names, matrices, and words around them."""
