"""From a wanted gripper velocity to joint rates: exact, in step, and never past a limit."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from properties import dear

from sim.world.space_arm.arm import Arm, Link
from sim.world.space_arm.drive import JointDrive
from sim.world.space_arm.kernels import dynamics
from sim.world.space_arm.kernels.rates import damped_rates, orthogonalise, singular_values
from sim.world.space_arm.programmed_rates import (
    LimitKind,
    ProgrammedRates,
    RateSettings,
    TwistFrame,
)
from sim.world.space_arm.rate_limits import JointLimits
from sim.world.space_arm.singularity import Damping, PostureSolver, reach_m
from sim.world.space_arm.smooth_stop import SmoothStop, StopLaw

TICK_S = 0.35
AXES = ((0, 0, 1), (0, 1, 0), (0, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 0))
OFFSETS_M = (
    (0, 0, 0.3), (0, 0, 0.3048), (6.377, 0.1524, 0), (7.060, -0.1524, 0), (0.4572, 0, 0),
    (0.762, 0, 0),
)  # fmt: skip
RANGES_DEG = ((-180, 180), (-2, 145), (-161, 2.4), (-121.4, 121.4), (-121.3, 121.3), (-447, 447))
RATES_RAD_S = (0.04, 0.04, 0.056, 0.0831, 0.0831, 0.0831)
BENT = np.array([0.3, 0.9, -1.3, 0.5, 0.4, 0.2])
"""A posture far from every singularity and limit."""

DRIVE = JointDrive(
    1842.0, 4e-4, 0.25, 0.25, 2.0, 8.0, 28.0, 10.0, 2e-4, 1e6, 0.005, 60.0, 600.0, 2e3, 2e3
)
FAST = 1e3
"""An acceleration that never binds [rad/s^2]."""


def boom(ranges_rad=None) -> Arm:
    """A 15 m arm, shoulder yaw and pitch, elbow pitch, wrist pitch, yaw and roll."""
    ranges = np.radians(RANGES_DEG) if ranges_rad is None else ranges_rad
    links = tuple(
        Link(
            name=f"joint {i + 1}",
            axis=np.array(AXES[i], dtype=float),
            offset_m=np.array(OFFSETS_M[i], dtype=float),
            rotation=np.eye(3),
            mass_kg=50.0,
            com_m=np.array([1.0, 0.0, 0.0]),
            inertia_kg_m2=np.diag([1.0, 50.0, 50.0]),
            position_min_rad=float(ranges[i][0]),
            position_max_rad=float(ranges[i][1]),
            rate_max_rad_s=RATES_RAD_S[i],
        )
        for i in range(6)
    )
    return Arm(
        name="boom",
        links=links,
        tool_rotation=turn(np.array([0.2, -0.4, 0.7])),
        tool_offset_m=np.array([0.66, 0.05, -0.03]),
        gravity_m_s2=np.zeros(3),
        drives=(DRIVE,) * 6,
    )


def turn(vector: np.ndarray) -> np.ndarray:
    angle = float(np.linalg.norm(vector))
    x, y, z = vector / angle
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + math.sin(angle) * k + (1 - math.cos(angle)) * k @ k


ARM = boom()
ROTATION_WB = turn(np.array([0.5, 1.1, -0.3]))


def programme(arm: Arm = ARM, acceleration: float = FAST, **settings_) -> ProgrammedRates:
    chosen = RateSettings(acceleration_max_rad_s2=acceleration, **settings_)
    return ProgrammedRates(arm, TICK_S, chosen, rotation_WB=ROTATION_WB)


def pose(q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    rotation, position = np.empty((3, 3)), np.empty(3)
    dynamics.gripper_pose(ARM.arrays(), np.asarray(q), dynamics.make_scratch(), rotation, position)
    return rotation, position


def twist_by_differences(q: np.ndarray, rates: np.ndarray, step_s: float = 1e-4) -> np.ndarray:
    """The gripper's twist in base axes from two poses: no Jacobian is used."""
    r0, p0 = pose(q - rates * step_s)
    r1, p1 = pose(q + rates * step_s)
    w = (r1 - r0) @ pose(q)[0].T / (2 * step_s)
    return np.array([*(p1 - p0) / (2 * step_s), w[2, 1], w[0, 2], w[1, 0]])


def both(rotation: np.ndarray, twist: np.ndarray) -> np.ndarray:
    return np.concatenate((rotation @ twist[:3], rotation @ twist[3:]))


