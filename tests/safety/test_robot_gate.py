"""A jointed robot's gate, judged by sequences of setpoints and by a stop computed beside it."""

import math
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from safety.limits import LimitsError
from safety.robot_gate import RobotGate
from safety.robot_limits import (
    RobotAction,
    RobotAxis,
    RobotCheck,
    RobotFound,
    RobotLimits,
    RobotSetpoint,
    RobotViolation,
)

PERIOD = 0.01
BOX = ((-1.0, -1.0, 0.0), (1.0, 1.0, 2.0))


def axis(number, **changed):
    wanted = {"least": -1.0, "greatest": 1.5, "stop": 4.0, "following": 0.1, "speed": 2.0,
              "acceleration": 8.0, "effort": 50.0}  # fmt: skip
    return RobotAxis(f"joint {number}", "rad", **(wanted | changed))


def limits(*axes, box=None):
    return RobotLimits("a robot", axes or (axis(1), axis(2)), PERIOD, box)


def found(*positions, speeds=None, **more):
    return RobotFound(positions, tuple(speeds or [0.0] * len(positions)), **more)


def setpoint(*positions):
    still = (0.0,) * len(positions)
    return RobotSetpoint(positions, still, still)


def opened(*axes, box=None):
    gate = RobotGate(limits(*axes, box=box))
    at = (0.0,) * len(gate.limits.axes)
    assert gate.reset(found(*at, tool_m=(0.0, 0.0, 1.0))) == ()
    return gate


def allowed_by(gate, positions):
    allowed = gate.step(None, found(*positions)).allowed
    assert allowed is not None
    return allowed.positions


def broken(gate, asked, measured=None, **more):
    verdict = gate.step(asked, measured or found(0.0, 0.0), **more)
    return verdict.action, [(one.check, one.axis) for one in verdict.violations]


def test_nothing_passes_before_a_start_is_agreed_upon():
    gate = RobotGate(limits())
    verdict = gate.step(setpoint(0.0, 0.0), found(0.0, 0.0))
    assert (verdict.action, verdict.allowed) == (RobotAction.OFF, None)


@pytest.mark.parametrize(
    ("start", "check"),
    [
        (found(2.0, 0.0), RobotCheck.POSITION),
        (found(0.0, math.nan), RobotCheck.FEEDBACK),
        (found(0.0, 0.0, speeds=(0.0, math.inf)), RobotCheck.FEEDBACK),
        (found(0.0, 0.0, speeds=(0.0, 0.01)), RobotCheck.SPEED),
        (found(0.0), RobotCheck.COUNT),
    ],
)
def test_a_bad_start_is_not_agreed_to(start, check):
    gate = RobotGate(limits())
    assert next(one.check for one in gate.reset(start)) is check
    assert gate.step(setpoint(0.0, 0.0), found(0.0, 0.0)).action is RobotAction.OFF


@pytest.mark.parametrize(
    ("asked", "wanted"),
    [
        (setpoint(math.nan, 0.0), (RobotCheck.FINITE, "joint 1")),
        (setpoint(0.0, math.inf), (RobotCheck.FINITE, "joint 2")),
        (RobotSetpoint((0.0, 0.0), (math.nan, 0.0), (0.0, 0.0)), (RobotCheck.FINITE, "joint 1")),
        (RobotSetpoint((0.0, 0.0), (0.0, 0.0), (0.0, -math.inf)), (RobotCheck.FINITE, "joint 2")),
        (setpoint(0.0), (RobotCheck.COUNT, "")),
        (setpoint(0.021, 0.0), (RobotCheck.SPEED, "joint 1")),
        (setpoint(0.0, 0.0009), (RobotCheck.ACCELERATION, "joint 2")),
        (None, (RobotCheck.ASKED, "")),
    ],
)
def test_a_setpoint_that_breaks_a_rule_begins_a_stop(asked, wanted):
    gate = opened()
    action, checks = broken(gate, asked)
    assert action is RobotAction.HOLDING  # it stood
    assert wanted in checks
    assert gate.step(setpoint(0.0, 0.0), found(0.0, 0.0)).action is RobotAction.HOLDING


