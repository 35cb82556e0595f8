"""A motion moved to the industrial arm: mapping, branch, the path's limits, the best place."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pumas import DEG, denavit_hartenberg, lopsided, puma, sample
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

from arm_driver.errors import ArmError
from arm_driver.kinematics.bodies import PAIRS, Bodies, clearances_m
from arm_driver.kinematics.branch_tracker import BranchTracker
from arm_driver.kinematics.geometry import GeometryError, PumaGeometry
from arm_driver.kinematics.motion_map import Mapping
from arm_driver.kinematics.path_report import PathLimits, PathRefusedError
from arm_driver.kinematics.puma import (
    JointLimitError,
    OutOfReachError,
    SingularDistances,
    SingularError,
    branch_of,
    forward,
    limit_violations,
)
from arm_driver.kinematics.reference import NoReferenceError, best_reference
from arm_driver.kinematics.workspace import check_path
from hil_common.arrays.pose import Pose, PoseError, angle_between_rad

READY = np.radians([-60.0, 20.0, -160.0, 10.0, -50.0, 30.0])
PERIOD_S = 0.35


def pose(x=0.0, y=0.0, z=0.0, turn=(0.0, 0.0, 0.0)) -> Pose:
    return Pose([x, y, z], Rotation.from_rotvec(turn).as_matrix())


poses = st.builds(pose, *[st.floats(-3, 3)] * 3, turn=st.tuples(*[st.floats(-1.7, 1.7)] * 3))


def close(first: Pose, second: Pose, tolerance=1e-12) -> bool:
    return np.allclose(first.packed, second.packed, rtol=0, atol=tolerance)


def line(start: Pose, step_m, count: int) -> list[Pose]:
    return [Pose(start.position_m + k * np.array(step_m), start.rotation) for k in range(count)]


@given(poses, poses, poses, poses)
def test_the_mapping_is_the_formula(X_WG0, X_RT0, X_WG, alignment):
    A = Pose(np.zeros(3), alignment.rotation)
    mapping = Mapping(X_WG0, X_RT0, A.rotation)
    expected = X_RT0 @ A.inverse() @ (X_WG0.inverse() @ X_WG) @ A
    assert close(mapping.robot_pose(X_WG), expected)
    assert close(mapping.robot_pose(X_WG0), X_RT0)
    assert close(mapping.simulated_pose(mapping.robot_pose(X_WG)), X_WG)
    assert not mapping.is_scaled


@given(poses, poses, poses, poses)
def test_distances_and_turns_are_those_of_the_simulated_gripper(X_WG0, X_RT0, one, other):
    mapping = Mapping(X_WG0, X_RT0, Rotation.from_rotvec([0.2, 1.1, -0.4]).as_matrix())
    moved = mapping.robot_pose(one), mapping.robot_pose(other)
    asked = np.linalg.norm(one.position_m - other.position_m)
    assert np.linalg.norm(moved[0].position_m - moved[1].position_m) == pytest.approx(asked)
    turned = angle_between_rad(*moved)
    assert turned == pytest.approx(angle_between_rad(one, other), abs=1e-12)


def test_alignment_turns_the_axes_of_the_motion():
    """The simulated gripper advances along its x, which is the industrial gripper's z."""
    alignment = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    mapping = Mapping(Pose.identity(), Pose.identity(), alignment)
    np.testing.assert_allclose(mapping.robot_pose(pose(0.1)).position_m, [0, 0, 0.1], atol=1e-15)


def test_a_scale_is_flagged_and_leaves_turns_alone():
    mapping = Mapping(Pose.identity(), pose(1.0), scale=0.5)
    moved = mapping.robot_pose(pose(0.2, turn=(0.0, 0.3, 0.0)))
    np.testing.assert_allclose(moved.position_m, [1.1, 0, 0], atol=1e-15)
    assert angle_between_rad(moved, Pose.identity()) == pytest.approx(0.3)
    assert mapping.is_scaled
    assert close(mapping.simulated_pose(moved), pose(0.2, turn=(0.0, 0.3, 0.0)))
    for bad in (0.0, -1.0, math.nan, math.inf):
        with pytest.raises(ArmError, match="scale"):
            Mapping(Pose.identity(), Pose.identity(), scale=bad)
    with pytest.raises(PoseError):
        Mapping(Pose.identity(), Pose.identity(), 2.0 * np.eye(3))