def smallest(q: np.ndarray) -> float:
    return PostureSolver(ARM, reach_m(ARM)).at(np.asarray(q, dtype=float)).smallest


inside = st.tuples(*(st.floats(math.radians(a), math.radians(b)) for a, b in RANGES_DEG)).map(
    np.array
)
slow_twist = st.tuples(
    *[st.floats(-0.05, 0.05, allow_subnormal=False)] * 3,
    *[st.floats(-0.02, 0.02, allow_subnormal=False)] * 3,
).map(np.array)
any_twist = st.tuples(*[st.floats(-0.5, 0.5, allow_subnormal=False)] * 6).map(np.array)


# --- the inverse -------------------------------------------------------------------------------


@given(st.integers(0, 2**32), st.integers(0, 6), st.floats(0.0, 1.0))
def test_singular_values_agree_with_lapack(seed, rank, shrink):
    rng = np.random.default_rng(seed)
    matrix = rng.normal(size=(6, rank)) @ rng.normal(size=(rank, 6))
    matrix[:, 2] *= shrink
    columns, turns, sigma = matrix.copy(), np.empty((6, 6)), np.empty(6)
    assert orthogonalise(columns, turns) >= 0
    product = singular_values(columns, sigma)
    expected = np.linalg.svd(matrix, compute_uv=False)
    np.testing.assert_allclose(np.sort(sigma)[::-1], expected, atol=1e-13 * (1 + expected[0]))
    np.testing.assert_allclose(turns @ turns.T, np.eye(6), atol=1e-13)
    np.testing.assert_allclose(matrix @ turns, columns, atol=1e-13 * (1 + expected[0]))
    assert product == pytest.approx(abs(np.linalg.det(matrix)), abs=1e-10)


def test_a_matrix_that_is_not_finite_has_no_singular_values():
    matrix = np.eye(6)
    matrix[3, 2] = np.nan
    assert orthogonalise(matrix, np.empty((6, 6))) == -1


@given(st.integers(0, 2**32), st.floats(1e-6, 0.5))
def test_damping_solves_the_damped_equations_in_each_direction(seed, sigma_small):
    rng = np.random.default_rng(seed)
    u, _ = np.linalg.qr(rng.normal(size=(6, 6)))
    v, _ = np.linalg.qr(rng.normal(size=(6, 6)))
    values = np.array([2.0, 1.0, 0.9, 0.6, 0.3, sigma_small])
    columns, turns, sigma, rates = u * values @ v.T, np.empty((6, 6)), np.empty(6), np.empty(6)
    orthogonalise(columns, turns)
    singular_values(columns, sigma)
    twist = rng.normal(size=6)
    damped_rates(columns, turns, sigma, twist, 0.1, 0.05, rates)
    part = min(1.0, sigma_small / 0.1)
    damping = np.zeros(6)
    damping[5] = (1 - part**2) * 0.05**2
    expected = v @ (values / (values**2 + damping) * (u.T @ twist))
    np.testing.assert_allclose(rates, expected, rtol=1e-9, atol=1e-9)


@given(inside, slow_twist)
def test_without_damping_the_gripper_moves_exactly_as_wanted(q, twist):
    assume(smallest(q) > 0.03 and np.linalg.norm(twist) > 1e-4)
    prs = programme(damping=Damping(below=0.02, largest=0.0), singular_approach_s=0.5)
    command = prs.rates(q, twist, TwistFrame.BASE)
    assume(command.scale > 0.01)
    size = np.linalg.norm(command.scale * twist)
    assert command.on_path
    assert np.linalg.norm(command.twist_attained - command.scale * twist) <= 1e-9 * size
    seen = twist_by_differences(q, command.rates_rad_s)
    assert np.linalg.norm(seen - command.scale * twist) <= 1e-6 * size
    assert np.linalg.norm(command.deviation) <= 1e-9 * size


# --- frames ------------------------------------------------------------------------------------


@given(slow_twist)
@dear
def test_frames_agree_by_rotation(twist):
    rotation_BG, _ = pose(BENT)
    in_gripper = programme().rates(BENT, both(rotation_BG.T, twist), TwistFrame.GRIPPER)
    in_base = programme().rates(BENT, twist, TwistFrame.BASE)
    in_world = programme().rates(BENT, both(ROTATION_WB, twist), TwistFrame.WORLD)
    for other in (in_gripper, in_world):
        np.testing.assert_allclose(other.rates_rad_s, in_base.rates_rad_s, rtol=1e-9, atol=1e-14)
    for axes, command in ((rotation_BG, in_gripper), (ROTATION_WB.T, in_world)):
        back = both(axes, command.twist_attained)
        np.testing.assert_allclose(back, in_base.twist_attained, rtol=1e-9, atol=1e-14)