@pytest.mark.parametrize(
    ("measured", "check"),
    [
        (found(0.11, 0.0), RobotCheck.FOLLOWING),
        (found(-0.11, 0.0), RobotCheck.FOLLOWING),
        (found(0.0, 0.0, speeds=(2.21, 0.0)), RobotCheck.SPEED),
        (found(0.0, 0.0, speeds=(0.0, -2.21)), RobotCheck.SPEED),
        (found(0.0, 0.0, efforts=(0.0, -55.1)), RobotCheck.EFFORT),
        (found(0.0, 0.0, tool_m=(0.0, 1.01, 1.0)), RobotCheck.BOX),
        (found(0.0, 0.0, tool_m=(0.0, 0.0, -0.01)), RobotCheck.BOX),
        (found(0.0, 0.0), RobotCheck.BOX),
        (found(0.0, 0.0, tool_m=(0.0, 0.0, math.nan)), RobotCheck.BOX),
        (found(0.0, 0.0, tool_m=(0, 0, 1), touching=("link 2 and link 5",)), RobotCheck.OWN_BODIES),
    ],
)
def test_what_is_measured_begins_a_stop_too(measured, check):
    gate = opened(box=BOX)
    _, checks = broken(gate, setpoint(0.0, 0.0), measured)
    assert check in [one for one, _ in checks]


def test_without_bounds_of_metal_joint_limits_hold_all_the_same():
    free = {"speed": None, "acceleration": None, "effort": None}
    gate = opened(axis(1, **free), axis(2, **free))
    fast = found(0.0, 0.0, speeds=(99.0, 0.0), efforts=(1e6, 0.0))
    assert gate.step(setpoint(0.02, 0.0), fast).action is RobotAction.PASSED
    assert broken(gate, setpoint(1.501, 0.0), found(0.02, 0.0))[1][0] == (
        RobotCheck.POSITION, "joint 1",
    )  # fmt: skip


def test_lost_measurements_turn_the_drives_off():
    gate = opened()
    verdict = gate.step(setpoint(0.0, 0.0), found(0.0, math.nan))
    assert (verdict.action, verdict.allowed) == (RobotAction.OFF, None)
    assert gate.step(setpoint(0.0, 0.0), found(0.0, 0.0)).action is RobotAction.OFF


def test_axes_that_do_not_follow_their_stop_either_are_turned_off():
    gate = opened()
    assert gate.step(setpoint(0.0, 0.0), found(0.2, 0.0, speeds=(1.0, 0.0))).action is (
        RobotAction.STOPPING
    )
    verdict = gate.step(None, found(0.5, 0.0, speeds=(1.0, 0.0)))
    assert verdict.action is RobotAction.OFF
    [strayed] = verdict.violations
    assert strayed.check is RobotCheck.FOLLOWING
    assert strayed.value == pytest.approx(0.5 - 0.2 - PERIOD * (1.0 - 0.5 * PERIOD * 4.0))


def test_a_stop_begins_where_the_axes_are_if_they_do_not_follow():
    gate = opened()
    verdict = gate.step(setpoint(0.0, 0.0), found(0.2, 0.0, speeds=(1.0, -0.5)))
    assert verdict.allowed is not None
    first, second = verdict.allowed.positions
    assert first == pytest.approx(0.2 + 0.01 - 0.5 * 4.0 * 0.01**2)
    assert second == pytest.approx(-0.005 + 0.5 * 2.0 * 0.01**2)


walks = st.lists(
    st.tuples(st.floats(-12.0, 12.0), st.floats(-12.0, 12.0)), min_size=1, max_size=120
)


