"""Every press that comes to nothing says why, and every end of a run what it is and does."""

import math

import pytest
from operated_bench import PATIENCE, PERIOD_S, RATE_HZ, Bench
from test_safe_ends import Closed, door, engaged, held_aloft, homed  # noqa: F401 door is a fixture

from hil.desk.operation import OPERATION_KIND, OPERATION_MAX_BYTES, Operation, Refusal
from hil.desk.order import Button
from hil.desk.publisher import EVERY_S, Publisher
from hil.desk.run_end import EndCause, EndStep, RunEnd
from hil.ipc.broadcast import Broadcast, BroadcastReader
from hil.stations.platform.lead.button_commands import ASKED_CYCLES
from hil.stations.platform.lead.park_request import ParkRequest
from hil.timing.clock import Tick
from safety.modes import Mode, Request, Severity
from safety.verdict import Check, Violation

PATIENCE_S = PATIENCE[0] * PERIOD_S


def refused(request, note):
    """What the gate says of a request that it does not take; in whatever words."""
    return Violation(
        Check.REQUEST, None, 0, 0, "", Severity.INFORM, note=note, request=Request[request]
    )


class Told:
    """The gate's verdict as a test wants control to see it, and nothing else changed."""

    def __init__(self, bench, **changes):
        self._bench, self._inner = bench, bench.station.step
        self.changes = changes
        self.asked = []
        bench.loop._station.step = self.step

    def step(self, tick, verdict):
        control = self._inner(tick, verdict._replace(**self.changes))
        self.asked += control.requests
        return control._replace(requests=())  # nothing of it reaches the gate

    def end(self):
        self._bench.loop._station.step = self._inner


def noted(bench):
    return [message for who, message, _ in bench.journal.notes if who == "operator"]


# --- presses -----------------------------------------------------------------------------------


@pytest.mark.parametrize("note", ["PARK refused in HOLD: a fault goes first", "not now", ""])
def test_a_park_that_the_gate_does_not_take_says_so_and_is_not_asked_for_ever(note):
    bench = held_aloft(0.2)
    told = Told(bench, violations=(refused("PARK", note),) if note else ())
    bench.press(Button.PARK)
    bench.run(1.0)
    why = f"PARK: {note or 'the gate did not take it'}"
    assert bench.refused == why
    assert noted(bench)[-1] == f"nothing done: {why}"
    assert told.asked == [Request.PARK] * ASKED_CYCLES
    assert bench.mode is Mode.HOLD
    told.end()
    bench.press(Button.PARK)
    assert bench.refused == ""
    bench.until(Mode.STANDBY)


def test_a_press_to_go_elsewhere_does_not_take_park_back_unheard():
    bench = engaged()
    told = Told(bench, mode=Mode.ENGAGED)  # a gate in another process answers cycles later
    bench.press(Button.PARK)
    bench.press(Button.PLAY)
    assert bench.refused == "PLAY: PARK was pressed and goes first"
    told.end()
    bench.until(Mode.STANDBY)
    assert Mode.PARKING in bench.modes


def test_a_fault_that_is_no_number_is_one_fault_however_often_it_is_told():
    refusals = []
    wish = ParkRequest(lambda tick, why: refusals.append(why))
    wish.want(True)
    tick = Tick(1, PERIOD_S, PERIOD_S, 0.0)

    def verdict(leg=3):  # decoded anew in every cycle, as behind the gate of another process
        fault = Violation(
            Check.FINITE, leg, float("nan"), math.inf, "m", Severity.HOLD, note="measured length"
        )
        return bench.last.verdict._replace(mode=Mode.HOLD, faults=(fault,))

    bench = held_aloft(0.2)
    for _ in range(5):
        wish.watch(tick, verdict(), held=True)
    assert wish.on
    assert refusals == []
    wish.watch(tick, verdict(leg=4), held=True)
    assert not wish.on, "another fault is a new one"
    assert str(verdict(leg=4).faults[0]) in refusals[0].why


def test_one_refusal_of_park_that_passes_is_not_told():
    bench = held_aloft(0.2)
    told = Told(bench, violations=(refused("PARK", "HOLD goes first"),))
    bench.press(Button.PARK)
    while len(told.asked) < ASKED_CYCLES - 1:
        bench.cycle()
    told.end()
    bench.until(Mode.STANDBY)
    assert bench.refused == ""


@pytest.mark.parametrize(
    ("button", "start", "note"),
    [
        (Button.HOME, Bench, "HOME refused in IDLE: a leg is not measured at standstill"),
        (Button.ENGAGE, homed, "leg 2 is not where it was, so no ENGAGE"),
        (Button.ENGAGE, homed, ""),
    ],
)
def test_what_the_gate_refuses_is_told_and_written_down(button, start, note):
    bench = start()
    bench.run(0.1)
    told = Told(bench, violations=(refused(button.name, note),) if note else ())
    bench.press(button)
    bench.run(0.2)
    why = f"{button.name}: {note or 'the gate did not take it'}"
    assert bench.refused == why
    assert noted(bench)[-1] == f"nothing done: {why}"
    assert len(told.asked) == (1 if note else ASKED_CYCLES)


