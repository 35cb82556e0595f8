"""``hil diagram diff``: what changed in a law."""

from __future__ import annotations

from typing import Annotated

import typer

from hil.config.file_search import find_file
from hil.diagram.commands.choices import FileArg
from hil.terminal.completion import offered
from hil.terminal.console import Json, leave, out, print_json, verb


@verb
def diff(
    before: FileArg,
    after: Annotated[
        str,
        typer.Argument(metavar="FILE", help="The other one.", autocompletion=offered("diagrams")),
    ],
    as_json: Json = False,
) -> None:
    """What changed in the law; exit status 0 if two files have the same law, 1 if not."""
    from hil.diagram.analysis.compare import compare
    from hil.diagram.file.read import read
    from hil.diagram.show.law_summaries import ChangeSummary, DiagramDiffSummary

    paths = [find_file(name, folder="diagrams", key="FILE") for name in (before, after)]
    changes = compare(read(paths[0]), read(paths[1]))
    same = not any(one.law for one in changes)
    if as_json:
        rows = [
            ChangeSummary(
                place=one.place, what=one.what, name=one.name, key=one.key, before=one.before,
                after=one.after, law=one.law, renamed=one.renamed,
            )
            for one in changes
        ]  # fmt: skip
        print_json(
            DiagramDiffSummary(ok=same, before=str(paths[0]), after=str(paths[1]), changes=rows)
        )
        leave(same)
    for one in changes:
        if one.law:
            out.print(one.words, soft_wrap=True)
    rest = [one for one in changes if not one.law]
    if same:
        out.print("the laws are equal", soft_wrap=True)
    if rest:
        out.print("beside the law:", soft_wrap=True)
    for one in rest:
        out.print(f"  {one.words}", soft_wrap=True)
    leave(same)
