"""Checking answers: what is right, what follows, what is wrong and why."""
