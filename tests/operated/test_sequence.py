"""What presses do, and what they do not: the real loop and gate, in virtual time."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from operated_bench import PERIOD_S, Bench
from properties import dear

from hil.desk.order import Button
from hil.stations.platform.cycle.supervisor import Outcome
from hil.stations.platform.lead.buttons import Readiness, why_not
from safety.modes import Mode
from safety.verdict import Action

NEAR = (0.02, -0.01, 0.95, 0.0, 0.05, 0.02)


def allowed(mode, standing):
    return {button for button in Button if not why_not(button, mode, standing)}


def homed(bench):
    bench.run(0.1)
    bench.press(Button.HOME)
    bench.until(Mode.STANDBY)
    bench.until(lambda: bench.last.verdict.action is Action.HOLDING)


def engaged(bench):
    homed(bench)
    bench.press(Button.ENGAGE)
    bench.until(Mode.ENGAGED)


def test_nothing_happens_without_a_press():
    bench = Bench()
    bench.run(3.0)
    assert bench.modes == [Mode.OFF, Mode.IDLE]
    homed(bench)
    bench.run(3.0)
    assert bench.mode is Mode.STANDBY
    bench.press(Button.ENGAGE)
    bench.until(Mode.ENGAGED)
    at = bench.last.verdict.allowed.length_m
    bench.run(3.0)
    assert bench.mode is Mode.ENGAGED
    assert (
        max(abs(a - b) for a, b in zip(bench.last.verdict.allowed.length_m, at, strict=True)) < 1e-9
    )


def test_a_whole_session():
    bench = Bench()
    engaged(bench)
    bench.press(Button.PLAY)
    bench.run(0.7)
    assert bench.told.operation.playing == "play"
    assert bench.told.operation.motion_t_s == pytest.approx(0.7, abs=5 * PERIOD_S)
    bench.write(override=0.25)
    bench.run(2.0)
    assert bench.told.operation.override == 0.25
    bench.write(target=NEAR, override=1.0)
    bench.press(Button.POSE)
    bench.run(6.0)
    assert bench.told.operation.playing == "pose"
    assert bench.motion.sample(1e9).X_BP.coordinates() == pytest.approx(NEAR, abs=1e-9)
    bench.press(Button.HOLD)
    bench.until(Mode.HOLD)
    bench.run(2.0)
    assert bench.mode is Mode.HOLD
    bench.press(Button.PARK)
    bench.until(Mode.STANDBY)
    assert bench.violations == []
    bench.press(Button.SHUT_DOWN)
    bench.run(1.0)
    assert bench.course.done
    assert bench.course.outcome is Outcome.COMPLETED
    assert bench.mode is Mode.OFF


def test_owner_and_presser_are_written_down():
    bench = Bench()
    bench.run(0.1)
    bench.write(owner="Anna", presser="Anna")
    bench.press(Button.HOME)
    bench.until(Mode.HOMING)
    bench.write(presser="Boris")
    bench.press(Button.HOLD)
    bench.write(owner="")
    bench.run(0.1)
    told = [(message, data) for who, message, data in bench.journal.notes if who == "operator"]
    assert told[:2] == [
        ("Anna owns the motion", {"owner": "Anna"}),
        ("HOME pressed", {"button": "home", "taken": True, "by": "Anna"}),
    ]
    assert ("HOLD pressed", {"button": "hold", "taken": True, "by": "Boris"}) in told
    assert told[-1] == ("nobody owns the motion", {"owner": ""})


def test_a_fault_is_left_by_a_reset_edge_and_everything_begins_anew():
    fault = {"kind": "drive_fault", "leg": 2, "start_s": 4.0, "duration_s": 2.0, "value": 1000.0}
    bench = Bench(faults=(fault,))
    engaged(bench)
    bench.write(override=0.2)
    bench.press(Button.PLAY)
    bench.until(Mode.FAULT)
    assert not bench.course.done
    bench.press(Button.ENGAGE)
    assert bench.refused == (
        "ENGAGE: the bench is in FAULT; take its cause away, then Reset, then Home"
    )
    bench.press(Button.RESET)
    assert bench.refused.startswith("RESET: the fault's cause is still there")
    bench.run(3.0)
    assert bench.mode is Mode.FAULT, "the early press is not kept for later"
    bench.press(Button.RESET)
    bench.until(Mode.IDLE, 1.0)
    bench.press(Button.HOME)
    bench.until(Mode.STANDBY)
    bench.until(lambda: bench.last.verdict.action is Action.HOLDING)
    bench.press(Button.ENGAGE)
    bench.until(Mode.ENGAGED)
    bench.press(Button.SHUT_DOWN)
    bench.until(lambda: bench.course.done)
    assert bench.course.outcome is Outcome.COMPLETED
    assert bench.modes[-3:] == [Mode.PARKING, Mode.STANDBY, Mode.OFF]


@pytest.mark.parametrize("mode", [Mode.HOMING, Mode.ENGAGING, Mode.ENGAGED, Mode.PARKING])
@pytest.mark.parametrize("how", ["let go", "silent", "not a number", "from the future"])
def test_a_released_dead_man_stops_whatever_moves(mode, how):
    bench = Bench("rig_settings.cylinders.homing_speed_m_s=0.005")
    if mode is Mode.HOMING:
        bench.run(0.1)
        bench.press(Button.HOME)
    else:
        engaged(bench) if mode is not Mode.ENGAGING else homed(bench)
        if mode is Mode.ENGAGING:
            bench.press(Button.ENGAGE)
        if mode is Mode.PARKING:
            bench.press(Button.PARK)
    bench.until(mode)
    bench.run(0.2)
    assert bench.mode is mode
    if how == "let go":
        bench.write(held=False)
    else:
        bench.alive = False
        stamps = {"silent": bench.clock.t_s, "not a number": float("nan")}
        bench.write(stamp_s=stamps.get(how, bench.clock.t_s + 1e6))
    bench.run(0.2)
    assert bench.mode not in (Mode.HOMING, Mode.ENGAGING, Mode.ENGAGED, Mode.PARKING)
    stopped = Mode.IDLE if mode is Mode.HOMING else Mode.HOLD
    bench.until(stopped)
    bench.alive = True
    bench.write(held=True)
    bench.run(2.0)
    assert bench.mode is stopped, "taking the dead-man again moves nothing"
    assert any("hold-to-run released" in message for _, message, _ in bench.journal.notes)


def test_presence_needs_no_hold_but_a_sign_of_life():
    bench = Bench("operator.dead_man=presence")
    bench.write(held=False)
    engaged(bench)
    bench.press(Button.PLAY)
    bench.run(1.0)
    assert bench.mode is Mode.ENGAGED
    bench.alive = False
    bench.run(0.2)
    assert bench.mode is not Mode.ENGAGED


def test_a_press_without_a_held_dead_man_moves_nothing():
    bench = Bench()
    bench.write(held=False)
    bench.run(0.1)
    bench.press(Button.HOME)
    bench.run(0.5)
    assert bench.mode is Mode.IDLE
    assert bench.refused == "HOME: hold-to-run is released; hold Space, then press again"
    bench.write(held=True)
    bench.run(0.5)
    assert bench.mode is Mode.IDLE, "it is not obeyed later either"


def test_parking_out_of_motion_goes_on_after_the_stop_unless_it_is_taken_back():
    bench = Bench()
    engaged(bench)
    bench.press(Button.PLAY)
    bench.run(0.8)
    bench.press(Button.PARK)
    bench.until(Mode.CSTOP)
    bench.until(Mode.STANDBY)
    assert bench.modes[-4:] == [Mode.CSTOP, Mode.HOLD, Mode.PARKING, Mode.STANDBY]
    bench.until(lambda: bench.last.verdict.action is Action.HOLDING)
    bench.press(Button.ENGAGE)
    bench.until(Mode.ENGAGED)
    bench.press(Button.PLAY)
    bench.run(0.8)
    bench.press(Button.PARK)
    bench.press(Button.HOLD)
    bench.until(Mode.HOLD)
    bench.run(2.0)
    assert bench.mode is Mode.HOLD


def test_the_more_cautious_of_two_presses_is_obeyed():
    bench = Bench()
    engaged(bench)
    bench.press(Button.PLAY, Button.HOLD)
    assert bench.refused == "PLAY: a more cautious press goes first"
    bench.until(Mode.HOLD, 1.0)


def test_a_press_is_obeyed_once_and_a_falling_counter_is_none():
    bench = Bench()
    homed(bench)
    bench.press(Button.ENGAGE)
    bench.until(Mode.ENGAGED)
    bench.press(Button.PARK)
    bench.until(Mode.STANDBY)
    bench.run(1.0)
    assert bench.mode is Mode.STANDBY, "the old ENGAGE is not obeyed again"
    bench.write(presses=(0,) * 8)
    bench.run(1.0)
    assert bench.mode is Mode.STANDBY


@pytest.mark.parametrize("held", [True, False])
def test_a_signal_ends_the_run_in_order(held):
    bench = Bench()
    engaged(bench)
    bench.press(Button.PLAY)
    bench.run(0.5)
    bench.write(held=held)
    bench.stop.asked = "SIGINT"
    bench.until(lambda: bench.course.done, 40.0)
    assert bench.course.outcome is Outcome.STOPPED
    parked = Mode.PARKING in bench.modes
    assert parked is held, "nobody holds the dead-man: it stops, waits, and is powered off"
    assert bench.mode is Mode.OFF


def test_lockout_ends_the_run(monkeypatch):
    bench = Bench()
    engaged(bench)

    def broken(*_):
        raise RuntimeError("broken")

    monkeypatch.setattr(bench.gated._gate._stream, "step", broken)
    bench.until(lambda: bench.course.done)
    assert bench.mode is Mode.LOCKOUT
    assert bench.course.outcome is Outcome.TRIPPED


ALL = Readiness()


def test_buttons_that_do_something():
    wanted = {
        Mode.OFF: set(),
        Mode.IDLE: {Button.HOME, Button.SHUT_DOWN},
        Mode.HOMING: {Button.HOLD, Button.SHUT_DOWN},
        Mode.STANDBY: {Button.ENGAGE, Button.SHUT_DOWN},
        Mode.ENGAGING: {Button.HOLD, Button.PARK, Button.SHUT_DOWN},
        Mode.ENGAGED: {Button.HOLD, Button.PARK, Button.PLAY, Button.POSE, Button.SHUT_DOWN},
        Mode.PARKING: {Button.HOLD, Button.SHUT_DOWN},
        Mode.CSTOP: {Button.SHUT_DOWN},
        Mode.HOLD: {Button.PARK, Button.SHUT_DOWN},
        Mode.QSTOP: {Button.SHUT_DOWN},
        Mode.FAULT: {Button.RESET, Button.SHUT_DOWN},
        Mode.LOCKOUT: set(),
    }
    assert {mode: allowed(mode, ALL) for mode in Mode} == wanted
    let_go = Readiness(held=False)
    stops = {Button.HOLD, Button.SHUT_DOWN, Button.RESET}
    for mode in Mode:
        assert allowed(mode, let_go) == wanted[mode] & stops
    assert why_not(Button.RESET, Mode.FAULT, Readiness(clear=False)).startswith("the fault's cause")
    assert why_not(Button.POSE, Mode.ENGAGED, Readiness(target=False)).startswith("no pose")


events = st.lists(
    st.tuples(
        st.sampled_from([*Button, "let go", "grip", "freeze", "thaw", "slow", "fast"]),
        st.integers(1, 125),
    ),
    min_size=8,
    max_size=30,
)


@dear
@given(events)
def test_whatever_is_pressed_the_gate_stays_silent_and_the_dead_man_stops(events):
    bench = Bench()
    engaged(bench)
    bench.write(target=NEAR)
    alone = 0.0

    def look(bench, exchange):
        nonlocal alone
        held = bench.order.held and bench.clock.t_s - bench.order.stamp_s <= 0.15
        alone = 0.0 if held else alone + PERIOD_S
        moving = exchange.verdict.mode in (Mode.ENGAGED, Mode.ENGAGING, Mode.PARKING, Mode.HOMING)
        assert not (moving and alone > 0.05)  # 0.15 s of it have passed as silence before

    bench.on_cycle = look
    for event, cycles in events:
        match event:
            case Button():
                if event is not Button.SHUT_DOWN:
                    bench.press(event)
            case "let go" | "grip":
                bench.write(held=event == "grip")
            case "freeze" | "thaw":
                bench.alive = event == "thaw"
            case _:
                bench.write(override=0.1 if event == "slow" else 1.0)
        bench.run(cycles * PERIOD_S)
    assert bench.violations == []
