"""How a term or a formula is written: on a terminal, in LaTeX, in a browser, as code."""