def test_in_the_gripper_frame_forward_is_where_the_gripper_points():
    command = programme().rates(BENT, [0.01, 0, 0, 0, 0, 0], TwistFrame.GRIPPER)
    seen = twist_by_differences(BENT, command.rates_rad_s)
    np.testing.assert_allclose(seen[:3], 0.01 * pose(BENT)[0][:, 0], atol=1e-9)


def test_the_world_frame_needs_to_be_known():
    with pytest.raises(ValueError, match="rotation_WB must be given"):
        ProgrammedRates(ARM).rates(BENT, np.zeros(6), TwistFrame.WORLD)
    for wrong in (np.eye(3) * 1.1, np.diag([1.0, 1.0, -1.0]), np.full((3, 3), np.nan), np.eye(4)):
        with pytest.raises(ValueError, match="rotation_WB"):
            ProgrammedRates(ARM, rotation_WB=wrong)


# --- one factor --------------------------------------------------------------------------------


@given(st.floats(1.0, 200.0), slow_twist)
def test_rate_limits_scale_the_whole_twist(factor, twist):
    assume(np.linalg.norm(twist) > 1e-3)
    alone = np.linalg.solve(jacobian(BENT), factor * twist)
    command = programme(singular_approach_s=0.4).rates(BENT, factor * twist, TwistFrame.BASE)
    assert np.all(np.abs(command.rates_rad_s) <= np.array(RATES_RAD_S) * (1 + 1e-12))
    np.testing.assert_allclose(command.rates_rad_s, command.scale * alone, rtol=1e-8, atol=1e-13)
    most = float(np.max(np.abs(alone) / RATES_RAD_S))
    if most > 1.0 and all(limit.kind is LimitKind.RATE for limit in command.limits):
        assert command.scale == pytest.approx(1.0 / most, rel=1e-9)
        (limit,) = command.limits
        assert limit.joint == int(np.argmax(np.abs(alone) / RATES_RAD_S))
        assert limit.value == pytest.approx(abs(alone[limit.joint]), rel=1e-9)
        assert (limit.limit, limit.unit) == (RATES_RAD_S[limit.joint], "rad/s")
        assert f"joint {limit.joint + 1}: rate" in str(limit)
    if not command.limits:
        assert command.scale == 1.0


def jacobian(q: np.ndarray) -> np.ndarray:
    result = np.empty((6, 6))
    dynamics.gripper_jacobian(ARM.arrays(), q, dynamics.make_scratch(), result)
    return result


def test_from_rest_the_rates_grow_along_the_path_by_at_most_the_acceleration():
    prs = programme(acceleration=0.004)
    twist = np.array([0.05, 0.02, -0.03, 0.004, 0.0, 0.01])
    scales, before = [], np.zeros(6)
    q = BENT.copy()
    for _ in range(30):
        command = prs.rates(q, twist, TwistFrame.BASE)
        assert command.on_path
        change = np.abs(command.rates_rad_s - before) / TICK_S
        assert np.max(change) <= 0.004 * (1 + 1e-9)
        if command.scale < 1.0:
            assert np.max(change) == pytest.approx(0.004, rel=1e-9)
            assert [limit.kind for limit in command.limits] == [LimitKind.ACCELERATION]
            assert command.limits[0].limit == 0.004
            assert command.limits[0].value > 0.004
        scales.append(command.scale)
        before = command.rates_rad_s
        q = q + TICK_S * before
    assert scales == sorted(scales)
    assert scales[0] < 0.5
    assert scales[-1] == 1.0


def test_a_reversal_passes_through_the_old_direction_and_arrives_at_the_new_one():
    prs, q = programme(acceleration=0.01), BENT.copy()
    first, second = np.array([0.04, 0, 0, 0, 0, 0]), np.array([0, 0.02, -0.03, 0, 0, 0])
    for _ in range(20):
        q = q + TICK_S * prs.rates(q, first, TwistFrame.BASE).rates_rad_s
    before = prs.last_rates_rad_s
    paths = []
    for _ in range(20):
        command = prs.rates(q, second, TwistFrame.BASE)
        assert np.max(np.abs(command.rates_rad_s - before)) <= 0.01 * TICK_S * (1 + 1e-9)
        paths.append(command.on_path)
        if not command.on_path:
            assert LimitKind.ACCELERATION in {limit.kind for limit in command.limits}
            np.testing.assert_array_equal(
                command.deviation, command.twist_attained - command.scale * second
            )
        before = command.rates_rad_s
        q = q + TICK_S * before
    assert not paths[0]
    assert paths[-1]
    assert paths == sorted(paths)
    np.testing.assert_allclose(command.twist_attained, second, rtol=1e-9, atol=1e-12)


