"""A control that froze and goes on with its program starts nothing again: only a person does.

The server and its gate in virtual time, led by a supervisor as control leads them. Control is
frozen for 0.6 s (SIGSTOP, a swapped-out machine) in each mode, and goes on where it was.
"""

import math

import pytest
from gate_bench import PERIOD_S, SPEED, ZERO, IdealBank, InlineGate

from drives.bank import DriveGoal
from hil.stations.platform.cycle.supervisor import Outcome, Supervisor
from safety.interlock import RestartInterlock
from safety.modes import FOLLOWING_MODES, DriveRequest, Mode, Request
from safety.verdict import Check

FROZEN_CYCLES = round(0.6 / PERIOD_S)
STARTED = {Mode.HOMING, Mode.ENGAGING, Mode.ENGAGED}
HOMING_CYCLES = 100
LASTS = {Mode.ENGAGING: 40, Mode.ENGAGED: 200, Mode.PARKING: 40}
"""Cycles of each path."""


class SlowHomingBank(IdealBank):
    """Drives that take a while to find their reference, and forget it when it is broken off."""

    def __init__(self):
        super().__init__()
        self.homing = 0

    def request(self, goal):
        self.goal = goal

    def exchange(self, command):
        self.homing = self.homing + 1 if self.goal is DriveGoal.HOMED else 0
        self.homed = self.homed or self.homing >= HOMING_CYCLES
        return super().exchange(command)


class Led:
    """A run that a supervisor leads, without anybody at a panel."""

    def __init__(self, **options):
        self.gate = InlineGate(bank=SlowHomingBank(), **options)
        self.supervisor = Supervisor(2000)
        self.since = 0

    @property
    def modes(self):
        return [status.verdict.mode for status in self.gate.history]

    @property
    def mode(self):
        return self.modes[-1] if self.gate.history else Mode.OFF

    def turn(self):
        """One cycle of control and gate."""
        verdict = self.gate.history[-1].verdict if self.gate.history else None
        lasts = LASTS.get(self.mode, math.inf)
        requests = self.supervisor.ask(verdict, self.since > lasts)
        asked = None
        if self.mode in FOLLOWING_MODES and verdict.allowed is not None:
            swing = math.sin(2.0 * math.pi * min(self.since / lasts, 1.0))
            moves = self.mode is Mode.ENGAGED and self.since < lasts
            asked = self.gate.ask(tuple(v * swing for v in SPEED) if moves else ZERO)
        before = self.mode
        self.gate.turn(asked, *requests)
        self.since = self.since + 1 if self.mode is before else 0

    def until(self, mode, cycles=3000):
        for _ in range(cycles):
            if self.mode is mode:
                return self
            self.turn()
        raise AssertionError(f"never {mode}: {self.gate.history[-1].verdict}")

    def freeze(self, cycles=FROZEN_CYCLES):
        """Only the gate runs."""
        for _ in range(cycles):
            self.gate.cycle()
        return self

    def go_on(self, cycles=4000):
        """Control goes on until its run is over."""
        for _ in range(cycles):
            if self.supervisor.done or self.gate.server.ended:
                return self
            self.turn()
        raise AssertionError(f"never done: {self.gate.history[-1].verdict}")


def frozen_in(mode):
    led = Led()
    if mode is Mode.HOLD:
        led.until(Mode.ENGAGED)
        for _ in range(50):
            led.turn()
        led.supervisor.ask = lambda verdict, done: ()  # planning its way
        led.gate.until(Mode.HOLD, Request.HOLD)
        del led.supervisor.ask
    else:
        led.until(mode)
        for _ in range(0 if mode in (Mode.IDLE, Mode.STANDBY) else 10):
            led.turn()
    mark = len(led.gate.history)
    led.freeze()
    return led, mark


@pytest.mark.parametrize(
    "mode",
    [
        Mode.IDLE,
        Mode.HOMING,
        Mode.STANDBY,
        Mode.ENGAGING,
        Mode.ENGAGED,
        pytest.param(Mode.HOLD, marks=pytest.mark.pure_build),
        Mode.PARKING,
    ],
)
def test_row_48_control_that_was_frozen_starts_nothing_by_itself(mode):
    led, mark = frozen_in(mode)
    stopped = led.mode
    assert stopped in (Mode.IDLE, Mode.STANDBY, Mode.HOLD), "the gate has stopped it"
    resumed = len(led.gate.history)
    led.go_on()
    after = led.modes[resumed:]
    assert not STARTED & set(after), "nothing starts again without an act"
    parked = sum(a is not Mode.PARKING and b is Mode.PARKING for a, b in _pairs(led, resumed))
    assert parked == (1 if stopped is Mode.HOLD else 0), "parking is part of the stop, once"
    assert led.mode in (Mode.OFF, Mode.IDLE)
    assert led.gate.history[-1].verdict.drives is DriveRequest.OFF
    assert led.supervisor.outcome is Outcome.TRIPPED
    assert "control" in led.supervisor.reason or "setpoint missing" in led.supervisor.reason
    told = {v.check for status in led.gate.history[mark:resumed] for v in status.verdict.violations}
    assert Check.CONTROL in told, "the record says why"


