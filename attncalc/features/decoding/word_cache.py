"""`show: cache`: the size of the KV cache."""

from __future__ import annotations

from attncalc.features.decoding.document import cache
from attncalc.worked.words import Word

word = Word(cache, "How many bytes does a KV cache take, for one token and for all of them?")