# --- joint limits ------------------------------------------------------------------------------

NARROW = np.array([[-0.3, 0.5], [0.6, 1.2], [-1.6, -1.0], [0.2, 0.8], [0.1, 0.7], [-0.2, 0.6]])
"""Ranges about the bent posture, so small that walks meet their ends all the time."""


@given(
    st.integers(0, 2**32), st.sampled_from((0.002, 0.01, 0.05)), st.sampled_from((1, 2, 5)),
    st.integers(1, 25),
)  # fmt: skip
def test_no_walk_passes_a_limit_and_a_stop_is_always_possible(seed, acceleration, rounding, hold):
    rng = np.random.default_rng(seed)
    prs = programme(boom(NARROW), acceleration, rounding_ticks=rounding, position_margin_rad=0.0)
    q, v = rng.uniform(NARROW[:, 0], NARROW[:, 1]), np.zeros(6)
    for tick in range(60):
        if tick % hold == 0:
            twist = rng.normal(size=6) * ([0.2] * 3 + [0.05] * 3) * rng.uniform(0, 2)
        stopping = rng.uniform() < 0.08
        command = prs.stop(q) if stopping else prs.rates(q, twist, TwistFrame.GRIPPER)
        assert np.all(np.isfinite(command.rates_rad_s))
        assert np.all(np.abs(command.rates_rad_s) <= np.array(RATES_RAD_S) * (1 + 1e-12))
        assert np.all(np.abs(command.rates_rad_s - v) <= acceleration * TICK_S * (1 + 1e-9))
        assert 0.0 <= command.scale <= 1.0
        v = command.rates_rad_s
        q = q + TICK_S * v
        hard = StopLaw(np.full(6, acceleration), TICK_S)
        for end in (q, q + hard.stopping_distance_rad(v) - TICK_S * v):
            assert np.all(end >= NARROW[:, 0] - 1e-9)
            assert np.all(end <= NARROW[:, 1] + 1e-9)


@pytest.mark.parametrize("rounding", [1, 4])
def test_a_joint_comes_to_rest_at_its_limit_and_leaves_it_again(rounding):
    ranges = np.radians(RANGES_DEG).copy()
    ranges[0] = (-0.2, 0.5)
    prs = programme(boom(ranges), 0.01, rounding_ticks=rounding, position_margin_rad=0.02)
    q, seen = BENT.copy(), set()
    sideways = np.array([0, 0.3, 0, 0, 0, 0])
    for _ in range(120):
        twist = both(turn(np.array([0, 0, 1e-9 + q[0]])), sideways)
        command = prs.rates(q, twist, TwistFrame.BASE)
        seen |= {(limit.kind, limit.joint) for limit in command.limits}
        q = q + TICK_S * command.rates_rad_s
        assert q[0] <= 0.48 + 1e-12
    assert (LimitKind.POSITION, 0) in seen
    assert q[0] == pytest.approx(0.48, abs=1e-3)
    (limit,) = command.limits
    assert (limit.kind, limit.joint, limit.unit) == (LimitKind.POSITION, 0, "rad")
    assert limit.limit == pytest.approx(0.48)
    assert limit.value == pytest.approx(q[0], abs=1e-3)
    away = prs.rates(q, -both(turn(np.array([0, 0, q[0]])), sideways), TwistFrame.BASE)
    assert away.rates_rad_s[0] < -0.001


def test_outside_of_a_limit_only_the_way_back_is_open():
    ranges = np.radians(RANGES_DEG).copy()
    ranges[0] = (-0.2, 0.25)
    prs = programme(boom(ranges), 0.01)
    sideways = both(turn(np.array([0, 0, BENT[0]])), np.array([0, 0.02, 0, 0, 0, 0]))
    towards = prs.rates(BENT, sideways, TwistFrame.BASE)
    np.testing.assert_array_equal(towards.rates_rad_s, np.zeros(6))
    assert towards.scale == 0.0
    back = prs.rates(BENT, -sideways, TwistFrame.BASE)
    assert back.rates_rad_s[0] < 0.0
    assert back.scale > 0.0


away_from_zero = st.floats(1e-3, 0.5).flatmap(lambda x: st.sampled_from((x, -x)))


