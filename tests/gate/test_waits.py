"""What is waited for reaches people: by the gate to console, events and reason."""

import json
import select
from itertools import pairwise
from unittest.mock import patch

import pytest
from gate_bench import PERIOD_S, InlineGate, sim_spec
from hypothesis import given
from hypothesis import strategies as st

from drives.bank import DriveSetupError
from drives.waits import Wait, in_words
from hil.stations.platform.cycle.supervisor import Supervisor
from hil.stations.platform.cycle.waits import Announcer, WaitFollower
from hil.stations.platform.gate import process
from hil.stations.platform.gate.child import GateChild
from hil.stations.platform.gate.order import GateOrder
from hil.stations.platform.gate.status import (
    STATUS_KIND,
    WAITS_KIND,
    waits_from_json,
    waits_to_json,
)
from safety.modes import DriveRequest, Mode
from safety.verdict import Action, Verdict

REMOTE = Wait(0x6041, "statusword (6041h) bit 9, remote,", "0", "1", "commanded over CAN?", 3)
BOOT = Wait(0x1000, "device type (1000h)", "silent", "an answer", "supply?", 5)


def test_a_wait_is_told_with_leg_object_value_seen_and_value_wanted():
    told = "leg 3: statusword (6041h) bit 9, remote, is 0, expected 1: commanded over CAN?"
    assert str(REMOTE) == told
    both = in_words((REMOTE, REMOTE._replace(leg=4), BOOT))
    assert both == told.replace("leg 3", "leg 3, 4") + f"; {BOOT}"


def test_a_wait_is_told_before_two_seconds_and_as_often_while_people_may_come():
    follower, said = WaitFollower(), []
    for cycle in range(round(200.0 / 0.1)):
        if follower.step(cycle * 0.1, (REMOTE,)):
            said.append((cycle * 0.1, follower.new))
    times = [t_s for t_s, _ in said]
    assert times[:3] == pytest.approx([1.5, 3.0, 4.5])
    gaps = [b - a for a, b in pairwise(times)]
    assert max(gap for t, gap in zip(times, gaps, strict=False) if t < 118.0) < 1.8
    assert len([t for t in times if t > 123.0]) == 2
    assert [new for _, new in said] == [True] + [False] * (len(said) - 1)


def test_what_is_seen_may_flicker_and_the_wait_stays_the_same():
    follower = WaitFollower()
    lines = [follower.step(n * 0.1, (REMOTE._replace(seen=str(n % 2)),)) for n in range(25)]
    assert len([line for line in lines if line]) == 1


def test_short_waits_with_nothing_between_them_are_not_told():
    follower = WaitFollower()
    for n in range(100):
        assert not follower.step(n * 0.1, (REMOTE,) if n % 15 else ())


