"""A control that is killed, crashes or freezes is seen in the next cycle, whatever the mode."""

import os
import random
import select
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from campaign import count
from gate_bench import InlineGate, read_box
from test_processes import OWN_LATENESS, SpoiltError, forgive, unspoilt

from hil.stations.platform.gate.control_state import (
    NOT_OPEN,
    ControlState,
    ControlWatch,
    open_own_record,
    state_of,
)
from hil.stations.platform.gate.server import Alone
from safety.modes import DriveRequest, Mode, Request
from safety.verdict import Action

MEGABYTES = 300
WAIT_S = 60.0
SEED = 12
HERE = Path(__file__).parent


class Looks:
    """A look at control that says what it is told to, and counts."""

    def __init__(self, state=ControlState.RUNNING):
        self.state = state
        self.number = 0

    def __call__(self):
        self.number += 1
        return self.state


def test_a_cycle_with_an_order_looks_at_nothing():
    looks = Looks()
    gate = InlineGate(poll_control=looks).moving()
    assert looks.number == 0
    gate.cycle()
    assert looks.number == 1


@pytest.mark.parametrize(
    ("state", "alone"), [(ControlState.DEAD, Alone.GONE), (ControlState.FROZEN, Alone.SILENT)]
)
def test_the_first_cycle_without_an_order_stops_when_control_is_no_more(state, alone):
    looks = Looks()
    gate = InlineGate(poll_control=looks, hold_alone_s=0.05).moving()
    looks.state = state
    assert gate.cycle().verdict.action is Action.STOPPING
    assert gate.server.alone is alone
    homing = InlineGate(poll_control=looks)
    homing.until(Mode.IDLE, Request.CONFIGURED)
    homing.until(Mode.HOMING, Request.HOME)
    assert homing.cycle().verdict.drives is DriveRequest.QUICK_STOP


@pytest.mark.parametrize("state", [ControlState.RUNNING, ControlState.UNKNOWN])
def test_a_control_that_runs_or_of_which_nothing_is_known_is_bridged_as_before(state):
    gate = InlineGate(poll_control=Looks(state)).moving()
    actions = [gate.cycle().verdict.action for _ in range(3)]
    assert actions == [Action.BRIDGED, Action.BRIDGED, Action.STOPPING]
    assert gate.server.alone is None


REST = "1 7 7 0 -1 {flags}" + " 1" * 21 + " {pending} 0"


@pytest.mark.parametrize("name", ["python", "a) Z 1 2 3 4 5 4 (b", "(", ") T"])
@pytest.mark.parametrize(
    ("letter", "flags", "pending", "state"),
    [
        ("S", 0x400000, 0x100, ControlState.DEAD),
        ("S", 0x400000, 0, ControlState.RUNNING),
        ("R", 0x40400040, 0, ControlState.RUNNING),
        ("D", 0, 0, ControlState.RUNNING),
        ("R", 0x40040C, 0, ControlState.DEAD),
        ("D", 0x400600, 0, ControlState.DEAD),
        ("D", 0x4, 0, ControlState.DEAD),
        ("Z", 0x40840C, 0, ControlState.DEAD),
        ("X", 0, 0, ControlState.DEAD),
        ("T", 0x400000, 0, ControlState.FROZEN),
        ("t", 0x400000, 0, ControlState.FROZEN),
        ("T", 0x400400, 0, ControlState.DEAD),
    ],
)
def test_what_a_record_tells(name, letter, flags, pending, state):
    record = f"7 ({name}) {letter} {REST.format(flags=flags, pending=pending)}\n".encode()
    assert state_of(record) is state


@pytest.mark.parametrize(
    "record", [b"", b"7 (x)", b"7 (x) S 1 7 7 0 -1 4", b"7 (x) S" + b" f" * 40]
)
def test_a_record_that_tells_nothing_is_no_death(record):
    assert state_of(record) is ControlState.UNKNOWN


def test_where_there_is_no_record_the_gate_says_so(tmp_path):
    assert open_own_record(str(tmp_path / "absent")) == NOT_OPEN
    (tmp_path / "empty").write_bytes(b"")
    assert open_own_record(str(tmp_path / "empty")) == NOT_OPEN
    watch = ControlWatch(NOT_OPEN)
    assert watch.poll() is ControlState.UNKNOWN
    item = watch.item()
    assert not item.ok
    assert "end of its connection" in item.detail
    assert item.remedy


def test_the_record_of_a_living_process_and_of_one_that_was_waited_for():
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    watch = ControlWatch(os.open(f"/proc/{child.pid}/stat", os.O_RDONLY))
    try:
        assert watch.poll() is ControlState.RUNNING
        assert watch.item().ok
        child.send_signal(signal.SIGKILL)
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)  # dead, and nobody has waited
        assert watch.poll() is ControlState.DEAD, "by its very flags, whatever it has to give back"
        child.communicate()
        assert watch.poll() is ControlState.DEAD
    finally:
        watch.close()
        watch.close()
        child.kill()
        child.communicate()


def dying(folder, mode, number, share):
    """Cycles of the gate of a control that ends itself, from its last order on."""
    arguments = [folder, mode, int(number), share, MEGABYTES]
    process = subprocess.Popen(
        [sys.executable, str(HERE / "dying_control.py"), *map(str, arguments)],
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    gate = None
    try:
        gate = os.pidfd_open(int(process.stdout.readline()))
        assert select.select([gate], [], [], WAIT_S)[0], "the gate never ended"
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # control, and the child with its copies
        told = process.communicate()[0].decode().split()
        if gate is not None:
            os.close(gate)
    if len(told) != 2 or told[0] != told[1]:
        raise SpoiltError(f"control tripped, or wrote its last order late: {told}")
    events, cycles = read_box(folder / "box.jsonl")
    led, after = (line for line in cycles if line["cycle"] - int(told[0]) in (0, 1))
    for line in (led, after):
        forgive(line["faults"], OWN_LATENESS)
    return [event["event"] for event in events], led, after


def judge(events, led, after, mode):
    """Is the cycle after the last one that control led a stop?"""
    assert led["mode"] == mode
    if mode == "HOMING":
        assert (led["drives"], after["drives"]) == ("HOME", "QUICK_STOP")
    else:
        assert (led["action"], after["action"]) == ("PASSED", "STOPPING")
    assert any(text.startswith(("control is gone", "control is silent")) for text in events)


SIGNALS = [signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM, signal.SIGSTOP]


@pytest.mark.real_time
@pytest.mark.campaign
def test_a_control_that_ends_or_freezes_is_followed_by_a_stop_in_the_next_cycle(tmp_path):
    """Mode and signal by turns, moment drawn; judged by the gate's own cycle numbers."""
    draw = random.Random(SEED)
    print("seed", SEED)
    for number in range(count(200, least=2)):
        mode = ("ENGAGED", "HOMING")[number % 2]
        sent = SIGNALS[number // 2 % len(SIGNALS)]
        share = draw.uniform(0.0, 0.8)
        folder = tmp_path / str(number)
        folder.mkdir()
        found = unspoilt(lambda place: dying(place, mode, sent, share), folder)  # noqa: B023
        judge(*found, mode)
