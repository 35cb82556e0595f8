import math
import re
from pathlib import Path

import numpy as np
import pytest
from hexapods import DEG, coordinates, every_kind, lopsided, numbers, paper, vectors
from hypothesis import given
from hypothesis import strategies as st

import platform6dof.kernels
from hil_common.arrays.pose import Pose
from platform6dof.envelope import Envelope, EnvelopeLimits
from platform6dof.forward import forward
from platform6dof.geometry import HexapodGeometry
from platform6dof.inverse import LegSetpoint, leg_lengths, leg_setpoint, leg_setpoints_batch
from platform6dof.jacobian import leg_jacobian
from platform6dof.kernels import batch, envelope, legs, rotation
from platform6dof.pose import PlatformSetpoint
from platform6dof.warm import warm
from platform6dof.workspace import PoseBox, extremes, sample

KINDS = every_kind()
LEADS = (0.005, 0.025, -0.025)


def test_lengths_of_the_published_pose():
    pose = Pose.from_coordinates([0.05, -0.03, 0.9, 4 * DEG, -6 * DEG, 8 * DEG])
    expected = [1.023692732, 1.037681671, 1.023920363, 0.901603299, 0.838927058, 1.032428721]
    np.testing.assert_allclose(leg_lengths(paper(), pose), expected, rtol=0, atol=1e-9)


def test_lengths_at_home():
    home = Pose.from_coordinates([0, 0, 0.935, 0, 0, 0])
    np.testing.assert_allclose(leg_lengths(paper(), home), 1.002901283, rtol=0, atol=1e-9)


@given(coordinates())
def test_lengths_are_distances_of_joints(q):
    geometry, pose = lopsided(), Pose.from_coordinates(q)
    joints = pose.position_m + geometry.platform_joints_m @ pose.rotation.T
    expected = np.linalg.norm(joints - geometry.base_joints_m, axis=1)
    np.testing.assert_allclose(leg_lengths(geometry, pose), expected, atol=1e-15)


@pytest.mark.parametrize("kind", range(3))
@given(q=coordinates(), dq=vectors(), ddq=vectors())
def test_speeds_are_derivatives_of_lengths(kind, q, dq, ddq):
    geometry, h = KINDS[kind], 1e-5

    def at(t):
        return PlatformSetpoint.from_coordinates(q + dq * t + 0.5 * ddq * t * t, dq + ddq * t, ddq)

    here = leg_setpoint(geometry, at(0.0))
    before, after = leg_setpoint(geometry, at(-h)), leg_setpoint(geometry, at(h))
    speed = (after.length_m - before.length_m) / (2 * h)
    np.testing.assert_allclose(here.speed_m_s, speed, atol=5e-8)
    np.testing.assert_array_equal(here.length_m, leg_lengths(geometry, at(0.0).X_BP))
    if geometry.screw_lead_m == 0.0:
        acceleration = (after.speed_m_s - before.speed_m_s) / (2 * h)
        np.testing.assert_allclose(here.acceleration_m_s2, acceleration, atol=5e-7)


@pytest.mark.parametrize("kind", range(3))
@given(q=coordinates(), dq=vectors())
def test_the_jacobian_gives_the_speeds(kind, q, dq):
    geometry = KINDS[kind]
    setpoint = PlatformSetpoint.from_coordinates(q, dq, np.zeros(6))
    speeds = leg_setpoint(geometry, setpoint).speed_m_s
    np.testing.assert_allclose(
        leg_jacobian(geometry, setpoint.X_BP) @ setpoint.V_BP, speeds, atol=1e-14
    )


@given(coordinates(), vectors(), vectors(), st.permutations(range(6)))
def test_permuted_legs_give_permuted_answers(q, dq, ddq, order):
    geometry, order = lopsided(screw_lead_m=0.02), list(order)
    shuffled = HexapodGeometry(
        geometry.base_joints_m[order],
        geometry.platform_joints_m[order],
        geometry.closed_length_m[order],
        geometry.stroke_m[order],
        screw_lead_m=0.02,
    )
    setpoint = PlatformSetpoint.from_coordinates(q, dq, ddq)
    one, other = leg_setpoint(geometry, setpoint), leg_setpoint(shuffled, setpoint)
    for name in ("length_m", "speed_m_s", "acceleration_m_s2"):
        np.testing.assert_allclose(getattr(one, name)[order], getattr(other, name), atol=1e-14)


