"""The arguments and options that commands share."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from functools import reduce, wraps
from typing import TYPE_CHECKING, TypeAlias, TypeVar, cast

import click

from attncalc.cli.printer import Printer, page_for
from attncalc.core.errors import fault
from attncalc.pages import DEFAULT_FORMAT, FormatKind, formats_of

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

PDF, PRINTED, SHEET = "pdf", "typst", "worksheet"
"""What a page is printed as, a format that can be printed, and the format whose flavour is a page format."""
Items: TypeAlias = "list[CompletionItem]"
Command = TypeVar("Command", bound=Callable[..., None])


class ProblemName(click.ParamType):  # type: ignore[type-arg]
    """A file, or the name of a bundled problem."""

    name = "file"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> Items:
        """The bundled names, and files."""
        from click.shell_completion import CompletionItem

        from attncalc.exercise.bundled import list_bundled

        names = [name for name in list_bundled() if name.startswith(incomplete)]
        return [*map(CompletionItem, names), *click.File().shell_complete(ctx, param, incomplete)]


def writes(*kinds: FormatKind, aside: bool = False, to: str = "FILE") -> Callable[[Command], Command]:
    """Give a command the options of its output, which it receives as one `Printer`.

    With `aside`, the file does not receive what is printed; `to` is the placeholder of -o in the help.
    """
    formats = formats_of(*kinds)

    def add(command: Command) -> Command:
        @wraps(command)
        def gathered(
            format_: str, output: str | None, standalone: bool = False, flavor: str | None = None,
            module: bool = False, ascii_only: bool = False, no_color: bool = False, **others: object,
        ) -> None:  # fmt: skip
            if module and format_ != "torch":
                raise fault("--module is for -f torch")
            printing = None
            if PRINTED in formats and is_pdf(format_, flavor, output):
                from attncalc.cli.print_pdf import find_printing

                printing = find_printing(None if aside else output)
                sheet = format_ == SHEET
                format_, flavor = (SHEET, printing.format) if sheet else (printing.format, flavor)
            page = page_for(
                None if aside else output, standalone or bool(printing), flavor, module, ascii_only, no_color
            )
            command(Printer(formats[format_], page, output, printing), **others)

        choices = [*formats, *[PDF] * (PRINTED in formats)]
        options = [choice_of(kinds, choices), *options_of(formats), target_of(to)]
        return reduce(lambda made, option: option(made), reversed(options), cast("Command", gathered))

    return add


def is_pdf(format_: str, flavor: str | None, output: str | None) -> bool:
    """Whether a page is to be printed: as asked for, or because the name of the file says so."""
    asked = flavor if format_ == SHEET else format_
    return asked == PDF or (asked in (DEFAULT_FORMAT, None) and (output or "").lower().endswith(f".{PDF}"))


def choice_of(kinds: tuple[FormatKind, ...], formats: list[str]) -> Callable[[Command], Command]:
    """The option that chooses the format; an argument for a command that writes packs."""
    if kinds == ("packs",):
        return click.argument("format_", type=click.Choice(formats))
    return click.option(
        "-f", "--format", "format_", type=click.Choice(formats), default=formats[0],
        show_default=True, help="How the result is written" + "; -o FILE.pdf prints it." * (PDF in formats),
    )  # fmt: skip


def target_of(what: str) -> Callable[[Command], Command]:
    """The option that names the file or the folder to write."""
    return click.option(
        "-o", "output", metavar=what,
        help="Write to FILE, whole or not at all." if what == "FILE" else f"The {what.lower()} to write.",
        callback=lambda _, __, name: None if name == "-" else name,
    )  # fmt: skip


def options_of(formats: Container[str]) -> Iterator[Callable[[Command], Command]]:
    """The options that some of these formats have."""
    if "latex" in formats:
        yield click.option("--standalone", is_flag=True, help="LaTeX: a whole article, not a fragment.")
    if "worksheet" in formats:
        yield click.option(
            "--flavor", type=click.Choice(["github", *formats_of("documents"), PDF]),
            help="github: Markdown with math fences; the others: the page format of a worksheet.",
        )  # fmt: skip
    elif "markdown" in formats:
        yield click.option(
            "--flavor", type=click.Choice(["github"]), help="Markdown: with math fences, for GitHub."
        )
    if "torch" in formats:
        yield click.option(
            "--module", is_flag=True,
            help="torch: an nn.Module as one writes it, checked against the same numbers.",
        )  # fmt: skip
    if DEFAULT_FORMAT in formats:
        yield click.option(
            "--ascii", "ascii_only", is_flag=True, help="Text in nothing but ASCII characters."
        )
        yield click.option("--no-color", is_flag=True, help="No colours, even on a terminal.")