def test_a_start_that_the_dead_man_or_another_mode_forestalls_says_so():
    for change, why in (
        ({"held": False}, "hold-to-run was released before the gate took it"),
        (None, "the bench went to FAULT first"),
    ):
        bench = homed()
        told = Told(bench)
        bench.press(Button.ENGAGE)
        bench.write(**(change or {}))
        told.changes = {} if change else {"mode": Mode.FAULT}
        bench.run(0.1)
        assert bench.refused == f"ENGAGE: {why}"


@pytest.mark.parametrize("how", ["let go", "violation", "fault", "lockout"])
def test_a_park_that_is_taken_back_before_it_began_says_by_what(door, how):  # noqa: F811
    bench = held_aloft(0.2)
    at = Violation(Check.DRIVE, 3, 1, 0, "", Severity.STOP, note="drive 3 says overload")
    told = Told(bench)
    bench.press(Button.PARK)
    bench.cycle()
    assert bench.course._parking.on
    match how:
        case "let go":
            bench.write(held=False)
        case "violation":
            told.changes = {"violations": (at,)}
        case "fault":
            told.changes = {"faults": (at,)}
        case _:
            told.changes = {"mode": Mode.QSTOP}
    bench.cycle()
    bench.cycle()
    whys = {
        "let go": "hold-to-run was released before it began",
        "violation": str(at),
        "fault": str(at),
        "lockout": "the bench went to QSTOP first",
    }
    assert bench.refused == f"PARK: taken back: {whys[how]}"
    assert not bench.course._parking.on


def test_a_fault_that_left_the_platform_aloft_does_not_keep_it_there():
    bench = engaged()
    before = bench.station.step

    def silent(tick, verdict):
        return before(tick, verdict)._replace(asked=None)

    bench.loop._station.step = silent
    bench.until(Mode.HOLD)
    bench.loop._station.step = before
    bench.run(0.2)
    assert [fault.check for fault in bench.last.verdict.faults] == [Check.MISSING]
    bench.press(Button.PARK)
    bench.until(Mode.STANDBY)
    assert bench.refused == ""


def test_a_press_before_the_first_cycle_of_the_gate_is_told():
    bench = Bench()
    bench.press(Button.HOME)
    assert bench.refused == "HOME: the bench has not begun yet"


def test_a_way_that_is_stopped_before_it_was_proved_is_told():
    bench = engaged()
    bench.write(target=(0.02, -0.01, 0.95, 0.0, 0.05, 0.02))
    bench.press(Button.POSE)
    bench.write(held=False)
    bench.until(Mode.HOLD)
    assert bench.refused == "POSE: stopped before the way there was proved"


def test_homing_that_lasts_too_long_is_told_once():
    bench = Bench("rig_settings.cylinders.homing_speed_m_s=0.005")
    bench.course._homing_cycles = round(0.8 * RATE_HZ)
    bench.run(0.1)
    bench.press(Button.HOME)
    bench.until(Mode.HOMING)
    bench.until(Mode.IDLE)
    assert bench.refused.startswith("HOME: stopped, HOMING did not end within ")
    assert noted(bench).count(f"nothing done: {bench.refused}") == 1


# --- the end -----------------------------------------------------------------------------------


def end(bench):
    return bench.told.operation.end


def steps_until_done(bench, time_s=60.0):
    """Cause and step as they follow each other, until the run is over."""
    seen = []

    def done():
        now = end(bench)
        if now is not None and (not seen or seen[-1] != (now.cause, now.step)):
            seen.append((now.cause, now.step))
        return bench.course.done

    bench.until(done, time_s)
    return seen


def test_no_end_is_told_while_there_is_none():
    assert end(held_aloft(0.1)) is None


@pytest.mark.parametrize(
    ("how", "cause", "why"),
    [("shut down", EndCause.SHUT_DOWN, "Anna"), ("signal", EndCause.TERMINAL, "")],
)
def test_an_end_out_of_motion_is_told_step_by_step(how, cause, why):
    bench = engaged()
    bench.write(presser="Anna")
    bench.press(Button.PLAY)
    bench.run(0.8)
    if how == "signal":
        bench.stop.asked = "SIGINT"
        bench.cycle()
    else:
        bench.press(Button.SHUT_DOWN)
    assert end(bench) == RunEnd(cause, EndStep.STOPPING, why)
    assert steps_until_done(bench) == [
        (cause, step) for step in (EndStep.STOPPING, EndStep.PARKING, EndStep.POWER_OFF)
    ]


