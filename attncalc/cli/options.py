"""The arguments and options that commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


class ProblemName(click.ParamType):  # type: ignore[type-arg]
    """A file, or the name of a bundled problem."""

    name = "file"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
        """The bundled names, and files."""
        from click.shell_completion import CompletionItem

        from attncalc.loading.load import bundled_names

        names = [name for name in bundled_names() if name.startswith(incomplete)]
        return [*map(CompletionItem, names), *click.File().shell_complete(ctx, param, incomplete)]


class TopicName(click.ParamType):  # type: ignore[type-arg]
    """The name of a topic."""

    name = "topic"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:  # noqa: ARG002
        """The topics that there are."""
        from click.shell_completion import CompletionItem

        from attncalc.topics import TOPICS

        return [CompletionItem(name) for name in TOPICS if name.startswith(incomplete)]


def output_options(*formats: str) -> Callable[[Command], Command]:
    """The options that every command takes."""

    def add(command: Command) -> Command:
        for option in (
            click.option("--no-color", is_flag=True, help="Plain text, also on a terminal."),
            click.option("--ascii", "ascii_only", is_flag=True, help="Text in nothing but ASCII characters."),
            click.option("-o", "output", metavar="FILE", help="Write to FILE, whole or not at all."),
            click.option(
                "-f", "--format", "format_", type=click.Choice(formats), default=formats[0],
                show_default=True, help="How the result is written.",
            ),
        ):  # fmt: skip
            command = option(command)
        return command

    return add


def page_options(command: Command) -> Command:
    """How a page in another format is to look."""
    for option in (
        click.option(
            "--flavor", type=click.Choice(["github", "latex", "markdown"]),
            help="github: Markdown with math fences; a worksheet is markdown or latex.",
        ),
        click.option("--standalone", is_flag=True, help="LaTeX: a whole article, not a fragment."),
    ):  # fmt: skip
        command = option(command)
    return command
