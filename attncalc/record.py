"""Frozen records: the part of `dataclass(frozen=True)` that is used here, defined in no time.

`dataclass` writes and compiles source text for every class, about 0.6 ms each, at every start.
With some sixty records that is a third of the time of a whole numeric solve.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform
else:

    def dataclass_transform(**_: Any) -> Any:
        """Tells type checkers only."""
        return lambda decorator: decorator


Class = TypeVar("Class", bound=type)
Record = TypeVar("Record")


@dataclass_transform(frozen_default=True)
def record(cls: Class) -> Class:
    """Gives a class its annotated fields: set once, compared and matched by value."""
    fields = tuple(
        dict.fromkeys(name for base in reversed(cls.__mro__[:-1]) for name in base.__annotations__)
    )
    required = tuple(name for name in fields if not hasattr(cls, name))

    def __init__(self: Any, *values: Any, **named: Any) -> None:
        held = self.__dict__
        held.update(zip(fields, values))  # noqa: B905  the rest have defaults or are named
        if named or len(values) != len(fields):
            check(values, named)
            held.update(named)

    def check(values: tuple[Any, ...], named: dict[str, Any]) -> None:
        if len(values) > len(fields):
            raise TypeError(f"{cls.__name__} takes {len(fields)} values, not {len(values)}")
        for name in named:
            if name not in fields[len(values) :]:
                raise TypeError(f"{cls.__name__} has no {name} to be set")
        for name in required[len(values) :] if len(required) > len(values) else ():
            if name not in named:
                raise TypeError(f"{cls.__name__} needs {name}")

    def values_of(self: Any) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in fields)

    def __eq__(self: Any, other: object) -> bool:
        return type(self) is type(other) and values_of(self) == values_of(other)

    def __hash__(self: Any) -> int:
        return hash((cls, values_of(self)))

    def __repr__(self: Any) -> str:
        inside = ", ".join(f"{name}={getattr(self, name)!r}" for name in fields)
        return f"{cls.__name__}({inside})"

    def __setattr__(*_: Any) -> NoReturn:
        raise AttributeError(f"{cls.__name__} is frozen")

    for method in (__init__, __eq__, __hash__, __repr__, __setattr__):
        setattr(cls, method.__name__, method)
    setattr(cls, "__match_args__", fields)  # noqa: B010  mypy knows it as fixed
    return cls


def changed(thing: Record, **fields: Any) -> Record:
    """The same record with other values in some fields."""
    kind: Any = type(thing)
    return kind(**{**{name: getattr(thing, name) for name in kind.__match_args__}, **fields})  # type: ignore[no-any-return]
