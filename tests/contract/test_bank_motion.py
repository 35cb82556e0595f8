"""What every drive bank must do with legs that know where they are.

All tests of a bank share one homing; each begins disabled at the reference and leaves no fault.
"""

import dataclasses
import itertools
import math

import pytest
from bank_kits import STILL

from drives.bank import DriveCommandError, DriveGoal, DriveState, LegCommand


def test_homing_ends_disabled_at_rest_and_keeps_its_place(at_rest):
    kit = at_rest.kit
    for feedback in at_rest.stay(0.2):
        assert feedback.homed == (True,) * 6
        assert feedback.state == (DriveState.DISABLED,) * 6
        assert feedback.speed_m_s == pytest.approx(STILL, abs=kit.at_rest_m_s)
        assert feedback.length_m == pytest.approx(at_rest.reference_m, abs=kit.accuracy_m)


def test_enabled_legs_without_a_command_stay_where_they_are(at_rest):
    before = at_rest.enable()
    for feedback in at_rest.stay(0.4):
        assert feedback.accepted is None
        assert feedback.state == (DriveState.ENABLED,) * 6
        assert feedback.length_m == pytest.approx(before.length_m, abs=at_rest.kit.accuracy_m)


def test_a_command_moves_nothing_before_the_legs_are_enabled(at_rest):
    before = at_rest.disable()
    for _, feedback in at_rest.lead(before, 0.01):
        assert feedback.length_m == pytest.approx(before.length_m, abs=at_rest.kit.accuracy_m)
        assert feedback.state == (DriveState.DISABLED,) * 6


def test_enabled_legs_follow_and_say_what_was_sent(at_rest):
    before = at_rest.enable()
    for command, feedback in at_rest.lead(before, 0.01):
        assert feedback.accepted is not None
        assert feedback.accepted.length_m == pytest.approx(command.length_m, abs=1e-6)
        sent = feedback.accepted.speed_m_s
        assert sent == pytest.approx(command.speed_m_s, abs=1e-6) or sent == STILL
        assert feedback.length_m == pytest.approx(command.length_m, abs=0.004)
    assert feedback.length_m == pytest.approx(
        [x + 0.01 for x in before.length_m], abs=at_rest.kit.accuracy_m
    )


def test_each_leg_follows_its_own_command(at_rest):
    before = at_rest.enable()
    ways = (0.002, 0.003, 0.004, 0.005, 0.006, 0.007)
    led = list(at_rest.lead(before, ways))
    command, feedback = led[-1]
    assert feedback.length_m == pytest.approx(command.length_m, abs=at_rest.kit.accuracy_m)
    speeds = [feedback.speed_m_s for _, feedback in led]
    fastest = [max(leg) for leg in zip(*speeds, strict=True)]
    assert fastest == sorted(fastest), "a leg that goes further in the same time is faster"
    assert fastest[0] > 0.003


@pytest.mark.parametrize(
    ("goal", "state"),
    [
        (DriveGoal.DISABLED, DriveState.DISABLED),
        (DriveGoal.QUICK_STOPPED, DriveState.QUICK_STOP),
    ],
)
def test_stopping_in_mid_motion_ends_at_rest_and_commands_no_longer_move(at_rest, goal, state):
    kit = at_rest.kit
    led = at_rest.lead(at_rest.enable(), 0.015, settle_s=1.0)
    _, moving = next(each for each in led if min(each[1].speed_m_s) > 0.03)
    at_rest.bank.request(goal)
    commands, seen = zip(*led, strict=True)
    last = seen[-1]
    assert last.state == (state,) * 6
    for feedback in seen[-len(kit.cycles(0.5)) :]:
        assert feedback.speed_m_s == pytest.approx(STILL, abs=kit.at_rest_m_s)
        assert feedback.length_m == pytest.approx(last.length_m, abs=kit.accuracy_m / 10.0)
    for stopped, began, asked in zip(
        last.length_m, moving.length_m, commands[-1].length_m, strict=True
    ):
        assert -kit.accuracy_m < stopped - began < 0.004, "on the way that it was on"
        assert asked - stopped > 0.002, "and the commands did go on"


def test_a_quick_stop_is_left_through_disabled_only(at_rest):
    at_rest.enable()
    quick_stop = (DriveState.QUICK_STOP,) * 6
    at_rest.reach(DriveGoal.QUICK_STOPPED, lambda f: f.state == quick_stop)
    at_rest.bank.request(DriveGoal.ENABLED)
    assert {feedback.state for feedback in at_rest.stay(0.4)} == {quick_stop}
    at_rest.disable()
    at_rest.enable()


def test_a_setpoint_that_is_no_number_is_refused_and_nothing_is_sent(at_rest):
    before = at_rest.enable()
    good = LegCommand(before.length_m, STILL)
    fields, no_numbers = ("length_m", "speed_m_s"), (math.nan, math.inf, -math.inf)
    for field, bad, leg in itertools.product(fields, no_numbers, range(6)):
        values = list(getattr(good, field))
        values[leg] = bad
        wrong = dataclasses.replace(good, **{field: tuple(values)})
        with pytest.raises(DriveCommandError, match=rf"leg {leg + 1}: {field} is {bad} m"):
            at_rest.bank.exchange(wrong)
        feedback = at_rest.bank.exchange(good)
        assert feedback.length_m == pytest.approx(before.length_m, abs=at_rest.kit.accuracy_m)
        assert feedback.state == (DriveState.ENABLED,) * 6
