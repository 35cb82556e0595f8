"""Forward and inverse kinematics of the PUMA class: properties, oracles, refusals."""

import math
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from pumas import DEG, anywhere, denavit_hartenberg, every_arm, links, lopsided, puma, sample

import arm_driver.kinematics.kernels
from arm_driver.errors import ArmError, NumbersError
from arm_driver.kinematics.geometry import GeometryError, PumaGeometry
from arm_driver.kinematics.kernels import bodies, posture
from arm_driver.kinematics.kernels import puma as kernel
from arm_driver.kinematics.puma import (
    BRANCHES,
    JointLimitError,
    OutOfReachError,
    Reach,
    SingularDistances,
    SingularError,
    batch_solutions,
    branch_of,
    forward,
    jacobian,
    limit_violations,
    nearest,
    singular_distances,
    solutions,
)
from arm_driver.warm import warm
from hil_common.arrays.pose import Pose, packed_poses

ARMS = every_arm()


def matrix(pose: Pose) -> np.ndarray:
    return np.vstack([np.column_stack([pose.rotation, pose.position_m]), [0, 0, 0, 1]])


def wrist_at(x, y, z, geometry=None) -> Pose:
    """Gripper's pose with the wrist centre there, from the shoulder point [m]."""
    geometry = geometry or puma()
    return Pose([x, y, z + geometry.base_height_m + geometry.tool_m], np.eye(3))


def turns_apart(first, second) -> float:
    """Largest difference of angles, whole turns aside [rad]."""
    return float(np.abs((first - second + math.pi) % (2 * math.pi) - math.pi).max())


@pytest.mark.parametrize("arm", ARMS)
def test_forward_is_the_product_of_the_links(arm):
    for q in sample(arm, 200, 1):
        np.testing.assert_allclose(
            matrix(forward(arm, q)), denavit_hartenberg(arm, q)[-1], rtol=0, atol=2e-15
        )


def test_forward_at_a_textbook_posture():
    """All angles 0, upper arm level, forearm upright: positions read off a drawing."""
    pose = forward(puma(), np.zeros(6))
    np.testing.assert_allclose(
        pose.position_m, [0.4318 + 0.0203, -0.15005, 0.672 + 0.4318], atol=1e-15
    )
    np.testing.assert_allclose(pose.rotation, np.eye(3), atol=1e-15)


@pytest.mark.parametrize("arm", ARMS)
def test_forward_and_jacobian_agree_with_pinocchio(arm):
    pin = pytest.importorskip("pinocchio")
    model, before = pin.Model(), pin.SE3.Identity()
    parent = 0
    for k, (d, a, alpha) in enumerate(links(arm)):
        parent = model.addJoint(parent, pin.JointModelRZ(), before, f"joint{k + 1}")
        tilt = np.array(pin.utils.rotate("x", alpha))
        before = pin.SE3(tilt, np.array([a, 0.0, d]))
    frame = model.addFrame(pin.Frame("gripper", parent, before, pin.FrameType.OP_FRAME))
    data = model.createData()
    for q in sample(arm, 100, 2):
        pin.forwardKinematics(model, data, q)
        pin.updateFramePlacements(model, data)
        pose = forward(arm, q)
        np.testing.assert_allclose(matrix(pose), data.oMf[frame].homogeneous, rtol=0, atol=3e-15)
        found = pin.computeFrameJacobian(
            model, data, q, frame, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        )
        np.testing.assert_allclose(jacobian(arm, q), found, rtol=0, atol=3e-15)
        solved = nearest(arm, pose, q).q_rad
        pin.forwardKinematics(model, data, solved)
        pin.updateFramePlacements(model, data)
        np.testing.assert_allclose(data.oMf[frame].homogeneous, matrix(pose), rtol=0, atol=1e-12)


@pytest.mark.parametrize("kind", range(len(ARMS)))
@given(data=st.data())
def test_every_solution_reaches_the_pose(kind, data):
    arm = ARMS[kind]
    q = data.draw(anywhere(arm))
    pose = forward(arm, q)
    # A sine of joint 5 up to 1e-12 counts as none, of either sign: the turn may be off by twice it.
    for one in solutions(arm, pose, q):
        np.testing.assert_allclose(
            matrix(forward(arm, one.q_rad)), matrix(pose), rtol=0, atol=3e-12
        )


