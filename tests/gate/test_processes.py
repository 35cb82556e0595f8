"""Real processes: control or gate killed or stopped in mid-motion, judged by the gate's own record.

Nothing here is judged by how long something took on the wall; waiting is for an end or a word.
A machine that stands still for some milliseconds makes the bench trip by itself, as it should: such
an attempt proves nothing of what it was made for, and is repeated.
"""

import json
import os
import re
import select
import signal
import subprocess
import sys
from contextlib import contextmanager, suppress
from pathlib import Path

import lost_gate
import pytest
from gate_bench import LIMITS, PERIOD_S, judge_stop, read_box, sim_spec
from hypothesis import example, given
from hypothesis import strategies as st

from drives.bank import (
    BankEnd,
    DriveModelError,
    DrivePlaceError,
    DriveSequenceError,
    DriveSetupError,
    LinkLostError,
)
from hil.ipc.memory import HEADER_BYTES
from hil.ipc.ring import Ring
from hil.stations.platform.gate import process
from hil.stations.platform.gate.remote import RemoteGate
from hil.stations.platform.gate.spec import BankSpec
from hil.stations.platform.gate.status import END_KIND, STATUS_SLOT_BYTES, decode
from hil.timing.realtime import RealClock
from hil.timing.realtime_setup import RealtimePolicy
from safety.modes import Mode, Request

# One at a time: they share two cores.
pytestmark = pytest.mark.real_time

HERE = Path(__file__).parent
LATE_GATE = str(HERE / "late_gate.py")
LOST_GATE = str(HERE / "lost_gate.py")
WAIT_S = 60.0
ORDINARY = RealtimePolicy(priority=None, lock_memory=False, keep_awake=False)


class SpoiltError(Exception):
    """The machine itself was late, so what was to be judged never happened."""


LATENESS = re.compile(r"\blate(ness)?\b|cycle time|missing")
"""Reasons of the gate that a machine gives which stands still for some milliseconds."""
OWN_LATENESS = re.compile(r"\blate(ness)?\b|cycle time")
"""Those of them that are the gate's own: no end of control can be their cause."""
ATTEMPTS = 5


def unspoilt(attempt, folder):
    """Make an attempt, in a folder of its own, again as long as the machine spoils it."""
    reasons = []
    for number in range(ATTEMPTS):
        place = folder / f"attempt{number}"
        place.mkdir()
        try:
            return attempt(place)
        except SpoiltError as error:
            reasons.append(str(error))
    pytest.fail(f"the machine spoilt each of {ATTEMPTS} attempts: {reasons}")


def forgive(faults, reasons=LATENESS):
    """Call an attempt void if one of these faults is a lateness of the machine."""
    for fault in map(str, faults):
        if reasons.search(fault):
            raise SpoiltError(fault)


class Control:
    """A control process that moves, and its gate.

    Raises:
        SpoiltError: if the machine was late before it moved.
    """

    def __init__(self, folder, hold_s, program=()):
        self.box = folder / "box.jsonl"
        self.gate = self.signal_cycle = None
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "control_main.py"), str(folder), str(hold_s), *program],
            stdout=subprocess.PIPE,
            bufsize=0,  # a line that is read ahead would be one that select does not see
        )
        try:
            word = self.hear()
            if "gate" not in word:
                forgive([*word.get("faults", ()), word.get("ended", "")])
                raise AssertionError(f"control ended before it moved: {word}")
            self.gate_pid = word["gate"]
            self.gate = os.pidfd_open(self.gate_pid)
        except BaseException:
            self.end()
            raise

    def hear(self):
        """The next line that control says."""
        ready, _, _ = select.select([self.process.stdout], [], [], WAIT_S)
        assert ready, "control said nothing"
        line = self.process.stdout.readline()
        assert line, f"control ended without a word, status {self.process.wait(WAIT_S)}"
        return json.loads(line)

    def signal(self, number):
        self._note_cycle()
        self.process.send_signal(number)

    def signal_gate(self, number):
        self._note_cycle()
        signal.pidfd_send_signal(self.gate, number)

    def _note_cycle(self):
        """Keep the cycle before the first signal; void if the platform does not move any more."""
        if self.signal_cycle is None:
            ring = Peek(self)
            status = ring.newest()
            ring.close()
            forgive(status.verdict.faults)
            self.signal_cycle = status.tick.index

    def await_gate_end(self):
        ready, _, _ = select.select([self.gate], [], [], WAIT_S)
        assert ready, "the gate never ended"

    def read(self):
        """Events and cycles of the black box; void if it names a lateness of the machine.

        Setpoints that are missing after the signal are no excuse: they are what is judged.
        """
        events, cycles = read_box(self.box)
        for line in cycles:
            before = line["cycle"] <= self.signal_cycle
            forgive(line["faults"], LATENESS if before else OWN_LATENESS)
        return events, cycles

    def end(self):
        if self.gate is not None:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self.gate, signal.SIGKILL)
            os.close(self.gate)
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


