"""The arms' gate: what passes obeys every limit, told by sums of its own; the rest is latched."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from properties import at_least
from scipy.spatial.transform import Rotation

from safety.arm_gate import ArmGate
from safety.arm_limits import ArmAction, ArmCheck, ArmLimits, ArmSample, Margin
from safety.arm_rules import ROUNDING_M, ROUNDING_RAD, ROUNDING_TURN_RAD, out_of_place
from safety.limits import LimitsError

DT = 0.35
TINY = 1e-7  # beyond the rounding of angles, far below anything physical

BKM = ArmLimits(
    name="BKM",
    joint_names=("yaw", "pitch", "elbow", "roll", "tilt", "twist"),
    position_min_rad=(-3.0, -2.0, -2.5, -3.1, -1.9, -4.0),
    position_max_rad=(2.9, 2.1, 2.4, 3.2, 1.8, 4.1),
    rate_max_rad_s=(0.10, 0.11, 0.12, 0.2, 0.21, 0.22),
    acceleration_max_rad_s2=(0.11, 0.12, 0.13, 0.21, 0.22, 0.23),
    gripper_speed_max_m_s=0.1,
    gripper_turn_max_rad_s=0.3,
    margins=(),
    clearances=None,
    corners=None,
)
RM01 = ArmLimits(
    name="RM-01",
    joint_names=("waist", "shoulder", "elbow", "wrist roll", "wrist bend", "flange"),
    position_min_rad=(-2.7, -3.8, -0.9, -1.9, -1.7, -4.6),
    position_max_rad=(2.8, 0.7, 3.9, 2.9, 1.75, 4.65),
    rate_max_rad_s=(0.5, 0.4, 0.6, 0.9, 0.8, 1.0),
    acceleration_max_rad_s2=(0.8, 0.7, 0.9, 1.1, 1.2, 1.3),
    gripper_speed_max_m_s=0.1,
    gripper_turn_max_rad_s=0.4,
    margins=(Margin("wrist singularity", 0.1, "rad"), Margin("shoulder singularity", 0.05, "m")),
    clearances=None,
    corners=None,
)
ARMS = (BKM, RM01)
HOME = (
    ArmSample((0.1, 0.2, 0.3, 0.4, 0.5, 0.6), (1.0, 2.0, 3.0), (1.0, 0.0, 0.0, 0.0)),
    ArmSample((0.2, -1.0, 1.0, 0.3, 0.6, 0.1), (0.4, 0.1, 0.9), (0.6, 0.0, 0.8, 0.0), (0.6, 0.3)),
)
NAN_OR_INFINITE = (math.nan, math.inf, -math.inf)


def gate(start=HOME):
    return ArmGate(ARMS, DT, start)


def with_entry(values, place, value):
    return (*values[:place], value, *values[place + 1 :])


def asked(arm, samples=HOME, **changes):
    """The samples, one arm's fields changed."""
    return with_entry(samples, arm, replace(samples[arm], **changes))


def joint_at(arm, joint, q_rad, samples=HOME):
    return asked(arm, samples, q_rad=with_entry(samples[arm].q_rad, joint, q_rad))


def found(verdict):
    return [(v.check, v.arm, v.joint) for v in verdict.violations]


def each_joint():
    return [(arm, joint) for arm in (0, 1) for joint in range(6)]


def test_standing_still_passes_unchanged():
    verdict = gate().judge(7, HOME)
    assert verdict.action is ArmAction.PASSED
    assert (verdict.index, verdict.violations, verdict.allowed) == (7, (), HOME)


def test_nothing_passes_before_a_start_is_agreed():
    shut = gate(None)
    verdict = shut.judge(0, HOME)
    assert (verdict.action, verdict.allowed) == (ArmAction.REFUSED, None)
    assert "no start has been agreed upon" in str(verdict.violations[0])
    assert shut.reset(HOME) == ()
    assert shut.judge(0, HOME).action is ArmAction.PASSED