def test_a_wrist_all_but_singular_still_reaches_the_pose():
    """Just under the sine below which joints 4 and 6 count as one, with either sign."""
    arm = puma()
    for q5 in (9.99e-13, -9.99e-13):
        q = np.array([0.0, 0.0, 0.0, 0.0, q5, 2.0])
        for near in (q, -q):
            for one in solutions(arm, forward(arm, q), near):
                np.testing.assert_allclose(
                    matrix(forward(arm, one.q_rad)), matrix(forward(arm, q)), rtol=0, atol=3e-12
                )


@pytest.mark.parametrize("kind", range(len(ARMS)))
@given(data=st.data())
def test_the_present_angles_are_among_the_solutions(kind, data):
    """Also on the border of the ranges, also where a joint is more than half a turn from zero."""
    arm = ARMS[kind]
    q = data.draw(anywhere(arm))
    apart = singular_distances(arm, q)
    assume(apart.wrist > 1e-4 and apart.elbow_m > 1e-6 and apart.shoulder_m > 1e-6)
    branch, pose = branch_of(arm, q), forward(arm, q)
    found = solutions(arm, pose, q)[branch.index]
    assert found.branch == branch
    assert found.within_limits
    np.testing.assert_allclose(found.q_rad, q, rtol=0, atol=1e-9)
    np.testing.assert_allclose(nearest(arm, pose, q).q_rad, q, rtol=0, atol=1e-9)


@pytest.mark.parametrize("arm", ARMS)
def test_eight_distinct_solutions_each_in_its_branch(arm):
    counted = 0
    for q in sample(arm, 300, 3):
        apart = singular_distances(arm, q)
        if apart.wrist < 0.02 or apart.elbow_m < 1e-3 or apart.shoulder_m < 1e-3:
            continue
        counted += 1
        found = solutions(arm, forward(arm, q), q)
        assert [one.branch for one in found] == list(BRANCHES)
        assert [branch_of(arm, one.q_rad) for one in found] == list(BRANCHES)
        for i in range(8):
            for j in range(i):
                assert turns_apart(found[i].q_rad, found[j].q_rad) > 1e-3
    assert counted > 200


def test_branches_mean_what_their_names_say():
    """Reaching forward to +x: the elbow of UP is above, the body of RIGHT on the right (-y)."""
    arm, pose = puma(), wrist_at(0.6, -0.1, 0.05)
    for one in solutions(arm, pose):
        frames = denavit_hartenberg(arm, one.q_rad)
        elbow, waist = frames[2][:3, 3], one.q_rad[0]
        line = (pose.position_m[2] - arm.base_height_m) / np.hypot(0.6, 0.1)
        above = elbow[2] - arm.base_height_m - line * np.hypot(elbow[0], elbow[1]) > 0
        assert above == (one.branch.elbow.name == "UP"), one.branch
        facing_forward = math.cos(waist) > 0
        assert facing_forward == (one.branch.shoulder.name == "RIGHT"), one.branch
        assert (math.sin(one.q_rad[4]) < 0) == (one.branch.wrist.name == "FLIP")


@pytest.mark.parametrize("arm", ARMS)
def test_turns_and_limits_against_trying_all_turns(arm):
    """Each angle is, of its turns inside the range, the one nearest to the present angle."""
    generator = np.random.default_rng(4)
    low, high = arm.position_min_rad, arm.position_max_rad
    inside = outside = moved = 0
    for q in sample(arm, 150, 5):
        now = generator.uniform(low, high)
        for one in solutions(arm, forward(arm, q), now):
            bad = {violation.joint for violation in one.violations}
            for j in range(6):
                turns = one.q_rad[j] + 2 * math.pi * np.arange(-4, 5)
                good = turns[(turns >= low[j] - 1e-9) & (turns <= high[j] + 1e-9)]
                if len(good):
                    inside += 1
                    best = good[np.argmin(np.abs(good - now[j]))]
                    moved += abs(best - turns[np.argmin(np.abs(turns - now[j]))]) > 1
                    assert one.q_rad[j] == best
                    assert j + 1 not in bad
                else:
                    outside += 1
                    excess = np.maximum(low[j] - turns, turns - high[j])
                    assert max(low[j] - one.q_rad[j], one.q_rad[j] - high[j]) == pytest.approx(
                        excess.min(), abs=1e-12
                    )
                    assert j + 1 in bad
    assert inside > 1000
    assert outside > 100
    assert moved > 20