@contextmanager
def control(folder, hold_s=0.3, program=()):
    moving = Control(folder, hold_s, program)
    try:
        yield moving
    finally:
        moving.end()


def events_of(events):
    return [event["event"].split(",")[0] for event in events]


def killed(folder):
    with control(folder) as moving:
        moving.signal(signal.SIGKILL)
        moving.await_gate_end()
    return moving.read()


def test_row_47_a_killed_control(tmp_path):
    events, cycles = unspoilt(killed, tmp_path)
    judge_stop(cycles)
    assert "control is gone" in events_of(events)
    assert cycles[-1]["mode"] == "OFF", "it held, then took the power off"
    held = [line for line in cycles if line["mode"] == "HOLD"]
    assert len(held) * PERIOD_S >= 0.3


def stopped(folder):
    with control(folder) as moving:
        moving.signal(signal.SIGSTOP)
        moving.await_gate_end()
        events, cycles = moving.read()
        moving.signal(signal.SIGCONT)
        return events, cycles, moving.hear()


def test_row_48_a_stopped_control(tmp_path):
    events, cycles, word = unspoilt(stopped, tmp_path)
    judge_stop(cycles)
    assert "control is silent" in events_of(events)
    assert cycles[-1]["mode"] == "OFF"
    assert word["kind"] == "LinkLostError"
    assert "its process has ended" in word["lost"]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_rows_47_and_48_positive_control_without_the_reaction(tmp_path, number):
    def attempt(folder):
        with control(folder, program=(LATE_GATE,)) as moving:
            moving.signal(number)
            moving.await_gate_end()
        return moving.read()

    _, cycles = unspoilt(attempt, tmp_path)
    with pytest.raises(AssertionError, match="first corrective setpoint after"):
        judge_stop(cycles)


def come_back(folder):
    with control(folder, hold_s=30.0) as moving:
        moving.signal(signal.SIGSTOP)
        ring = Peek(moving)
        try:
            ring.until("HOLD", moving.gate)
            moving.signal(signal.SIGCONT)
            ring.until_heard_again(moving.gate)
            moving.signal(signal.SIGKILL)
            late = ring.newest()
        finally:
            ring.close()
    forgive(late.verdict.faults, OWN_LATENESS)
    return late


def test_row_48_a_control_that_comes_back_in_time_does_not_engage_again(tmp_path):
    assert unspoilt(come_back, tmp_path).verdict.mode is Mode.HOLD


class Peek:
    """Looks into the status ring of another process without taking anything out."""

    def __init__(self, moving):
        fd = self.find(moving.gate_pid)
        self.ring = Ring.attach(os.open(f"/proc/{moving.gate_pid}/fd/{fd}", os.O_RDWR))

    @staticmethod
    def find(pid):
        for entry in Path(f"/proc/{pid}/fd").iterdir():
            if "hil-ring" in os.readlink(entry):
                return int(entry.name)
        raise AssertionError("the gate has no ring")

    def newest(self):
        position = (self.ring.pushed - 1) % self.ring.capacity
        offset = HEADER_BYTES + position * STATUS_SLOT_BYTES + 8
        return decode(bytes(self.ring._view[offset : offset + STATUS_SLOT_BYTES - 8]))

    def until(self, mode, gate):
        while (verdict := self.newest().verdict).mode.name != mode:
            forgive(verdict.faults, OWN_LATENESS)
            assert not select.select([gate], [], [], PERIOD_S)[0], "the gate has ended"

    def until_heard_again(self, gate):
        """A hundred cycles on."""
        goal = self.ring.pushed + 100
        while self.ring.pushed < goal:
            assert not select.select([gate], [], [], PERIOD_S)[0], "the gate has ended"

    def close(self):
        self.ring.release()