@pytest.mark.parametrize(
    "start",
    [
        joint_at(1, 2, 4.0),
        joint_at(0, 0, math.nan),
        asked(1, margins=(0.05, 0.3)),
        HOME[:1],
        (),
        7,
        (HOME[0], None),
    ],
)
def test_a_start_outside_the_limits_is_not_agreed_to(start):
    shut = gate(start)
    assert shut.latched
    assert shut.judge(0, HOME).action is ArmAction.REFUSED
    opened = gate()
    assert opened.reset(start)
    assert opened.judge(0, HOME).allowed is None


@pytest.mark.parametrize(("arm", "joint"), each_joint())
def test_position_at_and_beyond_both_ends(arm, joint):
    limits = ARMS[arm]
    low, high = limits.position_min_rad[joint], limits.position_max_rad[joint]
    for end, beyond in ((low, low - TINY), (high, high + TINY)):
        at_end = joint_at(arm, joint, end)
        assert gate(at_end).judge(0, at_end).action is ArmAction.PASSED
        out = joint_at(arm, joint, beyond)
        verdict = gate(at_end).judge(0, out)
        (violation,) = verdict.violations
        assert found(verdict) == [(ArmCheck.POSITION, limits.name, limits.joint_names[joint])]
        assert (violation.value, violation.low, violation.limit) == (beyond, low, high)
        assert violation.unit == "rad"


def run_up(arm, joint, rate, steps=20):
    """A gate whose joint has reached a rate at its permitted acceleration; and where it is."""
    limits = ARMS[arm]
    step = limits.acceleration_max_rad_s2[joint] * DT * DT
    opened, samples, move = gate(), HOME, 0.0
    for index in range(steps):
        change = max(-step, min(step, rate * DT - move))
        move += change
        samples = joint_at(arm, joint, samples[arm].q_rad[joint] + move, samples)
        assert opened.judge(index, samples).action is ArmAction.PASSED
        if abs(move - rate * DT) < 1e-12:
            return opened, samples, index + 1
    raise AssertionError("the rate was not reached")


@pytest.mark.parametrize(("arm", "joint"), each_joint())
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_rate_at_and_beyond_the_limit(arm, joint, sign):
    limits = ARMS[arm]
    limit = limits.rate_max_rad_s[joint]
    opened, samples, index = run_up(arm, joint, sign * limit)
    here = samples[arm].q_rad[joint]
    beyond = joint_at(arm, joint, here + sign * (limit * DT + TINY), samples)
    verdict = opened.judge(index, beyond)
    assert found(verdict) == [(ArmCheck.RATE, limits.name, limits.joint_names[joint])]
    [broken] = verdict.violations
    assert broken.value == pytest.approx(sign * (limit + TINY / DT), abs=1e-9)
    assert (broken.low, broken.limit) == (-limit, limit)
    opened.reset(samples)


@pytest.mark.parametrize(("arm", "joint"), each_joint())
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_acceleration_from_rest_and_into_rest(arm, joint, sign):
    limits = ARMS[arm]
    name, limit = limits.joint_names[joint], limits.acceleration_max_rad_s2[joint]
    step = sign * limit * DT * DT
    here = HOME[arm].q_rad[joint]
    moved = joint_at(arm, joint, here + step)
    opened = gate()
    assert opened.judge(0, moved).action is ArmAction.PASSED
    assert opened.judge(1, moved).action is ArmAction.PASSED  # back to rest
    assert opened.judge(2, moved).action is ArmAction.PASSED
    verdict = gate().judge(0, joint_at(arm, joint, here + step + sign * TINY))
    assert found(verdict) == [(ArmCheck.ACCELERATION, limits.name, name)]
    faster = gate()
    assert faster.judge(0, moved).action is ArmAction.PASSED
    back = joint_at(arm, joint, here + step - sign * TINY)
    verdict = faster.judge(1, back)
    assert found(verdict) == [(ArmCheck.ACCELERATION, limits.name, name)]
    [broken] = verdict.violations
    assert broken.value == pytest.approx(-sign * (limit + TINY / DT**2), abs=1e-9)
    assert (broken.low, broken.limit) == (-limit, limit)


