"""Faults of a run in real time, as a program: all that tells of its end agrees, and names them.

The drives and the robot are emulated in the run's own processes, so no wire is needed. A cell is a
station and a fault; every second one is asked for JSON.
"""

import re
import resource
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from signal import SIGCONT, SIGINT, SIGKILL, SIGSTOP, SIGUSR1

import pytest
from campaign import share_of
from rack_bench import CHANCE, needs_wires
from real_runs import HIL, Program, pause, real
from seen_ends import GOOD, Seen, judged
from short_runs import STATIONS
from write_protection import protect

pytestmark = [pytest.mark.real_time, needs_wires]
ATTEMPTS = 3
CALENDAR = str(Path(__file__).with_name("set_calendar.py"))


def nothing(_run: Program) -> None:
    """The positive control."""


def fill_disk(run: Program) -> None:
    [recorder, *_] = run.pids("recorder")
    most = run.recording.stat().st_size + 2000
    for pid in run.pids("recorder") or [recorder]:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (most, most))


def kill_recorder(run: Program) -> None:
    run.send(SIGKILL, run.pids("recorder")[0])


def kill_all_recorders(run: Program) -> None:
    run.send(SIGSTOP, *run.pids("recorder"))  # none takes over in between
    run.send(SIGKILL, *run.pids("recorder"))


def freeze_recorder(run: Program) -> None:
    run.send(SIGSTOP, run.pids("recorder")[0])


def freeze_gate(run: Program) -> None:
    gate = run.pids("gate")
    run.send(SIGSTOP, *gate)
    pause(1.0)
    run.send(SIGCONT, *gate)


def kill_gate(run: Program) -> None:
    run.send(SIGKILL, *run.pids("gate"))


def write_protect(run: Program) -> None:
    protect(run.recording)
    run.undo = partial(protect, run.recording, on=False)


def protect_folder(run: Program) -> None:
    protect(run.runs)
    run.undo = partial(protect, run.runs, on=False)


def take_descriptors(run: Program) -> None:
    for pid in run.family():  # those that are open stay so
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (3, 3))


def set_calendar(run: Program) -> None:
    run.send(SIGUSR1, run.pid)


def stall_control(run: Program) -> None:
    run.send(SIGSTOP, run.pid)
    pause(1.0)
    run.send(SIGCONT, run.pid)


def kill_control(run: Program) -> None:
    run.send(SIGKILL, run.pid)
    pause(3.0)


def kill_desk(run: Program) -> None:
    run.send(SIGKILL, run.pids("desk")[0])
    pause(4.0)
    run.send(SIGINT, run.pid)  # nobody leads it


@dataclass(frozen=True)
class Fault:
    """What is done, and what has to be named."""

    do: Callable[[Program], None]
    cause: str = ""
    """Pattern of what ends the run badly; empty if it goes on and is well."""
    warning: str = ""
    """Pattern of what is told of a run that goes on."""
    stations: tuple[str, ...] = STATIONS
    options: tuple[str, ...] = ()
    program: tuple[str, ...] = HIL
    whole: bool = False
    """Whether what is lost is so only after the end of the recording."""
    never: bool = False
    """Whether it is done before the run, which then never begins."""


GATED = ("platform", "simulator")
OTHERS = ("arm", "world")
STOOD_STILL = r"stood still for (1|0\.9)"
FAULTS = {
    "full disk": Fault(fill_disk, "File too large"),
    "write-protected": Fault(write_protect, "Operation not permitted"),
    "read-only folder": Fault(
        protect_folder, "nothing has moved: .*cannot be made: Operation not permitted", never=True
    ),
    "no descriptors": Fault(
        take_descriptors,
        r"gate.jsonl cannot be read \(Too many open files\)",
        stations=GATED,
        options=("--report",),
    ),
    "no descriptors of others": Fault(
        take_descriptors,
        "report: .*Too many open files",
        stations=OTHERS,
        options=("--report",),
        whole=True,
    ),
    "calendar set": Fault(set_calendar, program=(CALENDAR,)),
    "gate frozen": Fault(freeze_gate, "the gate is silent", stations=GATED),
    "gate killed": Fault(kill_gate, "the gate is (gone|silent)", stations=GATED),
    "stall": Fault(stall_control, "control: silent|too slow", stations=GATED),
    "stall of the arm": Fault(
        stall_control, "the robot ran dry", warning=STOOD_STILL, stations=("arm",)
    ),
    "stall of the world": Fault(stall_control, warning=STOOD_STILL, stations=("world",)),
    "control killed": Fault(kill_control, "control ended without saying how"),
    "recorder frozen": Fault(freeze_recorder, warning="the recorder was frozen"),
    "recorder killed": Fault(kill_recorder, warning="the recorder was killed"),
    "recorders killed": Fault(kill_all_recorders, "recording failed"),
    "desk killed": Fault(
        kill_desk, warning="the desk has died", stations=GATED, options=("--operator",)
    ),
    "desk of others killed": Fault(
        kill_desk,
        "operator's desk: the desk has died",
        stations=OTHERS,
        options=("--operator",),
    ),
    "nothing": Fault(nothing),
}
WEIGHTY = [("world", "full disk"), ("platform", "gate frozen")]
"""Cells of the smallest share."""
CELLS = WEIGHTY + [
    (station, name)
    for name, station in product(FAULTS, STATIONS)
    if station in FAULTS[name].stations and (station, name) not in WEIGHTY
]


def strike(station: str, fault: Fault, folder, *, as_json: bool) -> Seen:
    """Run a station, do something to it, and see its end."""
    words = (*real(station), *fault.options, *(("--json",) if as_json else ()))
    run = Program(folder, words, program=fault.program)
    try:
        if not fault.never:
            run.under_way()
        fault.do(run)
        run.wait()
        run.undo()
        return run.seen()
    finally:
        run.close()


def wrongs(seen: Seen, fault: Fault) -> Iterator[str]:
    """What does not agree, or is not named."""
    if seen.status < 0:  # control itself was killed: its recording alone can tell
        seen = Seen(1, file=seen.file, verdict=seen.verdict, page=seen.page)
    yield from judged(seen, fault.cause, whole=fault.whole, never=fault.never)
    if fault.warning:
        told = seen.console or " ".join((seen.told["reason"], *seen.told["warnings"]))
        for name, text in (("end", told), ("page", seen.page), ("recording", seen.file.events)):
            if not re.search(fault.warning, text):
                yield f"{name}: nothing of {fault.warning!r}"


def by_chance(seen: Seen, fault: Fault) -> bool:
    """Whether a busy test machine gave another reason than the fault."""
    cause = f"{seen.told.get('cause', '')} {seen.last if seen.status > 0 else ''}"
    return bool(CHANCE.search(cause)) and not fault.cause


@pytest.mark.campaign
@pytest.mark.timeout(600)
@pytest.mark.parametrize(("station", "name"), share_of(CELLS, least=2))
def test_status_console_json_recording_and_report_agree(station, name, tmp_path):
    fault = FAULTS[name]
    as_json = CELLS.index((station, name)) % 2 == 1
    for attempt in range(ATTEMPTS):
        seen = strike(station, fault, tmp_path / str(attempt), as_json=as_json)
        if not by_chance(seen, fault):
            break
    assert list(wrongs(seen, fault)) == []
    assert (seen.verdict in GOOD) == (not fault.cause or fault.whole)