def gate_killed(folder):
    with control(folder) as moving:
        moving.signal_gate(signal.SIGKILL)
        word = moving.hear()
        forgive(word["faults"])
        return word, moving.hear(), moving.process.wait(WAIT_S)


def test_row_49_gate_killed_control_knows_at_once(tmp_path):
    word, last, status = unspoilt(gate_killed, tmp_path)
    assert word["kind"] == "LinkLostError"
    assert "its process has ended; last heard: cycle" in word["lost"]
    assert "mode ENGAGED" in word["lost"]
    assert last == {
        "closed": True,
        "powered": ["legs 1 to 6: the gate's process ended before it told how it left them"],
    }
    assert status == 0


def gate_stopped(folder):
    with control(folder) as moving:
        ring = Peek(moving)
        try:
            moving.signal_gate(signal.SIGSTOP)
            word = moving.hear()
            pushed = ring.ring.pushed
            return word, moving.hear(), ring.ring.pushed - pushed
        finally:
            ring.close()


def test_row_49_gate_stopped_sends_nothing_and_control_gives_up(tmp_path):
    word, last, sent = unspoilt(gate_stopped, tmp_path)
    assert word["kind"] == "LinkLostError"
    assert "silent for 0.5 s" in word["lost"]
    assert last == {
        "closed": True,
        "powered": ["legs 1 to 6: the gate's process ended before it told how it left them"],
    }
    assert sent == 0, "a stopped gate sends nothing"


class TestTheMachineIsForgivenAndNothingElse:
    """The helper that repeats must itself not hide anything."""

    def test_a_spoilt_attempt_is_repeated_in_a_folder_of_its_own(self, tmp_path):
        seen = []

        def attempt(folder):
            seen.append(folder)
            forgive(["lateness 0.02 s, more than 0.012 s"] if len(seen) < ATTEMPTS else [])
            return "judged"

        assert unspoilt(attempt, tmp_path) == "judged"
        assert len(set(seen)) == ATTEMPTS

    def test_the_last_one_is_not_forgiven(self, tmp_path):
        def attempt(folder):
            forgive(["cycle time 0.02 s outside [0, 0.012] s"])

        with pytest.raises(pytest.fail.Exception, match=r"each of 5 attempts.*cycle time 0.02 s"):
            unspoilt(attempt, tmp_path)

    def test_other_faults_and_failed_judgements_count_at_once(self, tmp_path):
        calls = []

        def attempt(folder):
            calls.append(folder)
            forgive(["leg 3: position 0.842 m outside [0.520, 0.830] m", "simulated"])
            raise AssertionError("judged")

        with pytest.raises(AssertionError, match="judged"):
            unspoilt(attempt, tmp_path)
        assert len(calls) == 1

    def test_setpoints_missing_after_the_signal_are_no_excuse(self, tmp_path):
        moving = Control.__new__(Control)
        moving.box, moving.signal_cycle = tmp_path / "box.jsonl", 5
        line = {"cycle": 6, "faults": ["setpoint missing for 3 cycles, more than 2 cycles"]}
        moving.box.write_text(json.dumps(line) + "\n")
        assert moving.read() == ([], [line])
        moving.signal_cycle = 6
        with pytest.raises(SpoiltError, match="setpoint missing for 3"):
            moving.read()

    def test_a_control_that_never_moves_is_heard_and_ended(self, tmp_path):
        """A program that is no gate: control says why it ends, and nothing of it is left."""
        with pytest.raises(AssertionError, match="did not get ready"):
            Control(tmp_path, 0.3, ("-c", "pass"))


