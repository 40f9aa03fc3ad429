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
    nothing: float = 1e-9
    """A number below this share of the step's largest value means 0: programs print 2.2e-16."""
    practically_hidden: float = -1e4
    """At or below this, a score hides its key: programs write −1e9 for −∞."""

    # How a cell is judged.
    float_error: float = 1e-12
    """The share of a step's largest value by which floats may miss the correct value."""
    slack: int = 20
    """A student may carry on a value that lies 1/20 unit outside the rounding of the written one."""
    coarse_units: int = 5
    """A range of more than five units accepts too much to call a number correct."""
    vague: int = 4
    """Correct values must spread over four units to be told apart."""
    fine: float = 0.05
    """A unit of at most this share of the largest value always says something."""

    # Which plans of rounding are tried.
    tie_error: float = 1e-9
    """The share by which floats may miss a half that is rounded up, or a result that is written."""
    plain_price: int = 4
    """Bits of a plan with one way for all results: one of about sixteen."""
    most_price: int = 10
    """Bits of a plan with one way for all results and another at one place."""
    coarser_price: int = 4
    """Bits for each place that a plan rounds more coarsely than the answer is written: fewer students do."""
    unlisted_price: int = 9
    """Bits of numbers that are a little off for no listed reason; how far off is paid cell by cell."""
    slip_units: int = 3
    """A number that is no more units off is rounded or cut on the way rather than a slip."""
    slip_price: int = 8
    """Bits of one number that is off by a slip; two slips in a step should not cost less than a fault."""
    mistake_price: int = 8
    """Bits of one mistake out of about sixty, and a little more: most students make none."""
    sure_bits: int = 3
    """A plan is named if no other costs less than eight times as much."""
    doubt_of_largest: float = 0.005
    """A number off by half a percent of the step's largest value passes with a human marker."""
    doubt_of_own: float = 0.05
    """The same if that is at most five percent of the number."""
    coarsest: float = 0.0051
    """The most that rounding a result to two decimals changes."""
    e_share: float = 0.02
    """The most that e as 2.72 changes an exponential, as a share."""
    root_share: float = 0.005
    """The most that a root or e of a few digits changes any other result, as a share."""
    most_units: int = 10
    """A number written by any plan is at most ten units off, and this share of the largest value."""
    most_share: float = 0.15
    """The most that a plan changes, as a share of the step's largest value."""
    most_by_hand: int = 10_000
    """No student computes more numbers by hand."""

    # Rounding by chance.
    scatter_places: range = range(2, 7)
    """The decimals at which rounding by chance is tried."""
    scatter_digits: range = range(3, 7)
    """The significant digits at which rounding by chance is tried."""
    trials: int = 20
    """Random roundings at each precision."""
    chance: float = 0.99
    """Units by which a result is shifted at most before it is rounded by chance."""
    further: float = 2.5
    """A student may be 2.5 times further off than the furthest trial."""
    one_unit: float = 0.9
    """Units by which a single number rounded the other way is off, besides its own rounding."""
    telling_part: int = 10
    """A number off by a tenth of the coarsest unit because of rounding still says something."""

    # Which mistakes are looked into.
    near_units: int = 20
    """Units by which the first, rough result of a mistake may miss an answer."""
    near_share: float = 0.1
    """Or this share of its largest value."""
    most_looked_into: int = 16
    """Mistakes that are looked into closely."""
    much_further: int = 4
    """A mistake four times further off than the nearest is not looked into."""
    most_off: float = 1e3
    """Units that count at most when mistakes are compared by how far off they are."""
    most_pairs: int = 2000
    """Pairs of mistakes that are tried."""
    most_rounded: int = 4
    """Mistakes that are tried with rounding on the way."""

    # When a mistake explains an answer.
    sure: float = 1.5
    """Digits that must agree beyond those that choose one mistake out of all."""
    sure_of_two: float = 2.5
    """The same for two mistakes together: a pair fits more easily."""
    sure_if_rounded: float = 1.0
    """Further digits that must agree if results were rounded on the way."""
    sure_if_whole: float = 1.0
    """Further digits that must agree if an output is given in integers: many mistakes give these."""
    most_digits: int = 6
    """Digits for which one cell counts at most."""
    telling_share: float = 0.02
    """A result wider than this share of itself does not tell mistakes apart."""
    fewest_besides: int = 3
    """Cells that a mistake must explain if others are off by a slip."""
    changed_units: float = 0.25
    """A result within a quarter of a unit of the correct value is not a mistake."""
    integer_slack: float = 0.005
    """A result so near to an integer is written as that integer."""
    integer_unit: float = 0.1
    """The unit of an integer that a result equals: it says one digit more than its own."""
    rarest: float = 1e-3
    """A value that no correct entry has counts as this frequent."""
    hardly_off: float = 2.5
    """Units up to which a single number is off by a slip, not by a mistake."""

    # Solving for one unknown number.
    most_searched: int = 200
    """Unanswered cells in which a slip is searched."""
    fewest_wrong: int = 2
    """Wrong cells needed to search for one slip behind them."""
    most_possible: int = 2
    """If more cells explain an answer, none is named."""
    turns: int = 12
    """Steps of the secant method."""
    factors: tuple[float, ...] = (0.1, 0.25, 0.5, 0.7, 1, 1.5, 2, 3)
    """Scales from which another scale is searched."""
    factor_digits: float = 2.0
    """Digits that choosing one scale out of all takes."""
    least_factor: float = 0.05
    """No student scales by less, or by more than 1 over it."""
    near_integer: float = 0.25
    """A solved number so near to an integer stands for it if all others are integers."""
    other_number: float = 0.01
    """A solved number within this share of the correct one is the same number."""
    solved_leeway: float = 0.25
    """Units by which a number solved for from one rounded entry may miss the others."""

    # What is said of numbers that no mistake explains.
    close_share: float = 0.01
    """Numbers within this share of the expected ones are off by rounding only."""
    zero: float = 1e-9
    """A smaller expected value gives no ratio."""
    sum_error: float = 0.02
    """A row of rounded weights adds up to 1 within this."""
    fewest_alike: int = 3
    """Wrong cells that must be off by the same factor to name it."""
    most_slips: int = 3
    """Wrong cells that can each be a slip."""
    slip_error: float = 1e-12
    """The error of a few sums of floats."""

    # What earns points.
    flat: float = 0.05
    """Numbers that spread over less than this share of the correct spread are all alike."""
    copied: float = 0.01
    """Rows that differ by at most this share of their spread are copies."""

    def count_most(self, cells: int) -> int:
        """Return how many of these cells a mistake must explain: two thirds, rounded up."""
        return -(-2 * cells // 3)


POLICY = Policy()
IN_PAGES = (
    "judged_digits",
    "fewest_digits",
    "short_places",
    "nothing",
    "practically_hidden",
    "slack",
    "coarsest",
)
"""The fields by which the script of a page judges answers."""
