"""The loop over a gate in another process: no cycle is lost, and late planning is no jump."""

import pytest
from gate_bench import PERIOD_S, RIG

from drives.bank import BankFeedback, DriveState
from hil.config.file_search import find_file
from hil.stations.platform.bench.bench import machine_of
from hil.stations.platform.cycle.control import ABSENT, Control, PlatformStation
from hil.stations.platform.cycle.gated_bank import Exchange
from hil.stations.platform.cycle.loop import Loop
from hil.stations.platform.motion.moves import move
from hil.stations.platform.plan.scenario import load_plan
from hil.timing.clock import Tick, VirtualClock
from hil_common.legs import LegTarget
from safety.modes import DriveRequest, Mode
from safety.verdict import Action, Setpoint, Verdict

SIX = (0.9,) * 6
FEEDBACK = BankFeedback(
    SIX, (0.0,) * 6, (0.0,) * 6, (DriveState.ENABLED,) * 6, (True,) * 6, (0,) * 6, (True,) * 6, None
)


def exchange_of(index, *earlier):
    verdict = Verdict(index, Mode.ENGAGED, Action.PASSED, (), None, DriveRequest.ENABLE, ())
    tick = Tick(index, index * PERIOD_S, 0.0041, 0.0002)
    return Exchange(verdict, FEEDBACK, tick, tuple(exchange_of(i) for i in earlier))


class Station:
    def step(self, tick, verdict):
        return Control(None, Setpoint(tick.index, SIX, SIX), ())

    def reached(self, tick, feedback):
        return None


class Journal:
    def __init__(self):
        self.noted = []

    def cycle(self, tick, control, *rest):
        self.noted.append((tick, control))


class Gated:
    mode = Mode.ENGAGED
    waited_s = 0.0

    def __init__(self, exchanges):
        self.exchanges = iter(exchanges)

    def cycle(self, tick, asked, requests=(), *, reset=False, act_s=None):
        return next(self.exchanges)

    def close(self):
        return {}


class Never:
    asked = None
    gave_up = ""
    done = False
    waits = ()


def loop_over(*exchanges):
    journal = Journal()
    gated = Gated(exchanges)
    loop = Loop(VirtualClock(), PERIOD_S, Station(), Never(), gated, journal, Never())
    return loop, journal


def test_the_tick_that_the_gate_measured_is_noted():
    loop, journal = loop_over(exchange_of(5))
    loop.cycle(Tick(5, 0.02, 0.004, 0.0))
    assert [tick for tick, _ in journal.noted] == [Tick(5, 5 * PERIOD_S, 0.0041, 0.0002)]
    assert journal.noted[0][1].asked.sequence == 5


def test_cycles_that_control_missed_are_noted_in_order_without_its_setpoint():
    loop, journal = loop_over(exchange_of(8, 5, 6, 7))
    loop.cycle(Tick(6, 0.024, 0.004, 0.0))
    assert [tick.index for tick, _ in journal.noted] == [5, 6, 7, 8]
    asked = [control.asked and control.asked.sequence for _, control in journal.noted]
    assert asked == [None, 6, None, None]
    assert journal.noted[0][1] is ABSENT


def test_time_spent_waiting_is_not_counted_as_work():
    class Slow(VirtualClock):
        times = iter([10.0, 10.9])

        def now_s(self):
            return next(self.times)

    loop, _ = loop_over(exchange_of(0))
    loop._clock = Slow()
    loop._gated.waited_s = 0.7
    loop._supervisor = type("Done", (Never,), {"done": True})()
    loop.run()
    assert abs(loop._busy_s - 0.2) < 1e-12


class Course:
    def ask(self, verdict, path_done):
        return ()


@pytest.mark.parametrize("late_cycles", [0, 1, 7, 40])
def test_a_path_begins_with_the_first_setpoint_that_the_gate_took(late_cycles):
    """Planning may take many cycles; the first setpoint that is taken is the path's first."""
    machine = machine_of(load_plan(find_file("heave", folder="scenarios", key="test")))
    goal = RIG.neutral.pose()
    station = PlatformStation(
        machine, move(machine.park, goal, machine.slow_moves), Course(), PERIOD_S
    )
    park = tuple(float(x) for x in RIG.cylinders.reference_length_m)

    def ask(index, mode, action):
        allowed = LegTarget(park, (0.0,) * 6)
        verdict = Verdict(index - 1, mode, action, (), allowed, DriveRequest.ENABLE, ())
        return station.step(Tick(index, index * PERIOD_S, PERIOD_S, 0.0), verdict)

    at = 100
    first = ask(at, Mode.PARKING, Action.HOLDING).asked
    if late_cycles:  # the gate did not get that one: it still holds
        at += late_cycles
        assert ask(at, Mode.PARKING, Action.HOLDING).asked.length_m == first.length_m
    for step in range(1, 40):
        asked = ask(at + step, Mode.PARKING, Action.PASSED).asked
        assert asked.sequence == at + step
        path_s = (at + step - station._path_start) * PERIOD_S
        assert path_s == pytest.approx(step * PERIOD_S)
