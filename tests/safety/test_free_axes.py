"""Free axes of a robot's gate: judged by what is measured, at every speed and place."""

import math
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from safety.robot_gate import RobotGate
from safety.robot_limits import (
    RobotAction,
    RobotAxis,
    RobotCheck,
    RobotFound,
    RobotLimits,
    RobotSetpoint,
)

PERIOD = 0.002
WHEEL = RobotAxis("joint 1", "rad", -math.inf, math.inf, 10.0, 0.1, free=True)
JAW = RobotAxis("joint 2", "m", 0.0, 0.05, 2.0, 0.01, free=True)
ARM = RobotAxis("joint 3", "rad", -1.0, 1.0, 10.0, 0.1)
STILL = (0.0, 0.0, 0.0)
ASKED = RobotSetpoint((0.0, 0.0, 0.2), STILL, STILL)
PASSED, STOPPING, HOLDING = RobotAction.PASSED, RobotAction.STOPPING, RobotAction.HOLDING


def found(wheel=0.0, jaw=0.03, arm=0.2, speeds=STILL, **more):
    return RobotFound((wheel, jaw, arm), speeds, **more)


def opened(*axes, **more):
    gate = RobotGate(RobotLimits("a robot", axes or (WHEEL, JAW, ARM), PERIOD, **more))
    assert gate.reset(found(tool_m=STILL)) == ()
    return gate


def objections(verdict):
    return [(one.check, one.axis) for one in verdict.violations]


def bounded(axis, **bounds):
    return axis._replace(**bounds)


def test_a_wheel_turns_for_ever_and_is_nowhere_asked_to_be():
    gate, angle = opened(), 0.0
    for tick in range(5000):
        angle += 12.0 * PERIOD * min(1.0, tick / 100)
        speed = 12.0 * min(1.0, tick / 100)
        verdict = gate.step(ASKED, found(wheel=angle, speeds=(speed, 0.0, 0.0)))
        assert verdict.action is PASSED, verdict
        assert verdict.allowed is not None
        assert verdict.allowed.positions == (angle, 0.03, 0.2)
        assert verdict.allowed.speeds == (speed, 0.0, 0.0)
        assert verdict.allowed.accelerations == STILL
    assert angle > 100.0


@pytest.mark.parametrize(
    ("measured", "bounds", "wanted"),
    [
        (found(arm=0.31), {}, (RobotCheck.FOLLOWING, "joint 3")),
        (found(jaw=0.0601), {}, (RobotCheck.POSITION, "joint 2")),
        (found(jaw=-0.0101), {}, (RobotCheck.POSITION, "joint 2")),
        (found(jaw=0.045, speeds=(0.0, 0.2, 0.0)), {}, (RobotCheck.BRAKING, "joint 2")),
        (found(jaw=0.005, speeds=(0.0, -0.2, 0.0)), {}, (RobotCheck.BRAKING, "joint 2")),
        (found(speeds=(5.6, 0.0, 0.0)), {"speed": 5.0}, (RobotCheck.SPEED, "joint 1")),
        (found(speeds=(-5.6, 0.0, 0.0)), {"speed": 5.0}, (RobotCheck.SPEED, "joint 1")),
        (found(speeds=(0.6, 0.0, 0.0)), {"acceleration": 10.0},
         (RobotCheck.ACCELERATION, "joint 1")),
        (found(speeds=(-0.6, 0.0, 0.0)), {"acceleration": 10.0},
         (RobotCheck.ACCELERATION, "joint 1")),
        (found(efforts=(-9.0, 0.0, 0.0)), {"effort": 8.0}, (RobotCheck.EFFORT, "joint 1")),
    ],
)  # fmt: skip
def test_everything_else_is_judged_as_measured(measured, bounds, wanted):
    verdict = opened(bounded(WHEEL, **bounds), JAW, ARM).step(ASKED, measured)
    assert verdict.action in (STOPPING, HOLDING)
    assert wanted in objections(verdict)