def remote(spec=None, **options):
    return RemoteGate(spec or sim_spec(), LIMITS, RealClock().now_s, policy=ORDINARY, **options)


def open_and_leave(_folder):
    gate = remote()
    report = gate.open()
    try:
        assert (report.name, report.url, report.simulated) == ("paper", "sim:", True)
        assert len(report.axes) == 6
        assert gate.setup
        with pytest.raises(DriveSequenceError):
            gate.open()
        seen = []
        for tick in gate.clock.ticks(PERIOD_S):
            exchange = gate.cycle(tick, None, (Request.CONFIGURED,) if tick.index == 0 else ())
            forgive(exchange.verdict.faults)
            for one in (*exchange.earlier, exchange):
                seen.append(one.tick.index)
                assert one.verdict.index == one.tick.index
                assert one.tick.t_s == one.tick.index * PERIOD_S
            assert gate.last_tick == exchange.tick
            assert gate.waited_s > 0.0
            if tick.index >= 50:
                break
        assert seen == list(range(seen[-1] + 1)), "every cycle of the gate once, in order"
        assert gate.mode is Mode.IDLE
        pidfd = os.pidfd_open(gate.pid)
    finally:
        gate.close()
        gate.close()
    assert select.select([pidfd], [], [], 0)[0], "its process has ended"
    os.close(pidfd)
    assert gate.mode is Mode.OFF or gate.last.verdict.drives.name == "OFF"
    with pytest.raises(LinkLostError, match="not running"):
        gate.cycle(tick, None)


def test_a_gate_is_opened_cycled_and_left(tmp_path):
    unspoilt(open_and_leave, tmp_path)


def test_control_that_skips_cycles_gets_them_all_later():
    gate = remote()
    gate.open()
    try:
        ticks = gate.clock.ticks(PERIOD_S)
        first = gate.cycle(next(ticks), None, (Request.CONFIGURED,))
        ring = gate._ring
        goal = ring.pushed + 10
        while ring.pushed < goal:
            select.select([], [], [], PERIOD_S)
        exchange = gate.cycle(next(ticks), None)
        indices = [one.tick.index for one in (*exchange.earlier, exchange)]
        assert indices == list(range(first.tick.index + 1, exchange.tick.index + 1))
        assert len(indices) >= 10
        assert gate.overruns >= len(indices) - 1
        assert gate.clock.overruns == gate.overruns
    finally:
        gate.close()


def lose_the_drives(folder, *arguments):
    gate = remote(program=(LOST_GATE, *arguments), black_box=folder / "box.jsonl")
    gate.open()
    try:
        for tick in gate.clock.ticks(PERIOD_S):
            requests = (Request.CONFIGURED,) if tick.index == 0 else ()
            forgive(gate.cycle(tick, None, requests).verdict.faults)
        raise AssertionError("the clock has ended")
    except LinkLostError as error:
        return str(error), gate.close(), gate.close()
    finally:
        gate.close()


def test_a_gate_that_has_lost_its_drives_tells_the_cause_and_what_went_before(tmp_path):
    error, end, again = unspoilt(lose_the_drives, tmp_path)
    cause = "the adapter is unplugged"
    assert error.startswith(f"the gate has lost its drives: {cause}; last heard: cycle ")
    assert end == again == BankEnd(json.loads(json.dumps(lost_gate.TALLY)))
    events, _ = read_box(max(tmp_path.iterdir()) / "box.jsonl")
    *_, why, link, drives = [event["event"] for event in events]
    assert why.startswith(f"LinkLostError: {cause}; ")
    assert why.endswith("setpoints for another cycle, orders 0 torn, 0 corrupt")
    assert link == "link: cycles 60, missing 0 0 3 0 0 0, malformed 1, notes leg 3: late"
    assert drives == "drives: all off"