def test_nearest_takes_the_least_weighted_difference_inside_the_limits():
    arm, generator = puma(), np.random.default_rng(6)
    low, high = arm.position_min_rad, arm.position_max_rad
    for q in sample(arm, 200, 7):
        now, pose = generator.uniform(low, high), forward(arm, q)
        allowed = [one for one in solutions(arm, pose, now) if one.within_limits]
        cost = [float(arm.nearness_weights @ (one.q_rad - now) ** 2) for one in allowed]
        chosen = nearest(arm, pose, now)
        assert chosen.branch == allowed[int(np.argmin(cost))].branch
        assert solutions(arm, pose, now).within_limits()[0].branch == chosen.branch


def test_nearest_keeps_a_branch_or_says_which_joint_forbids_it():
    arm = puma()
    pose, refused, kept = forward(arm, [0.3, 0.4, -2.0, 0.5, 0.6, 0.7]), 0, 0
    for one in solutions(arm, pose):
        if one.within_limits:
            kept += 1
            assert nearest(arm, pose, np.zeros(6), one.branch).branch == one.branch
            continue
        refused += 1
        with pytest.raises(JointLimitError, match=rf"{one.branch}: joint \d: .* rad is") as caught:
            nearest(arm, pose, np.zeros(6), one.branch)
        for violation in caught.value.violations:
            limits = (arm.position_min_rad, arm.position_max_rad)
            assert violation.limit_rad in [edge[violation.joint - 1] for edge in limits]
            below = violation.limit_rad == arm.position_min_rad[violation.joint - 1]
            assert (violation.value_rad < violation.limit_rad) == below
    assert refused >= 2
    assert kept >= 2


def test_no_allowed_branch_at_all_is_an_error_with_the_joint():
    narrow = PumaGeometry(position_min_rad=np.full(6, -0.1), position_max_rad=np.full(6, 0.1))
    with pytest.raises(JointLimitError, match=r"joint 3: .* below -0\.1 rad"):
        nearest(narrow, forward(puma(), [0.0, 0.0, -2.0, 0.05, 0.05, 0.0]), np.zeros(6))


@pytest.mark.parametrize("tool", [0.0, 0.2])
@pytest.mark.parametrize("by", [1e-9, 0.01, 3.0])
def test_out_of_reach_says_by_how_much_and_which_way(by, tool):
    arm = PumaGeometry(tool_m=tool)
    outer = math.hypot(arm.a2_m + math.hypot(arm.a3_m, arm.d4_m), arm.d3_m)
    direction = np.array([0.48, -0.64, 0.6])
    with pytest.raises(OutOfReachError, match="beyond full stretch") as caught:
        solutions(arm, wrist_at(*((outer + by) * direction), arm))
    assert caught.value.reach is Reach.TOO_FAR
    assert caught.value.excess_m == pytest.approx(by, abs=1e-14)
    solutions(arm, wrist_at(*((outer - 1e-9) * direction), arm))


def test_too_near_and_inside_the_shoulder():
    arm = PumaGeometry(a2_m=0.5, d4_m=0.3, a3_m=0.0)
    inner = math.hypot(0.2, arm.d3_m)
    for by in (1e-9, 0.01):
        with pytest.raises(OutOfReachError, match="nearer than the folded arm") as caught:
            nearest(arm, wrist_at(inner - by, 0, 0, arm), np.zeros(6))
        assert caught.value.reach is Reach.TOO_NEAR
        assert caught.value.excess_m == pytest.approx(by, abs=1e-14)
        with pytest.raises(OutOfReachError, match="inside the cylinder") as caught:
            nearest(
                arm, wrist_at(0.8 * (arm.d3_m - by), -0.6 * (arm.d3_m - by), 0.5, arm), np.zeros(6)
            )
        assert caught.value.reach is Reach.INSIDE_SHOULDER
        assert caught.value.excess_m == pytest.approx(by, abs=1e-14)
    solutions(arm, wrist_at(0, arm.d3_m + 1e-9, 0.5, arm))


