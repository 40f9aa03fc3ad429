"""Findings as annotations that GitHub shows beside the lines of a file."""

from __future__ import annotations

from collections.abc import Iterable

from attncalc.core.errors import inert
from attncalc.features.authoring.lint.findings import Finding, Lint
from attncalc.pages import Page

ESCAPES = {"%": "%25", "\r": "%0D", "\n": "%0A"}
IN_PROPERTIES = {**ESCAPES, ":": "%3A", ",": "%2C"}


def render(found: Iterable[Lint], _: Page) -> str:
    """One warning for each finding."""
    return "\n".join(annotation(one) for lint in found for one in lint.findings)


def annotation(found: Finding) -> str:
    """One warning, escaped so that no text in it can end it or start another."""
    place = found.place
    facts = {"file": inert(place.file), "line": place.line, "col": place.column, "title": found.code}
    properties = ",".join(f"{name}={escape(str(fact), IN_PROPERTIES)}" for name, fact in facts.items())
    return f"::warning {properties}::{escape(found.message, ESCAPES)}"


def escape(text: str, signs: dict[str, str]) -> str:
    """Text with the signs that GitHub interprets escaped."""
    return "".join(signs.get(sign, sign) for sign in text)
