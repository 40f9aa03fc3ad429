"""Other names for letters in words, formulas and whole blocks."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
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
    if not names:
        return thing
    subscripted = [re.escape(name) for name in names if "_" in name]
    in_words = re.compile(rf"(?<!\w)(?:{'|'.join(subscripted)})(?!\w)") if subscripted else None

    def rename_words(words: str) -> str:
        return in_words.sub(lambda found: names[found[0]], words) if in_words else words

    return map_names(thing, lambda name: names.get(name, name), rename_words)


def map_names(
    thing: Thing, rename: Callable[[str], str], rename_words: Callable[[str], str] = lambda words: words
) -> Thing:
    """Return anything made of records and tuples with every name, and all words, replaced by a function."""

    def put(name: Any) -> Any:
        return Name(rename(name.name)) if isinstance(name, Name) else Entry(rename(name.of))

    return rewrite_names(thing, put, rename_words)


def rewrite_names(
    thing: Thing, put: Callable[[Any], Any], rename_words: Callable[[str], str] = lambda words: words
) -> Thing:
    """Return anything made of records and tuples with something else in place of names without an index."""

    def rewritten(x: Any) -> Any:
        match x:
            case Name() | Entry(_, ()):
                return put(x)
            case str():
                return rename_words(x)
            case tuple():
                return tuple(map(rewritten, x))
        fields = getattr(type(x), "__match_args__", None)
        return type(x)(*(rewritten(getattr(x, field)) for field in fields)) if fields else x

    return rewritten(thing)  # type: ignore[no-any-return]