@given(st.tuples(*[st.floats(-2.0, 2.0)] * 3), st.tuples(*[st.floats(-7.0, 7.0)] * 6))
@example((0.0, 0.0, 0.0), (0.0,) * 6)
@example((0.0, 0.15005, 0.0), (0.0,) * 6)
def test_never_nan_whatever_the_place(place, now):
    arm, pose = puma(), wrist_at(*place)
    if batch_solutions(arm, [pose.packed]).reach[0]:
        with pytest.raises(OutOfReachError) as caught:
            solutions(arm, pose, now)
        assert 0.0 < caught.value.excess_m < 10.0
        return
    found = solutions(arm, pose, now)
    assert np.isfinite(found.rows).all()
    for one in found:
        np.testing.assert_allclose(
            matrix(forward(arm, one.q_rad)), matrix(pose), rtol=0, atol=1e-12
        )


@pytest.mark.parametrize("q4", [-1.5, 0.0, 0.4, 2.5])
@pytest.mark.parametrize("arm", ARMS)
def test_in_the_wrist_singularity_joint_4_stays(q4, arm):
    q = np.array([0.3, 0.4, -2.0, 0.7, 0.0, 0.2])
    pose, now = forward(arm, q), np.array([0.2, 0.3, -1.9, q4, 0.1, 0.1])
    for wrist in (0, 1):
        branch = BRANCHES[branch_of(arm, q).index // 2 * 2 + wrist]
        found = nearest(arm, pose, now, branch).q_rad
        assert found[3] == q4
        assert abs(found[4]) < 1e-12
        assert turns_apart(found[3] + found[5], np.array([0.9])) < 1e-12


def test_on_the_axis_of_an_arm_without_offset_joint_1_stays():
    arm = PumaGeometry(d3_m=0.0, a3_m=0.0)
    for one in solutions(arm, wrist_at(0, 0, 0.5, arm), [0.7, 1.0, -1.0, 0.0, 0.0, 0.0]):
        assert one.q_rad[0] == 0.7
        np.testing.assert_allclose(
            forward(arm, one.q_rad).position_m, [0, 0, 0.5 + arm.base_height_m], atol=1e-12
        )


def test_singular_distances_are_distances():
    arm = puma()
    phi = math.atan2(arm.d4_m, arm.a3_m)
    for q in sample(arm, 100, 8):
        found = singular_distances(arm, q)
        wrist = denavit_hartenberg(arm, q)[4][:3, 3] - [0, 0, arm.base_height_m]
        assert found.wrist == pytest.approx(abs(math.sin(q[4])), abs=1e-15)
        stretch = math.hypot(arm.a2_m + math.hypot(arm.a3_m, arm.d4_m), arm.d3_m)
        fold = math.hypot(arm.a2_m - math.hypot(arm.a3_m, arm.d4_m), arm.d3_m)
        distance = np.linalg.norm(wrist)
        assert found.elbow_m == pytest.approx(min(stretch - distance, distance - fold), abs=1e-14)
        offset = math.hypot(wrist[0], wrist[1]) - arm.d3_m
        assert found.shoulder_m == pytest.approx(offset, abs=1e-14)
    assert singular_distances(arm, [0, 0, -phi, 0, 1, 0]).elbow_m < 1e-15
    assert abs(np.linalg.det(jacobian(arm, [0, 0, -phi, 0, 1, 0]))) < 1e-15
    assert abs(np.linalg.det(jacobian(arm, [0, 0.3, -1, 0.2, 0, 0]))) < 1e-15


def test_too_near_a_singularity_is_an_error_with_value_limit_and_unit():
    least = SingularDistances(0.1, 0.02, 0.03)
    SingularDistances(0.1, 0.02, 0.03).require(least)
    for name, value in (
        ("wrist", SingularDistances(0.09, 1, 1)),
        ("elbow", SingularDistances(1, 0.019, 1)),
        ("shoulder", SingularDistances(1, 1, 0.029)),
        ("shoulder", SingularDistances(1, 1, math.nan)),
    ):
        with pytest.raises(SingularError, match=name) as caught:
            value.require(least)
        assert caught.value.limit in (0.1, 0.02, 0.03)
        assert caught.value.unit == ("1" if name == "wrist" else "m")


@pytest.mark.parametrize("arm", ARMS)
def test_jacobian_is_the_derivative_of_forward(arm):
    h = 1e-6
    for q in sample(arm, 50, 9):
        J = jacobian(arm, q)
        for j in range(6):
            step = h * np.eye(6)[j]
            after, before = forward(arm, q + step), forward(arm, q - step)
            v = (after.position_m - before.position_m) / (2 * h)
            turn = (after.rotation - before.rotation) / (2 * h) @ forward(arm, q).rotation.T
            np.testing.assert_allclose(J[:3, j], v, atol=1e-9)
            np.testing.assert_allclose(J[3:, j], [turn[2, 1], turn[0, 2], turn[1, 0]], atol=1e-9)


@pytest.mark.parametrize("count", [0, 1, 50])
def test_batch_and_single_call_agree(count):
    arm = lopsided()
    q, now = sample(arm, count, 10), sample(arm, count, 11)
    poses = [forward(arm, one) for one in q]
    found = batch_solutions(arm, packed_poses(poses), now)
    assert found.q_rad.shape == (count, 8, 6)
    for n in range(count):
        single = solutions(arm, poses[n], now[n])
        np.testing.assert_array_equal(found.q_rad[n], single.q_rad)
        np.testing.assert_array_equal(found.outside[n], single.rows[:, 6])
    together = batch_solutions(arm, packed_poses(poses), np.zeros(6))
    for n in range(count):
        np.testing.assert_array_equal(
            together.q_rad[n], solutions(arm, poses[n], np.zeros(6)).q_rad
        )


def test_a_bad_pose_of_a_batch_spoils_itself_alone():
    arm = puma()
    rows = packed_poses([forward(arm, q) for q in sample(arm, 5, 12)])
    good = batch_solutions(arm, rows)
    rows[1, 0], rows[3] = 5.0, math.nan
    found = batch_solutions(arm, rows)
    assert found.reach.tolist() == [0, kernel.TOO_FAR, 0, kernel.NOT_FINITE, 0]
    assert np.isnan(found.q_rad[[1, 3]]).all()
    assert (found.outside[[1, 3]] == -1).all()
    assert found.excess_m[1] > 3.0
    np.testing.assert_array_equal(found.q_rad[[0, 2, 4]], good.q_rad[[0, 2, 4]])


def test_a_nan_in_the_orientation_alone_is_refused_too():
    arm = puma()
    rows = packed_poses([forward(arm, sample(arm, 1, 12)[0])])
    for column in range(3, 12):
        bad = rows.copy()
        bad[0, column] = math.nan
        assert batch_solutions(arm, bad).reach.tolist() == [kernel.NOT_FINITE], column


def test_wrong_numbers_are_refused_by_name():
    arm = puma()
    pose = forward(arm, np.zeros(6))
    for bad in ([0.0] * 5, [math.nan] * 6, [0, 0, math.inf, 0, 0, 0]):
        for call, arguments in (
            (forward, (bad,)),
            (solutions, (pose, bad)),
            (nearest, (pose, bad)),
            (branch_of, (bad,)),
            (singular_distances, (bad,)),
        ):
            with pytest.raises(NumbersError, match=r"q_rad|q_now"):
                call(arm, *arguments)
    with pytest.raises(NumbersError, match=r"must be \(N, 12\)"):
        batch_solutions(arm, np.zeros((3, 6)))
    with pytest.raises(NumbersError, match=r"q_now: shape \(2, 6\), must be \(6,\) or \(3, 6\)"):
        batch_solutions(arm, np.zeros((3, 12)), np.zeros((2, 6)))
    for error in (JointLimitError, OutOfReachError, SingularError, NumbersError, GeometryError):
        assert issubclass(error, ArmError)
        assert issubclass(error, ValueError)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"a2_m": 0.0}, "a2_m: 0.0 m, must be finite and above 0 m"),
        ({"d4_m": math.nan}, "d4_m"),
        ({"d3_m": -0.1}, "d3_m: -0.1 m, must be finite and at least 0 m"),
        ({"a3_m": math.inf}, "a3_m"),
        ({"tool_m": "0.1"}, "tool_m"),
        ({"rate_max_rad_s": [1, 1, 0, 1, 1, 1]}, "rate_max_rad_s, joint 3"),
        ({"position_min_rad": np.full(6, 4.0)}, "joint 1: position_min_rad"),
        ({"position_max_rad": np.zeros(5)}, r"position_max_rad: shape \(5,\)"),
    ],
)
def test_geometry_refuses(change, message):
    with pytest.raises(ArmError, match=message):
        PumaGeometry(**change)


