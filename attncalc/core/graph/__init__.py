"""An exercise as a graph of named steps, its evaluation, and how steps are referred to."""