@pytest.mark.parametrize("arm", [0, 1])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_gripper_speed_is_that_of_the_straight_way(arm, axis):
    here = HOME[arm].gripper_position_m
    limit = 0.1 * DT
    for way, action in ((limit, ArmAction.PASSED), (limit + 2 * ROUNDING_M, ArmAction.REFUSED)):
        there = with_entry(here, axis, here[axis] - way)
        assert gate().judge(0, asked(arm, gripper_position_m=there)).action is action
    skew = tuple(value + 0.6 * limit for value in here)  # each axis alone would pass
    verdict = gate().judge(0, asked(arm, gripper_position_m=skew))
    assert found(verdict) == [(ArmCheck.GRIPPER_SPEED, ARMS[arm].name, "")]
    assert verdict.violations[0].value == pytest.approx(math.sqrt(3) * 0.06, rel=1e-9)


def turned(quaternion, axis, angle_rad):
    before = Rotation.from_quat(quaternion, scalar_first=True)
    after = Rotation.from_rotvec(angle_rad * np.eye(3)[axis]) * before
    return tuple(after.as_quat(scalar_first=True).tolist())


@pytest.mark.parametrize("arm", [0, 1])
@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_turn_rate_whatever_the_sign_of_the_quaternion(arm, axis, sign):
    limit = ARMS[arm].gripper_turn_max_rad_s * DT
    for angle, action in (
        (limit, ArmAction.PASSED),
        (limit + 2 * ROUNDING_TURN_RAD, ArmAction.REFUSED),
        (math.pi, ArmAction.REFUSED),
        (2 * math.pi - limit, ArmAction.PASSED),
    ):
        quaternion = turned(HOME[arm].gripper_rotation, axis, angle)
        quaternion = tuple(sign * value for value in quaternion)
        verdict = gate().judge(0, asked(arm, gripper_rotation=quaternion))
        assert verdict.action is action
        if action is ArmAction.REFUSED:
            assert found(verdict) == [(ArmCheck.GRIPPER_TURN, ARMS[arm].name, "")]
            assert verdict.violations[0].value == pytest.approx(angle / DT, rel=1e-9)


def test_the_tolerances_are_never_a_thousandth_of_a_short_period():
    fast = ArmGate((replace(BKM, acceleration_max_rad_s2=(1e3,) * 6),), 0.001, HOME[:1])
    x, y, z = HOME[0].gripper_position_m
    step = replace(HOME[0], gripper_position_m=(x + 0.1 * 0.001 * 1.01, y, z))
    assert found(fast.judge(0, (step,))) == [(ArmCheck.GRIPPER_SPEED, "BKM", "")]
    limit = BKM.gripper_turn_max_rad_s
    for beyond, action in ((1.0009, ArmAction.PASSED), (1.0011, ArmAction.REFUSED)):
        fast = ArmGate((replace(BKM, acceleration_max_rad_s2=(1e3,) * 6),), 0.001, HOME[:1])
        angle = turned(HOME[0].gripper_rotation, 2, limit * 0.001 * beyond)
        assert fast.judge(0, (replace(HOME[0], gripper_rotation=angle),)).action is action


@pytest.mark.parametrize("place", [0, 1])
def test_margins_are_kept_each_its_own(place):
    margin = RM01.margins[place]
    enough = asked(1, margins=with_entry(HOME[1].margins, place, margin.least))
    assert gate().judge(0, enough).action is ArmAction.PASSED
    near = asked(1, margins=with_entry(HOME[1].margins, place, margin.least - 1e-12))
    (violation,) = gate().judge(0, near).violations
    assert (violation.check, violation.unit, violation.note) == (
        ArmCheck.MARGIN,
        margin.unit,
        margin.name,
    )