@given(
    st.tuples(*[away_from_zero] * 6).map(np.array), st.sampled_from((1, 3, 8)), st.floats(1e-6, 2.0)
)
def test_the_greatest_factor_uses_up_the_room_exactly(rates, rounding, room):
    law = StopLaw(np.array([0.01, 0.02, 0.01, 0.03, 0.05, 0.04]), TICK_S, rounding)
    factors = law.factor_within(np.full(6, room), rates)
    for i, factor in enumerate(factors):
        assert law.stopping_distance_rad(factor * rates)[i] == pytest.approx(
            math.copysign(room, rates[i]), rel=1e-9
        )
    assert np.all(law.factor_within(np.full(6, -0.1), rates) == 0.0)


@given(st.integers(0, 2**32), st.sampled_from((1, 4)))
def test_from_every_permitted_state_the_next_one_is_permitted_or_braked(seed, rounding):
    rng = np.random.default_rng(seed)
    law = StopLaw(np.full(6, 0.01), TICK_S, rounding)
    limits = JointLimits(law, np.full(6, -1.0), np.full(6, 1.0), np.full(6, 0.08))
    last = rng.uniform(-0.08, 0.08, 6)
    # Joints are left just the room that the smooth stop needs, or a little more.
    after = np.sign(last) * (1.0 - rng.choice([0.0, 1e-4, 1e-2], 6))
    q = after - (law.stopping_distance_rad(last) - TICK_S * last)
    step = limits.step(q, last, rng.uniform(-0.1, 0.1, 6))
    braked = np.allclose(step.rates, law.braked(last), atol=1e-15)
    assert braked or np.all(np.abs(q + law.stopping_distance_rad(step.rates)) <= 1.0 + 2e-12)
    assert np.all(np.abs(step.rates - last) <= 0.01 * TICK_S * (1 + 1e-9))


def test_outside_of_a_limit_joints_may_turn_to_another_way_back():
    law = StopLaw(np.full(6, 0.01), TICK_S)
    limits = JointLimits(law, np.full(6, -1.0), np.full(6, 1.0), np.full(6, 0.08))
    q, last = np.array([1.2, 0, 0, 0, 0, 0]), np.array([-0.02, 0.02, 0, 0, 0, 0])
    step = limits.step(q, last, np.array([-0.04, 0, 0.04, 0, 0, 0]))
    assert not step.on_path
    assert step.rates[0] < -0.02
    assert step.rates[2] > 0.0


@pytest.mark.parametrize("joint", [0, 3])
def test_without_room_for_the_rounded_stop_the_plain_one_is_taken(joint):
    prs = programme(boom(NARROW), 0.01, rounding_ticks=8, position_margin_rad=0.0)
    moving, q = np.zeros(6), NARROW.mean(axis=1)
    moving[joint] = 0.03
    plain = StopLaw(np.full(6, 0.01), TICK_S)
    q[joint] = NARROW[joint, 1] - (plain.stopping_distance_rad(moving) - TICK_S * moving)[joint]
    prs.reset(moving)
    now = q.copy()
    for _ in range(plain.ticks(moving)):
        now = now + TICK_S * prs.stop(now).rates_rad_s
    assert now[joint] == pytest.approx(NARROW[joint, 1], abs=1e-12)
    np.testing.assert_array_equal(prs.last_rates_rad_s, np.zeros(6))
    # The choice holds for that stop only.
    prs.reset(moving)
    prs.stop(q)
    free = NARROW.mean(axis=1)
    prs.rates(free, np.zeros(6), TwistFrame.BASE)
    slow = prs.last_rates_rad_s
    rounded = slow * prs.law.factor(prs.law.ratio(slow), 1)
    np.testing.assert_allclose(prs.stop(free).rates_rad_s, rounded, atol=1e-15)


# --- singular postures -------------------------------------------------------------------------

ELBOW_STRAIGHT = np.array([0.3, 0.9, 0.0, 0.5, 0.4, 0.2])
WRIST_ALIGNED = np.array([0.3, 0.9, -1.3, 0.5, math.pi / 2, 0.2])


@pytest.mark.parametrize("q", [ELBOW_STRAIGHT, WRIST_ALIGNED])
def test_singular_postures_are_recognised_and_stay_finite(q):
    assert smallest(q) < 1e-3
    for axis in range(6):
        for sign in (1.0, -1.0):
            twist = sign * 0.05 * np.eye(6)[axis]
            command = programme().rates(q, twist, TwistFrame.GRIPPER)
            assert np.all(np.isfinite(command.rates_rad_s))
            assert np.all(np.isfinite(command.twist_attained))
            assert command.near_singularity
            assert command.damping > 0.0
            np.testing.assert_allclose(
                command.deviation, command.twist_attained - command.scale * twist, atol=1e-15
            )


