"""How far a blended path leaves its lines: against parabolas drawn out, and in the arms' gate."""

import math
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from properties import at_least

from safety.arm_corners import CornerLimit, turn_rad
from safety.arm_gate import ArmGate
from safety.arm_limits import ArmCheck, ArmLimits, ArmSample, Clearances
from safety.limits import LimitsError

DT = 0.35
LIMIT = CornerLimit(0.028, 0.2, 0.25e-3, 0.065, 0.5e-3)
PLAIN = CornerLimit(0.1, 0.1, 1.0, 1e-9, 0.5e-3)  # every blend lasts 0.1 s


def about(turn_deg, v1=0.1, v2=0.1):
    turn = math.radians(turn_deg)
    return (v1, 0.0, 0.0), (v2 * math.cos(turn), 0.0, v2 * math.sin(turn))


def drawn(before, after, duration_s):
    """Greatest distance from both lines of the parabola that joins them, from its points."""
    share = np.linspace(0.0, 1.0, 20_001)[:, None]
    h = 0.5 * duration_s
    path = -h * (1.0 - share) ** 2 * np.array(before) + h * share**2 * np.array(after)
    off = []
    for line in (before, after):
        unit = np.array(line) / np.linalg.norm(line)
        off.append(np.linalg.norm(path - (path @ unit)[:, None] * unit, axis=1))
    return float(np.minimum(*off).max())


speeds = st.floats(0.002, 0.1)


@at_least(60)
@given(st.floats(1.0, 90.0), speeds, speeds)
def test_up_to_a_right_angle_it_is_the_parabola(turn_deg, v1, v2):
    before, after = about(turn_deg, v1, v2)
    assert PLAIN.deviation_m(before, after) == pytest.approx(drawn(before, after, 0.1), rel=1e-3)
    assert turn_rad(before, after) == pytest.approx(math.radians(turn_deg), abs=1e-12)


def test_equal_speeds_pass_the_corner_at_an_eighth_of_the_change_times_the_duration():
    before, after = about(90.0)
    miss = PLAIN.deviation_m(before, after) / math.cos(math.radians(45.0))
    assert miss == pytest.approx(math.dist(before, after) * 0.1 / 8.0, rel=1e-12)


@at_least(60)
@given(st.floats(90.1, 180.0), speeds, speeds)
def test_turning_back_counts_as_much_as_what_the_path_falls_short(turn_deg, v1, v2):
    before, after = about(turn_deg, v1, v2)
    share = np.linspace(0.0, 1.0, 2001)[:, None]
    path = 0.05 * ((share**2) * np.array(after) - (1.0 - share) ** 2 * np.array(before))
    short = float(np.linalg.norm(path, axis=1).min())
    assert PLAIN.deviation_m(before, after) >= min(short, 0.1 * min(v1, v2)) * (1 - 1e-9)


@pytest.mark.parametrize("v2", [0.0, 1e-300, 1e-9, 0.03, 0.1])
def test_on_a_straight_line_any_change_of_speed_is_no_corner(v2):
    for before, after in (about(0.0, 0.1, v2), about(0.0, v2, 0.1)):
        assert LIMIT.deviation_m(before, after) == pytest.approx(0.0, abs=1e-15)


def test_blends_last_as_long_as_the_controller_s_tolerance_lets_them():
    longest = replace(LIMIT, servo_s=1e-9)
    for turn_deg, duration_s in ((1.0, 0.2), (10.0, 0.1152), (30.0, 0.04), (90.0, 0.028)):
        before, after = about(turn_deg)
        found = longest.deviation_m(before, after)
        assert found == pytest.approx(drawn(before, after, duration_s), rel=0.01)


@at_least(100)
@given(st.floats(0.0, 180.0), speeds, speeds)
def test_the_speed_at_which_it_fits_fits_and_a_hair_more_does_not(turn_deg, v1, v2):
    before, after = about(turn_deg, v1, v2)
    share = LIMIT.fitting_share(before, after)
    slower = [tuple(share * v for v in each) for each in (before, after)]
    assert LIMIT.deviation_m(*slower) <= LIMIT.deviation_max_m
    if LIMIT.deviation_m(before, after) > LIMIT.deviation_max_m:
        faster = [tuple(1.001 * v for v in each) for each in slower]
        assert LIMIT.deviation_m(*faster) > LIMIT.deviation_max_m
    else:
        assert share == pytest.approx(1.0)


