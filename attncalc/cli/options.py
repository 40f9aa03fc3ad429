"""The arguments and options that commands share."""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterable, Iterator
from functools import reduce, wraps
from typing import TYPE_CHECKING, TypeAlias, TypeVar, cast

import click

from attncalc.cli.printer import Printer, page_for
from attncalc.core.errors import Place, fault
from attncalc.pages import DEFAULT_FORMAT, Format, FormatKind, formats_of

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

PDF, PRINTED, SHEET = "pdf", "typst", "worksheet"
"""What a page is printed as, a format that can be printed, and the format whose flavour is a page format."""
RESULTS: tuple[FormatKind, ...] = ("documents", "solutions", "reports", "data", "files")
"""The kinds of formats whose endings choose them."""
SAME_ENDINGS = {"htm": "html", "markdown": "md", "yml": "yaml"}
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
    is_result = to == "FILE" and not aside

    def add(command: Command) -> Command:
        @wraps(command)
        def gathered(
            format_: str | None, output: str | None, standalone: bool = False, flavor: str | None = None,
            module: bool = False, ascii_only: bool = False, no_color: bool = False, **others: object,
        ) -> None:  # fmt: skip
            target = output if is_result else None
            printing = None
            if PRINTED in formats and is_pdf(format_, flavor, output):
                from attncalc.cli.print_pdf import find_printing

                printing = find_printing(None if aside else output)
                is_sheet = format_ == SHEET
                chosen = formats[SHEET if is_sheet else printing.format]
                flavor = printing.format if is_sheet else flavor
            else:
                chosen = choose_format(formats, format_, target, module)
                flavor = choose_flavor(chosen, flavor, target)
            if module and chosen.name != "torch":
                raise fault("--module is for -f torch")
            page = page_for(
                None if aside else output, standalone or bool(printing), flavor, module, ascii_only, no_color
            )
            command(Printer(chosen, page, output, printing), **others)

        choices = [*formats, *[PDF] * (PRINTED in formats)]
        options = [choice_of(kinds, choices), *options_of(formats), target_of(to)]
        return reduce(lambda made, option: option(made), reversed(options), cast("Command", gathered))

    return add


def is_pdf(format_: str | None, flavor: str | None, output: str | None) -> bool:
    """Whether a page is to be printed: as asked for, or because the name of the file says so."""
    asked = flavor if format_ == SHEET else format_
    return asked == PDF or (asked is None and ending_of(output) == PDF)


def choice_of(kinds: tuple[FormatKind, ...], formats: list[str]) -> Callable[[Command], Command]:
    """The option that chooses the format; an argument for a command that writes packs."""
    if kinds == ("packs",):
        return click.argument("format_", type=click.Choice(formats))
    return click.option(
        "-f", "--format", "format_", type=click.Choice(formats),
        help=f"How the result is written.  [default: by the ending of -o, else {formats[0]}]",
    )  # fmt: skip


def choose_format(formats: dict[str, Format], name: str | None, output: str | None, module: bool) -> Format:
    """The named format, or else the one with the ending of the output file."""
    default = next(iter(formats.values()))
    ending = ending_of(output)
    if name or module:
        chosen = formats["torch" if name is None else name]
        if (
            ending
            and ending not in (chosen.ending, *chosen.page_endings)
            and ending in known_endings(formats)
        ):
            message = f"-f {chosen.name} does not write .{ending} files: leave -f out, or change the name"
            raise fault(message, Place(str(output)))
        return chosen
    found = endings_of(formats.values()).get(ending) if ending else default
    if found is None and (ending == PDF or (len(formats) > 1 and ending in known_endings(formats))):
        known = ", ".join(f".{one}" for one in endings_of(formats.values()))
        raise fault(f"this command does not write .{ending} files: choose one of {known}", Place(str(output)))
    return found or default


def choose_flavor(chosen: Format, flavor: str | None, output: str | None) -> str:
    """The flavour, or for a sheet the page format with the ending of the output file."""
    if flavor is None and output and chosen.page_endings:
        return getattr(
            endings_of(formats_of("documents", "sheets").values()).get(ending_of(output)), "name", ""
        )
    return flavor or ""


def ending_of(output: str | None) -> str:
    """The ending of the output file, in its usual form."""
    ending = os.path.splitext(output or "")[1].lower().removeprefix(".")
    return SAME_ENDINGS.get(ending, ending)


def known_endings(formats: dict[str, Format]) -> Container[str]:
    """The endings of all formats."""
    return {PDF, *endings_of((*formats_of(*RESULTS).values(), *formats.values()))}


def endings_of(formats: Iterable[Format]) -> dict[str, Format]:
    """The formats that endings choose: the one of that name, else the first that has it."""
    found: dict[str, Format] = {}
    for one in formats:
        if one.ending not in found or one.name == one.ending:
            found[one.ending] = one
    return found


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
            "--flavor", type=click.Choice(["github", *formats_of("documents", "sheets"), PDF]),
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