def test_an_end_that_nobody_holds_counts_the_time_that_is_left_for_park():
    bench = held_aloft(0.5, held=False)
    bench.press(Button.SHUT_DOWN)
    bench.press(Button.ENGAGE)
    bench.run(0.5)
    now = end(bench)
    assert (now.cause, now.step) == (EndCause.SHUT_DOWN, EndStep.AWAITING_PARK)
    assert now.left_s == pytest.approx(PATIENCE_S - 0.5, abs=0.02)
    assert bench.refused.startswith("ENGAGE: "), "what is told of a press stays"
    bench.write(held=True)
    bench.press(Button.PARK)
    bench.cycle()
    assert end(bench).step is EndStep.PARKING
    bench.write(held=False)
    bench.run(0.1)
    assert end(bench).step is EndStep.AWAITING_PARK
    bench.until(lambda: bench.course.done)
    assert end(bench).left_s == 0.0


def test_an_end_without_a_way_to_park_says_both(door):  # noqa: F811
    bench = engaged()
    door.shut = True
    bench.press(Button.SHUT_DOWN)
    bench.until(Mode.HOLD)
    bench.run(1.0)
    assert end(bench).step is EndStep.AWAITING_PARK
    assert bench.refused.startswith("PARK: no way there is free: leg 1: no room")


def test_what_the_gate_has_against_the_end_is_told_while_it_has():
    bench = homed()
    told = Told(
        bench, violations=(refused("SHUT_DOWN", "SHUT_DOWN refused in STANDBY: a leg moves"),)
    )
    bench.press(Button.SHUT_DOWN)
    bench.run(0.1)
    assert end(bench).waits == "SHUT_DOWN refused in STANDBY: a leg moves"
    told.changes = {}
    bench.cycle()
    assert end(bench).waits == ""


def test_a_lockout_and_lost_deadlines_are_ends_by_a_fault(monkeypatch):
    bench = engaged()

    def broken(*_):
        raise RuntimeError("broken")

    monkeypatch.setattr(bench.gated._gate._stream, "step", broken)
    seen = steps_until_done(bench)
    assert {cause for cause, _ in seen} == {EndCause.FAULT}
    assert "RuntimeError: broken" in end(bench).why

    bench = engaged()
    monkeypatch.setattr(bench.journal, "object", lambda *_: None, raising=False)
    bench.loop._stop_on_overrun, bench.clock.overruns = True, 3
    bench.cycle()
    assert end(bench) == RunEnd(
        EndCause.FAULT, EndStep.STOPPING, "3 deadlines given up; overruns = 'stop'"
    )


def test_drives_that_do_not_end_in_time_are_given_up():
    bench = held_aloft(0.1)
    told = Told(bench, mode=Mode.CSTOP)
    bench.until(lambda: bench.course.done)
    assert told.asked[-1] is Request.SHUT_DOWN
    assert end(bench).cause is EndCause.GAVE_UP
    assert end(bench).why.startswith("CSTOP did not end within ")


def test_the_end_is_told_at_once_and_its_time_ten_times_a_second():
    ring = Broadcast.local(64)
    reader, teller = BroadcastReader(ring.buffer), Publisher(ring)
    now = Operation()
    teller.publish(0.0, now)
    for index, left_s in enumerate((5.0, 4.99, 4.98)):
        now = Operation(end=RunEnd(EndCause.TERMINAL, EndStep.AWAITING_PARK, left_s=left_s))
        teller.publish(0.01 * (index + 1), now)
    teller.publish(0.01 + EVERY_S, now)
    found = [Operation.from_bytes(raw).end for kind, raw in reader.read() if kind == OPERATION_KIND]
    assert [None if one is None else one.left_s for one in found] == [None, 5.0, 4.98]


def test_an_end_with_much_to_say_fits_into_an_entry():
    long = RunEnd(EndCause.FAULT, EndStep.AWAITING_PARK, "ö\udcff\x01" * 400, 1.5, "€" * 900)
    payload = Operation(refused=Refusal("ß" * 900, "home"), end=long).to_bytes()
    assert len(payload) <= OPERATION_MAX_BYTES
    back = Operation.from_bytes(payload)
    assert (back.end.cause, back.end.step, back.end.left_s) == (long.cause, long.step, 1.5)
    assert all(len(words) > 10 for words in (back.refused.why, back.end.why, back.end.waits))


@pytest.mark.parametrize("left_s", [-1.0, float("nan"), float("inf")])
def test_a_time_left_is_a_time(left_s):
    with pytest.raises(ValueError, match="a finite time of 0 s or more"):
        RunEnd(EndCause.FAULT, EndStep.STOPPING, left_s=left_s)


def test_ticks_of_the_first_cycle_have_no_length_yet():
    bench = Bench()
    bench.stop.asked = "SIGINT"
    bench.loop.cycle(Tick(0, 0.0, PERIOD_S, 0.0))
    assert end(bench).cause is EndCause.TERMINAL
