"""``hil world rerun``: a recorded run once more, compared bit by bit."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hil.stations.world.report.summaries import RerunSummary, SignalDiffersSummary
from hil.terminal.console import Json, leave, out, print_json, show_recording, styled, verb


@verb
def rerun(
    recording: Annotated[
        Path, typer.Argument(metavar="RECORDING", help="An .mcap of a run, or its folder.")
    ],
    folder: Annotated[
        Path, typer.Option("--out", metavar="FOLDER", help="Where the second recording goes.")
    ] = Path("runs"),
    trust: Annotated[
        bool, typer.Option("--trust", help="Load the native code of its FMUs, where they lay.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Do a recorded run again, with what was changed while it ran; exit status 1 if it differs."""
    from hil.stations.world.run.rerun import rerun as run_again

    found = run_again(recording, folder, trusted=trust)
    if as_json:
        print_json(
            RerunSummary(
                ok=found.same, path=str(recording), recording=str(found.recording),
                rows=list(found.rows),
                differs=[SignalDiffersSummary(name=one.name, row=one.row) for one in found.differs],
            )
        )  # fmt: skip
        leave(found.same)
    first, second = found.rows
    word = styled("green", "the same") if found.same else styled("red", "not the same")
    out.print(word, f": {first} rows and {second}, bit by bit", sep="")
    for one in found.differs:
        out.print(f"{one.name}: from row {one.row} on", soft_wrap=True)
    show_recording(found.recording, 1)
    leave(found.same)