@settings(max_examples=300, deadline=None)
@given(walks, st.booleans())
def test_whatever_is_asked_what_is_allowed_keeps_every_limit_to_the_end(accelerations, metal):
    """Random ways, some beyond the limits; judged on positions alone."""
    bounds = {} if metal else {"speed": None, "acceleration": None}
    axes = axis(1, **bounds), axis(2, least=-0.2, greatest=0.3, stop=1.0, **bounds)
    gate = opened(*axes)
    position, speed = [0.0, 0.0], [0.0, 0.0]
    allowed: list[tuple[float, ...]] = [(0.0, 0.0), (0.0, 0.0)]
    for pushes in accelerations + [(0.0, 0.0)] * 300:
        for index in (0, 1):
            speed[index] += pushes[index] * PERIOD
            position[index] += speed[index] * PERIOD
        asked = RobotSetpoint((*position,), (*speed,), pushes if metal else (0.0, 0.0))
        verdict = gate.step(asked, found(*allowed[-1]))
        assert verdict.allowed is not None
        allowed.append(verdict.allowed.positions)
        if verdict.action is RobotAction.HOLDING:
            break
    for index, one in enumerate(axes):
        way = [row[index] for row in allowed]
        assert all(one.least - 1e-8 <= q <= one.greatest + 1e-8 for q in way)
        rates = [(b - a) / PERIOD for a, b in pairwise(way)]
        changes = [(b - a) / PERIOD for a, b in pairwise(rates)]
        if metal:
            assert max(map(abs, rates)) <= 2.0 + 1e-6
            assert max(map(abs, changes), default=0.0) <= 8.0 + 1e-3
    if gate.action is RobotAction.HOLDING:
        assert allowed[-1] == allowed_by(gate, allowed[-1])


def test_axes_stop_together_along_one_way():
    gate = opened(axis(1, acceleration=None), axis(2, acceleration=None, stop=2.0))
    ask = (0.01, 0.005)
    gate.step(setpoint(*ask), found(0.0, 0.0))
    rows: list[tuple[float, ...]] = [ask]
    while gate.action is not RobotAction.HOLDING:
        rows.append(allowed_by(gate, rows[-1]))
    assert (len(rows) - 1) * PERIOD == pytest.approx(0.25, abs=PERIOD)
    for first, second in rows:
        assert second - 0.005 == pytest.approx(0.5 * (first - 0.01), abs=1e-12)
    assert rows[-1][0] == pytest.approx(0.01 + 0.5 * 1.0 * 0.25)


def test_only_a_reset_opens_it_again():
    gate = opened()
    gate.step(None, found(0.0, 0.0), stop="Ctrl-C")
    assert gate.step(setpoint(0.0, 0.0), found(0.0, 0.0)).action is RobotAction.HOLDING
    assert gate.reset(found(0.0, 0.0)) == ()
    assert gate.step(setpoint(0.0, 0.0), found(0.0, 0.0)).action is RobotAction.PASSED


@pytest.mark.parametrize(
    "changed",
    [{"least": 1.5}, {"stop": 0.0}, {"stop": math.nan}, {"following": -1.0}, {"speed": math.inf},
     {"acceleration": 0.0}, {"effort": math.nan}, {"least": math.nan}],
)  # fmt: skip
def test_limits_that_bound_nothing_are_refused(changed):
    with pytest.raises(LimitsError, match="a robot, joint 1"):
        limits(axis(1, **changed))


def test_other_limits_that_bound_nothing_are_refused():
    for period in (0.0, math.nan, -1.0):
        with pytest.raises(LimitsError, match="period_s"):
            replace(limits(), period_s=period)
    with pytest.raises(LimitsError, match="no axis"):
        RobotLimits("a robot", (), PERIOD)
    with pytest.raises(LimitsError, match="spans no box"):
        limits(box=((0.0, 0.0, 0.0), (1.0, math.nan, 1.0)))