@pytest.mark.parametrize("angle", [0.0, 1e-9, 0.3, math.pi - 1e-9, math.pi])
def test_angle_between_poses(angle):
    turn = pose(turn=angle * np.array([0.48, -0.64, 0.6]))
    assert angle_between_rad(Pose.identity(), turn) == pytest.approx(angle, abs=1e-15, rel=1e-6)


def test_a_stream_stays_in_its_branch_and_goes_on_turning():
    """A full turn and a bit of the hand: joint 6 passes half a turn without a jump."""
    arm, start = lopsided(), np.radians([-40.0, 20.0, -170.0, 10.0, -50.0, 100.0])
    tracker, before = BranchTracker(arm, start), start
    for k in range(1, 200):
        wanted = start + np.array([0, 0, 0, 0, 0, k * 0.03])
        found = tracker.follow(forward(arm, wanted))
        np.testing.assert_allclose(found.q_rad, wanted, atol=1e-10)
        assert np.abs(found.q_rad - before).max() < 0.031
        before = found.q_rad
    assert found.branch == tracker.branch == branch_of(arm, start)


def test_a_refused_pose_changes_nothing():
    arm = puma()
    tracker = BranchTracker(arm, READY)
    near = forward(arm, READY)
    with pytest.raises(OutOfReachError):
        tracker.follow(pose(3.0))
    with pytest.raises(SingularError, match="wrist"):
        tracker.follow(forward(arm, np.array([*READY[:4], -0.05, READY[5]])))
    with pytest.raises(JointLimitError, match="joint 5"):
        tracker.follow(forward(arm, np.array([*READY[:4], -101 * DEG, READY[5]])))
    np.testing.assert_array_equal(tracker.last.q_rad, READY)
    np.testing.assert_allclose(tracker.follow(near).q_rad, READY, atol=1e-12)


def test_no_stream_starts_in_a_singularity():
    with pytest.raises(
        SingularError, match=r"wrist singularity: distance 0\.04998 1, must be at least 0\.1 1"
    ):
        BranchTracker(puma(), [*READY[:4], -0.05, 0.0])


def test_a_fair_path_passes_with_its_figures():
    arm = PumaGeometry(tool_m=0.13)
    start = forward(arm, READY)
    report = check_path(arm, line(start, [0.01, 0, 0.005], 10), PERIOD_S, READY)
    assert report.ok
    report.require()
    found = {one.kind: one for one in report.findings}
    assert found["gripper speed"].value == pytest.approx(math.hypot(0.01, 0.005) / PERIOD_S)
    rates = np.diff(report.q_rad, axis=0) / PERIOD_S
    share = np.abs(rates) / arm.rate_max_rad_s
    step, joint = np.unravel_index(share.argmax(), share.shape)
    speed = found["joint speed"]
    assert (speed.index, speed.place) == (step + 1, f"joint {joint + 1}")
    assert speed.value == rates[step, joint]
    free = clearances_m(arm, report.q_rad)
    assert found["clearance"].value == free.min()
    for pose_asked, q in zip(line(start, [0.01, 0, 0.005], 10), report.q_rad, strict=True):
        assert close(forward(arm, q), pose_asked)


def refused(geometry, path, q_start=READY, limits=None, **more):
    """The one limit that a path breaks."""
    report = check_path(geometry, path, PERIOD_S, q_start, limits or PathLimits(), **more)
    with pytest.raises(PathRefusedError, match="industrial arm, ") as caught:
        report.require()
    assert caught.value.report is report
    (one,) = report.violations
    when = f"{one.index * PERIOD_S:.2f} s"
    told = f"{one.place}, pose {one.index} ({when}): {one.value:.6g} {one.unit}"
    assert told in str(caught.value)
    assert "outside the limit" in str(caught.value)
    return one


def test_a_pose_out_of_reach_is_named():
    start = forward(puma(), READY)
    one = refused(puma(), [start, pose(0.0, 2.0, 0.672), start, pose(0.0, 5.0, 0.672)])
    assert (one.kind, one.index, one.unit) == ("reach", 3, "m")
    assert one.value == pytest.approx(5.0 - puma().reach_m)


