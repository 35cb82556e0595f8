"""An operated run whose control froze: what was pressed before counts no more, a new press does."""

import pytest
from operated_bench import PERIOD_S, Bench

from hil.desk.order import Button
from hil.stations.platform.cycle.supervisor import Outcome
from hil.timing.clock import Tick
from safety.modes import Mode

FROZEN_CYCLES = round(0.6 / PERIOD_S)
SILENT_CYCLES = round(0.2 / PERIOD_S)


def freeze(bench):
    """Only the gate runs, and finds control silent; then control looks at its newest verdict."""
    for cycle in range(FROZEN_CYCLES):
        absent = "silent" if cycle >= SILENT_CYCLES else ""
        tick = Tick(bench.index, bench.index * PERIOD_S, PERIOD_S, 0.0)
        exchange = bench.gated.cycle(tick, None, absent=absent)
        bench.index += 1
        if exchange.verdict.mode is not bench.modes[-1]:
            bench.modes.append(exchange.verdict.mode)
    bench.clock.t_s = 100.0 + bench.index * PERIOD_S
    bench.last = exchange
    bench.loop._verdict = exchange.verdict


def brought(mode):
    """A bench that has just come into a mode by presses, with the dead-man held all the time."""
    bench = Bench()
    bench.run(0.1)
    bench.press(Button.HOME)
    if mode is Mode.HOMING:
        assert bench.mode is Mode.HOMING
        return bench
    bench.until(Mode.STANDBY)
    bench.run(0.5)
    if mode is Mode.STANDBY:
        return bench
    bench.press(Button.ENGAGE)
    bench.until(mode)
    return bench


@pytest.mark.parametrize("mode", [Mode.HOMING, Mode.STANDBY, Mode.ENGAGING, Mode.ENGAGED])
def test_row_48_what_was_pressed_before_the_freeze_starts_nothing_after_it(mode):
    bench = brought(mode)
    freeze(bench)
    stopped, seen = bench.mode, len(bench.modes)
    assert stopped in (Mode.IDLE, Mode.STANDBY, Mode.HOLD)
    bench.run(2.0)  # the panel lives and the dead-man is held
    assert bench.modes[seen:] == [], "nothing without a press, parking neither"
    assert bench.last.verdict.faults, "and it is told why"
    bench.press(
        {Mode.IDLE: Button.HOME, Mode.STANDBY: Button.ENGAGE, Mode.HOLD: Button.PARK}[stopped]
    )
    bench.run(1.0)
    led = {Mode.IDLE: Mode.HOMING, Mode.STANDBY: Mode.ENGAGING, Mode.HOLD: Mode.PARKING}[stopped]
    assert led in bench.modes[seen:], "a new press does"


def test_row_48_a_press_for_parking_before_the_freeze_parks_nothing_after_it():
    bench = brought(Mode.ENGAGED)
    bench.press(Button.PARK)
    assert bench.mode is not Mode.PARKING
    freeze(bench)
    seen = len(bench.modes)
    bench.run(2.0)
    assert Mode.PARKING not in bench.modes[seen:]


@pytest.mark.parametrize("acted", [False, True])
def test_row_48_an_end_after_the_freeze_is_no_good_one_unless_somebody_acted(acted):
    bench = brought(Mode.ENGAGED)
    freeze(bench)
    if acted:
        bench.press(Button.PARK)
        bench.until(Mode.STANDBY)
    bench.press(Button.SHUT_DOWN)
    bench.write(held=False)
    bench.run(60.0)
    assert bench.course.done
    assert bench.course.outcome is (Outcome.COMPLETED if acted else Outcome.TRIPPED)
    assert bool(bench.course.reason) is not acted
