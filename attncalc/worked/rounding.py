"""How numbers are shown: rounded to a number of decimals, or exactly."""

from __future__ import annotations

from decimal import MAX_EMAX, MIN_EMIN, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction

from attncalc.core.fields import Numbers, Real
from attncalc.core.fields.numeric import SURE_DIGITS
from attncalc.core.notations.unicode import Ascii, write
from attncalc.core.record import record
from attncalc.core.terms import Constant, Entry, Negative, Quotient, Sum, Term

SHOWN_PLACES = 4
LEAST_DIGITS = 3
LARGEST_PLAIN = 12
SMALLEST_PLAIN = -5
LONGEST_ENTRY = 32
LONGEST_OPEN = 72
KNOWN_DIGITS = 11
"""A float with more digits than these was most likely rounded somewhere."""


@record
class Rounding:
    """The decimals or significant digits that the problem or the user asks for."""

    places: int | None = None
    digits: int | None = None
    is_keyed: bool = False
    """Whether results in the published key are shown with the decimals of the key."""

    @property
    def is_asked(self) -> bool:
        """Whether decimals or digits are asked for."""
        return self.places is not None or self.digits is not None

    def round_decimal(self, x: Decimal, in_full: bool) -> Decimal:
        """Round x half to even; a number other than 0 becomes 0 only if the user asks for few places.

        A number that is known in full drops the zeros at its end.
        """
        if x == 0:
            return Decimal(0)
        if in_full and x == x.to_integral_value() and (self.digits or self.places is not None):
            return shortest(x)
        if self.digits:
            return significant(x, self.digits)
        exponent = x.adjusted()
        if self.places is not None:
            return round_to_places(x, self.places) or abs(round_to_places(x, self.places))
        if not SMALLEST_PLAIN <= exponent < LARGEST_PLAIN:
            return self.scientific(x)
        result = round_to_places(x, max(SHOWN_PLACES, LEAST_DIGITS - 1 - exponent))
        return shortest(x) if in_full and result == x else result

    @staticmethod
    def scientific(x: Decimal) -> Decimal:
        """Round x to the digits shown of a very large or small number."""
        return significant(x, LEAST_DIGITS if x.adjusted() < 0 else SHOWN_PLACES + 1)

    @property
    def precision(self) -> int:
        """Significant digits that are enough to round from."""
        return max(self.digits or 0, (self.places or SHOWN_PLACES) + LARGEST_PLAIN) + 8


def round_to_places(x: Decimal, places: int) -> Decimal:
    """Round x to a number of decimals."""
    context = Context(prec=max(1, x.adjusted() + places + 2) + 5, rounding=ROUND_HALF_EVEN)
    return x.quantize(Decimal(1).scaleb(-places), context=context)


def significant(x: Decimal, digits: int) -> Decimal:
    """Round x to a number of significant digits."""
    context = Context(prec=digits, rounding=ROUND_HALF_EVEN, Emax=MAX_EMAX, Emin=MIN_EMIN)
    return context.plus(x)


def drop_unknown_zeros(x: Decimal, digits: Decimal) -> Decimal:
    """Return x without zeros behind its known digits: a float has no more of them."""
    shown, known = (len(number.as_tuple().digits) for number in (x, digits))
    return digits if x == digits and shown > max(known, SURE_DIGITS) else x


def shortest(x: Decimal) -> Decimal:
    """Return x without zeros at the end of its decimals."""
    whole = x.to_integral_value()
    return whole.quantize(Decimal(1)) if whole == x else x.normalize()


