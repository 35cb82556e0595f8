import dataclasses
import math

import numpy as np
import pytest
from hexapods import coordinates, lopsided, numbers, paper, vectors
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import lsq_linear

from hil_common.arrays.pose import Pose
from platform6dof.envelope import Envelope, EnvelopeLimits, home_pose
from platform6dof.geometry import GeometryError, HexapodGeometry
from platform6dof.inverse import leg_lengths, leg_setpoint
from platform6dof.jacobian import smallest_singular_value
from platform6dof.kernels import envelope as kernel
from platform6dof.pose import PlatformSetpoint

LIMITS = EnvelopeLimits(
    joint_cone_base_rad=0.6,
    joint_cone_platform_rad=0.7,
    leg_clearance_m=0.08,
    singular_value_min=0.1,
    speed_max_m_s=np.array([1.0, 1.1, 1.2, 1.3, 1.4, 1.5]),
    acceleration_max_m_s2=np.array([10.0, 11.0, 12.0, 13.0, 14.0, 15.0]),
    soft_margin_m=0.01,
)
WIDE = dataclasses.replace(
    LIMITS,
    joint_cone_base_rad=math.pi,
    joint_cone_platform_rad=math.pi,
    leg_clearance_m=0.0,
    singular_value_min=0.0,
    speed_max_m_s=np.full(6, 1e9),
    acceleration_max_m_s2=np.full(6, 1e9),
    soft_margin_m=0.0,
)
TILTED = Pose.from_coordinates([0.05, -0.03, 0.97, 0.08, -0.1, 0.12])


def at_rest(q) -> PlatformSetpoint:
    return PlatformSetpoint.at_rest(Pose.from_coordinates(q))


def names(violations) -> set[tuple[str, int | None]]:
    return {(one.quantity, one.leg) for one in violations}


def test_the_neutral_pose_is_inside():
    for geometry in (paper(), lopsided(0.02)):
        assert (
            Envelope(geometry, LIMITS).check(PlatformSetpoint.at_rest(geometry.neutral_pose)) == ()
        )


@pytest.mark.parametrize("side", [-1, 1])
def test_stroke_ends_at_the_soft_limits(side):
    geometry = paper()
    envelope = Envelope(geometry, dataclasses.replace(WIDE, soft_margin_m=0.01))
    limit = 0.65 if side < 0 else 1.37
    inside, outside = (
        home_pose(geometry, limit - side * 1e-9),
        home_pose(geometry, limit + side * 1e-9),
    )
    assert envelope.check(PlatformSetpoint.at_rest(inside)) == ()
    found = envelope.check(PlatformSetpoint.at_rest(outside))
    assert names(found) == {("length", leg) for leg in range(1, 7)}
    assert found[0].limit == pytest.approx(limit, abs=1e-15)
    assert found[0].value == pytest.approx(limit + side * 1e-9, abs=1e-14)
    assert found[0].unit == "m"


def limited(name: str, values: np.ndarray, leg: int) -> list[EnvelopeLimits]:
    """Limits that leg's value just meets, and that it just passes."""
    tight = []
    for limit in (values[leg], np.nextafter(values[leg], 0.0)):
        array = np.full(6, 1e9)
        array[leg] = limit
        tight.append(dataclasses.replace(WIDE, **{name: array}))
    return tight


@pytest.mark.parametrize("leg", range(6))
@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_speed_and_acceleration_have_sharp_limits_of_either_sign(leg, sign):
    geometry = lopsided(0.02)
    q, dq, ddq = [0.05, -0.03, 0.97, 0.08, -0.1, 0.12], np.full(6, 0.4), np.full(6, 3.0)
    setpoint = PlatformSetpoint.from_coordinates(q, sign * dq, sign * ddq)
    legs = leg_setpoint(geometry, setpoint)
    for quantity, name, values, unit in (
        ("speed", "speed_max_m_s", legs.speed_m_s, "m/s"),
        ("acceleration", "acceleration_max_m_s2", legs.acceleration_m_s2, "m/s²"),
    ):
        met, passed = limited(name, np.abs(values), leg)
        assert Envelope(geometry, met).check(setpoint) == ()
        (found,) = Envelope(geometry, passed).check(setpoint)
        assert (found.quantity, found.leg, found.unit) == (quantity, leg + 1, unit)
        assert found.value == values[leg]
        assert math.copysign(1.0, found.limit) == math.copysign(1.0, found.value)
        assert str(found).startswith(f"leg {leg + 1}: {quantity} ")


