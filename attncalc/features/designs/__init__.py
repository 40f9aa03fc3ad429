"""Questions with many right answers: what is to be found, and what it must reach."""