@given(coordinates(), vectors(), vectors(), coordinates())
def test_a_shared_motion_of_both_plates_changes_no_leg(q, dq, ddq, move):
    """Turn and shift the base's axes: the same machine seen from elsewhere."""
    geometry, X_AB = lopsided(), Pose.from_coordinates(move)
    setpoint = PlatformSetpoint.from_coordinates(q, dq, ddq)
    turn = X_AB.rotation
    seen = PlatformSetpoint(
        X_AB @ setpoint.X_BP,
        np.concatenate([turn @ setpoint.V_BP[:3], turn @ setpoint.V_BP[3:]]),
        np.concatenate([turn @ setpoint.A_BP[:3], turn @ setpoint.A_BP[3:]]),
    )
    table = np.array(geometry.table)
    table[:, :3] = X_AB.position_m + table[:, :3] @ turn.T
    rows = np.empty((3, 6))
    legs.leg_state(table, seen.packed, rows)
    here = leg_setpoint(geometry, setpoint)
    np.testing.assert_allclose(rows[0], here.length_m, atol=1e-13)
    np.testing.assert_allclose(rows[1], here.speed_m_s, atol=1e-12)
    np.testing.assert_allclose(rows[2], here.acceleration_m_s2, atol=1e-11)


@pytest.mark.parametrize("lead", LEADS)
@pytest.mark.parametrize("angle", [-0.3, 0.2])
def test_a_turned_vertical_leg_is_shortened_by_its_screw(lead, angle):
    """Legs nearly parallel to z, plate turned about z: the twist of each is the plate's turn."""
    far = 20.0
    plain = HexapodGeometry.from_circles(1.0, 14 * DEG, 0.7, 0.0, far, 1.0)
    wound = HexapodGeometry.from_circles(1.0, 14 * DEG, 0.7, 0.0, far, 1.0, screw_lead_m=lead)
    pose = Pose.from_coordinates([0, 0, plain.neutral_pose.position_m[2], angle, 0, 0])
    change = leg_lengths(wound, pose) - leg_lengths(plain, pose)
    np.testing.assert_allclose(change, -lead * angle / (2 * math.pi), rtol=5e-3)


def test_no_winding_at_the_neutral_pose_and_none_without_a_lead():
    for geometry in (
        lopsided(0.025),
        HexapodGeometry.from_circles(
            1.0, 14 * DEG, 0.7, 0.0, 0.64, 0.74, plate_rotation_rad=0.3, screw_lead_m=0.02
        ),
    ):
        joints = geometry.neutral_pose.position_m + geometry.platform_joints_m
        expected = np.linalg.norm(joints - geometry.base_joints_m, axis=1)
        np.testing.assert_allclose(
            leg_lengths(geometry, geometry.neutral_pose), expected, atol=1e-15
        )


@given(coordinates())
def test_the_winding_is_the_projected_angle_of_the_forks(q):
    lead, pose = 0.025, Pose.from_coordinates(q)
    geometry = lopsided(lead)
    neutral = geometry.neutral_pose
    for i in range(6):
        twists = []
        for at in (neutral, pose):
            u = at.position_m + at.rotation @ geometry.platform_joints_m[i]
            u = u - geometry.base_joints_m[i]
            distance = np.linalg.norm(u)
            u /= distance
            forks = []
            for axis, turn in (
                (geometry.base_axes, np.eye(3)),
                (geometry.platform_axes, at.rotation),
            ):
                fork = turn @ np.cross([0.0, 0.0, 1.0], axis[i])
                fork -= (fork @ u) * u
                forks.append(fork / np.linalg.norm(fork))
            twists.append(math.atan2(u @ np.cross(*forks), forks[0] @ forks[1]))
        distance = np.linalg.norm(
            pose.position_m
            + pose.rotation @ geometry.platform_joints_m[i]
            - geometry.base_joints_m[i]
        )
        expected = distance - lead * (twists[1] - twists[0]) / (2 * math.pi)
        assert leg_lengths(geometry, pose)[i] == pytest.approx(expected, abs=1e-14)


