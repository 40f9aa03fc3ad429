"""Classes of answers: marked by worker processes, summed up on one page."""