@pytest.mark.parametrize(
    ("quantity", "name", "field"),
    [
        ("base joint angle", "joint_cone_base_rad", "base_angle_rad"),
        ("platform joint angle", "joint_cone_platform_rad", "platform_angle_rad"),
    ],
)
def test_joint_cones_are_sharp_and_name_the_leg(quantity, name, field):
    geometry = lopsided()
    angles = getattr(Envelope(geometry, WIDE).state(TILTED), field)
    worst = int(np.argmax(angles))
    setpoint = PlatformSetpoint.at_rest(TILTED)
    met = dataclasses.replace(WIDE, **{name: float(angles[worst])})
    assert Envelope(geometry, met).check(setpoint) == ()
    passed = dataclasses.replace(WIDE, **{name: float(np.nextafter(angles[worst], 0.0))})
    (found,) = Envelope(geometry, passed).check(setpoint)
    assert (found.quantity, found.leg, found.unit) == (quantity, worst + 1, "rad")


def test_joint_angles_are_those_between_leg_and_neutral_axis():
    geometry = lopsided()
    state = Envelope(geometry, LIMITS).state(TILTED)
    for i in range(6):
        leg = TILTED.position_m + TILTED.rotation @ geometry.platform_joints_m[i]
        leg = leg - geometry.base_joints_m[i]
        unit = leg / np.linalg.norm(leg)
        base = math.acos(unit @ geometry.base_axes[i])
        platform = math.acos(unit @ (TILTED.rotation @ geometry.platform_axes[i]))
        assert state.base_angle_rad[i] == pytest.approx(base, abs=1e-9)
        assert state.platform_angle_rad[i] == pytest.approx(platform, abs=1e-9)
    neutral = Envelope(geometry, LIMITS).state(geometry.neutral_pose)
    np.testing.assert_allclose(neutral.base_angle_rad, 0.0, atol=1e-14)
    np.testing.assert_allclose(neutral.platform_angle_rad, 0.0, atol=1e-14)


def test_clearance_is_sharp_and_names_both_legs():
    """Turned until two legs nearly touch, far from any joint."""
    geometry = HexapodGeometry.from_circles(1.0, math.radians(14), 0.7, math.radians(46), 0.5, 2.0)
    pose = Pose.from_coordinates([0.03, 0.02, 0.9, 2.55, 0.04, -0.03])
    setpoint = PlatformSetpoint.at_rest(pose)
    state = Envelope(geometry, dataclasses.replace(WIDE, leg_clearance_m=1e-9)).state(pose)
    assert 0.0 < state.clearance_m < 0.1
    assert state.clearance_legs is not None
    met = dataclasses.replace(WIDE, leg_clearance_m=state.clearance_m)
    assert Envelope(geometry, met).check(setpoint) == ()
    passed = dataclasses.replace(WIDE, leg_clearance_m=float(np.nextafter(state.clearance_m, 1.0)))
    (found,) = Envelope(geometry, passed).check(setpoint)
    assert found.quantity == "leg clearance"
    assert (found.leg, found.other_leg) == state.clearance_legs
    assert (found.value, found.limit) == (state.clearance_m, passed.leg_clearance_m)
    one, other = state.clearance_legs
    assert str(found).startswith(f"legs {one} and {other}: leg clearance")


def test_crossed_legs_are_found():
    """Turned about z until neighbouring legs pass each other."""
    geometry = HexapodGeometry.from_circles(1.0, math.radians(14), 0.7, math.radians(46), 0.5, 2.0)
    envelope = Envelope(geometry, dataclasses.replace(WIDE, leg_clearance_m=0.1))
    straight, turned = at_rest([0, 0, 0.9, 0, 0, 0]), at_rest([0, 0, 0.9, 2.6, 0, 0])
    assert envelope.check(straight) == ()
    assert "leg clearance" in {one.quantity for one in envelope.check(turned)}


