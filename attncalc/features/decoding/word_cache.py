"""`show: cache`: the size of the KV cache; and the cost of prefill and decode for `attncalc cost`."""

from __future__ import annotations

from collections.abc import Iterator

from attncalc.core.errors import count_of
from attncalc.core.record import replace
from attncalc.core.terms import Constant
from attncalc.core.terms.formulas import Name, Plus, Times, sentence
from attncalc.exercise.solve.solution import Solution
from attncalc.features.decoding.decode import BYTES, Cached, count_queries, decode, find_cache
from attncalc.worked.blocks import Block, Cell, Heading, Paragraph, Table
from attncalc.worked.overview import COUNTS, counts
from attncalc.worked.words import Word

KEPT = tuple(f"{kept}, {count_of(size, 'byte')}" for kept, size in BYTES.items())


def cache(solution: Solution) -> Iterator[Block]:
    """The cache of one token and of all, in bytes, also with other numbers of key heads."""
    yield Heading("KV cache", 3)
    found = find_cache(solution)
    if found is None:
        yield Paragraph("There are no keys and values of one width, so there is no cache to measure.")
        return
    heads = f"each of {found.groups} key heads" if found.groups > 1 else "the one key head"
    widths = Plus((Name("d_k"), Name("d_v"))) if found.d_k != found.d_v else Times(Constant(2), Name("d_k"))
    yield Paragraph(
        sentence(
            f"A token adds a key and a value to {heads}, {{}} numbers each: {found.numbers:,} "
            "in all. In bytes, by the format of a number:",
            widths,
        )
    )
    choices = sorted({len(solution.graph.heads), found.groups, 1}, reverse=True)
    rows = [line(found, groups, tokens) for tokens in (1, found.tokens) for groups in choices]
    yield Table(("tokens", "key heads", "numbers", *KEPT), tuple(dict.fromkeys(rows)))


def line(found: Cached, groups: int, tokens: int) -> tuple[Cell, ...]:
    """The row of the table for some tokens and this number of key heads."""
    other = replace(found, groups=groups)
    here = f"{groups}, as here" if groups == found.groups else str(groups)
    counts = (other.numbers * tokens, *other.bytes(tokens).values())
    return (f"{tokens:,}", here, *(f"{count:,}" for count in counts))


def decoding(solution: Solution, tokens: int) -> Iterator[Block]:
    """The cost of computing the tokens of a problem at once, and then decoding others one by one."""
    found, before = decode(solution, tokens), solution.cost
    keys, new = solution.graph.sizes["n_k"], count_queries(solution)
    cached = f", with the keys and values of {keys - new:,} earlier tokens cached" if keys > new else ""
    several = f"The {new:,} tokens of the problem are" if new > 1 else "The token of the problem is"
    yield Heading("Prefill and decode", 3)
    yield Paragraph(
        f"{several} taken in at once{cached}. Later tokens come one by one: only the new token is "
        "projected, and its query meets the cached keys and values of all tokens before it."
    )
    rows = {
        f"prefill of {new:,}": before,
        f"token {keys + 1:,}": found.first,
        f"token {keys + tokens:,}": found.last,
        f"decode of {tokens:,}": found.total,
        "together": before + found.total,
    }
    yield Table(("work", *COUNTS), tuple((what, *counts(each)) for what, each in rows.items()))


def decoding_data(solution: Solution, tokens: int) -> dict[str, object]:
    """The same counts as data."""
    found, kept, keys = decode(solution, tokens), find_cache(solution), solution.graph.sizes["n_k"]
    assert kept is not None
    return {
        "prefill": {"tokens": count_queries(solution), **solution.cost.counts()},
        "decode": {"tokens": tokens, **found.total.counts()},
        "first": found.first.counts(),
        "last": found.last.counts(),
        "cache": {
            "heads": kept.groups,
            "numbers_per_token": kept.numbers,
            "bytes_per_token": kept.bytes(),
            "tokens": keys + tokens,
            "bytes": kept.bytes(keys + tokens),
        },
    }


word = Word(cache, "How many bytes does a KV cache take, for one token and for all of them?")
