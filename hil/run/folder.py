"""The files of a run: a new folder of its own, and what writes the recording into it."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from hil.config.scenario import RecordingSettings
from hil.recording.header import RECORDING_NAME, RecordingError, RunHeader
from hil.recording.recorder import Recorder, RecordingSink
from hil.recording.ring import RecorderRing
from hil.timing.clock import utc_stamp

BLACK_BOX_NAME = "gate.jsonl"
"""What the gate did without control, if it ever had to; beside the recording."""


def new_run_dir(out: Path, name: str) -> Path:
    """A new folder for one run, ``<scenario>-<UTC time>``; an existing one is never used again.

    Raises:
        RecordingError: if it cannot be made.
    """
    stem = f"{name}-{utc_stamp()}"
    for attempt in range(1000):
        folder = out / (stem if attempt == 0 else f"{stem}-{attempt}")
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            if not out.is_dir():
                raise RecordingError(f"{out}: is a file; a folder for runs is needed") from None
            continue
        except OSError as error:
            raise RecordingError(f"{folder}: cannot be made: {error.strerror}") from None
        return folder
    raise RecordingError(f"{out}: has a thousand runs named {stem} already")


@contextmanager
def run_dir(out: Path, name: str) -> Iterator[Path]:
    """A new folder for a run; it goes again if the run is refused before anything is in it."""
    folder = new_run_dir(out, name)
    try:
        yield folder
    finally:
        with suppress(OSError):
            folder.rmdir()  # refuses, as it should, if there is anything


def recording_sink(
    settings: RecordingSettings, folder: Path, header: RunHeader, *, virtual: bool
) -> RecordingSink:
    """What takes the cycles of a run, of either station.

    Args:
        virtual: a dry run is recorded in its own thread, any other by a process of its own.

    Raises:
        RecordingError: if the recording cannot be begun.
    """
    path, least = folder / RECORDING_NAME, round(settings.min_free_mb * 1e6)
    if virtual:
        return Recorder(RecorderRing.local(settings.ring_slots), path, header, min_free_bytes=least)
    from hil.recording.process import RecorderProcess  # Linux only

    return RecorderProcess(
        RecorderRing.shared(settings.ring_slots), path, header, min_free_bytes=least
    )
