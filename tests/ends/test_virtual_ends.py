"""Faults of a run on the virtual clock: exit status, console, JSON, recording and report agree."""

import gc
import os
import resource
import signal
import tempfile
from contextlib import ExitStack, contextmanager, nullcontext
from copy import deepcopy
from functools import cache, partial
from pathlib import Path

import pytest
from seen_ends import File, Seen, judged, parsed
from short_runs import STATIONS, arguments
from typer.testing import CliRunner
from write_protection import protector

from hil.cli.main import app
from hil.recording.reader import Recording
from hil.report.recorded_run import recorded_run
from hil.run import run as runs
from hil.run.progress import Progress
from hil.run.registry import station_named
from hil.timing import clock
from hil.timing.stop import StopSignals

NOBODY = 65534
USAGE = 2
"""Exit status of a run whose recording has no place."""


@contextmanager
def files_of_at_most(size: int):
    """A disk on which a file comes to so many bytes, and no further."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@contextmanager
def no_rights():
    """Be a user whose files no folder belongs to; of others it is so already."""
    before = os.geteuid()
    if before == 0:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(before)


@contextmanager
def descriptors_left(count: int):
    """Room for so many more open files."""
    gc.collect()  # what others have left open would be closed in between, and leave room
    lowest = os.open(os.devnull, os.O_RDONLY)
    os.close(lowest)
    with descriptors_at_most(lowest + count):
        yield


@contextmanager
def descriptors_at_most(count: int):
    """New ones are below that number, or there are none."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (count, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


@contextmanager
def at_turn(number: int, act):
    """Do something in a turn of the run, which alone waits for signals; its proofs do not."""

    class Counted(Progress):
        turns = 0

        def turn(self):
            super().turn()
            handler = getattr(signal.getsignal(signal.SIGINT), "__self__", None)
            Counted.turns += isinstance(handler, StopSignals)
            if Counted.turns == number:
                act()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runs, "Progress", Counted)
        yield


@contextmanager
def descriptors_gone_at(number: int):
    """From a turn on no more file can be opened, whatever is closed; open ones stay so."""
    stack = ExitStack()
    with stack, at_turn(number, lambda: stack.enter_context(descriptors_at_most(3))):
        yield


@contextmanager
def calendar_set_at(number: int, jump_s: float):
    """In a turn somebody sets the calendar."""
    jumped, real = [0.0], clock.datetime

    class Calendar:
        @staticmethod
        def now(zone):
            return real.fromtimestamp(real.now(zone).timestamp() + jumped[-1], zone)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(clock, "datetime", Calendar)
        with at_turn(number, lambda: jumped.append(jump_s)):
            yield
        assert jumped[-1] == jump_s


def run(station: str, folder: Path, *options: str, fault=nullcontext) -> Seen:
    """Run a station's scenario for a script, and look at its recording with every reader."""
    with fault():
        answer = CliRunner().invoke(
            app, ["run", *arguments(station), "--out", str(folder), "--json", *options]
        )
    if answer.exception is not None and not isinstance(answer.exception, SystemExit):
        raise answer.exception  # a person would see a traceback
    seen = Seen(answer.exit_code, told=parsed(answer.stdout))
    for path in folder.glob("*/recording.mcap"):
        seen.file = File.of(path)
        made = CliRunner().invoke(app, ["export", str(path), "--json"])
        seen.reported, seen.report = made.exit_code, parsed(made.stdout)
        view = (station_named(station, "").recorded or recorded_run)(Recording.open(path))
        seen.verdict = view.verdict.ending.value
        seen.page = " ".join((view.verdict.reason, *view.notes))
    return seen


def shown(station: str, folder: Path, *options: str, fault=nullcontext) -> Seen:
    """The same for a person; the recording is not looked at."""
    with fault():
        answer = CliRunner().invoke(
            app, ["run", *arguments(station), "--out", str(folder), *options]
        )
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


