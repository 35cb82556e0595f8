"""``hil report`` and ``hil export``: what is made of a recording afterwards.

What can be read of a damaged recording is made use of; the damage is told, and the exit status is
that of something refused.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hil.cli.command_summaries import ExportSummary, RecordedSummary, ReportSummary
from hil.config.errors import ConfigError
from hil.terminal.console import Json, err, leave, out, print_json, verb

if TYPE_CHECKING:
    from hil.recording.reader import Recording

RunArg = Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a run, or its file.")]
FolderOption = Annotated[
    Path | None, typer.Option("--out", help="Where to write; the run's folder if left out.")
]


@verb
def report(run_path: RunArg, folder: FolderOption = None, as_json: Json = False) -> None:
    """Make one self-contained HTML page of a run, with pictures and verdicts, and PNGs beside."""
    recording = _recording(run_path)
    page, state = _page(recording, folder), _state(recording)
    if as_json:
        print_json(ReportSummary(report=str(page), **state))
    else:
        out.print(f"report: {page}", soft_wrap=True)
    leave(state["ok"])


@verb
def export(
    run_path: RunArg,
    to: Annotated[str, typer.Option("--to", metavar="csv", help="Format.")] = "csv",
    folder: FolderOption = None,
    as_json: Json = False,
) -> None:
    """Write a recording as CSV: one row a cycle, units in the column names; events beside."""
    from hil.recording.export import export_csv

    if to != "csv":
        raise ConfigError("--to", [f"{to!r} is no known format; there is csv"])
    recording = _recording(run_path)
    target = (folder or recording.path.parent) / "cycles.csv"
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        written = export_csv(recording, target)
    except OSError as error:
        raise ConfigError(str(target), [f"cannot be written: {error.strerror}"]) from None
    state = _state(recording)
    if as_json:
        print_json(ExportSummary(csv=str(written), rows=recording.cycles, **state))
    else:
        out.print(f"{recording.cycles} rows: {written}", soft_wrap=True)
    leave(state["ok"])


def write_page(run_path: Path, folder: Path | None = None) -> Path:
    """Write the report of a run of any station, beside the recording if no folder is given."""
    return _page(_recording(run_path), folder)


def _page(recording: "Recording", folder: Path | None) -> Path:
    from hil.report.page import write_report

    return write_report(recording, folder or recording.path.parent)


def _recording(path: Path) -> "Recording":
    from hil.recording.header import RECORDING_NAME
    from hil.recording.reader import Recording
    from hil.report.recorded_run import recording_notes

    parts = sorted(path.glob(f"*/*/{RECORDING_NAME}"))
    if parts and not (path / RECORDING_NAME).exists():
        runs = ", ".join(str(part.parent) for part in parts)
        raise ConfigError(
            str(path), [f"several stations ran there; name one of their runs: {runs}"]
        )
    recording = Recording.open(path)
    for note in recording_notes(recording):
        err.print(f"{recording.path}: {note}", soft_wrap=True)
    return recording


def _state(recording: "Recording") -> RecordedSummary:
    """For a script: what is damaged or lost, and where."""
    from hil.recording.end import RecordedEnd
    from hil.report.recorded_run import whole

    recorded_end = RecordedEnd.of(recording.metadata)
    return RecordedSummary(
        ok=whole(recording),
        failure=recorded_end.loss,
        dropped=recorded_end.missing,
        losses=list(recording.losses),
        cut_off=recording.truncated,
        parts=[str(part) for part in recording.parts],
    )
