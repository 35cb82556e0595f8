"""Grasps by definite sequences of contact, and targets that a cheating diagram would state."""

import math

import numpy as np
import pytest
from test_valve_judge import STEP_S, bench

from hil.stations.task.valve.grasp import SETTLING_S, GraspErrors
from hil.stations.task.valve.grasp_watch import LET_GO_S, LOOSE_S, GraspWatch
from hil.stations.task.valve.targets import MOMENT_NM, MOMENT_NM_S, StatedTarget
from sim.world.engine.body_groups import GroupContact

FIRM, OFF, FREE = (50.0, True), (0.0, True), (0.0, False)
"""All fingers press; one does not; nothing of the hand touches."""


def judged(*parts, force_n=1.0):
    """Times that count for parts of contact, each with its seconds; and the errors."""
    watch, found, index = GraspWatch(GraspErrors(10.0, 2.0)), [], 0
    for seconds, (pressed_n, touches) in parts:
        for _ in range(round(seconds / STEP_S)):
            found += watch.update(index * STEP_S, pressed_n, 0.0, touches=touches,
                                  errors_now=(force_n, 0.1))  # fmt: skip
            index += 1
    return [round(one.t_s / STEP_S) for one in found], watch.errors


def test_a_grasp_that_flickers_is_one_grasp_and_all_of_it_is_judged():
    flicker = [(0.299, FIRM), (STEP_S, OFF)] * 10
    ticks, errors = judged(*flicker, (0.1, FIRM))
    assert ticks == list(range(round(SETTLING_S / STEP_S), 3100))
    assert errors.grasps == 1


def test_a_finger_that_is_off_between_hides_nothing():
    _, errors = judged((0.6, FIRM), (0.3, OFF), (STEP_S, FIRM), force_n=30.0)
    assert errors.force_n == 30.0
    held, _ = judged((1.0, FIRM), (2.0, OFF))
    assert held[-1] == 2999  # a hand that only touches is judged again after a while
    assert set(range(500, 3000)) == set(held)


@pytest.mark.parametrize(("free_s", "grasps"), [(0.9 * LET_GO_S, 1), (LET_GO_S + 0.01, 2)])
def test_only_a_hand_that_has_let_go_settles_anew(free_s, grasps):
    ticks, errors = judged((0.8, FIRM), (free_s, FREE), (0.8, FIRM))
    assert errors.grasps == grasps
    again = round((0.8 + free_s) / STEP_S)
    assert (again in ticks) is (grasps == 1)
    assert again + round(SETTLING_S / STEP_S) + 1 in ticks


def test_what_is_felt_while_the_hand_lets_go_does_not_count():
    ticks, errors = judged((0.8, FIRM), (0.5 * LOOSE_S, OFF), (0.3, FREE), (0.1, OFF))
    assert ticks == list(range(500, 800))
    assert not errors.held


def target(values, step_s=STEP_S):
    """First tick at which a sequence of targets of the moment breaks the rule; None if none."""
    told = iter(values)
    one = StatedTarget(lambda: next(told), "moment", "N m", MOMENT_NM, MOMENT_NM_S)
    return next((index for index in range(len(values)) if one.read(index * step_s)), None)


@pytest.mark.parametrize("period_ms", [1, 3, 10, 20])
def test_a_target_of_the_shipped_law_keeps_the_rule(period_ms):
    values = [np.clip(25.0 * 1e-3 * period_ms * (index // period_ms), 0.0, MOMENT_NM)
              for index in range(1000)]  # fmt: skip
    assert target([*values, *values[::-1]]) is None


@pytest.mark.parametrize(("values", "at"), [
    ([0.0] * 5 + [0.4], 5), ([MOMENT_NM] * 9, None), ([MOMENT_NM + 0.01], 0),
    ([-MOMENT_NM - 0.01], 0), ([math.nan], 0), ([math.inf], 0), ([0.0, 0.031], 1),
    ([0.0, 0.029, 0.0, 0.029], None), ([0.0] * 500 + [0.7], 500),
])  # fmt: skip
def test_a_target_beyond_the_rule_is_found(values, at):
    assert target(values) == at


def cheated(said, wrench=(0.0, 0.0, 0.0, 0.0, 0.0, 0.0), seconds=0.7):
    """Findings of a judge for whom all fingers press, and who measures a definite wrench."""
    _, judge = bench(said=said)
    judge._measured.now = lambda: np.concatenate([np.zeros(judge._wrist), wrench])
    contacts = tuple(GroupContact(("hand", "wheel"), (name, "valve_wheel"), 0)
                     for name in judge._fingers)  # fmt: skip
    judge._contacts.force_n = lambda _: 50.0
    judge._contacts.now = lambda: contacts
    found = []
    for index in range(round(seconds / STEP_S)):
        found += judge.look(index * STEP_S)
    return found


def test_an_honest_target_is_accepted():
    assert cheated(lambda _: 0.0) == []


def test_a_diagram_that_states_the_moment_it_has_is_found():
    clock = iter(range(10**6))
    found = cheated(lambda _: 8.0 * math.sin(0.05 * next(clock)))
    assert found[0].reason == "force"
    assert "change of the target" in found[0].text
    assert found[0].unit in ("N m/s", "N/s")


@pytest.mark.parametrize(("name", "value", "unit"), [("force_n", 40.0, "N"),
                                                     ("moment_nm", -15.0, "N m")])  # fmt: skip
def test_a_diagram_that_asks_for_more_than_the_law_may_is_found(name, value, unit):
    found = cheated(lambda one: value if one == name else 0.0)
    assert (found[0].reason, found[0].value, found[0].unit) == ("force", value, unit)
    assert found[0].t_s == 0.0


def test_no_target_hides_a_force_to_the_side():
    found = cheated(lambda _: 0.0, wrench=(25.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    assert found[0].reason == "force"
    assert found[0].value == pytest.approx(25.0)
    assert found[0].t_s == pytest.approx(SETTLING_S)


def test_a_force_that_is_no_number_is_beyond_every_limit():
    found = cheated(lambda _: 0.0, wrench=(math.nan,) * 6)
    assert found[0].reason == "force"
