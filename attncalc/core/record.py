"""Frozen records: the part of `dataclass(frozen=True)` that is used here, without its cost.

`dataclass` writes and compiles source text for every class, about 0.6 ms each, at every start.
With some sixty records that is a third of the time of a whole numeric solve.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform
else:

    def dataclass_transform(**_: Any) -> Any:
        """Do nothing: only type checkers read it."""
        return lambda decorator: decorator


Class = TypeVar("Class", bound=type)
Record = TypeVar("Record")


@dataclass_transform(frozen_default=True)
def record(cls: Class) -> Class:
    """Make a class a frozen record of its annotated fields, compared and matched by value."""
    fields = tuple(
        dict.fromkeys(name for base in reversed(cls.__mro__[:-1]) for name in base.__annotations__)
    )
    enough = max((n for n, name in enumerate(fields, 1) if not hasattr(cls, name)), default=0)

    def __init__(self: Any, *values: Any, **named: Any) -> None:
        held = self.__dict__
        held.update(zip(fields, values))  # noqa: B905  the rest have defaults or are named
        if named or not enough <= len(values) <= len(fields):
            check_fields(cls, values, named)
            held.update(named)

    # A method that the class defines, or inherits from another record, is kept.
    common = {name: method for name, method in METHODS.items() if getattr(cls, name) is getattr(object, name)}
    for name, method in {"__init__": __init__, "__match_args__": fields, **common}.items():
        setattr(cls, name, method)
    return cls


def check_fields(kind: Any, values: tuple[Any, ...], named: dict[str, Any]) -> None:
    """Raise `TypeError` for fields that are missing, unknown, given twice or too many."""
    fields = kind.__match_args__
    if len(values) > len(fields):
        raise TypeError(f"{kind.__name__} takes {len(fields)} values, not {len(values)}")
    rest = fields[len(values) :]
    for name in named:
        if name not in rest:
            raise TypeError(f"{kind.__name__} has no {name} to be set")
    for name in rest:
        if name not in named and not hasattr(kind, name):
            raise TypeError(f"{kind.__name__} needs {name}")


def field_values(thing: Any) -> tuple[Any, ...]:
    """The values of the fields of a record."""
    return tuple(getattr(thing, name) for name in thing.__match_args__)


def compare_fields(one: Any, other: object) -> bool:
    """Whether two records are of one class and have equal fields."""
    return type(one) is type(other) and field_values(one) == field_values(other)


def hash_fields(thing: Any) -> int:
    """The hash of a record."""
    return hash((type(thing), field_values(thing)))


def describe_fields(thing: Any) -> str:
    """A record as a call of its class."""
    inside = ", ".join(f"{name}={getattr(thing, name)!r}" for name in thing.__match_args__)
    return f"{type(thing).__name__}({inside})"


def forbid_setting(thing: Any, *_: Any) -> NoReturn:
    """Refuse to set a field of a frozen record."""
    raise AttributeError(f"{type(thing).__name__} is frozen")


METHODS = {
    "__eq__": compare_fields,
    "__hash__": hash_fields,
    "__repr__": describe_fields,
    "__setattr__": forbid_setting,
}


def replace(thing: Record, **fields: Any) -> Record:
    """A copy of a record with some fields replaced; the record itself if nothing changes."""
    if all(getattr(thing, name, fields) is value for name, value in fields.items()):
        return thing
    kind: Any = type(thing)
    return kind(**{**{name: getattr(thing, name) for name in kind.__match_args__}, **fields})  # type: ignore[no-any-return]