def test_winding_stays_continuous_where_the_angle_of_the_forks_passes_half_a_turn():
    """Platform forks opposed to the base's: a neutral twist of pi is still no winding."""
    plain = lopsided(0.02)
    away = HexapodGeometry(
        plain.base_joints_m,
        plain.platform_joints_m,
        plain.closed_length_m,
        plain.stroke_m,
        platform_axes=-np.array(plain.platform_axes),
        screw_lead_m=0.02,
    )
    for alpha in (-0.1, -1e-6, 1e-6, 0.1):
        pose = Pose.from_coordinates([0.02, 0.01, 0.95, alpha, 0.02, -0.03])
        np.testing.assert_allclose(leg_lengths(away, pose), leg_lengths(plain, pose), atol=1e-14)


@pytest.mark.parametrize("kind", range(3))
@pytest.mark.parametrize("count", [0, 1, 63, 64, 65, 1000])
def test_batch_and_single_call_agree(kind, count):
    geometry, generator = KINDS[kind], np.random.default_rng(count)
    q = np.array([0, 0, 0.95, 0, 0, 0]) + generator.uniform(-0.15, 0.15, (count, 6))
    dq = generator.uniform(-2, 2, (count, 6))
    lengths, speeds = leg_setpoints_batch(geometry, q, dq)
    assert lengths.shape == speeds.shape == (count, 6)
    for n in range(count):
        setpoint = PlatformSetpoint.from_coordinates(q[n], dq[n], np.zeros(6))
        one = leg_setpoint(geometry, setpoint)
        np.testing.assert_allclose(lengths[n], one.length_m, rtol=0, atol=2e-15)
        np.testing.assert_allclose(speeds[n], one.speed_m_s, rtol=0, atol=2e-14)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("column", range(6))
@pytest.mark.parametrize("kind", range(3))
def test_a_bad_row_of_a_batch_spoils_itself_alone(bad, column, kind):
    geometry = KINDS[kind]
    q = np.tile([0.01, 0.02, 0.95, 0.1, -0.1, 0.05], (130, 1))
    dq = np.tile([0.1, 0.2, 0.3, 0.4, 0.5, 0.6], (130, 1))
    good_lengths, good_speeds = leg_setpoints_batch(geometry, q, dq)
    spoilt = q.copy()
    spoilt[70, column] = bad
    lengths, speeds = leg_setpoints_batch(geometry, spoilt, dq)
    assert not np.isfinite(lengths[70]).any()
    assert not np.isfinite(speeds[70]).any()
    rest = np.arange(130) != 70
    np.testing.assert_allclose(lengths[rest], good_lengths[rest], rtol=0, atol=2e-15)
    np.testing.assert_allclose(speeds[rest], good_speeds[rest], rtol=0, atol=2e-15)
    spoilt = dq.copy()
    spoilt[70, column] = bad
    lengths, speeds = leg_setpoints_batch(geometry, q, spoilt)
    assert not np.isfinite(speeds[70]).any()
    np.testing.assert_array_equal(lengths, good_lengths)


def test_batch_refuses_wrong_shapes():
    for q, dq in (((5, 6), (4, 6)), ((6,), (6,)), ((5, 5), (5, 5))):
        with pytest.raises(ValueError, match=r"both must be \(N, 6\)"):
            leg_setpoints_batch(paper(), np.zeros(q), np.zeros(dq))


@given(numbers(batch.LARGEST_ANGLE_RAD))
def test_sine_and_cosine_are_exact_to_1e_15(angle):
    sine, cosine = batch._sincos(angle)
    assert abs(sine - math.sin(angle)) <= 1e-15
    assert abs(cosine - math.cos(angle)) <= 1e-15


def test_sine_and_cosine_at_their_worst_places():
    quarters = math.pi / 4 * np.arange(-12000, 12001)
    grid = np.concatenate([quarters, np.nextafter(quarters, 1e9), np.linspace(-7, 7, 20001)])
    for angle in grid.tolist():
        sine, cosine = batch._sincos(angle)
        assert abs(sine - math.sin(angle)) <= 1e-15, angle
        assert abs(cosine - math.cos(angle)) <= 1e-15, angle


