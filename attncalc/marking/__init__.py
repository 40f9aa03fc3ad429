"""From answers to a report: what is right, what follows, and why steps are wrong."""