def test_legs_that_share_a_joint_are_left_out_of_the_clearance():
    geometry = paper()
    envelope = Envelope(geometry, LIMITS)
    state = envelope.state(geometry.neutral_pose)
    assert state.clearance_m > LIMITS.leg_clearance_m
    assert state.clearance_legs not in {(1, 6), (2, 3), (4, 5)}


def test_no_pair_left_is_told_as_such():
    envelope = Envelope(paper(), dataclasses.replace(WIDE, leg_clearance_m=5.0))
    state = envelope.state(paper().neutral_pose)
    assert state.clearance_m == math.inf
    assert state.clearance_legs is None


points = st.tuples(*[numbers(1.0)] * 3).map(np.array)


@given(points, points, points, points, st.sampled_from(["free", "parallel", "crossing"]))
def test_segment_distance_is_the_least_squares_minimum(a, da, b, db, kind):
    """Oracle: the distance of two segments is a least-squares problem with bounds 0..1."""
    if min(np.linalg.norm(da), np.linalg.norm(db)) < 0.1:
        return
    if kind == "parallel":
        db = -0.7 * da
    if kind == "crossing":
        b = a + 0.4 * da - 0.3 * db
    expected = lsq_linear(
        np.column_stack([da, -db]), b - a, bounds=(0.0, 1.0), method="bvls", tol=1e-14
    )
    distance = math.sqrt(2.0 * expected.cost)
    assert kernel._clearance(a, da, b, db) == pytest.approx(distance, abs=2e-7)
    assert kernel._clearance(b, db, a, da) == pytest.approx(distance, abs=2e-7)
    assert kernel._clearance(a + da, -da, b, db) == pytest.approx(distance, abs=2e-7)


@given(coordinates())
def test_the_smallest_singular_value_is_lapacks(q):
    for geometry in (paper(), lopsided(0.02)):
        pose = Pose.from_coordinates(q)
        value = Envelope(geometry, LIMITS).state(pose).smallest_singular_value
        assert value == pytest.approx(smallest_singular_value(geometry, pose), rel=1e-11)


def test_a_tiny_singular_value_keeps_its_digits():
    left = np.linalg.qr(np.random.default_rng(3).normal(size=(6, 6)))[0]
    right = np.linalg.qr(np.random.default_rng(4).normal(size=(6, 6)))[0]
    for smallest in (1e-3, 1e-7, 1e-11):
        matrix = left @ np.diag([2.0, 1.5, 1.0, 0.7, 0.5, smallest]) @ right
        found = kernel._smallest_singular_value(np.ascontiguousarray(matrix))
        assert found == pytest.approx(smallest, abs=1e-15)
    assert kernel._smallest_singular_value(np.zeros((6, 6))) == 0.0


@given(st.integers(0, 2**32 - 1), st.floats(-9.0, 0.0), st.floats(-12.0, -2.0))
def test_what_is_surely_above_is_above(seed, log_value, log_gap):
    """Judge: the value that the matrix was made with, from rotations of LAPACK's."""
    rng = np.random.default_rng(seed)
    left, right = (np.linalg.qr(rng.normal(size=(6, 6)))[0] for _ in range(2))
    value = 10.0**log_value
    others = value * 10.0 ** rng.uniform(0.0, 3.0, 5)
    matrix = np.ascontiguousarray(left @ np.diag([*others, value]) @ right)
    assert not kernel._surely_above(matrix, value * (1.0 + 10.0**log_gap))
    if value > 2e-6 * np.linalg.norm(matrix):
        assert kernel._surely_above(matrix, 0.5 * value)


