"""Stops that must not be lost, and presses that come too late to count."""

import pytest
from operated_bench import PERIOD_S, Bench
from test_safe_ends import engaged, homed

from hil.desk.operator import PRESS_AGE_MAX_S, Operator
from hil.desk.order import BUTTONS, Button, LatestOrder, OperatorOrder
from hil.stations.platform.lead.button_commands import ButtonCommands
from hil.timing.clock import Tick
from safety.modes import Mode, Request


def judged(bench, *buttons):
    """One cycle of the course alone: the gate has not got what was asked."""
    bench.clock.t_s += PERIOD_S
    presses = list(bench.order.presses)
    for button in buttons:
        presses[BUTTONS.index(button)] += 1
    stamps = (bench.clock.t_s,) * len(BUTTONS)
    bench.write(presses=tuple(presses), stamp_s=bench.clock.t_s, pressed_s=stamps)
    bench.slot.write(bench.order)
    tick = Tick(bench.index, bench.index * PERIOD_S, PERIOD_S, 0.0)
    bench.course.update(tick, bench.last.verdict)
    return bench.course.ask(bench.last.verdict, False)


@pytest.mark.parametrize(("start", "mode"), [("home", Mode.IDLE), ("engage", Mode.STANDBY)])
def test_a_stop_takes_back_a_start_that_the_gate_has_not_taken_yet(start, mode):
    bench = Bench() if mode is Mode.IDLE else homed()
    bench.run(0.1)
    assert judged(bench, Button(start)) == (Request[start.upper()],)
    assert judged(bench, Button.HOLD) == (Request.HOLD,)
    asked = {judged(bench) for _ in range(20)}
    assert asked == {(Request.HOLD,), ()}
    assert not bench.course.refused


def test_a_stop_is_asked_until_nothing_moves_whatever_the_mode_becomes():
    bench = engaged()
    presses = ButtonCommands(lambda *_: None)
    presses.obey(Button.HOLD, Mode.ENGAGING, 0.0)
    for mode in (Mode.ENGAGING, Mode.ENGAGED, Mode.PARKING):
        verdict = bench.last.verdict._replace(mode=mode)
        assert [presses.request(verdict) for _ in range(50)] == [Request.HOLD] * 50
    verdict = bench.last.verdict._replace(mode=Mode.CSTOP)
    assert presses.request(verdict) is None
    assert presses.request(verdict._replace(mode=Mode.ENGAGED)) is None


def looked(order, now_s):
    slot = LatestOrder.local()
    operator = Operator(slot, lambda: now_s)
    slot.write(order)
    return operator.poll()


def order_of(button, age_s, press_owning=3):
    ones = tuple(int(one is button) for one in BUTTONS)
    return OperatorOrder(
        10.0, held=True, presses=ones, owner="B", owning=3,
        pressed_s=(10.0 - age_s,) * 8, press_ownings=(press_owning,) * 8,
    )  # fmt: skip


@pytest.mark.parametrize("button", list(Button))
@pytest.mark.parametrize(
    ("age_s", "owning", "why"),
    [
        (0.0, 3, ""),
        (PRESS_AGE_MAX_S - 0.01, 3, ""),
        (PRESS_AGE_MAX_S + 0.01, 3, "the press is 0.31 s old; at most 0.3 s"),
        (float("nan"), 3, "the press is nan s old; at most 0.3 s"),
        (-1.0, 3, "the press is -1.00 s old; at most 0.3 s"),
        (0.0, 2, "the motion has changed hands since the press"),
    ],
)
def test_a_press_that_is_late_or_of_an_earlier_owner_does_not_count_but_a_stop_does(
    button, age_s, owning, why
):
    wish = looked(order_of(button, age_s, owning), 10.0)
    if why and button is not Button.HOLD:
        assert (wish.pressed, wish.stale) == ((), ((button, why),))
    else:
        assert (wish.pressed, wish.stale) == ((button,), ())


def test_a_press_before_the_motion_changed_hands_is_told_and_moves_nothing():
    bench = homed()
    bench.write(owner="B", owning=7)
    bench.press(Button.ENGAGE)
    bench.run(0.5)
    assert bench.mode is Mode.STANDBY
    assert bench.refused == "ENGAGE: the motion has changed hands since the press"
    assert ("operator", f"pressed, nothing done: {bench.refused}", {
        "button": "engage", "taken": False, "by": ""}) in bench.journal.notes  # fmt: skip
