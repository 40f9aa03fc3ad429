"""The marking policy: every tuned number of marking, each with its reason.

A unit is the value of the last written place of a number: 0.01 for 0.62. A share is a part of 1.
"""

from __future__ import annotations

from attncalc.core.record import record


@record
class Policy:
    """All thresholds by which answers are read, judged, excused, explained and scored."""

    # How a written number is read.
    judged_digits: int = 6
    """Further significant digits are not judged: programs print more than they compute."""
    fewest_digits: int = 3
    """From three significant digits on, a number shows how the whole numbers beside it were rounded."""
    short_places: int = 2
    """No student rounds decimals of at most two places, such as 1/2 or −53/4, to whole numbers."""

    # How a cell is judged.
    slack: int = 20
    """A student may carry on a value that lies 1/20 unit outside the rounding of the written one."""
    coarse_units: int = 5
    """A range of more than five units accepts too much to call a number correct."""
    vague: int = 4
    """Correct values must spread over four units to be told apart."""
    fine: float = 0.05
    """A unit of at most this share of the largest value always says something."""

    # The bits of explanations.
    way_price: int = 4
    """Bits of one way of rounding out of sixteen, and of each place that it is coarser than the answer."""
    most_price: int = 10
    """Bits of a way of rounding for all results and another at one place: no student is odder."""
    slip_price: int = 8
    """Bits of a slip, and of a mistake: one of about sixty, and most students make none."""
    unlisted_price: int = 9
    """Bits of numbers that are off for no listed reason; how far off is paid cell by cell."""
    common_price: int = 2
    """Bits of 0, 1 and −∞, which are written more often than other numbers."""
    sure_bits: int = 5
    """Bits by which an explanation is shorter than all else if it is named: wrong once in thirty at most."""
    most_slips: float = 1 / 3
    """At most a third of the cells may be slips beside a mistake, or beside rounding."""
    doubt_of_largest: float = 0.005
    """A number off by half a percent of the step's largest value passes with a human marker."""
    near_units: float = 2.5
    """A number within two units, and its own rounding, is off by a slip or by rounding, not by a mistake."""
    most_units: int = 10
    """A number written by any plan is at most ten units off, and this share of the largest value."""
    most_share: float = 0.15
    """The most that a plan changes, as a share of the step's largest value."""
    alike: float = 0.01
    """A student takes numbers within one percent of each other for the same number."""
    sum_error: float = 0.02
    """A row of rounded weights adds up to 1 within this."""


@record
class Limits:
    """Errors of floats, and limits of searches: facts, not judgement."""

    float_error: float = 1e-12
    """The share of a step's largest value by which floats may miss the correct value."""
    tie_error: float = 1e-9
    """The share by which floats may miss a half that is rounded up, or a result that is written."""
    nothing: float = 1e-9
    """A number below this share of the step's largest value means 0: programs print 2.2e-16."""
    practically_hidden: float = -1e4
    """At or below this, a score hides its key: programs write −1e9 for −∞."""
    solved_error: float = 0.25
    """The units by which a number solved for from one rounded entry may miss the others."""
    least_factor: float = 0.05
    """No student scales scores by less, or by more than 1 over it."""
    most_by_hand: int = 10_000
    """No student computes more numbers by hand."""
    most_pairs: int = 2000
    """Pairs of mistakes that are tried."""


POLICY, LIMITS = Policy(), Limits()
IN_PAGES: dict[str, float] = {
    **{name: getattr(POLICY, name) for name in ("judged_digits", "fewest_digits", "short_places", "slack")},
    **{name: getattr(LIMITS, name) for name in ("nothing", "practically_hidden")},
}
"""The numbers by which the script of a page judges answers."""