def test_where_only_the_verdict_counts_it_is_the_same():
    """Beside LAPACK's singular values, with the limit amid those of the poses."""
    rng = np.random.default_rng(5)
    q = np.array([0.0, 0.0, 0.9, 0.0, 0.0, 0.0]) + rng.uniform(-0.3, 0.3, (400, 6))
    geometry = paper()
    exact = np.array([smallest_singular_value(geometry, Pose.from_coordinates(row)) for row in q])
    limit = float(np.median(exact))
    wide = Envelope(geometry, dataclasses.replace(WIDE, singular_value_min=limit))
    alone = Envelope(geometry, WIDE)
    assert np.array_equal(wide.inside(q), alone.inside(q) & (exact >= limit))
    assert 50 < np.count_nonzero(wide.inside(q)) < 350


def test_the_singular_value_is_sharp():
    geometry, setpoint = lopsided(), PlatformSetpoint.at_rest(TILTED)
    value = Envelope(geometry, WIDE).state(TILTED).smallest_singular_value
    met = dataclasses.replace(WIDE, singular_value_min=value)
    assert Envelope(geometry, met).check(setpoint) == ()
    passed = dataclasses.replace(WIDE, singular_value_min=float(np.nextafter(value, 1.0)))
    (found,) = Envelope(geometry, passed).check(setpoint)
    assert (found.quantity, found.leg, found.unit) == ("smallest singular value", None, "")
    assert str(found).startswith("platform: smallest singular value")


@given(coordinates(), vectors(), vectors(20.0))
def test_many_at_once_agree_with_one_by_one(q, dq, ddq):
    envelope = Envelope(lopsided(0.02), LIMITS)
    scale = np.array([0.0, 0.5, 1.0, 2.0])[:, None]
    stretched = np.array([0, 0, 0.95, 0, 0, 0]) + scale * (q - [0, 0, 0.95, 0, 0, 0])
    many = envelope.inside(stretched, scale * dq, scale * ddq)
    for n in range(4):
        setpoint = PlatformSetpoint.from_coordinates(stretched[n], scale[n] * dq, scale[n] * ddq)
        assert many[n] == (envelope.check(setpoint) == ())
    np.testing.assert_array_equal(
        envelope.inside(stretched), envelope.inside(stretched, np.zeros((4, 6)), np.zeros((4, 6)))
    )


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_what_is_not_finite_is_outside(bad):
    envelope = Envelope(paper(), WIDE)
    good = np.tile([0, 0, 0.95, 0, 0, 0], (3, 1))
    assert envelope.inside(good).all()
    for column in range(6):
        spoilt = good.copy()
        spoilt[1, column] = bad
        np.testing.assert_array_equal(envelope.inside(spoilt), [True, False, True])
        rates = np.zeros((3, 6))
        rates[1, column] = bad
        np.testing.assert_array_equal(envelope.inside(good, rates), [True, False, True])
        np.testing.assert_array_equal(envelope.inside(good, None, rates), [True, False, True])
    with pytest.raises(ValueError, match=r"must be \(N, 6\)"):
        envelope.inside(np.zeros(6))


@pytest.mark.parametrize("limits", [LIMITS, WIDE])
def test_remaining_travel_ends_at_the_first_limit(limits):
    geometry = lopsided(0.02)
    envelope = Envelope(geometry, limits)
    start = TILTED.coordinates()
    room = envelope.remaining_travel(TILTED)
    assert room.travel.shape == (6, 2)
    for axis in range(6):
        for side, sign in enumerate((-1, 1)):
            travel, limit = room.travel[axis, side], room.limit[axis][side]
            line = np.tile(start, (401, 1))
            line[:, axis] += sign * np.linspace(0.0, travel, 401)
            assert envelope.inside(line).all()
            if limit is None:
                assert travel == pytest.approx(math.pi)
                continue
            beyond = start.copy()
            beyond[axis] += sign * (travel + 1e-6)
            found = envelope.check(at_rest(beyond))
            assert (limit.quantity, limit.leg) in names(found)


def test_remaining_travel_of_a_free_turn_is_half_a_turn():
    geometry = HexapodGeometry.from_circles(1.0, math.radians(14), 0.7, math.radians(46), 0.05, 5.0)
    room = Envelope(geometry, WIDE).remaining_travel(geometry.neutral_pose)
    np.testing.assert_allclose(room.travel[3], math.pi)
    assert room.limit[3] == (None, None)
    assert room.limit[2][1] is not None
    assert room.limit[2][1].quantity == "length"