@pytest.mark.parametrize(
    ("measured", "limits", "check"),
    [
        (found(tool_m=(2.0, 0.0, 0.0)), {"box_m": ((-1, -1, -1), (1, 1, 1))}, RobotCheck.BOX),
        (found(touching=("link 2 and link 5",)), {"own_bodies": True}, RobotCheck.OWN_BODIES),
    ],
)
def test_box_and_own_bodies_are_judged(measured, limits, check):
    verdict = opened(**limits).step(ASKED, measured)
    assert [one for one, _ in objections(verdict)] == [check]
    assert verdict.action is HOLDING  # it stood


@pytest.mark.parametrize("place", range(3))
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_not_finite_never_passes(place, value):
    def put(values):
        return (*values[:place], value, *values[place + 1 :])

    positions, speeds, accelerations = ASKED
    for asked in (
        RobotSetpoint(put(positions), speeds, accelerations),
        RobotSetpoint(positions, put(speeds), accelerations),
        RobotSetpoint(positions, speeds, put(accelerations)),
    ):
        verdict = opened().step(asked, found())
        assert (verdict.action, objections(verdict)[0][0]) == (HOLDING, RobotCheck.FINITE)
    there = found()
    for measured in (
        there._replace(positions=put(there.positions)), there._replace(speeds=put(there.speeds))
    ):  # fmt: skip
        verdict = opened().step(ASKED, measured)
        assert (verdict.action, verdict.allowed) == (RobotAction.OFF, None)
        assert objections(verdict)[0][0] is RobotCheck.FEEDBACK


def test_a_jaw_presses_into_its_end_stop_and_may_arrive_there_slowly():
    gate = opened()
    assert gate.step(ASKED, found(jaw=0.0, speeds=(0.0, -0.1, 0.0))).action is PASSED
    assert gate.step(ASKED, found(jaw=-0.009)).action is PASSED
    assert gate.step(ASKED, found(jaw=-0.009, speeds=(0.0, -0.101, 0.0))).action is STOPPING


@given(
    q=st.floats(-0.01, 0.06), v=st.floats(-3.0, 3.0), least=st.floats(0.0, 0.02),
    greatest=st.floats(0.03, 0.05),
)  # fmt: skip
def test_an_axis_that_cannot_stop_before_its_limit_is_objected_to(q, v, least, greatest):
    """Oracle: speed at the limit of a body that slows down at 2 m/s2, by its energy."""
    axis = bounded(JAW, least=least, greatest=greatest)
    gate = opened(WHEEL, axis, ARM)
    room = max(greatest - q, 0.0) if v > 0.0 else max(q - least, 0.0)
    energy = 0.5 * v**2 - 2.0 * room
    verdict = gate.step(ASKED, found(jaw=q, speeds=(0.0, v, 0.0)))
    objected = (RobotCheck.BRAKING, "joint 2") in objections(verdict)
    if abs(energy - 0.005) > 1e-9:  # at 0.1 m/s it stops within 0.05 s
        assert objected == (energy > 0.005)


@given(ramp=st.floats(0.5, 3.0), sign=st.sampled_from([-1.0, 1.0]))
def test_a_lasting_acceleration_is_found_and_a_short_one_is_not(ramp, sign):
    gate, speed, angle, passed = opened(bounded(WHEEL, acceleration=10.0), JAW, ARM), 0.0, 0.0, 0
    for _ in range(400):
        speed += sign * ramp * 10.0 * PERIOD
        angle += speed * PERIOD
        if gate.step(ASKED, found(wheel=angle, speeds=(speed, 0.0, 0.0))).action is not PASSED:
            break
        passed += 1
    if ramp < 1.09:
        assert passed == 400
    elif ramp > 1.2:
        ticks = 0.05 / PERIOD - 1.1  # until speed is ahead of the bound by what 0.05 s allow
        assert passed == pytest.approx(ticks / (ramp - 1.1), abs=1.5)