def test_violations_say_axis_value_limit_and_unit():
    one = RobotViolation(RobotCheck.SPEED, "joint 3", 2.1, 1.5, "rad/s", "measured")
    assert one.message == "joint 3: speed 2.1 rad/s, limit 1.5 rad/s (measured)"
    assert one.data["check"] == "SPEED"
    lost = RobotViolation(RobotCheck.FEEDBACK, "joint 1", math.nan, math.inf, "rad", "position")
    assert lost.message == "joint 1: measured value nan is not finite (position)"
    pair = RobotViolation(RobotCheck.OWN_BODIES, "", math.nan, math.nan, "", "link 2 and link 5")
    assert pair.message == "own bodies touch: link 2 and link 5"


def test_an_axis_that_waits_for_a_slower_stop_needs_the_room_for_it():
    free = {"speed": None, "acceleration": None}
    gate = opened(axis(1, stop=1.0, **free), axis(2, greatest=0.05, **free))
    assert gate.step(setpoint(0.0, 0.001), found(0.0, 0.0)).action is RobotAction.PASSED
    action, checks = broken(gate, setpoint(0.019, 0.002), found(0.0, 0.001))
    assert (RobotCheck.BRAKING, "joint 2") in checks
    assert action is RobotAction.STOPPING


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize(
    ("rush", "check"),
    [
        ((0.081, 0.0), RobotCheck.SPEED),  # 8 rad/s2 reach 0.08 rad/s in a period
        ((0.0, 8.1), RobotCheck.ACCELERATION),
        ((2.1, 0.0), RobotCheck.SPEED),
    ],
)
def test_what_is_asked_for_beside_the_positions_fits_them(sign, rush, check):
    """Positions stand, or go on evenly at 0.1 rad/s; the law is told to rush."""
    v, a = (sign * one for one in rush)
    assert (check, "joint 2") in broken(opened(), RobotSetpoint((0.0, 0.0), (0.0, v), (0.0, a)))[1]
    gate, q = opened(axis(1), axis(2, acceleration=12.0)), 0.0
    for _ in range(5):
        q += 0.1 * PERIOD
        even = RobotSetpoint((0.0, q), (0.0, 0.1), (0.0, 0.0))
        assert gate.step(even, found(0.0, q)).action is RobotAction.PASSED
    q += 0.1 * PERIOD
    backwards = RobotSetpoint((0.0, q), (0.0, -0.1), (0.0, 0.0))
    assert broken(gate, backwards, found(0.0, q))[1] == [(RobotCheck.SPEED, "joint 2")]


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_bounds_hold_either_way_each_by_itself(sign):
    fast = axis(1, least=-1.5, acceleration=None, stop=99.0)
    asked = RobotSetpoint((sign * 0.021, 0.0), (0.0, 0.0), (0.0, 0.0))
    assert broken(opened(fast, axis(2)), asked)[1] == [(RobotCheck.SPEED, "joint 1")]
    rushed = RobotSetpoint((sign * 0.019, 0.0), (sign * 2.01, 0.0), (0.0, 0.0))
    assert broken(opened(fast, axis(2)), rushed)[1] == [(RobotCheck.SPEED, "joint 1")]
    gate = opened(axis(1, least=-1.5, speed=None))
    q = v = 0.0
    for _ in range(5):  # as fast as it may speed up
        v += sign * 8.0 * PERIOD
        q += v * PERIOD
        moved = RobotSetpoint((q,), (v,), (sign * 8.0,))
        assert gate.step(moved, found(q)).action is RobotAction.PASSED
    v -= sign * 8.1 * PERIOD
    q += v * PERIOD
    slowed = RobotSetpoint((q,), (v,), (0.0,))
    assert broken(gate, slowed, found(q))[1] == [(RobotCheck.ACCELERATION, "joint 1")]