def test_nothing_remains_a_hair_outside_even_on_the_way_back_in():
    geometry = paper()
    envelope = Envelope(geometry, dataclasses.replace(WIDE, soft_margin_m=0.01))
    above = home_pose(geometry, 1.37 + 1e-5)
    room = envelope.remaining_travel(above)
    np.testing.assert_array_equal(room.travel, 0.0)
    down = envelope.remaining_travel(home_pose(geometry, 1.37 - 1e-5)).travel[2]
    assert down[0] > 0.5
    assert 0.0 < down[1] < 1e-4


def test_nothing_remains_outside():
    envelope = Envelope(paper(), LIMITS)
    room = envelope.remaining_travel(Pose.from_coordinates([0, 0, 1.5, 0, 0, 0]))
    np.testing.assert_array_equal(room.travel, 0.0)
    assert all(one is not None and one.quantity == "length" for one in room.limit[0])
    with pytest.raises(ValueError, match="read-only"):
        room.travel[0, 0] = 1.0


@pytest.mark.parametrize("name", [field.name for field in dataclasses.fields(EnvelopeLimits)])
@pytest.mark.parametrize("bad", [math.nan, math.inf, -0.1])
def test_limits_must_be_finite_and_sensible(name, bad):
    value = np.full(6, 1.0) if name.startswith(("speed", "acc")) else bad
    if isinstance(value, np.ndarray):
        value[3] = bad
    with pytest.raises(ValueError, match=name):
        dataclasses.replace(LIMITS, **{name: value})


@pytest.mark.parametrize(
    "name", ["joint_cone_base_rad", "joint_cone_platform_rad", "speed_max_m_s"]
)
def test_limits_of_zero_that_forbid_everything_are_refused(name):
    value = np.zeros(6) if name == "speed_max_m_s" else 0.0
    with pytest.raises(ValueError, match=name):
        dataclasses.replace(LIMITS, **{name: value})


def test_every_limit_is_required_and_margins_must_leave_stroke():
    with pytest.raises(TypeError):
        EnvelopeLimits(0.6, 0.7, 0.08, 0.1, np.ones(6), np.ones(6))  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="leaves no stroke"):
        Envelope(paper(), dataclasses.replace(LIMITS, soft_margin_m=0.37))
    array = LIMITS.speed_max_m_s
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 1.0


@pytest.mark.parametrize("length", [0.64, 0.7, 1.0, 1.3, 0.64 + 0.74])
def test_home_has_six_equal_legs(length):
    level = home_pose(paper(), length)
    np.testing.assert_allclose(leg_lengths(paper(), level), length, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(level.rotation, np.eye(3))
    shake = np.random.default_rng(2).uniform(-0.01, 0.01, (2, 6, 3))
    uneven = HexapodGeometry(
        paper().base_joints_m + shake[0],
        paper().platform_joints_m + shake[1],
        np.full(6, 0.64),
        np.full(6, 0.74),
    )
    tilted = home_pose(uneven, length)
    np.testing.assert_allclose(leg_lengths(uneven, tilted), length, rtol=0, atol=1e-11)
    assert np.abs(tilted.rotation - np.eye(3)).max() > 1e-4


def test_a_home_that_no_pose_has_is_refused():
    """Base joint 3 stands so far out that a leg of 1 m does not reach it."""
    geometry, base = paper(), np.array(paper().base_joints_m)
    base[2] *= 2.6
    far = HexapodGeometry(base, geometry.platform_joints_m, np.full(6, 0.9), np.full(6, 0.74))
    with pytest.raises(GeometryError, match=r"no pose near the level one has six legs of 1 m: .*3"):
        home_pose(far, 1.0)


def test_the_published_home_comes_back():
    assert home_pose(paper(), 1.002901283).position_m[2] == pytest.approx(0.935, abs=1e-9)


@pytest.mark.parametrize("length", [0.63, 1.39, math.nan])
def test_home_outside_the_stroke_is_refused(length):
    with pytest.raises(GeometryError, match="outside"):
        home_pose(paper(), length)
