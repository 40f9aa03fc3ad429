"""From answers to a report: what is right, what follows, and why the first wrong step is wrong."""
