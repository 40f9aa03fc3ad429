"""Other names for letters in words, formulas and whole blocks."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, TypeVar

from attncalc.core.terms.formulas import Name
from attncalc.core.terms.nodes import Entry

Thing = TypeVar("Thing")


def rename_letters(thing: Thing, names: Mapping[str, str]) -> Thing:
    """Return anything made of records and tuples with other names for some letters.

    In words only names with a subscript are replaced: n and heads are words, too.

    >>> rename_letters(Name("d_k"), {"d_k": "D_k"})
    Name(name='D_k')
    >>> rename_letters("the width d_k of n heads", {"d_k": "D_k", "n": "N"})
    'the width D_k of n heads'
    """
    subscripted = [re.escape(name) for name in names if "_" in name]
    in_words = re.compile(rf"(?<!\w)(?:{'|'.join(subscripted)})(?!\w)") if subscripted else None

    def renamed(x: Any) -> Any:
        match x:
            case Name(name):
                return Name(names.get(name, name))
            case Entry(name, ()):
                return Entry(names.get(name, name))
            case str():
                return in_words.sub(lambda found: names[found[0]], x) if in_words else x
            case tuple():
                return tuple(map(renamed, x))
        fields = getattr(type(x), "__match_args__", None)
        return type(x)(*(renamed(getattr(x, field)) for field in fields)) if fields else x

    return renamed(thing) if names else thing