@pytest.mark.parametrize("joint", range(6))
@pytest.mark.parametrize("side", [-1, 1])
def test_each_joint_s_range_speed_and_acceleration_are_held(joint, side):
    step = 0.02 * side * np.eye(6)[joint]
    q = READY + np.arange(5)[:, None] * step
    path = [forward(puma(), one) for one in q]
    wide = PathLimits(speed_max_m_s=9.0, turn_rate_max_rad_s=9.0)
    assert check_path(puma(), path, PERIOD_S, READY, wide).ok
    low, high = np.array(puma().position_min_rad), np.array(puma().position_max_rad)
    edge = READY[joint] + side * 0.06
    (low if side < 0 else high)[joint] = edge
    narrow = PumaGeometry(position_min_rad=low, position_max_rad=high)
    one = refused(narrow, path, limits=wide)
    assert (one.kind, one.place, one.index) == ("joint position", f"joint {joint + 1}", 4)
    assert one.limit == edge
    assert one.value == pytest.approx(READY[joint] + side * 0.08)
    for kind, field, value in (
        ("joint speed", "rate_max_rad_s", 0.02 / PERIOD_S),
        ("joint acceleration", "acceleration_max_rad_s2", 0.02 / PERIOD_S**2),
    ):
        limits = np.full(6, 9.0)
        limits[joint] = value * (1 + 1e-6)
        assert check_path(PumaGeometry(**{field: limits}), path, PERIOD_S, READY, wide).ok
        limits[joint] = value * (1 - 1e-6)
        one = refused(PumaGeometry(**{field: limits}), path, limits=wide)
        assert (one.kind, one.place, one.limit) == (kind, f"joint {joint + 1}", limits[joint])
        assert abs(one.value) == pytest.approx(value)


def test_a_rest_at_an_end_is_a_change_of_speed():
    step = np.array([0.02, 0, 0, 0, 0, 0])
    path = [forward(puma(), READY + k * step) for k in range(5)]
    strict = PumaGeometry(acceleration_max_rad_s2=np.full(6, 0.1))
    wide = PathLimits(speed_max_m_s=9.0)
    for from_rest, to_rest, index in ((True, False, 0), (False, True, 4)):
        one = refused(strict, path, limits=wide, from_rest=from_rest, to_rest=to_rest)
        assert (one.kind, one.index) == ("joint acceleration", index)
    assert check_path(strict, path, PERIOD_S, READY, wide, from_rest=False, to_rest=False).ok
    kink = [*path, *path[-2::-1]]
    one = refused(strict, kink, limits=wide, from_rest=False, to_rest=False)
    assert (one.index, abs(one.value)) == (4, pytest.approx(0.04 / PERIOD_S**2))


def test_the_gripper_s_speed_and_turn_rate_are_held():
    start = forward(puma(), READY)
    fair = line(start, [0.1 * PERIOD_S, 0, 0], 3)
    assert check_path(puma(), fair, PERIOD_S, READY).ok
    one = refused(puma(), [*fair, *line(fair[-1], [0.1 * PERIOD_S + 1e-6, 0, 0], 2)[1:]])
    assert (one.kind, one.index, one.limit, one.unit) == ("gripper speed", 3, 0.1, "m/s")
    turned = [start, start @ pose(turn=(0, 0, 0.1)), start @ pose(turn=(0, 0, 0.3))]
    one = refused(puma(), turned)
    assert (one.kind, one.index, one.unit) == ("gripper turn rate", 2, "rad/s")
    assert one.value == pytest.approx(0.2 / PERIOD_S)


def test_singularities_are_kept_away_from():
    wide = PathLimits(speed_max_m_s=9.0, turn_rate_max_rad_s=9.0)
    phi = math.atan2(puma().d4_m, puma().a3_m)
    at_wrist = np.array([*READY[:4], -0.09, READY[5]])
    at_elbow = np.array([*READY[:2], -phi - 0.2, *READY[3:]])
    one = refused(puma(), [forward(puma(), at_wrist)], at_wrist, wide)
    assert (one.kind, one.unit, one.limit) == ("wrist singularity", "1", 0.1)
    assert one.value == pytest.approx(math.sin(0.09))
    one = refused(puma(), [forward(puma(), at_elbow)], at_elbow, wide)
    assert (one.kind, one.unit, one.limit) == ("elbow singularity", "m", 0.02)
    upright = np.array([0.0, 75 * DEG, -60 * DEG, 0.0, 60 * DEG, 0.0])
    far = replace(wide, least=SingularDistances(0.1, 0.0, 0.0))
    assert check_path(puma(), [forward(puma(), upright)], PERIOD_S, upright, far).ok
    one = refused(puma(), [forward(puma(), upright)], upright, wide)
    assert (one.kind, one.unit, one.limit) == ("shoulder singularity", "m", 0.02)