def test_a_drive_under_power_is_in_the_gates_own_record(tmp_path):
    end = unspoilt(lambda folder: lose_the_drives(folder, lost_gate.SEEN), tmp_path)[1]
    assert end.powered == (lost_gate.SEEN,)
    events, _ = read_box(max(tmp_path.iterdir()) / "box.jsonl")
    assert events[-1]["event"] == f"UNDER POWER: {lost_gate.SEEN}"


def test_notes_that_are_too_long_for_control_do_not_hide_the_counts():
    ring = Ring.local(4, 112)
    process._push_end(ring, BankEnd({"cycles": 7, "notes": ("x" * 100,)}, cut_us=(1,) * 6))
    process._push_end(ring, BankEnd({"cycles": 8, "notes": ("x",)}))
    told = [(kind, json.loads(payload)) for kind, payload in ring.pop_all()]
    without = {
        "tally": {"cycles": 7},
        "left_m": [],
        "cut_us": [1] * 6,
        "powered": [],
        "touched": [],
    }
    whole = {
        "tally": {"cycles": 8, "notes": ["x"]},
        "left_m": [],
        "cut_us": [],
        "powered": [],
        "touched": [],
    }
    assert told == [(END_KIND, without), (END_KIND, whole)]


@given(st.lists(st.text(max_size=3000), min_size=1, max_size=6), st.integers(0, 3000))
@example(["x" * 3000] * 6, 3000)
@example(["\U0001f600" * 3000] * 6, 0)
@example(["short"], 6000)
def test_a_drive_under_power_is_told_whatever_else_is_too_long(texts, noise):
    """In a ring of the size that the gate and control share."""
    ring = Ring.local(4, STATUS_SLOT_BYTES)
    powered = tuple(f"leg {leg} (node {leg}): {text}" for leg, text in enumerate(texts, start=1))
    tally = {"notes": ("n" * noise,), **{f"count {k}": (k,) * 6 for k in range(noise // 50)}}
    end = BankEnd(tally, (0.75123456789,) * 6, (123456,) * 6, powered)
    process._push_end(ring, end)
    ((kind, payload),) = ring.pop_all()
    assert kind == END_KIND
    told = json.loads(payload)["powered"]
    assert len(told) == len(powered)
    for short, whole in zip(told, powered, strict=True):
        assert whole.startswith(short)
        assert short.startswith("leg ")


class _Stuck:
    def close(self):
        raise LinkLostError("the adapter is unplugged")


def test_drives_that_cannot_be_left_are_not_told_to_be_off():
    assert process._close(_Stuck()).powered == ("legs 1 to 6: the adapter is unplugged",)


def test_drives_that_cannot_be_built_are_refused_before_anything_moves():
    gate = remote(BankSpec("sim:", "x", PERIOD_S, settings={"model": {}}))
    with pytest.raises(DriveSetupError):
        gate.open()
    with pytest.raises(LinkLostError, match="not running"):
        _ = gate.pid


def test_the_error_of_a_drive_keeps_its_kind():
    settings = dict(sim_spec().settings)
    settings["model"] = settings["model"] | {"damping": -1.0}
    gate = remote(BankSpec("sim:", "x", PERIOD_S, settings=settings))
    with pytest.raises(DriveModelError, match="damping is -1"):
        gate.open()


def test_a_program_that_is_no_gate_is_refused():
    gate = remote(program=("-c", "pass"))
    with pytest.raises(DriveSetupError, match="did not get ready"):
        gate.open()


LEAVING = """
import json, pathlib, sys, time
sys.stdin.readline()
print(json.dumps({"refused": "leg 3 stands elsewhere", "kind": "DrivePlaceError"}), flush=True)
time.sleep(0.3)
pathlib.Path(sys.argv[1]).write_text("signed off")
"""
"""A gate that refuses armed drives, and takes some cycles to leave them without a fault."""


def test_a_gate_that_refuses_its_drives_is_let_leave_them(tmp_path):
    left = tmp_path / "left"
    gate = remote(program=("-c", LEAVING, str(left)))
    with pytest.raises(DrivePlaceError, match="leg 3"):
        gate.open()
    assert left.read_text() == "signed off"