@pytest.fixture(scope="module")
def full(whole, tmp_path_factory):
    """A run of each station on a disk that fills up: for a script, and for a person."""

    @cache
    def made(station):
        _, size = whole(station)
        folder = tmp_path_factory.mktemp(f"full_{station}")
        disk = partial(files_of_at_most, size * 6 // 10)
        seen = run(station, folder / "json", fault=disk)
        return seen, shown(station, folder / "shown", fault=disk)

    return made


@pytest.mark.parametrize("station", STATIONS)
def test_without_a_fault_all_agree_that_it_is_well(whole, station):
    seen, _ = whole(station)
    assert judged(seen, "", rows=seen.file.rows) == []
    assert seen.file.rows > 30


@pytest.mark.parametrize("station", STATIONS)
def test_a_disk_that_is_full_is_named_by_all(whole, full, station):
    good, _ = whole(station)
    seen, on_console = full(station)
    assert judged(seen, "File too large", rows=good.file.rows) == []
    assert 0 < seen.file.rows < good.file.rows
    lost = seen.told["recording_dropped"]
    assert lost >= good.file.rows - seen.file.rows
    assert f"{lost} entries are missing" in seen.page
    assert seen.report["dropped"] == lost
    assert judged(on_console, "File too large") == []


@pytest.mark.parametrize("station", STATIONS)
def test_a_disk_with_no_room_for_the_header_refuses_the_run(whole, station, tmp_path):
    whole(station)  # its kernels are there now
    seen = run(station, tmp_path, fault=lambda: files_of_at_most(1000))
    assert seen.status == USAGE
    assert judged(seen, "nothing has moved: .* cannot be written: .*File too large") == []
    assert not list(tmp_path.glob("*/*")), "of a run that never began nothing is left"


@pytest.mark.parametrize("station", STATIONS)
def test_a_folder_that_is_read_only_refuses_the_run(whole, station):
    whole(station)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        folder.chmod(0o555)
        seen = run(station, folder / "runs", fault=no_rights)
        assert seen.status == USAGE
        assert judged(seen, "nothing has moved: .* cannot be made: Permission denied") == []
        assert not list(folder.iterdir())


@pytest.mark.parametrize("station", STATIONS)
def test_a_recording_that_becomes_read_only_is_named_by_all(whole, station, tmp_path):
    good, _ = whole(station)

    @contextmanager
    def read_only():
        with protector() as protect, at_turn(MIDDLE[station], lambda: protect(*made())):
            yield

    def made():
        return tmp_path.glob("*/recording.mcap")

    seen = run(station, tmp_path, fault=read_only)
    assert judged(seen, "Operation not permitted", rows=good.file.rows) == []
    assert seen.told["recording_dropped"] > 0
    assert not seen.file.outcome, "not even its kept place can be written"


@pytest.mark.parametrize("station", STATIONS)
def test_a_run_without_descriptors_is_refused_in_a_sentence(whole, station, tmp_path):
    whole(station)
    seen = run(station, tmp_path, fault=lambda: descriptors_left(0))
    assert judged(seen, "Too many open files") == []


MIDDLE = {"platform": 700, "arm": 400, "world": 400, "simulator": 500}
"""A turn in the middle of each motion."""


@pytest.mark.parametrize("station", STATIONS)
def test_a_run_that_a_person_stops_is_well(station, tmp_path):
    def interrupted():
        return at_turn(MIDDLE[station], lambda: signal.raise_signal(signal.SIGINT))

    seen = run(station, tmp_path / "json", fault=interrupted)
    assert judged(seen, "") == []
    assert (seen.status, seen.verdict) == (0, "STOPPED BY THE OPERATOR")
    assert judged(shown(station, tmp_path / "shown", fault=interrupted), "") == []


@pytest.mark.parametrize("station", STATIONS)
def test_without_descriptors_from_its_middle_on_a_run_says_what_was_not_made_of_it(
    whole, station, tmp_path
):
    good, _ = whole(station)

    def gone():
        return descriptors_gone_at(MIDDLE[station])

    cause = "(figures|report): .*Too many open files"
    seen = run(station, tmp_path / "json", "--report", fault=gone)
    assert judged(seen, cause, rows=good.file.rows, whole=True) == []
    assert seen.status == 1
    assert not list(tmp_path.rglob("report.html"))
    assert judged(shown(station, tmp_path / "shown", "--report", fault=gone), cause) == []


@pytest.mark.parametrize("station", STATIONS)
def test_a_report_that_has_no_place_leaves_the_end_of_its_run_to_be_read(whole, station, tmp_path):
    good, _ = whole(station)

    def act():
        [folder] = tmp_path.glob("*/*/")
        (folder / "pictures").write_text("no folder")

    seen = run(station, tmp_path / "json", "--report", fault=lambda: at_turn(9, act))
    cause = "report: .*cannot be written: File exists"
    assert judged(seen, cause, rows=good.file.rows, whole=True) == []
    assert (seen.status, seen.told["report"]) == (1, None)


@pytest.mark.parametrize("station", STATIONS)
def test_a_calendar_that_is_set_back_changes_nothing_of_a_run(whole, station, tmp_path):
    good, _ = whole(station)
    seen = run(station, tmp_path, fault=lambda: calendar_set_at(MIDDLE[station], -1e5))
    assert judged(seen, "", rows=good.file.rows) == []
    assert seen.file.rows == good.file.rows
    assert all(0.0 < seen.told.get(key, 1.0) < 1e5 for key in ("step_us", "real_time_factor"))


NOTHING_LOST = {"ok": "true", "problem": "", "dropped": "0", "lost": "0"}
FALSE_OF_BAD = {
    "exit status 0": lambda seen: setattr(seen, "status", 0),
    "a traceback": lambda seen: setattr(seen, "errors", "Traceback (most recent call last)"),
    "--json says ok = True": lambda seen: seen.told.update(ok=True),
    "--json says 'something'": lambda seen: seen.told.update(cause="something"),
    "a closed file does not say": lambda seen: seen.file.outcome.clear() or closed(seen),
    "the recording's end says": lambda seen: seen.file.outcome.update(NOTHING_LOST),
    "end: ": lambda seen: seen.file.outcome.update(problem="something", reason=""),
    "and the end counts 0": lambda seen: seen.file.outcome.update(dropped="0", lost="0"),
    "the report says COMPLETED": lambda seen: setattr(seen, "verdict", "COMPLETED"),
    "the report does not name it": lambda seen: setattr(seen, "page", "It ran for 1 s."),
    "hil report says ok = True": lambda seen: seen.report.update(ok=True),
    "hil report leaves with 0": lambda seen: setattr(seen, "reported", 0),
}
"""What the judge has to find in a bad run of which something says that it went well."""
FALSE_OF_GOOD = {
    "exit status 1": lambda seen: setattr(seen, "status", 1),
    "--json says ok = False": lambda seen: seen.told.update(ok=False),
    "--json says 'something'": lambda seen: seen.told.update(cause="something"),
    "the recording has no end": lambda seen: seen.file.outcome.clear(),
    "the recording's end says": lambda seen: seen.file.outcome.update(ok="false"),
    "the report says TRIPPED": lambda seen: setattr(seen, "verdict", "TRIPPED"),
    "hil report says ok = False": lambda seen: seen.report.update(ok=False),
    "hil report leaves with 1": lambda seen: setattr(seen, "reported", 1),
    "a bad end is told": lambda seen: setattr(seen, "console", "exit status 1: something"),
}
FALSE_OF_CONSOLE = {
    "last line": lambda seen: setattr(seen, "console", seen.console + "recording: here\n"),
    "no status": lambda seen: setattr(seen, "console", "error: File too large"),
}


def closed(seen):
    seen.file.closed = True


@pytest.mark.parametrize("station", STATIONS)
def test_whatever_does_not_agree_is_found(whole, full, station):
    good, (bad, on_console) = whole(station)[0], full(station)
    for seen, cause, false in (
        (good, "", FALSE_OF_GOOD),
        (bad, "File too large", FALSE_OF_BAD),
        (on_console, "File too large", FALSE_OF_CONSOLE),
    ):
        for words, falsify in false.items():
            copy = deepcopy(seen)
            falsify(copy)
            found = judged(copy, cause, rows=good.file.rows)
            assert any(words in one for one in found), (words, found)
