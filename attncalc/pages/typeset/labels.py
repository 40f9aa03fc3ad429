"""Tokens and titles where there is little room."""

LONGEST_LABEL = 24


def shortened(text: str, most: int = LONGEST_LABEL) -> str:
    """A label that is not too long for its place."""
    return text if len(text) <= most else text[: most - 1] + "…"