@settings(max_examples=200, deadline=None)
@given(st.floats(0.1, 1.0), st.floats(0.2, 2.5), st.sampled_from(["sine", "ramp", "step"]))
def test_true_speeds_and_accelerations_of_smooth_ways_pass(amplitude, omega, kind):
    """Closed forms from rest: the gate's own differences lag them by half a period."""
    gate = opened()
    for step in range(200):
        t = step * PERIOD
        if kind == "sine":
            q, v, a = (
                0.5 * amplitude * (1.0 - math.cos(omega * t)),
                0.5 * amplitude * omega * math.sin(omega * t),
                0.5 * amplitude * omega**2 * math.cos(omega * t),
            )
        elif kind == "ramp":  # as fast as it may speed up
            q, v, a = (4.0 * t * t, 8.0 * t, 8.0) if t < 0.2 else (0.16 + 1.6 * (t - 0.2), 1.6, 0.0)
            if q > 0.8:
                break
        else:  # of fifth order
            s, d = min(t / 2.0, 1.0), 0.5
            q = amplitude * s**3 * (10 - 15 * s + 6 * s * s)
            v = amplitude * d * 30 * s * s * (1 - s) ** 2
            a = amplitude * d * d * 60 * s * (1 - s) * (1 - 2 * s)
        verdict = gate.step(RobotSetpoint((q, 0.0), (v, 0.0), (a, 0.0)), found(q, 0.0))
        assert verdict.action is RobotAction.PASSED, verdict.violations


@pytest.mark.parametrize("stopped", [False, True])
def test_a_gate_goes_on_from_what_another_remembers(stopped):
    first = opened()
    for row in range(1, 12):
        asked = setpoint(0.001 * row * row, -0.002 * row)
        first.step(asked, found(*asked.positions), stop="a person" if stopped and row > 8 else "")
    second = RobotGate(limits())
    second.resume(first.state())
    assert second.state() == first.state()
    for row in range(12, 60):
        asked = setpoint(0.001 * row * row, -0.002 * row)
        verdicts = [gate.step(asked, found(*first.state().positions)) for gate in (first, second)]
        assert verdicts[0] == verdicts[1]
    assert first.action is not RobotAction.PASSED  # by the stop, or by the limit of 1.5 rad


def test_a_gate_that_goes_on_keeps_its_own_limits_and_opens_no_further():
    narrow = RobotGate(limits(axis(1, greatest=0.5), axis(2)))
    state = opened().state()
    narrow.resume(state)
    asked = setpoint(0.0002, 0.0)
    assert narrow.step(asked, found(0.0, 0.0)).action is RobotAction.PASSED
    narrow.resume(replace(state, positions=(0.495, 0.0)))
    action, rules = broken(narrow, setpoint(0.505, 0.0), found(0.495, 0.0))
    assert action is RobotAction.HOLDING  # it was at rest
    assert (RobotCheck.POSITION, "joint 1") in rules
    shut = RobotGate(limits())
    shut.resume(RobotGate(limits()).state())
    assert shut.step(setpoint(0.0, 0.0), found(0.0, 0.0)).action is RobotAction.OFF


@pytest.mark.parametrize(
    "wrong",
    [{"positions": (0.0,)}, {"speeds": (0.0, math.nan)}, {"braking": (0.0,) * 3},
     {"left_s": math.nan}, {"positions": ()}],
)  # fmt: skip
def test_a_state_that_does_not_fit_is_refused(wrong):
    gate = opened()
    before = gate.state()
    with pytest.raises(ValueError, match="state of a"):
        gate.resume(replace(before, **wrong))
    assert gate.state() == before


def test_a_robot_that_holds_feeds_nothing_forward():
    """What is left of a stop by rounding is no speed for a law to follow."""
    for n in range(1, 40):
        gate = opened(axis(1, acceleration=None), axis(2, acceleration=None, stop=2.3))
        q = n * 4.7e-4, -n * 1.9e-4
        assert gate.step(setpoint(*q), found(0.0, 0.0)).action is RobotAction.PASSED
        while gate.action is not RobotAction.HOLDING:
            allowed = gate.step(None, found(*q)).allowed
            assert allowed is not None
            q = allowed.positions
        for _ in range(2):
            allowed = gate.step(None, found(*q)).allowed
            assert allowed == RobotSetpoint(q, (0.0, 0.0), (0.0, 0.0))