@pytest.mark.parametrize(("q", "joint"), [(ELBOW_STRAIGHT, 2), (WRIST_ALIGNED, 4)])
def test_a_singularity_is_approached_ever_slower_and_left_freely(q, joint):
    prs = programme(acceleration=0.5, singular_approach_s=2.0)
    start = q.copy()
    start[joint] -= 0.5
    here, sigmas, kinds = start, [], set()
    for _ in range(150):
        twist = jacobian(here)[:, joint] * 0.05
        command = prs.rates(here, twist, TwistFrame.BASE)
        sigmas.append(command.smallest_singular_value)
        kinds |= {limit.kind for limit in command.limits}
        here = here + TICK_S * command.rates_rad_s
    assert LimitKind.SINGULARITY in kinds
    assert min(sigmas) >= prs.settings.singular_stop * 0.99
    assert sigmas[-1] == pytest.approx(prs.settings.singular_stop, rel=0.05)
    assert command.near_singularity
    assert abs(command.rates_rad_s[joint]) < 1e-3
    assert np.linalg.norm(command.deviation) < 1e-9
    out = prs.rates(here, -jacobian(here)[:, joint] * 0.05, TwistFrame.BASE)
    assert out.scale == 1.0
    assert out.limits == ()
    np.testing.assert_allclose(out.twist_attained, out.twist_wanted, atol=1e-9)


@pytest.mark.parametrize(("q", "joint"), [(ELBOW_STRAIGHT, 2), (WRIST_ALIGNED, 4)])
@pytest.mark.parametrize("side", [-0.01, 0.01])
def test_deep_inside_a_singularity_every_way_out_is_open_and_no_way_in(q, joint, side):
    here = q.copy()
    here[joint] += side
    here_sigma = smallest(here)
    assert here_sigma < RateSettings().singular_stop
    way_out = jacobian(here)[:, joint] * math.copysign(0.02, side)
    out = programme().rates(here, way_out, TwistFrame.BASE)
    assert out.scale == 1.0
    assert np.linalg.norm(out.rates_rad_s) > 1e-4
    assert smallest(here + TICK_S * out.rates_rad_s) > here_sigma
    back = programme().rates(here, -way_out, TwistFrame.BASE)
    assert back.scale == 0.0
    assert [limit.kind for limit in back.limits] == [LimitKind.SINGULARITY]
    assert back.limits[0].value == pytest.approx(here_sigma)


@pytest.mark.parametrize("elbow", [0.0, 0.004, -0.004, 1e-9])
def test_a_pull_inwards_bends_a_straight_elbow_and_a_push_outwards_does_not(elbow):
    start = ELBOW_STRAIGHT.copy()
    start[2] = elbow
    along = here_radial(jacobian(ELBOW_STRAIGHT))
    shoulder = np.array(OFFSETS_M[0]) + OFFSETS_M[1]
    outwards = along * math.copysign(0.03, float(along[:3] @ (pose(start)[1] - shoulder)))
    prs, here = programme(acceleration=0.02), start.copy()
    for _ in range(60):
        here = here + TICK_S * prs.rates(here, -outwards, TwistFrame.BASE).rates_rad_s
    assert here[2] < -0.05
    assert smallest(here) > 5 * smallest(start) + 1e-3
    prs, there = programme(acceleration=0.02), start.copy()
    for _ in range(60):
        command = prs.rates(there, outwards, TwistFrame.BASE)
        assert np.linalg.norm(command.deviation) < 0.04
        there = there + TICK_S * command.rates_rad_s
    np.testing.assert_allclose(there, start, atol=6e-3)


def test_a_turn_of_the_shoulder_changes_no_singular_value_and_is_free_everywhere():
    twist = jacobian(ELBOW_STRAIGHT)[:, 0] * 0.03
    command = programme().rates(ELBOW_STRAIGHT, twist, TwistFrame.BASE)
    assert command.scale == 1.0
    assert command.limits == ()