def test_a_hand_in_the_table_the_column_or_the_upper_arm_is_refused():
    wide = PathLimits(speed_max_m_s=9.0, turn_rate_max_rad_s=9.0)
    for height_m, q_deg, place in (
        (0.4, [0, -20, -120, 0, -60, 0], "table and hand"),
        (0.672, [0, -10, -200, 20, -70, 0], "column and hand"),
        (0.672, [0, 110, -220, -10, -100, 0], "upper arm and hand"),
    ):
        arm, q = PumaGeometry(base_height_m=height_m, tool_m=0.3), np.radians(q_deg)
        one = refused(arm, [forward(arm, q)], q, wide)
        assert (one.kind, one.place, one.unit, one.limit) == ("clearance", place, "m", 0.01)
        assert one.value < 0.0


def segments_apart(a, b) -> float:
    """Distance of two segments by bounded optimisation from several starts."""

    def square(x):
        gap = a[0] + x[0] * (a[1] - a[0]) - b[0] - x[1] * (b[1] - b[0])
        return float(gap @ gap)

    starts = ([0.5, 0.5], [0, 0], [1, 1], [0, 1])
    runs = [minimize(square, s, bounds=[(0, 1)] * 2, tol=1e-16) for s in starts]
    return math.sqrt(min(run.fun for run in runs))


def test_clearances_are_distances_of_capsules():
    arm, sizes = lopsided(), Bodies()
    head = arm.base_height_m - sizes.column_gap_m - sizes.column_radius_m
    column = np.array([[0, 0, 0], [0, 0, head]])
    for q in sample(arm, 15, 20):
        frames = denavit_hartenberg(arm, q)
        offset = np.append(sizes.upper_arm_offset_m * frames[1][:3, 2], 0)
        upper = [(frames[1][:, 3] + offset)[:3], (frames[2][:, 3] + offset)[:3]]
        forearm, hand = [f[:3, 3] for f in frames[3:5]], [f[:3, 3] for f in (frames[4], frames[6])]
        found = clearances_m(arm, q.reshape(1, 6))[0]
        radii = {"column": 0.10, "upper arm": 0.09, "forearm": 0.07, "hand": 0.05}
        axes = {"column": column, "upper arm": upper, "forearm": forearm, "hand": hand}
        for (first, second), distance_m in zip(PAIRS, found.tolist(), strict=True):
            if first == "table":
                expected = min(p[2] for p in axes[second]) - radii[second]
            else:
                gap = segments_apart(axes[first], axes[second])
                expected = gap - radii[first] - radii[second]
            assert distance_m == pytest.approx(expected, abs=2e-6), (first, second)


def test_bodies_and_limits_refuse_nonsense():
    with pytest.raises(GeometryError, match="hand_radius_m"):
        Bodies(hand_radius_m=-0.1)
    with pytest.raises(GeometryError, match="q_rad"):
        clearances_m(puma(), [[math.nan] * 6])
    with pytest.raises(ArmError, match="speed_max_m_s: 0"):
        PathLimits(speed_max_m_s=0)
    with pytest.raises(ArmError, match=r"least\.wrist: nan"):
        PathLimits(least=SingularDistances(math.nan, 0.0, 0.0))
    with pytest.raises(ArmError, match="poses: none"):
        check_path(puma(), [], PERIOD_S, READY)
    with pytest.raises(ArmError, match="period_s: 0"):
        check_path(puma(), [Pose.identity()], 0.0, READY)


MOTION = [
    pose(10.0 + 0.3 * math.sin(math.pi * k / 60) ** 2, -4.0 + 0.1 * k / 60, 0.2 * k / 60)
    for k in range(61)
]
ARM = PumaGeometry(tool_m=0.13)


@pytest.fixture(scope="module")
def best():
    return best_reference(ARM, MOTION, PERIOD_S)


def test_the_best_reference_keeps_everything_and_lies_deep(best):
    assert best.report.ok
    assert best.margin > 0.40
    assert limit_violations(ARM, best.start.q_rad) == ()
    for X_WG, q in zip(MOTION, best.report.q_rad, strict=True):
        assert close(forward(ARM, q), best.mapping.robot_pose(X_WG), 1e-12)
        assert branch_of(ARM, q) == best.start.branch
    low, high = ARM.position_min_rad, ARM.position_max_rad
    q = best.report.q_rad
    assert (np.minimum(q - low, high - q) / (0.5 * (high - low))).min() >= best.margin - 1e-12