class Shown:
    """Numbers of a field as terms to be written; each is converted once."""

    def __init__(self, field: Numbers, rounding: Rounding) -> None:
        self.field, self.rounding = field, rounding
        # The numbers are kept too: an id is unique only as long as its object lives.
        self.decimals: dict[Real, tuple[Real, Constant]] = {}
        self.terms: dict[int, tuple[Real, Term, int]] = {}
        """Numbers as exact terms, with their lengths in characters."""
        self.digits: dict[float, Decimal] = {}
        """The digits of floats, by float."""
        self.has_vanished = False
        """Whether something that is not 0 has been shown as 0."""

    def decimal(self, number: Real) -> Term:
        """Return the number as a decimal; one with free letters exactly, if it is short."""
        if isinstance(number, float) and number == float("-inf"):
            return Constant(float("-inf"))
        if self.field.is_open(number):
            return self.exact(number, LONGEST_OPEN) or Entry("...")
        # Floats are new objects at every access, so their value is the key.
        key = id(number) if self.field.name == "exact" else float(number)
        if key not in self.decimals:
            self.decimals[key] = number, self.round_number(number)
        return self.decimals[key][1]

    def keep(self, number: Real, places: int) -> None:
        """Show an irrational number to a number of places from now on."""
        if not self.field.is_open(number) and not self.in_full(number):
            digits = round_to_places(self.field.decimal(number, self.rounding.precision + places), places)
            key = id(number) if self.field.name == "exact" else float(number)
            self.decimals[key] = number, Constant(digits)

    def round_number(self, number: Real) -> Constant:
        """Compute the number as a decimal."""
        digits = self.field.decimal(number, self.rounding.precision)
        in_full = self.in_full(number)
        found = self.rounding.round_decimal(digits, in_full)
        found = found if in_full else drop_unknown_zeros(found, digits)
        self.has_vanished = self.has_vanished or (found == 0 != digits)
        return Constant(found)

    def in_full(self, number: Real) -> bool:
        """Whether all digits of a number are known, because there are few."""
        if self.field.name == "exact":
            return is_rational(number)
        return len(self.float_digits(number).normalize().as_tuple().digits) <= KNOWN_DIGITS

    def float_digits(self, number: Real) -> Decimal:
        """Return all digits of a float."""
        key = float(number)
        if key not in self.digits:
            self.digits[key] = self.field.decimal(number, 20)
        return self.digits[key]

    def exact(self, number: Real, longest: int) -> Term | None:
        """Return the number as an exact term; None if it is a float or too long."""
        if self.field.name != "exact" or self.field.pieces(number) > longest:
            return None
        if id(number) not in self.terms:
            term = self.field.term(number)
            self.terms[id(number)] = number, term, count_characters(term)
        _, term, width = self.terms[id(number)]
        return term if width <= longest else None

    def is_exact(self, number: Real, shown: Term) -> bool:
        """Whether a decimal is the number itself."""
        if not isinstance(shown, Constant) or isinstance(shown.value, float):
            return True
        if self.field.name == "exact":
            return is_rational(number) and bool(number == Fraction(shown.value))
        return self.float_digits(number) == shown.value and self.in_full(number)

    def entry(self, number: Real) -> Term | None:
        """Return the number for a worked line; None if it cannot be written exactly and shortly."""
        exact = self.exact(number, LONGEST_ENTRY)
        if self.field.is_open(number):
            return exact
        if exact is not None and not (isinstance(exact, Quotient) and isinstance(exact.under, Sum)):
            return as_literal(exact)
        decimal = self.decimal(number)
        return decimal if self.is_exact(number, decimal) else None

    def round_entry(self, number: Real) -> Term | None:
        """Return the number for a worked line of decimals; fractions and integers stay exact."""
        if self.field.is_open(number):
            return self.entry(number)
        exact = self.entry(number) if is_rational(number) else None
        return exact or self.decimal(number)


def is_rational(number: Real) -> bool:
    """Whether an exact number is a fraction."""
    return isinstance(number, int | Fraction) or bool(getattr(number, "is_Rational", False))


def as_literal(term: Term) -> Term:
    """Return a negated number as one constant, which sums and products put in brackets."""
    if isinstance(term, Negative) and isinstance(term.term, Constant):
        return Constant(-term.term.value)
    return term


def count_characters(term: Term) -> int:
    """Return the number of characters of a term in ASCII."""
    return len(write(term, Ascii()))