def test_waits_one_after_the_other_leave_no_silence():
    follower, quiet, longest = WaitFollower(), 0, 0
    for n in range(300):
        line = follower.step(n * 0.1, (REMOTE._replace(leg=1 + n // 10 % 6),))
        quiet = 0 if line else quiet + 1
        longest = max(longest, quiet)
    assert longest <= 16


@given(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=200))
def test_nothing_is_told_that_is_not_waited_for_and_no_wait_is_hidden(steps):
    follower, quiet_s, told_s = WaitFollower(), None, None
    for n, present in enumerate(steps):
        now_s = n * 0.25
        waits = tuple(w for w, there in zip((REMOTE, BOOT), present, strict=True) if there)
        line = follower.step(now_s, waits)
        quiet_s = None if not waits else now_s if quiet_s is None else quiet_s
        since_s = None if quiet_s is None else max(quiet_s, told_s or quiet_s)
        assert bool(line) == (since_s is not None and now_s - since_s >= 1.5)
        for wait in (REMOTE, BOOT):
            assert (f"leg {wait.leg}:" in line) == (bool(line) and wait in waits)
        told_s = now_s if line else told_s


def test_waits_travel_as_json():
    told = json.loads(json.dumps(waits_to_json((REMOTE, BOOT))))
    assert waits_from_json(told) == (REMOTE, BOOT)


def test_the_gate_tells_control_at_most_twice_a_second_and_only_what_is_new():
    gate = InlineGate()
    exchange, waits = gate.bank.exchange, [()]
    gate.bank.exchange = lambda command: exchange(command)._replace(waits=waits[0])
    told = []
    for cycle in range(round(10.0 / PERIOD_S)):
        t_s = cycle * PERIOD_S
        if 2.0 <= t_s < 4.0:
            waits[0] = (REMOTE._replace(seen=str(cycle)),)  # another one in each cycle
        elif t_s < 8.0:
            waits[0] = (REMOTE,) if t_s >= 4.0 else ()
        else:
            waits[0] = ()
        gate.order()
        gate.server.cycle(tick_of(cycle))
        gate.now_s += PERIOD_S
        for kind, payload in gate.ring.pop_all():
            if kind == WAITS_KIND:
                told.append((t_s, waits_from_json(json.loads(payload))))
            else:
                assert kind == STATUS_KIND
    assert 5 <= len(told) <= 7
    assert told[0][0] == pytest.approx(2.0, abs=PERIOD_S)
    assert told[-2][1] == (REMOTE,)
    assert told[-1][1] == ()


def tick_of(cycle):
    from hil.timing.clock import Tick

    return Tick(cycle, cycle * PERIOD_S, PERIOD_S, 0.0)


CHILD = """
import json, sys
sys.stdin.readline()
for seen in range(6):
    print(json.dumps({"waiting": [[4096, "device type (1000h)", "silent", "an answer", "", 5]]}))
print(json.dumps({"refused": "leg 5 (node 5) did not answer", "kind": "DriveAbsentError"}))
"""


class Clock:
    """Some seconds pass between two looks."""

    def __init__(self, step_s=2.0):
        self.now, self.step_s = 0.0, step_s

    def __call__(self):
        self.now += self.step_s
        return self.now


def test_control_hears_what_the_set_up_waits_for_before_the_gate_is_ready():
    limits = InlineGate().limits
    order = GateOrder(sim_spec(), limits, 0, 0, 0, 1.0)
    child, said = GateChild(order, ("-c", CHILD)), []
    try:
        with pytest.raises(DriveSetupError, match="leg 5"):
            child.start(Clock(), said.append)
    finally:
        child.kill()
    assert any("leg 5: device type (1000h) is silent, expected an answer" in s for s in said)


def test_a_process_that_starts_slowly_is_told_too():
    order = GateOrder(sim_spec(), InlineGate().limits, 0, 0, 0, 1.0)
    silent = "import signal; signal.pause()"
    child, said = GateChild(order, ("-c", silent)), []
    try:
        with pytest.raises(DriveSetupError):
            child.start(Clock(12.0), said.append)
    finally:
        child.kill()
    assert "the gate's process is starting, expected its first word" in said[0]


def test_the_set_up_in_the_gates_process_tells_it_twice_a_second(monkeypatch):
    said, now = [], [0.0]
    monkeypatch.setattr(process, "_say", lambda **answer: said.append((now[0], answer)))
    teller = process.WaitsWriter(lambda: now[0])
    for step in range(300):
        now[0] = step * 0.01
        teller.write((BOOT,))
    assert 5 <= len(said) <= 7
    assert said[0][1] == {"waiting": waits_to_json((BOOT,))}


def test_lines_are_said_in_order_and_a_dead_terminal_ends_nothing():
    said = []
    with Announcer(said.append) as tell:
        for line in "abc":
            tell(line)
    assert said == ["a", "b", "c"]

    def twice(line):
        said.append(line)
        if len(said) == 5:
            tell("done")

    with patch("hil.stations.platform.cycle.waits.TOLD_AFTER_S", 0.001), Announcer(twice) as tell:
        tell("it takes its time …")
        for _ in range(1000):
            if "done" in said:
                break
            select.select([], [], [], 0.01)
    assert said[3:] == ["it takes its time …"] * 2 + ["done"]

    def dead(line):
        raise BrokenPipeError

    with Announcer(dead) as tell:
        tell("a")
        tell("b")


def test_what_keeps_homing_from_beginning_is_waited_for_no_longer_than_anything_else():
    verdict = Verdict(0, Mode.HOMING, Action.BLOCKED, (), None, DriveRequest.HOME, ())

    def cycles(*waits):
        supervisor = Supervisor(25, 100, period_s=0.1)
        for cycle in range(200):
            supervisor.waits = waits[min(cycle // 20, len(waits) - 1)]
            supervisor.ask(verdict, path_done=False)
            if supervisor.gave_up:
                return cycle, supervisor.gave_up
        return None

    takes_its_time = Wait(0x6041, "statusword (6041h)", "0x0627", "the end of homing", leg=3)
    assert cycles((REMOTE,)) == (25, f"HOMING did not end within 2.5 s: {REMOTE}")
    assert cycles((takes_its_time,))[0] > 99
    assert cycles((takes_its_time,), (REMOTE,), (takes_its_time,))[0] > 99


@pytest.mark.parametrize("mode", [m for m in Mode if m not in (Mode.ENGAGED, Mode.ENGAGING)])
def test_no_state_ends_in_a_number_of_cycles(mode):
    supervisor = Supervisor(25, period_s=0.1)
    supervisor.waits = (REMOTE,)
    verdict = Verdict(0, mode, Action.BLOCKED, (), None, DriveRequest.ENABLE, ())
    for _ in range(40):
        supervisor.ask(verdict, path_done=False)
    if supervisor.gave_up:
        assert supervisor.gave_up == f"{mode.name} did not end within 2.5 s: {REMOTE}"
        supervisor.waits = ()
    assert "cycles" not in supervisor.reason
    assert mode in (Mode.OFF, Mode.IDLE, Mode.PARKING, Mode.HOLD) or supervisor.gave_up