@pytest.mark.parametrize("field", [field.name for field in fields(CornerLimit)])
@pytest.mark.parametrize("value", [0.0, -1.0, math.nan, math.inf])
def test_what_is_no_measure_is_refused(field, value):
    with pytest.raises(LimitsError, match=rf"corners: {field} = {value}"):
        replace(LIMIT, **{field: value})


def test_the_shortest_blend_is_not_longer_than_the_longest():
    with pytest.raises(LimitsError, match=r"shortest_s = 0\.3 s is above longest_s = 0\.2 s"):
        replace(LIMIT, shortest_s=0.3)


# In the gate.


def arm(corners=LIMIT, clearances=None):
    return ArmLimits(
        name="rm01",
        joint_names=tuple("123456"),
        position_min_rad=(-9.0,) * 6,
        position_max_rad=(9.0,) * 6,
        rate_max_rad_s=(9.0,) * 6,
        acceleration_max_rad_s2=(90.0,) * 6,
        gripper_speed_max_m_s=0.1,
        gripper_turn_max_rad_s=1.0,
        margins=(),
        clearances=clearances,
        corners=corners,
    )


def at(x_m, z_m=0.0, q1_rad=0.0):
    return (ArmSample((q1_rad, 0, 0, 0, 0, 0), (x_m, 0.0, z_m), (1.0, 0.0, 0.0, 0.0)),)


def round_a_corner(speed_m_s, corners=LIMIT):
    way = speed_m_s * DT
    gate = ArmGate((arm(corners),), DT, at(0.0))
    verdicts = [gate.judge(k, at(k * way)) for k in (1, 2)]
    return [*verdicts, gate.judge(3, at(2 * way, way)), gate.judge(4, at(2 * way, 2 * way))]


def test_a_corner_is_refused_at_the_waypoint_after_it_with_the_speed_that_fits():
    fits = 0.1 * LIMIT.fitting_share(*about(90.0))
    verdicts = round_a_corner(fits * 1.001)
    assert [len(verdict.violations) for verdict in verdicts] == [0, 0, 1, 1]
    (violation,) = verdicts[2].violations
    assert (violation.check, violation.arm, violation.unit) == (ArmCheck.CORNER, "rm01", "m")
    assert violation.value == pytest.approx(0.5e-3, rel=2e-3)
    assert violation.value > violation.limit == 0.5e-3
    assert "a turn by 90 deg" in str(violation)
    assert f"it fits at {1e3 * fits:.1f} and {1e3 * fits:.1f} mm/s" in str(violation)
    assert violation.data["check"] == "CORNER"
    assert all(not verdict.violations for verdict in round_a_corner(fits * 0.999))
    assert all(not verdict.violations for verdict in round_a_corner(0.1, None))


def test_after_a_reset_the_first_way_has_no_corner():
    gate = ArmGate((arm(),), DT, at(0.0))
    assert not gate.judge(1, at(0.035)).violations
    gate.reset(at(0.035))
    assert not gate.judge(1, at(0.035, 0.035)).violations


def folding(q_rad):
    """Two distances that shrink as joint 1 and joint 2 turn."""
    return [0.05 - q_rad[0], 0.05 - q_rad[1]]


def test_bodies_too_near_each_other_are_named_and_a_hair_inside_passes():
    pairs = ("column and forearm", "table and hand")
    gate = ArmGate((arm(clearances=Clearances(pairs, 0.01, folding)),), DT, at(0.0))
    assert not gate.judge(1, at(0.0, q1_rad=0.04 - 1e-9)).violations
    (violation,) = gate.judge(2, at(0.0, q1_rad=0.045)).violations
    told = "rm01: column and forearm are 0.005 m apart, less than 0.010 m"
    assert (violation.check, str(violation)) == (ArmCheck.CLEARANCE, told)


@pytest.mark.parametrize(
    ("measure", "check"),
    [
        (lambda q: [math.nan, 1.0], ArmCheck.CLEARANCE),
        (lambda q: [1.0], ArmCheck.INTERNAL),
        (lambda q: 1 / 0, ArmCheck.INTERNAL),
    ],
)
def test_bodies_that_cannot_be_measured_shut_the_gate(measure, check):
    gate = ArmGate((arm(clearances=Clearances(("a and b", "c and d"), 0.01, measure)),), DT)
    assert gate.reset(at(0.0))[0].check is check
    assert gate.judge(1, at(0.0)).allowed is None


def test_a_least_clearance_is_a_number():
    with pytest.raises(LimitsError, match="least clearance = nan m is not finite"):
        arm(clearances=Clearances(("a and b",), math.nan, folding))