@given(
    speeds=st.tuples(st.floats(-12, 12), st.floats(-0.3, 0.3), st.floats(-0.05, 0.05)),
    measured=st.booleans(),
)
@example(speeds=(0.0, 0.0, 2.2e-313), measured=True)
def test_each_free_axis_stops_alone_from_where_it_is(speeds, measured):
    """Oracle: a body that slows down at its deceleration, in exact intervals of time."""
    gate = opened(WHEEL, bounded(JAW, least=-1.0, greatest=1.0), ARM)
    at = found(wheel=50.0, jaw=0.02, speeds=speeds, touching=("a and b",) if measured else ())
    verdict = gate.step(ASKED, at) if measured else gate.step(None, at)
    begin, arm = (50.0, 0.02, 0.2), speeds[2] if measured else 0.0
    for tick in range(1, 700):
        assert verdict.allowed is not None
        for q0, v0, stop, q in zip(begin, (*speeds[:2], arm), (10.0, 2.0, 10.0),
                                   verdict.allowed.positions, strict=True):  # fmt: skip
            t_s = min(tick * PERIOD, abs(v0) / stop)
            way = abs(v0) * t_s - 0.5 * stop * t_s**2
            assert q == pytest.approx(q0 + math.copysign(way, v0), abs=1e-9)
        positions, moving = verdict.allowed.positions, verdict.allowed.speeds
        verdict = gate.step(ASKED, RobotFound(positions, moving))
    assert verdict.action is HOLDING
    assert verdict.allowed is not None
    assert (verdict.allowed.speeds, verdict.allowed.accelerations) == (STILL, STILL)


def test_free_axes_that_do_not_stop_have_their_drives_off():
    gate = opened()
    way = 0.5 * 8.0**2 / 10.0
    gate.step(None, found(speeds=(8.0, 0.0, 0.0)))
    state = gate.state()
    lag = found(wheel=state.positions[0] + 0.09 + 0.5 * way, speeds=(8.0, 0.0, 0.0))
    assert gate.step(None, lag).action is STOPPING
    gone = found(wheel=gate.state().positions[0] + 0.11 + 0.5 * way, speeds=(8.0, 0.0, 0.0))
    assert gate.step(None, gone).action is RobotAction.OFF
    gate = opened()
    gate.step(None, found())
    assert gate.step(None, found(wheel=0.11)).action is RobotAction.OFF


def test_the_others_have_no_more_lag_in_a_stop_than_before():
    gate, q = opened(), 0.2
    for tick in range(100):
        v = 0.02 * tick
        q += v * PERIOD
        gate.step(RobotSetpoint((0.0, 0.0, q), STILL, STILL), found(arm=q, speeds=(0.0, 0.0, v)))
    assert gate.step(None, found(arm=q)).action is STOPPING
    assert gate.step(None, found(arm=gate.state().positions[2] - 0.099)).action is STOPPING
    assert gate.step(None, found(arm=gate.state().positions[2] - 0.101)).action is RobotAction.OFF


def test_an_asked_stop_leads_a_free_axis_from_its_measured_place():
    gate = opened()
    gate.step(ASKED, found(wheel=3.0, speeds=(4.0, 0.0, 0.0)))
    verdict = gate.step(ASKED, found(wheel=3.008, speeds=(4.0, 0.0, 0.0)), stop="a person")
    assert objections(verdict) == [(RobotCheck.ASKED, "")]
    assert verdict.allowed is not None
    assert verdict.allowed.positions[0] == pytest.approx(3.008 + 4.0 * PERIOD - 5.0 * PERIOD**2)
    again = RobotGate(gate.limits)
    again.resume(gate.state())
    assert again.state() == gate.state()
    assert again.step(None, found(wheel=3.016)) == gate.step(None, found(wheel=3.016))


def test_the_setpoint_of_the_others_is_judged_as_ever():
    gate = opened(WHEEL, JAW, bounded(ARM, speed=1.0))
    asked = RobotSetpoint((0.0, 0.0, 0.21), STILL, STILL)
    assert (RobotCheck.SPEED, "joint 3") in objections(gate.step(asked, found()))


def test_no_axis_is_free_unless_it_is_said_to_be_and_an_edit_frees_none():
    assert not RobotAxis("joint 1", "rad", -1.0, 1.0, 1.0, 0.1).free
    limits = RobotLimits("a robot", (ARM,), PERIOD)
    freed = replace(limits, axes=(bounded(ARM, free=True),))
    assert limits.widened(freed) == ("joint 3: its following would not be judged any more",)
    assert freed.widened(limits) == freed.widened(freed) == ()
