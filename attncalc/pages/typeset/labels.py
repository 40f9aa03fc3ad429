"""Shortened tokens and titles."""

LONGEST_LABEL = 24


def shorten(text: str, most: int = LONGEST_LABEL) -> str:
    """A label cut to a length."""
    return text if len(text) <= most else text[: most - 1] + "…"