def test_angles_beyond_the_polynomials_fall_back_to_the_library():
    q = np.array([[0.0, 0.0, 0.95, 1e17, 0.1, -3e7]])
    expected = leg_lengths(paper(), Pose.from_coordinates(q[0]))
    lengths, _ = leg_setpoints_batch(paper(), q, np.zeros((1, 6)))
    np.testing.assert_allclose(lengths[0], expected, rtol=0, atol=1e-14)


def test_setpoints_are_read_only_and_checked():
    setpoint = leg_setpoint(paper(), PlatformSetpoint.at_rest(paper().neutral_pose))
    for array in (setpoint.length_m, setpoint.speed_m_s, setpoint.acceleration_m_s2):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0.0
    for array in (
        leg_lengths(paper(), paper().neutral_pose),
        leg_jacobian(paper(), paper().neutral_pose),
    ):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0.0
    with pytest.raises(ValueError, match=r"speed_m_s.*finite"):
        LegSetpoint(np.ones(6), np.full(6, math.nan), np.ones(6))


def test_a_leg_of_no_length_has_no_speed():
    """Platform joint 1 on base joint 1: nan, never a silent 0 and never an exception."""
    geometry = paper()
    pose = Pose(geometry.base_joints_m[0] - geometry.platform_joints_m[0], np.eye(3))
    moving = PlatformSetpoint(pose, np.ones(6), np.ones(6))
    setpoint = leg_setpoint(geometry, moving)
    assert setpoint.length_m[0] == 0.0
    assert math.isnan(setpoint.speed_m_s[0])
    assert np.isfinite(setpoint.speed_m_s[1:]).all()


def test_a_kernel_calls_only_kernels_of_its_own_file():
    """Machine code on disk is renewed only when the caller's own file changes."""
    folder = Path(platform6dof.kernels.__file__).parent
    files = sorted(folder.glob("*.py"))
    assert len(files) >= 5
    for file in files:
        assert not re.search(r"^\s*(from|import) platform6dof", file.read_text(), re.M), file


def kernels():
    """Every compiled function that other files of the package call."""
    for module in (batch, envelope, legs, rotation):
        for name, value in vars(module).items():
            called = name != "solve"  # that one is called by kernels only
            if called and hasattr(value, "signatures") and not name.startswith("_"):
                yield f"{module.__name__}.{name}", value


def test_warming_up_leaves_nothing_to_compile():
    """Whatever the kind of array that comes in, read-only, list or strided."""
    warm()
    before = {name: len(one.signatures) for name, one in kernels()}
    assert len(before) == 13
    assert set(before.values()) <= {1, 2}
    frozen, wide = np.zeros(6), np.zeros(12)
    frozen.setflags(write=False)
    geometry, forms = lopsided(0.02), (np.zeros(6), [0.0] * 6, frozen, wide[::2])
    limits = EnvelopeLimits(1.0, 1.0, 0.01, 0.01, np.ones(6), np.ones(6), 0.01)
    guard = Envelope(geometry, limits)
    for one in forms:
        for other in forms:
            setpoint = PlatformSetpoint.from_coordinates(one, other, one)
            leg_setpoint(geometry, setpoint)
            guard.check(setpoint)
            guard.inside([one], [other])
        forward(geometry, one, Pose.from_coordinates(one))
    leg_setpoint(geometry, PlatformSetpoint.at_rest(Pose.identity()))
    forward(geometry, leg_lengths(geometry, geometry.neutral_pose), geometry.neutral_pose)
    guard.state(geometry.neutral_pose)
    guard.remaining_travel(geometry.neutral_pose)
    extremes(geometry, PoseBox(frozen, frozen))
    sample(paper(), PoseBox(frozen, frozen), 3, 1)
    leg_setpoints_batch(geometry, np.zeros((3, 6)), np.zeros((3, 6)))
    assert {name: len(one.signatures) for name, one in kernels()} == before