def _pairs(led, first):
    return zip(led.modes[first - 1 : -1], led.modes[first:], strict=True)


def test_row_48_positive_control(monkeypatch):
    """With the interlock patched out the very same run starts again, and is found out."""
    monkeypatch.setattr(RestartInterlock, "objection", lambda self, following: "")
    led, _ = frozen_in(Mode.HOMING)
    resumed = len(led.gate.history)
    led.supervisor._learn = lambda verdict: None  # control does not look at the faults either
    led.go_on()
    assert STARTED & set(led.modes[resumed:])


def parked_in_the_stop():
    """Frozen in the motion and parking since, as part of the stop."""
    led, _ = frozen_in(Mode.ENGAGED)
    led.until(Mode.PARKING)
    for _ in range(5):
        led.turn()
    return led


def test_parking_that_is_broken_off_is_not_begun_again_and_the_run_ends():
    led = parked_in_the_stop()
    led.freeze()
    assert led.mode is Mode.HOLD
    resumed = len(led.gate.history)
    led.go_on()
    assert Mode.PARKING not in led.modes[resumed:]
    assert led.supervisor.outcome is Outcome.TRIPPED
    assert led.supervisor.reason.endswith("not parked: the gate refuses it")


def test_the_result_says_that_it_parked_by_itself():
    led = parked_in_the_stop().go_on()
    assert led.mode is Mode.OFF
    assert led.supervisor.reason.startswith("setpoint missing for 3 cycles")
    assert led.supervisor.reason.endswith("then it parked by itself, as part of the stop")


@pytest.mark.parametrize("age_s", [math.nan, math.inf, 0.3, FROZEN_CYCLES * PERIOD_S])
def test_an_act_that_is_not_newer_than_the_stop_is_none(age_s):
    led, _ = frozen_in(Mode.HOMING)
    for _ in range(20):
        led.gate.turn(None, Request.HOME, act_s=led.gate.now_s - age_s)
        age_s += PERIOD_S  # it is the same press, told again and again
        assert led.mode is Mode.IDLE
    assert led.gate.history[-1].verdict.faults


def test_a_newer_act_opens_the_interlock_once_and_the_next_stop_closes_it():
    led, _ = frozen_in(Mode.HOMING)
    led.gate.turn()
    pressed_s = led.gate.now_s
    assert led.gate.turn(None, Request.HOME, act_s=pressed_s).verdict.mode is Mode.HOMING
    assert led.gate.history[-1].verdict.faults == ()
    led.freeze()
    assert led.mode is Mode.IDLE
    for _ in range(10):
        assert led.gate.turn(None, Request.HOME, act_s=pressed_s).verdict.mode is Mode.IDLE


def test_in_a_run_that_a_person_leads_nothing_parks_by_itself():
    led = Led(led=True).until(Mode.ENGAGED)
    for _ in range(10):
        led.turn()
    led.freeze()
    for _ in range(10):
        assert led.gate.turn(None, Request.PARK).verdict.mode is Mode.HOLD
    assert led.gate.turn(None, Request.PARK, act_s=led.gate.now_s).verdict.mode is Mode.PARKING


def test_an_act_of_the_future_is_none():
    led, _ = frozen_in(Mode.HOMING)
    act_s = led.gate.now_s + 2 * PERIOD_S
    assert led.gate.turn(None, Request.HOME, act_s=act_s).verdict.mode is Mode.IDLE


def test_an_act_gives_parking_back():
    led = parked_in_the_stop()
    led.freeze()
    gate = led.gate
    assert gate.turn(None, Request.PARK).verdict.mode is Mode.HOLD
    assert gate.turn(None, Request.PARK, act_s=gate.now_s).verdict.mode is Mode.PARKING
    led.freeze()
    assert led.mode is Mode.HOLD
    assert gate.turn(None, Request.PARK).verdict.mode is Mode.PARKING, "once more after a new stop"