@pytest.mark.parametrize("start", [np.zeros(6), ELBOW_STRAIGHT, WRIST_ALIGNED])
@pytest.mark.parametrize("seed", range(4))
def test_walks_through_singular_postures_stay_finite_and_within_limits(start, seed):
    rng, prs, q = np.random.default_rng(seed), programme(acceleration=0.02), start.copy()
    lower, upper = np.radians(RANGES_DEG).T
    for tick in range(100):
        if tick % 12 == 0:
            twist = rng.normal(size=6) * ([0.1] * 3 + [0.02] * 3)
        command = prs.rates(q, twist, TwistFrame.GRIPPER)
        assert np.all(np.isfinite(command.rates_rad_s))
        assert np.all(np.isfinite(command.deviation))
        assert np.all(np.abs(command.rates_rad_s) <= np.array(RATES_RAD_S) * (1 + 1e-12))
        q = q + TICK_S * command.rates_rad_s
        assert np.all((q >= lower) & (q <= upper))


@given(st.integers(0, 2**32))
@dear
def test_a_walk_with_the_settings_as_they_come_stays_out_of_singular_postures(seed):
    rng, q = np.random.default_rng(seed), BENT.copy()
    prs = ProgrammedRates(ARM, TICK_S)
    least = prs.settings.singular_stop
    for tick in range(200):
        if tick % 40 == 0:
            twist = rng.normal(size=6) * ([0.1] * 3 + [0.02] * 3)
        command = prs.rates(q, twist, TwistFrame.GRIPPER)
        assert command.smallest_singular_value > 0.98 * least
        q = q + TICK_S * command.rates_rad_s


def test_what_damping_costs_is_told():
    here = ELBOW_STRAIGHT.copy()
    here[2] = -0.005
    rotation = jacobian(here)
    radial = here_radial(rotation)
    command = programme().rates(here, -0.02 * radial, TwistFrame.BASE)
    seen = twist_by_differences(here, command.rates_rad_s)
    np.testing.assert_allclose(command.twist_attained, seen, atol=1e-8)
    assert np.linalg.norm(command.deviation) > 1e-3
    assert 0.0 < command.damping <= RateSettings().damping.largest


def here_radial(matrix: np.ndarray) -> np.ndarray:
    """The twist that the posture can hardly make."""
    scaled = matrix / np.array([reach_m(ARM)] * 3 + [1.0] * 3)[:, None]
    u, _, _ = np.linalg.svd(scaled)
    worst = u[:, 5] * np.array([reach_m(ARM)] * 3 + [1.0] * 3)
    return worst / np.linalg.norm(worst)


# --- the smooth stop ---------------------------------------------------------------------------


@given(any_twist, st.sampled_from((1, 2, 3, 7)))
def test_the_stop_keeps_its_direction_and_ends_when_it_said(rates, rounding):
    limit = np.array([0.01, 0.02, 0.01, 0.03, 0.05, 0.04])
    law = StopLaw(limit, TICK_S, rounding)
    stop, now = SmoothStop(law), rates
    ticks, way, speeds, steps = law.ticks(rates), np.zeros(6), [1.0], [0.0]
    assume(np.max(np.abs(rates)) > 1e-3)
    for tick in range(1, ticks + 1):
        assert np.any(now != 0.0), f"at rest before tick {tick} of {ticks}"
        after = stop.next(now)
        assert np.all(np.abs(after - now) <= limit * TICK_S * (1 + 1e-9))
        part = float(after @ rates) / float(rates @ rates)
        np.testing.assert_allclose(after, part * rates, atol=1e-15)
        assert part <= speeds[-1]
        steps.append(speeds[-1] - part)
        speeds.append(part)
        way += after * TICK_S
        now = after
    np.testing.assert_array_equal(now, np.zeros(6))
    np.testing.assert_array_equal(stop.next(now), np.zeros(6))
    np.testing.assert_allclose(
        way + rates * TICK_S, law.stopping_distance_rad(rates), rtol=1e-9, atol=1e-13
    )
    most = max(1.0, float(np.max(np.abs(rates) / (limit * TICK_S))))
    assert np.max(np.abs(np.diff([*steps, 0.0]))) <= (1 + 1e-6) / (most * rounding)


def test_the_programmed_stop_is_at_rest_on_time_and_can_be_broken_off():
    prs, q = programme(acceleration=0.01, rounding_ticks=3), BENT.copy()
    for _ in range(15):
        q = q + TICK_S * prs.rates(q, [0.05, 0, 0.05, 0, 0, 0.01], TwistFrame.BASE).rates_rad_s
    moving = prs.last_rates_rad_s
    ticks = prs.law.ticks(moving)
    assert ticks > 3
    for tick in range(1, ticks + 1):
        command = prs.stop(q)
        np.testing.assert_allclose(
            command.rates_rad_s, moving * prs.law.factor(prs.law.ratio(moving), tick), atol=1e-15
        )
        q = q + TICK_S * command.rates_rad_s
    np.testing.assert_array_equal(command.rates_rad_s, np.zeros(6))
    assert prs.rates(q, [0.05, 0, 0, 0, 0, 0], TwistFrame.BASE).scale > 0.0