def every_number():
    for arm in (0, 1):
        for field in ("q_rad", "gripper_position_m", "gripper_rotation", "margins"):
            for place in range(len(getattr(HOME[arm], field))):
                yield arm, field, place


@pytest.mark.parametrize(("arm", "field", "place"), list(every_number()))
@pytest.mark.parametrize("bad", NAN_OR_INFINITE)
def test_what_is_not_finite_never_passes(arm, field, place, bad):
    values = with_entry(getattr(HOME[arm], field), place, bad)
    verdict = gate().judge(0, asked(arm, **{field: values}))
    assert verdict.allowed is None
    (violation,) = verdict.violations
    assert (violation.check, violation.arm) == (ArmCheck.FINITE, ARMS[arm].name)
    assert str(violation).endswith("is not finite")


@pytest.mark.parametrize("field", ["q_rad", "margins"])
def test_a_rule_of_its_own_takes_no_number_for_a_good_one(field):
    """Whoever calls a rule without the look at the form that the gate has before it."""
    values = getattr(HOME[1], field)
    for place in range(len(values)):
        spoilt = replace(HOME[1], **{field: with_entry(values, place, math.nan)})
        assert len(out_of_place(ARMS[1], spoilt)) == 1


@pytest.mark.parametrize("field", ["q_rad", "gripper_position_m", "gripper_rotation", "margins"])
@pytest.mark.parametrize("arm", [0, 1])
def test_a_wrong_count_of_anything_is_refused(arm, field):
    values = getattr(HOME[arm], field)
    for wrong in ((*values, 0.5), values[:-1]):
        if wrong != values:
            verdict = gate().judge(0, asked(arm, **{field: wrong}))
            assert found(verdict) == [(ArmCheck.COUNT, ARMS[arm].name, "")]
    for samples in (HOME[:1], (*HOME, HOME[0]), ()):
        assert found(gate().judge(0, samples)) == [(ArmCheck.COUNT, "", "")]


@pytest.mark.parametrize("length", [0.0, 0.999, 1.001, 1e300])
def test_a_quaternion_has_length_one(length):
    verdict = gate().judge(0, asked(0, gripper_rotation=(length, 0.0, 0.0, 0.0)))
    assert found(verdict) == [(ArmCheck.ROTATION, "BKM", "")]


@pytest.mark.parametrize("broken", [None, 5, (None, None), ("a", "b")])
def test_what_breaks_inside_shuts_the_gate_and_does_not_raise(broken):
    opened = gate()
    assert opened.judge(0, broken).violations[0].check is ArmCheck.INTERNAL
    assert opened.judge(0, HOME).allowed is None


@pytest.mark.parametrize("index", [True, 1.0, None, "1"])
def test_an_index_that_is_no_whole_number_shuts_the_gate(index):
    assert gate().judge(index, HOME).violations[0].check is ArmCheck.INTERNAL


@pytest.mark.parametrize("index", [3, 4, 6, -1])
def test_a_waypoint_left_out_or_sent_twice_is_refused(index):
    opened = gate()
    for number in (3, 4):
        assert opened.judge(number, HOME).action is ArmAction.PASSED
    verdict = opened.judge(index, HOME)
    assert str(verdict.violations[0]) in (f"waypoint {index}, need 5", "waypoint -1, need 5")


def test_a_refusal_is_latched_until_a_reset_and_says_its_first_cause():
    opened = gate()
    bad = joint_at(1, 2, 4.2)
    opened.judge(0, HOME)
    first = opened.judge(1, bad)
    assert opened.latched == first.violations != ()
    for index in (1, 2, 0, 3):
        verdict = opened.judge(index, HOME)
        assert (verdict.action, verdict.allowed) == (ArmAction.REFUSED, None)
        assert found(verdict) == [(ArmCheck.LATCHED, "", "")]
        assert "RM-01, elbow: position 4.200 rad outside [-0.900, 3.900] rad" in str(
            verdict.violations[0]
        )
    assert opened.reset(HOME) == ()
    assert opened.judge(90, HOME).action is ArmAction.PASSED


