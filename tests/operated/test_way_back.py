"""After a stall of the computer one press leads back; after anything else each step is pressed."""

import pytest
from operated_bench import PERIOD_S, Bench

from hil.desk.order import Button
from hil.stations.platform.lead.buttons import Readiness, why_not
from hil.timing.clock import Tick
from safety.modes import Mode
from safety.verdict import Action, Check

BACK = {
    Mode.HOLD: [Mode.PARKING, Mode.STANDBY, Mode.ENGAGING, Mode.ENGAGED],
    Mode.FAULT: [Mode.IDLE, Mode.HOMING, Mode.STANDBY, Mode.ENGAGING, Mode.ENGAGED],
}
"""Modes on the way back from where a stall has left the platform, as the safety manual has them."""


def playing(bench):
    bench.run(0.1)
    bench.press(Button.HOME)
    bench.until(Mode.STANDBY)
    bench.until(lambda: bench.last.verdict.action is Action.HOLDING)
    bench.press(Button.ENGAGE)
    bench.until(Mode.ENGAGED)
    bench.press(Button.PLAY)
    bench.run(0.5)


def late(bench):
    """A cycle of the gate comes far too late."""
    bench.loop.cycle(Tick(bench.index, bench.index * PERIOD_S, 5 * PERIOD_S, 4 * PERIOD_S))
    bench.index += 1
    bench.modes.append(bench.mode)


def silent(bench):
    """Control has no setpoint for longer than the gate bridges."""
    cycle = bench.gated.cycle
    bench.gated.cycle = lambda tick, asked, *more, **named: cycle(tick, None, *more, **named)
    for _ in range(3):
        bench.cycle()
    bench.gated.cycle = cycle


STALLS = {silent: Mode.HOLD, late: Mode.FAULT}


def stopped(bench, stall):
    """Stand where a stall has left it; by itself nothing moves any more."""
    playing(bench)
    stall(bench)
    bench.until(STALLS[stall])
    bench.run(2.0)
    assert bench.mode is STALLS[stall]
    assert not bench.course.done
    bench.modes = [bench.mode]


@pytest.mark.parametrize("stall", STALLS)
@pytest.mark.parametrize("button", [Button.ENGAGE, Button.PLAY])
def test_one_press_leads_back_through_the_modes_of_the_manual(stall, button):
    bench = Bench()
    stopped(bench, stall)
    assert bench.told.operation.stalled
    bench.press(button)
    bench.until(Mode.ENGAGED)
    bench.run(1.0)
    assert bench.modes[1:] == BACK[STALLS[stall]]
    assert bench.told.operation.playing == ("play" if button is Button.PLAY else "")
    assert not bench.told.operation.stalled
    assert bench.refused == ""


@pytest.mark.parametrize("stall", STALLS)
def test_what_is_asked_of_the_gate_is_what_a_person_presses_one_after_the_other(stall):
    asked = []
    for by_hand in (True, False):
        bench, seen = Bench(), []
        stopped(bench, stall)
        cycle = bench.gated.cycle

        def noted(tick, setpoint, requests=(), *, cycle=cycle, seen=seen, **named):
            told = (requests, named["reset"])
            if told != ((), False) and seen[-1:] != [told]:
                seen.append(told)
            return cycle(tick, setpoint, requests, **named)

        bench.gated.cycle = noted
        if by_hand:
            steps = [Button.PARK] if stall is silent else [Button.RESET, Button.HOME]
            for step in steps:
                bench.press(step)
                bench.until(Mode.IDLE if step is Button.RESET else Mode.STANDBY)
            bench.until(lambda bench=bench: bench.last.verdict.action is Action.HOLDING)
        bench.press(Button.ENGAGE)
        bench.until(Mode.ENGAGED)
        asked.append(seen)
    assert asked[0] == asked[1]


@pytest.mark.parametrize("stall", STALLS)
@pytest.mark.parametrize("at", range(5))
def test_letting_go_on_the_way_ends_it_and_holding_again_begins_nothing(stall, at):
    bench = Bench("rig_settings.cylinders.homing_speed_m_s=0.05")
    stopped(bench, stall)
    on_the_way = BACK[STALLS[stall]][min(at, len(BACK[STALLS[stall]]) - 2)]
    bench.press(Button.PLAY)
    bench.until(on_the_way)
    bench.write(held=False)
    bench.run(1.5)
    where = bench.mode
    assert where in (Mode.HOLD, Mode.IDLE, Mode.STANDBY)
    bench.write(held=True)
    bench.run(2.0)
    assert bench.mode is where
    notes = [message for _, message, _ in bench.journal.notes]
    assert any("taken back" in message or "was released" in message for message in notes)