def test_values_cannot_be_changed():
    arm = puma()
    pose = forward(arm, np.zeros(6))
    found = solutions(arm, pose)
    for array in (
        *(arm.table, arm.position_min_rad, arm.rate_max_rad_s, pose.packed, pose.rotation),
        *(pose.position_m, found.rows, found[0].q_rad, jacobian(arm, np.zeros(6))),
        *(nearest(arm, pose, np.zeros(6)).q_rad, batch_solutions(arm, np.ones((1, 12))).q_rad),
    ):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0.0


def test_angles_at_a_limit_are_inside_it():
    arm = puma()
    assert limit_violations(arm, arm.position_max_rad) == ()
    over = arm.position_max_rad + np.array([0, 0, 0, 0, 1e-6, 0])
    (one,) = limit_violations(arm, over)
    assert (one.joint, one.limit_rad) == (5, 100 * DEG)


@given(st.floats(-1e3, 1e3), st.floats(-1e3, 1e3))
def test_the_kernel_s_arctangent_is_the_library_s(y, x):
    assert abs(kernel._atan2(y, x) - math.atan2(y, x)) <= 5e-16 or (y == 0.0 and x <= 0.0)


def test_arctangent_all_around_and_on_the_axes():
    for angle in np.linspace(-math.pi, math.pi, 40001)[1:-1].tolist():
        y, x = math.sin(angle), math.cos(angle)
        assert abs(kernel._atan2(y, x) - math.atan2(y, x)) <= 5e-16
    for y, x in ((0.0, 1.0), (1.0, 0.0), (-1.0, 0.0), (0.0, -1.0), (0.0, 0.0)):
        assert kernel._atan2(y, x) == math.atan2(y, x)


