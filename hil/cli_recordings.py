"""``hil report`` and ``hil export``: what is made of a recording afterwards."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hil.console import Json, RefusedError, err, out, print_json, verb
from hil.settings import ConfigError

if TYPE_CHECKING:
    from hil.recording.reader import Recording

RunArg = Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a run, or its file.")]
FolderOption = Annotated[
    Path | None, typer.Option("--out", help="Where to write; the run's folder if left out.")
]


@verb
def report(run_path: RunArg, folder: FolderOption = None, as_json: Json = False) -> None:
    """Make one self-contained HTML page of a run, with pictures and verdicts, and PNGs beside."""
    page = write_page(run_path, folder)
    if as_json:
        print_json({"ok": True, "report": str(page)})
    else:
        out.print(f"report: {page}", markup=False, soft_wrap=True)


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
        raise RefusedError(f"{target}: cannot be written: {error.strerror}") from None
    if as_json:
        print_json({"ok": True, "csv": str(written), "rows": recording.cycles})
    else:
        out.print(f"{recording.cycles} rows: {written}", markup=False, soft_wrap=True)


def write_page(run_path: Path, folder: Path | None = None) -> Path:
    """Write the report of a run of either station.

    Args:
        run_path: folder of the run, or its recording.
        folder: where to; beside the recording if left out.

    Returns:
        The page.
    """
    from hil.recording.arm_recording import ArmRecording
    from hil.recording.layouts import PLATFORM
    from hil.report.arm_page import write_arm_report
    from hil.report.page import write_report

    recording = _recording(run_path)
    where = folder or recording.path.parent
    if recording.layout is PLATFORM:
        return write_report(recording, where)
    return write_arm_report(ArmRecording(recording), where)


def _recording(path: Path) -> "Recording":
    from hil.recording.header import RECORDING_NAME
    from hil.recording.reader import Recording

    parts = sorted(path.glob(f"*/*/{RECORDING_NAME}"))
    if parts and not (path / RECORDING_NAME).exists():
        runs = ", ".join(str(part.parent) for part in parts)
        raise ConfigError(
            str(path), [f"several stations ran there; name one of their runs: {runs}"]
        )
    recording = Recording.open(path)
    if recording.truncated:
        text = f"{recording.path}: cut off; read up to the last complete chunk"
        err.print(text, markup=False, soft_wrap=True)
    return recording
