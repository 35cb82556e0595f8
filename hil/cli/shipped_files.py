"""The verb `hil list`: what comes along, by kind of file, one line each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from hil.cli.command_summaries import ShippedFilesSummary, ShippedFileSummary
from hil.config.errors import ConfigError
from hil.terminal.console import Json, out, print_json, verb

if TYPE_CHECKING:
    from hil.run.shipped_files import ShippedFile


@verb
def list_shipped(
    kinds: Annotated[
        list[str] | None,
        typer.Argument(metavar="[KIND]...", help="Such files only."),
    ] = None,
    as_json: Json = False,
) -> None:
    """List what comes along, a line each: scenarios, rigs, robots, presets, maps, diagrams.

    A name stands wherever a verb wants such a file: `hil check demo`.
    """
    from hil.run.shipped_files import KINDS, shipped_files

    wanted = list(dict.fromkeys(kinds or KINDS))
    if unknown := [one for one in wanted if one not in KINDS]:
        known = ", ".join(KINDS)
        raise ConfigError("list", [f"{one!r} is unknown; there are {known}" for one in unknown])
    files = [one for kind in wanted for one in shipped_files(kind)]
    if as_json:
        print_json(ShippedFilesSummary(ok=True, files=[*map(_summarize, files)]))
    else:
        _show(files)


def _summarize(one: ShippedFile) -> ShippedFileSummary:
    return ShippedFileSummary(kind=one.kind, name=one.name, station=one.station, words=one.words)


def _show(files: list[ShippedFile]) -> None:
    from rich.table import Table

    table = Table("kind", "name", "station", "what it is", box=None, pad_edge=False)
    before = ""
    for one in files:
        if before and one.kind != before:
            table.add_section()
        table.add_row("" if one.kind == before else one.kind, one.name, one.station, one.words)
        before = one.kind
    out.print(table)
