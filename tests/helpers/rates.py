"""How often something held: counted over many trials and printed, with the shortest cases in which it did."""

from __future__ import annotations

from collections import Counter, defaultdict

KEPT = 2
"""How many cases are kept."""


class Rates:
    """How often something held, by what was tried."""

    def __init__(self) -> None:
        self.held: Counter[str] = Counter()
        self.tried: Counter[str] = Counter()
        self.shortest: defaultdict[str, list[str]] = defaultdict(list)

    def count(self, what: str, held: bool, case: object = "") -> None:
        """Count one trial; the shortest cases in which it held are kept."""
        self.held[what] += held
        self.tried[what] += 1
        if held and case:
            self.shortest[what] = sorted((*self.shortest[what], str(case)), key=len)[:KEPT]

    def of(self, what: str = "") -> float:
        """The mean share of trials in which it held, over all that was tried whose description ends so."""
        shares = [self.held[name] / tried for name, tried in self.tried.items() if name.endswith(what)]
        return sum(shares) / max(len(shares), 1)

    def __str__(self) -> str:
        lines = []
        for what, tried in self.tried.items():
            lines.append(f"{what}: {self.held[what]} of {tried} ({self.held[what] / tried:.2%})")
            lines += [f"    {case}" for case in self.shortest[what]]
        return "\n".join(lines)