def test_the_best_reference_beats_random_places(best):
    """Of many places, found by nothing but chance, none leaves more in the joints' ranges and
    away from the wrist's singularity, which are what bounds this motion."""
    low, high = ARM.position_min_rad, ARM.position_max_rad
    generator, fair = np.random.default_rng(1), 0
    for q0 in generator.uniform(low, high, (400, 6)):
        mapping = Mapping(MOTION[0], forward(ARM, q0))
        path = [mapping.robot_pose(one) for one in MOTION[::6]]
        report = check_path(ARM, path, 6 * PERIOD_S, q0, from_rest=False, to_rest=False)
        if not report.ok:
            continue
        fair += 1
        margins = {one.kind: one.margin for one in report.findings}
        share = min(margins["joint position"], margins["wrist singularity"] / 0.9)
        reach = margins["elbow singularity"] / (0.5 * (ARM.reach_m - ARM.fold_m) - 0.02)
        assert min(share, reach, margins["clearance"] / 0.2) < best.margin
    assert fair > 3


def normalised(arm, report) -> dict[str, float]:
    """Margins of a report as shares of the largest there can be."""
    band = 0.5 * (arm.reach_m - arm.fold_m) - 0.02
    largest = {
        "wrist singularity": 0.9,
        "elbow singularity": band,
        "shoulder singularity": band,
        "clearance": 0.2,
    }
    kinds = ("joint position", "joint speed", "joint acceleration", *largest)
    margins = {one.kind: one.margin for one in report.findings}
    return {kind: margins[kind] / largest.get(kind, 1.0) for kind in kinds}


def test_the_margin_is_that_of_the_tightest_limit(best):
    slow = PumaGeometry(tool_m=0.13, rate_max_rad_s=np.full(6, 0.12))
    sluggish = PumaGeometry(tool_m=0.13, acceleration_max_rad_s2=np.full(6, 0.08))
    for arm, kind in ((ARM, None), (slow, "joint speed"), (sluggish, "joint acceleration")):
        found = best if arm is ARM else best_reference(arm, MOTION, PERIOD_S)
        shares = normalised(arm, found.report)
        assert found.margin == pytest.approx(min(shares.values()), abs=1e-12)
        if kind:
            assert shares[kind] < found.margin + 0.02
            assert found.margin > 0.3


def test_the_same_arguments_give_the_same_answer(best):
    again = best_reference(ARM, MOTION, PERIOD_S)
    np.testing.assert_array_equal(again.mapping.X_RT0.packed, best.mapping.X_RT0.packed)
    assert again.margin == best.margin


def test_orientation_and_box_are_kept():
    down = Rotation.from_euler("x", 180, degrees=True).as_matrix()
    box = np.array([[0.2, -0.5, 0.2], [0.7, 0.5, 0.6]])
    found = best_reference(ARM, MOTION, PERIOD_S, orientations=[np.eye(3), down], box_m=box)
    place = found.mapping.X_RT0
    assert (place.position_m >= box[0]).all()
    assert (place.position_m <= box[1]).all()
    assert any(np.array_equal(place.rotation, one) for one in (np.eye(3), down))
    assert found.margin > 0.1
    free = best_reference(ARM, MOTION, PERIOD_S, box_m=box)
    assert (free.mapping.X_RT0.position_m >= box[0]).all()
    assert (free.mapping.X_RT0.position_m <= box[1]).all()


def test_a_motion_that_fits_nowhere_is_refused_with_the_reason():
    with pytest.raises(
        NoReferenceError, match=r"best: industrial arm, reach, wrist centre, pose \d"
    ):
        best_reference(ARM, line(Pose.identity(), [0.03, 0, 0], 100), PERIOD_S)
    with pytest.raises(NoReferenceError, match="gripper speed"):
        best_reference(ARM, line(Pose.identity(), [0.05, 0, 0], 4), PERIOD_S)
    for change, message in (
        ({"gripper_path": []}, "gripper_path: no pose"),
        ({"period_s": 0.0}, "period_s"),
        ({"box_m": np.zeros((2, 3))}, "box_m"),
        ({"orientations": []}, "orientations"),
    ):
        arguments = {"gripper_path": MOTION, "period_s": PERIOD_S} | change
        with pytest.raises(ArmError, match=message):
            best_reference(ARM, **arguments)
