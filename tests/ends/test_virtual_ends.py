"""Faults of a run on the virtual clock: exit status, console, JSON, recording and report agree."""

import resource
from contextlib import contextmanager, nullcontext
from functools import cache
from pathlib import Path

import pytest
from seen_ends import File, Seen, judged, parsed
from short_runs import STATIONS, arguments
from typer.testing import CliRunner

from hil.cli.main import app
from hil.recording.reader import Recording
from hil.report.recorded import recorded_run
from hil.run.registry import station_named


@contextmanager
def files_of_at_most(size: int):
    """A disk on which a file comes to so many bytes, and no further."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def run(station: str, folder: Path, *, fault=nullcontext) -> Seen:
    """Run a station's scenario for a script, and look at its recording with every reader."""
    with fault():
        answer = CliRunner().invoke(
            app, ["run", *arguments(station), "--out", str(folder), "--json"]
        )
    seen = Seen(answer.exit_code, told=parsed(answer.stdout))
    for path in folder.glob("*/recording.mcap"):
        seen.file = File.of(path)
        made = CliRunner().invoke(app, ["export", str(path), "--json"])
        seen.reported, seen.report = made.exit_code, parsed(made.stdout)
        view = (station_named(station, "").recorded or recorded_run)(Recording.open(path))
        seen.verdict = view.verdict.ending.value
        seen.page = " ".join((view.verdict.reason, *view.notes))
    return seen


def shown(station: str, folder: Path, *, fault=nullcontext) -> Seen:
    """The same for a person; the recording is not looked at."""
    with fault():
        answer = CliRunner().invoke(app, ["run", *arguments(station), "--out", str(folder)])
    return Seen(answer.exit_code, answer.output)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A run of each station without any fault, and the size of its recording."""

    @cache
    def made(station):
        folder = tmp_path_factory.mktemp(f"whole_{station}")
        seen = run(station, folder)
        [path] = folder.glob("*/recording.mcap")
        return seen, path.stat().st_size

    return made


@pytest.mark.parametrize("station", STATIONS)
def test_without_a_fault_all_agree_that_it_is_well(whole, station):
    seen, _ = whole(station)
    assert judged(seen, "", rows=seen.file.rows) == []
    assert seen.file.rows > 30


@pytest.mark.parametrize("station", STATIONS)
def test_a_disk_that_is_full_is_named_by_all(whole, station, tmp_path):
    good, size = whole(station)

    def full():
        return files_of_at_most(size * 6 // 10)

    seen = run(station, tmp_path / "json", fault=full)
    assert judged(seen, "File too large", rows=good.file.rows) == []
    assert 0 < seen.file.rows < good.file.rows
    lost = seen.told["recording_dropped"]
    assert lost >= good.file.rows - seen.file.rows
    assert f"{lost} entries are missing" in seen.page
    assert seen.report["dropped"] == lost
    assert judged(shown(station, tmp_path / "shown", fault=full), "File too large") == []


@pytest.mark.parametrize("station", STATIONS)
def test_a_disk_with_no_room_for_the_header_refuses_the_run(whole, station, tmp_path):
    whole(station)  # its kernels are there now
    seen = run(station, tmp_path, fault=lambda: files_of_at_most(1000))
    assert judged(seen, "cannot be written: .*File too large") == []
    assert not list(tmp_path.glob("*/*")), "of a run that never began nothing is left"