def test_a_reset_starts_at_rest_from_where_the_arms_are_now():
    opened, samples, index = run_up(1, 0, RM01.rate_max_rad_s[0])
    opened.reset(samples)
    go_on = joint_at(1, 0, samples[1].q_rad[0] + RM01.rate_max_rad_s[0] * DT, samples)
    assert found(opened.judge(index, go_on)) == [(ArmCheck.ACCELERATION, "RM-01", "waist")]


def test_one_arm_out_of_limits_holds_both():
    verdict = gate().judge(0, joint_at(0, 5, 9.0))
    assert verdict.allowed is None
    assert {v.arm for v in verdict.violations} == {"BKM"}


def test_a_declared_stop_loosens_nothing_and_is_named():
    opened, samples, index = run_up(1, 3, RM01.rate_max_rad_s[3])
    opened.declare_stop()
    assert opened.stopping
    verdict = opened.judge(index, samples)  # from full rate to rest in one period
    assert found(verdict) == [(ArmCheck.ACCELERATION, "RM-01", "wrist roll")]
    assert "during a declared smooth stop; it is refused all the same" in str(verdict.violations[0])
    opened.reset(samples)
    assert not opened.stopping


def test_violations_read_as_people_would_say_it():
    near = asked(1, margins=(0.02, 0.3))
    (violation,) = gate().judge(0, near).violations
    text = "RM-01: distance to wrist singularity 0.020 rad, less than 0.100 rad"
    assert violation.message == str(violation) == text
    (violation,) = gate().judge(0, HOME[:1]).violations
    assert str(violation) == "number of values 1, need 2 (one sample per arm)"
    fast = asked(0, gripper_position_m=(1.0, 2.0, 3.042))
    (violation,) = gate().judge(0, fast).violations
    assert str(violation) == "BKM: gripper speed 0.120 m/s, more than 0.100 m/s"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"name": " "}, "the name is empty"),
        ({"joint_names": ("a",) * 6}, "must differ"),
        ({"joint_names": ("a",)}, "1 values; need 3 to 8"),
        ({"joint_names": tuple("abcdefghi")}, "9 values; need 3 to 8"),
        ({"joint_units": ("rad",) * 5}, "joint_units .* need 6, each rad or m"),
        ({"joint_units": ("deg",) * 6}, "joint_units .* need 6, each rad or m"),
        ({"position_min_rad": (0.0,) * 5}, "RM-01: position_min_rad: 5 values; need 6"),
        ({"position_min_rad": (math.nan,) * 6}, "waist: position_min_rad = nan rad is not finite"),
        ({"position_min_rad": RM01.position_max_rad}, "is not below"),
        ({"rate_max_rad_s": (1.0, 0.0, 1.0, 1.0, 1.0, 1.0)}, "shoulder: rate_max_rad_s = 0.0"),
        ({"acceleration_max_rad_s2": (-1.0,) * 6}, "is not positive"),
        ({"gripper_speed_max_m_s": math.inf}, "is not finite"),
        ({"gripper_turn_max_rad_s": 0.0}, "is not positive"),
        ({"margins": (("wrist", math.nan, "rad"),)}, "least wrist = nan rad is not finite"),
    ],
)
def test_limits_that_cannot_be_worked_with_are_refused(change, words):
    with pytest.raises(LimitsError, match=words.replace("(", r"\(")):
        replace(RM01, **change)


