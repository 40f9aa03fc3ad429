"""Students: Derive a topic step by step; without a TOPIC, list them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from attncalc.cli.files_and_streams import load_problem, patience
from attncalc.cli.options import Items, ProblemName, writes

if TYPE_CHECKING:
    from attncalc.cli.printer import Printer


class TopicName(click.ParamType):  # type: ignore[type-arg]
    """The name of a topic."""

    name = "topic"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> Items:  # noqa: ARG002
        """The topics that start with the typed text."""
        from click.shell_completion import CompletionItem

        from attncalc.features.topics import TOPICS

        return [CompletionItem(name) for name in TOPICS if name.startswith(incomplete)]


@click.command()
@click.argument("topic", type=TopicName(), required=False)
@click.argument("file", type=ProblemName(), required=False)
@click.option("--tile", type=click.IntRange(1), metavar="N", help="flash: how many keys are taken at a time.")
@writes("documents")
def command(output: Printer, topic: str | None, file: str | None, **options: object) -> None:
    """Derive a topic step by step, and show it on a problem; without a TOPIC, list them."""
    from attncalc.core.errors import fault, nearest, quote
    from attncalc.core.terms.renaming import rename_letters
    from attncalc.exercise.solve.solve import solve as solved
    from attncalc.features.topics import TOPICS, topic_names
    from attncalc.worked.blocks import Answer, Document, Heading, Table
    from attncalc.worked.words import explain, topic_named

    if topic is None:
        rows = tuple((name, topic_named(name).title) for name in topic_names())
        output.write(documents=lambda: Document((Table(("topic", "about"), rows),), title="Topics"))
        return
    if topic not in topic_names():
        hint = nearest(topic, topic_names()) or f"; the topics are {', '.join(TOPICS)}"
        raise fault(f"there is no topic {quote(topic)}{hint}")
    chosen = topic_named(topic)
    said = {name: value for name, value in options.items() if value is not None}
    for name in said.keys() - {*chosen.options}:
        raise fault(f"--{name} has no meaning for {topic}")
    with patience():
        solution = solved(load_problem(file)) if file else None
    names = solution.problem.size_names if solution else {}
    output.write(
        documents=lambda: rename_letters(
            Document(
                (
                    Heading(chosen.title, 1),
                    *explain(chosen, solution, **said),
                    Answer(chosen.say(solution)),
                )
            ),
            names,
        )
    )