# --- replay and refusals -----------------------------------------------------------------------


def test_the_same_walk_is_the_same_to_the_last_bit():
    def walk() -> bytes:
        rng, prs, q = np.random.default_rng(5), programme(acceleration=0.01), BENT.copy()
        record = b""
        for _ in range(40):
            command = prs.rates(q, rng.normal(size=6) * 0.05, TwistFrame.GRIPPER)
            q = q + TICK_S * command.rates_rad_s
            record += command.rates_rad_s.tobytes() + command.twist_attained.tobytes()
        return record

    assert walk() == walk()


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 1e3, -1e300])
@pytest.mark.parametrize("place", [0, 5])
def test_values_that_cannot_be_meant_are_refused_and_change_nothing(bad, place):
    prs = programme(acceleration=0.01)
    prs.rates(BENT, [0.01, 0, 0, 0, 0, 0], TwistFrame.BASE)
    before = prs.last_rates_rad_s
    wrong = np.zeros(6)
    wrong[place] = bad
    with pytest.raises(ValueError, match=rf"q_rad\[{place}\] = .* rad: a finite number .* 100 rad"):
        prs.rates(wrong, np.zeros(6), TwistFrame.BASE)
    with pytest.raises(ValueError, match=rf"twist_wanted\[{place}\]"):
        prs.rates(BENT, wrong, TwistFrame.BASE)
    with pytest.raises(ValueError, match=r"q_rad"):
        prs.stop(wrong)
    with pytest.raises(ValueError, match=r"rates_rad_s"):
        prs.reset(wrong)
    np.testing.assert_array_equal(prs.last_rates_rad_s, before)


@pytest.mark.parametrize("bad", [np.zeros(5), np.zeros((6, 1)), "fast", None, [1, 2, "x", 4, 5, 6]])
def test_values_of_the_wrong_shape_are_refused(bad):
    with pytest.raises(ValueError, match=r"twist_wanted .*6 numbers"):
        programme().rates(BENT, bad, TwistFrame.BASE)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"acceleration_max_rad_s2": 0.0}, "acceleration_max_rad_s2"),
        ({"acceleration_max_rad_s2": (0.1,) * 5}, "acceleration_max_rad_s2"),
        ({"rounding_ticks": 0}, "rounding_ticks"),
        ({"position_margin_rad": -0.1}, "position_margin_rad"),
        ({"position_margin_rad": 2.2}, "position_margin_rad"),
        ({"damping": Damping(below=0.0)}, r"damping\.below"),
        ({"damping": Damping(largest=math.nan)}, r"damping\.largest"),
        ({"singular_stop": 0.05}, "singular_stop"),
        ({"singular_warn": math.inf}, "singular_warn"),
        ({"singular_approach_s": 0.1}, "singular_approach_s"),
        ({"characteristic_length_m": 0.0}, "characteristic_length_m"),
    ],
)
def test_settings_outside_of_their_range_are_refused(change, text):
    with pytest.raises(ValueError, match=text):
        ProgrammedRates(ARM, TICK_S, RateSettings(**change))


@pytest.mark.parametrize("tick_s", [0.0, -0.35, math.nan, math.inf])
def test_a_tick_must_be_a_time(tick_s):
    with pytest.raises(ValueError, match="tick_s"):
        ProgrammedRates(ARM, tick_s)


def test_results_cannot_be_written():
    command = programme().rates(BENT, [0.01, 0, 0, 0, 0, 0], TwistFrame.BASE)
    for array in (command.rates_rad_s, command.twist_wanted, command.twist_attained):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0
    prs = programme()
    prs.last_rates_rad_s[:] = 1.0
    np.testing.assert_array_equal(prs.last_rates_rad_s, np.zeros(6))


def test_the_rates_do_not_follow_an_array_of_the_caller():
    prs, rates = programme(), np.full(6, 0.01)
    prs.reset(rates)
    rates[:] = 9.0
    np.testing.assert_array_equal(prs.last_rates_rad_s, np.full(6, 0.01))
    with pytest.raises(ValueError, match=r"rates_rad_s\[0\] = 9.0 rad/s: at most 0.04"):
        prs.reset(rates)