@pytest.mark.parametrize("value", [True, "1", None])
def test_only_numbers_are_numbers(value):
    with pytest.raises(TypeError, match="is not a number"):
        replace(RM01, gripper_speed_max_m_s=value)
    with pytest.raises(TypeError, match="entry 2"):
        replace(HOME[0], q_rad=with_entry(HOME[0].q_rad, 1, value))


@pytest.mark.parametrize("period_s", [0.0, -1.0, math.nan, math.inf, True])
def test_a_gate_needs_a_period_and_arms_of_different_names(period_s):
    with pytest.raises(LimitsError, match="period_s"):
        ArmGate(ARMS, period_s)
    with pytest.raises(LimitsError, match="at least one"):
        ArmGate((), DT)
    with pytest.raises(LimitsError, match="one name"):
        ArmGate((BKM, BKM), DT)


def test_samples_come_from_arrays_and_stay_what_they_were():
    array = np.array(HOME[0].q_rad)
    sample = replace(HOME[0], q_rad=array)
    array[:] = 9.0
    assert sample.q_rad == HOME[0].q_rad
    assert all(type(value) is float for value in sample.q_rad)


steps = st.lists(
    st.tuples(
        st.lists(st.floats(-1.2, 1.2), min_size=12, max_size=12),
        st.lists(st.floats(-0.8, 0.8), min_size=6, max_size=6),
        st.lists(st.floats(-0.8, 0.8), min_size=6, max_size=6),
        st.floats(0.0, 0.2),
        st.sampled_from([None, None, None, None, *every_number()]),
    ),
    min_size=1,
    max_size=12,
)


def next_samples(samples, rates_rad_s, step):
    """Waypoints near the limits: some inside, some out; now and then NaN in any place."""
    pushes, ways, turns, margin, poison = step
    result = []
    for arm, (limits, sample) in enumerate(zip(ARMS, samples, strict=True)):
        q = []
        for joint in range(6):
            push = pushes[6 * arm + joint] * limits.acceleration_max_rad_s2[joint] * DT
            rate = rates_rad_s[arm][joint] + push
            rates_rad_s[arm][joint] = rate
            q.append(sample.q_rad[joint] + rate * DT)
        position = np.array(sample.gripper_position_m) + 0.1 * DT * np.array(
            ways[3 * arm : 3 * arm + 3]
        )
        turn = limits.gripper_turn_max_rad_s * DT * np.array(turns[3 * arm : 3 * arm + 3])
        rotation = Rotation.from_rotvec(turn) * Rotation.from_quat(
            sample.gripper_rotation, scalar_first=True
        )
        margins = (margin + 0.07,) * len(limits.margins)
        result.append(
            ArmSample(
                tuple(q), tuple(position), tuple(rotation.as_quat(scalar_first=True)), margins
            )
        )
    if poison is not None:
        arm, field, place = poison
        values = with_entry(getattr(result[arm], field), place, math.nan)
        result[arm] = replace(result[arm], **{field: values})
    return tuple(result)


def obeys(history, now):
    """Every limit once more, with arrays and other formulas than the gate's."""
    before, earlier = history[-1], history[max(len(history) - 2, 0)]
    for arm, limits in enumerate(ARMS):
        a, b, c = (np.array(each[arm].q_rad) for each in (earlier, before, now))
        rate, last = (c - b) / DT, (b - a) / DT
        slack = 2 * ROUNDING_RAD / DT
        if not (
            np.isfinite(c).all()
            and (c >= np.array(limits.position_min_rad) - slack).all()
            and (c <= np.array(limits.position_max_rad) + slack).all()
            and (np.abs(rate) <= np.array(limits.rate_max_rad_s) + slack).all()
            and (
                np.abs(rate - last) / DT <= np.array(limits.acceleration_max_rad_s2) + slack / DT
            ).all()
        ):
            return False
        way = np.array(now[arm].gripper_position_m) - np.array(before[arm].gripper_position_m)
        if not float(np.sqrt(way @ way)) <= 0.1 * DT + 1.01 * ROUNDING_M:
            return False
        turn = (
            Rotation.from_quat(before[arm].gripper_rotation, scalar_first=True).inv()
            * Rotation.from_quat(now[arm].gripper_rotation, scalar_first=True)
        ).magnitude()
        if not turn <= limits.gripper_turn_max_rad_s * DT + 1.01 * ROUNDING_TURN_RAD:
            return False
        if not all(
            value >= margin.least
            for value, margin in zip(now[arm].margins, limits.margins, strict=True)
        ):
            return False
    return True