@pytest.mark.parametrize(("stall", "at"), [(silent, 0), (late, 1)])
def test_letting_go_for_two_cycles_while_a_step_goes_on_ends_it(stall, at):
    """Held again before the step is over, so that no later step meets a released button."""
    bench = Bench("rig_settings.cylinders.homing_speed_m_s=0.05")
    stopped(bench, stall)
    bench.press(Button.PLAY)
    bench.until(BACK[STALLS[stall]][at])
    bench.write(held=False)
    bench.run(2.0 * PERIOD_S)
    bench.write(held=True)
    bench.run(30.0)
    assert not {Mode.ENGAGING, Mode.ENGAGED} & {*bench.modes}
    notes = [message for _, message, _ in bench.journal.notes]
    assert any("hold-to-run was released" in message for message in notes)


def test_a_stall_on_the_way_back_ends_it_and_the_old_press_starts_nothing():
    bench = Bench()
    stopped(bench, silent)
    bench.press(Button.PLAY)
    bench.until(Mode.PARKING)
    bench.run(0.5)
    silent(bench)
    bench.cycle()
    [fault] = bench.last.verdict.faults
    assert fault.check is Check.MISSING
    assert bench.refused == f"PLAY: taken back: {fault}"
    bench.until(Mode.HOLD)
    bench.run(2.0)
    assert bench.mode is Mode.HOLD
    bench.press(Button.PLAY)
    bench.until(Mode.ENGAGED)
    bench.run(0.1)
    assert bench.told.operation.playing == "play"


def test_another_press_on_the_way_takes_it_back():
    bench = Bench()
    stopped(bench, silent)
    bench.press(Button.PLAY)
    bench.until(Mode.PARKING)
    bench.press(Button.HOLD)
    bench.until(Mode.HOLD)
    bench.run(2.0)
    assert bench.mode is Mode.HOLD


def test_it_is_a_press_made_after_the_stop_with_hold_to_run_held():
    bench = Bench()
    stopped(bench, late)
    bench.write(held=False)
    bench.press(Button.PLAY)
    assert bench.refused == "PLAY: hold-to-run is released; hold Space, then press again"
    bench.run(0.5)
    bench.write(held=True)
    bench.run(1.0)
    assert bench.mode is Mode.FAULT
    bench.write(pressed_s=(100.0,) * 8)  # told late: it was made before the stop
    presses = list(bench.order.presses)
    presses[list(Button).index(Button.PLAY)] += 1
    bench.write(presses=tuple(presses))
    bench.run(1.0)
    assert bench.mode is Mode.FAULT


@pytest.mark.parametrize("with_stall", [False, True])
def test_after_a_drives_fault_each_step_is_pressed(with_stall):
    fault = {"kind": "drive_fault", "leg": 2, "start_s": 4.0, "duration_s": 0.5, "value": 1000.0}
    bench = Bench(faults=(fault,))
    playing(bench)
    if with_stall:
        bench.until(lambda: bench.clock.t_s > 103.98)
        late(bench)
    bench.until(Mode.FAULT)
    bench.run(2.0)
    assert not bench.told.operation.stalled
    bench.press(Button.PLAY)
    assert bench.refused == "PLAY: the bench is in FAULT; Reset, then Home, then Engage"
    bench.run(1.0)
    assert bench.mode is Mode.FAULT


def test_after_a_stop_that_a_person_asked_for_only_park_leads_on():
    bench = Bench()
    playing(bench)
    bench.press(Button.HOLD)
    bench.until(Mode.HOLD)
    bench.press(Button.PLAY)
    assert bench.refused == "PLAY: the bench is in HOLD; Park, then Engage"


def test_no_other_press_is_led():
    stalled = Readiness(stalled=True)
    led = {
        (mode, button)
        for mode in Mode
        for button in Button
        if not why_not(button, mode, stalled) and why_not(button, mode, Readiness())
    }
    modes, buttons = (Mode.HOLD, Mode.FAULT), (Button.ENGAGE, Button.PLAY)
    assert led == {(mode, button) for mode in modes for button in buttons}
    assert why_not(Button.PLAY, Mode.FAULT, Readiness(stalled=True, clear=False))
    assert why_not(Button.PLAY, Mode.HOLD, Readiness(stalled=True, ending=True))
