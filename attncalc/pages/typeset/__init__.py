"""Documents as mathematics that is typeset: shared by LaTeX, Markdown and hypertext."""