def test_a_kernel_calls_only_kernels_of_its_own_file():
    folder = Path(arm_driver.kinematics.kernels.__file__).parent
    files = sorted(folder.glob("*.py"))
    assert len(files) >= 4
    for file in files:
        assert not re.search(r"^\s*(from|import) arm_driver", file.read_text(), re.M), file


def test_warming_up_leaves_nothing_to_compile():
    warm()
    compiled = {
        f"{module.__name__}.{name}": one
        for module in (kernel, posture, bodies)
        for name, one in vars(module).items()
        if hasattr(one, "signatures") and not name.startswith("_")
    }
    before = {name: len(one.signatures) for name, one in compiled.items()}
    assert len(before) >= 9
    arm, frozen, wide = lopsided(), np.zeros(6), np.zeros(12)
    frozen.setflags(write=False)
    for q in (np.zeros(6), [0.0] * 6, frozen, wide[::2]):
        pose = forward(arm, q)
        solutions(arm, pose, q)
        solutions(arm, Pose(pose.position_m, pose.rotation))
        nearest(arm, pose, q)
        jacobian(arm, q)
        singular_distances(arm, q)
        branch_of(arm, q)
        batch_solutions(arm, [pose.packed], q)
    assert {name: len(one.signatures) for name, one in compiled.items()} == before
