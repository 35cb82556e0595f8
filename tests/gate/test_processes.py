"""Real processes: control or gate killed or stopped in mid-motion, judged by the gate's own record.

Nothing here is judged by how long something took on the wall; waiting is for an end or a word.
"""

import json
import os
import select
import signal
import subprocess
import sys
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from gate_bench import LIMITS, PERIOD_S, judge_stop, read_box, sim_spec

from drives.bank import DriveModelError, DriveSequenceError, DriveSetupError, LinkLostError
from hil.gate.remote import RemoteGate
from hil.gate.spec import BankSpec
from hil.gate.status import STATUS_SLOT_BYTES, decode
from hil.realtime import RealClock
from hil.realtime_setup import RealtimePolicy
from hil.recording.ring import HEADER_BYTES, Ring
from safety.modes import Mode, Request

pytestmark = pytest.mark.xdist_group("real time")  # one at a time: they share two cores

HERE = Path(__file__).parent
LATE_GATE = str(HERE / "late_gate.py")
WAIT_S = 60.0
ORDINARY = RealtimePolicy(priority=None, lock_memory=False, keep_awake=False)


class Control:
    """A control process that moves, and its gate."""

    def __init__(self, folder, hold_s, program=()):
        self.box = folder / "box.jsonl"
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "control_main.py"), str(folder), str(hold_s), *program],
            stdout=subprocess.PIPE,
        )
        word = self.hear()
        self.gate_pid = word["gate"]
        self.gate = os.pidfd_open(self.gate_pid)

    def hear(self):
        """The next line that control says."""
        ready, _, _ = select.select([self.process.stdout], [], [], WAIT_S)
        assert ready, "control said nothing"
        return json.loads(self.process.stdout.readline())

    def signal(self, number):
        self.process.send_signal(number)

    def signal_gate(self, number):
        signal.pidfd_send_signal(self.gate, number)

    def await_gate_end(self):
        ready, _, _ = select.select([self.gate], [], [], WAIT_S)
        assert ready, "the gate never ended"

    def end(self):
        with suppress(ProcessLookupError):
            self.signal_gate(signal.SIGKILL)
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        os.close(self.gate)


@contextmanager
def control(folder, hold_s=0.3, program=()):
    moving = Control(folder, hold_s, program)
    try:
        yield moving
    finally:
        moving.end()


def events_of(events):
    return [event["event"].split(",")[0] for event in events]


def test_row_47_control_killed(tmp_path):
    with control(tmp_path) as moving:
        moving.signal(signal.SIGKILL)
        moving.await_gate_end()
    events, cycles = read_box(moving.box)
    judge_stop(cycles)
    assert "control is gone" in events_of(events)
    assert cycles[-1]["mode"] == "OFF", "it held, then took the power off"
    held = [line for line in cycles if line["mode"] == "HOLD"]
    assert len(held) * PERIOD_S >= 0.3


def test_row_48_control_stopped(tmp_path):
    with control(tmp_path) as moving:
        moving.signal(signal.SIGSTOP)
        moving.await_gate_end()
        events, cycles = read_box(moving.box)
        moving.signal(signal.SIGCONT)
        word = moving.hear()
    judge_stop(cycles)
    assert "control is silent" in events_of(events)
    assert cycles[-1]["mode"] == "OFF"
    assert word["kind"] == "LinkLostError"
    assert "its process has ended" in word["lost"]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_rows_47_and_48_without_the_reaction_the_judge_objects(tmp_path, number):
    with control(tmp_path, program=(LATE_GATE,)) as moving:
        moving.signal(number)
        moving.await_gate_end()
    _, cycles = read_box(moving.box)
    with pytest.raises(AssertionError, match="first corrective setpoint after"):
        judge_stop(cycles)


def test_row_48_control_that_comes_back_in_time_does_not_engage_again(tmp_path):
    with control(tmp_path, hold_s=30.0) as moving:
        moving.signal(signal.SIGSTOP)
        ring = Peek(moving)
        ring.until("HOLD", moving.gate)
        moving.signal(signal.SIGCONT)
        ring.until_heard_again(moving.gate)
        moving.signal(signal.SIGKILL)
        late = ring.newest()
        assert late.verdict.mode is Mode.HOLD
        ring.close()


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
        while self.newest().verdict.mode.name != mode:
            assert not select.select([gate], [], [], PERIOD_S)[0], "the gate has ended"

    def until_heard_again(self, gate):
        """A hundred cycles on."""
        goal = self.ring.pushed + 100
        while self.ring.pushed < goal:
            assert not select.select([gate], [], [], PERIOD_S)[0], "the gate has ended"

    def close(self):
        self.ring.release()


def test_row_49_gate_killed_control_knows_at_once(tmp_path):
    with control(tmp_path) as moving:
        moving.signal_gate(signal.SIGKILL)
        word = moving.hear()
        assert word["kind"] == "LinkLostError"
        assert "its process has ended; last heard: cycle" in word["lost"]
        assert "mode ENGAGED" in word["lost"]
        assert moving.hear() == {"closed": True}
        assert moving.process.wait(WAIT_S) == 0


def test_row_49_gate_stopped_sends_nothing_and_control_gives_up(tmp_path):
    with control(tmp_path) as moving:
        ring = Peek(moving)
        moving.signal_gate(signal.SIGSTOP)
        word = moving.hear()
        assert word["kind"] == "LinkLostError"
        assert "silent for 0.5 s" in word["lost"]
        pushed = ring.ring.pushed
        assert moving.hear() == {"closed": True}
        assert ring.ring.pushed == pushed, "a stopped gate sends nothing"
        ring.close()


def remote(spec=None, **options):
    return RemoteGate(spec or sim_spec(), LIMITS, RealClock().now_s, policy=ORDINARY, **options)


def test_a_gate_is_opened_cycled_and_left():
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


def test_drives_that_cannot_be_built_are_refused_before_anything_moves():
    gate = remote(BankSpec("sim", "sim:", "x", PERIOD_S, settings={"model": {}}))
    with pytest.raises(DriveSetupError):
        gate.open()
    with pytest.raises(LinkLostError, match="not running"):
        _ = gate.pid


def test_the_error_of_a_drive_keeps_its_kind():
    settings = dict(sim_spec().settings)
    settings["model"] = settings["model"] | {"damping": -1.0}
    gate = remote(BankSpec("sim", "sim:", "x", PERIOD_S, settings=settings))
    with pytest.raises(DriveModelError, match="damping is -1"):
        gate.open()


def test_a_program_that_is_no_gate_is_refused():
    gate = remote(program=("-c", "pass"))
    with pytest.raises(DriveSetupError, match="did not get ready"):
        gate.open()
