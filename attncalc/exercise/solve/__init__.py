"""From a problem to its solution, exactly or in floats."""