@at_least(300)
@given(steps)
def test_whatever_passes_obeys_every_limit_and_after_a_refusal_nothing_passes(script):
    opened = gate()
    history, rates, refused = [HOME], [[0.0] * 6, [0.0] * 6], False
    for index, step in enumerate(script):
        samples = next_samples(history[-1], rates, step)
        verdict = opened.judge(index, samples)
        if verdict.action is ArmAction.PASSED:
            assert not refused
            assert verdict.violations == ()
            assert verdict.allowed == samples
            assert obeys(history, samples)
            history.append(samples)
        else:
            assert verdict.allowed is None
            assert verdict.violations
            if not refused:
                assert step[4] is not None or not strictly_inside(history, samples)
            refused = True


def strictly_inside(history, samples):
    """Whether no limit is even nearly reached: then a refusal would be wrong."""
    before, earlier = history[-1], history[max(len(history) - 2, 0)]
    for arm, limits in enumerate(ARMS):
        a, b, c = (np.array(each[arm].q_rad) for each in (earlier, before, samples))
        rate = np.abs(c - b) / DT
        change = np.abs(c - 2 * b + a) / DT**2
        way = np.subtract(samples[arm].gripper_position_m, before[arm].gripper_position_m)
        turn = (
            Rotation.from_quat(before[arm].gripper_rotation, scalar_first=True).inv()
            * Rotation.from_quat(samples[arm].gripper_rotation, scalar_first=True)
        ).magnitude()
        inside = (
            (c > np.array(limits.position_min_rad)).all()
            and (c < np.array(limits.position_max_rad)).all()
            and (rate < 0.999 * np.array(limits.rate_max_rad_s)).all()
            and (change < 0.999 * np.array(limits.acceleration_max_rad_s2)).all()
            and np.linalg.norm(way) < 0.0999 * DT
            and turn < 0.999 * limits.gripper_turn_max_rad_s * DT
            and all(v > m.least for v, m in zip(samples[arm].margins, limits.margins, strict=True))
        )
        if not inside:
            return False
    return True


def test_a_joint_that_slides_is_judged_in_metres() -> None:
    """Four joints, the first along a rail: place, speed and change in its own unit."""
    limits = replace(
        RM01, name="crane", joint_names=("rail", "slew", "luff", "jib"),
        joint_units=("m", "rad", "rad", "rad"), position_min_rad=(-2.0,) * 4,
        position_max_rad=(2.0,) * 4, rate_max_rad_s=(0.5,) * 4,
        acceleration_max_rad_s2=(1.0,) * 4, margins=(), clearances=None, corners=None,
    )  # fmt: skip

    def at(place: float) -> ArmSample:
        return ArmSample((place, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))

    gate = ArmGate((limits,), DT, (at(0.0),))
    assert gate.latched == ()
    refused = gate.judge(1, (at(0.4),)).violations
    said = "\n".join(map(str, refused))
    assert "crane, rail: rate" in said
    assert "m/s" in said
    assert "m/s^2" in said
    assert "rad" not in said
    outside = ArmGate((limits,), DT, (at(2.5),)).latched
    assert "crane, rail: position 2.500 m outside [-2, 2] m" in str(outside[0])
    missing = ArmSample((0.0,) * 6, (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))
    assert "need 4" in str(ArmGate((limits,), DT, (missing,)).latched[0])
