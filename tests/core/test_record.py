"""Records: set once, all of it, compared and matched by value."""

from __future__ import annotations

from typing import Any

import pytest

from attncalc.core.record import record, replace


@record
class Point:
    """Two numbers, the second of which may be left out."""

    x: int
    y: int = 0


@record
class Named(Point):
    """A point with a name."""

    name: str = ""


@record
class Weighted(Point):
    """A point with a weight, which may not be left out."""

    weight: int  # type: ignore[misc]


MADE = [
    (Point(1), (1, 0)),
    (Point(1, 2), (1, 2)),
    (Point(x=1), (1, 0)),
    (Point(y=2, x=1), (1, 2)),
    (Point(1, y=2), (1, 2)),
    (Named(1, name="a"), (1, 0, "a")),
    (Named(1, 2, "a"), (1, 2, "a")),
    (Weighted(1, weight=3), (1, 0, 3)),
    (replace(Point(1, 2), y=3), (1, 3)),
    (replace(Named(1, 2, "a")), (1, 2, "a")),
]


@pytest.mark.parametrize(("made", "fields"), MADE)
def test_fields(made: Point, fields: tuple[Any, ...]) -> None:
    """Fields are set by place or by name, those of the class above first, and have defaults."""
    assert tuple(getattr(made, name) for name in type(made).__match_args__) == fields
    assert made == type(made)(*fields)
    assert hash(made) == hash(type(made)(*fields))


REFUSED: list[tuple[tuple[Any, ...], dict[str, Any], str]] = [
    ((), {}, "Point needs x"),
    ((), {"y": 1}, "Point needs x"),
    ((1, 2, 3), {}, "Point takes 2 values, not 3"),
    ((1, 2, 3), {"z": 1}, "Point takes 2 values, not 3"),
    ((1,), {"z": 1}, "Point has no z to be set"),
    ((1, 2), {"z": 1}, "Point has no z to be set"),
    ((1,), {"x": 1}, "Point has no x to be set"),
    ((1, 2), {"y": 1}, "Point has no y to be set"),
]


@pytest.mark.parametrize(("values", "named", "message"), REFUSED)
def test_refused(values: tuple[Any, ...], named: dict[str, Any], message: str) -> None:
    """A field that is missing, unknown, given twice or one too many is refused by its name."""
    with pytest.raises(TypeError, match=message):
        Point(*values, **named)


@pytest.mark.parametrize("values", [(1,), (1, 2)])
def test_a_field_after_a_default_is_needed(values: tuple[int, ...]) -> None:
    """What is needed is needed wherever it stands."""
    with pytest.raises(TypeError, match="Weighted needs weight"):
        Weighted(*values)


def test_unknown_fields_are_not_changed() -> None:
    """`replace` knows the fields too."""
    with pytest.raises(TypeError, match="Point has no z to be set"):
        replace(Point(1), z=2)


def test_frozen() -> None:
    """What is set stays."""
    point = Point(1)
    with pytest.raises(AttributeError, match="Point is frozen"):
        point.x = 2  # type: ignore[misc]
    assert point.x == 1


def test_compared_by_value_and_kind() -> None:
    """Equal fields of another class are something else."""
    assert Point(1, 2) != Named(1, 2)
    assert len({Point(1), Point(1, 0), Named(1)}) == 2


def test_shown_and_matched() -> None:
    """A record is written as it is made, and matched by place."""
    assert repr(Named(1, 2, "a")) == "Named(x=1, y=2, name='a')"
    match Named(1, 2, "a"):
        case Named(x, y, name):
            assert (x, y, name) == (1, 2, "a")
