"""Frames of a way to a target against eq. (6), read once more with other rotations."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from sim.world.motion.target_frames import TargetFrames, pose_distances, target_pose

ANGLES = st.tuples(*[st.floats(-170.0, 170.0)] * 3)
POINTS = st.tuples(*[st.floats(-2.0, 2.0)] * 3)


def pose_of(point, rotation):
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = rotation.as_matrix(), point
    return pose


def read(start, goal, count, first, second, k):
    """Frame k of eq. (6): turns about the fixed axes of the world, one after the other."""
    begin = Rotation.from_matrix(start[:3, :3])
    phi, psi, theta = (Rotation.from_matrix(goal[:3, :3]) * begin.inv()).as_euler("xyz")
    phi_k = k * phi / first if k < first else phi
    psi_k = 0.0 if k < first else (k - first) * psi / (second - first) if k < second else psi
    theta_k = 0.0 if k < second else (k - second) * theta / (count - second)
    turned = (Rotation.from_rotvec([0, 0, theta_k]) * Rotation.from_rotvec([0, psi_k, 0])
              * Rotation.from_rotvec([phi_k, 0, 0]) * begin)  # fmt: skip
    way = goal[:3, 3] - start[:3, 3]
    return pose_of(start[:3, 3] + k / count * way, turned)


@given(
    begin=st.tuples(POINTS, ANGLES), target=st.tuples(POINTS, ANGLES), parts=st.data(),
    step_m=st.floats(0.01, 0.5),
)  # fmt: skip
def test_each_frame_is_that_of_the_equation(begin, target, parts, step_m):
    start = pose_of(begin[0], Rotation.from_euler("xyz", begin[1], degrees=True))
    goal = target_pose(target[0], tuple(map(math.radians, target[1])))
    assert np.allclose(
        goal[:3, :3], Rotation.from_euler("xyz", target[1], degrees=True).as_matrix()
    )
    apart = Rotation.from_matrix(goal[:3, :3] @ start[:3, :3].T)
    assume(abs(math.cos(apart.as_euler("xyz")[1])) > 1e-3)  # the angles are not unique there
    count = TargetFrames.between(start, goal, step_m, math.radians(3.0)).count
    first = parts.draw(st.integers(1, count - 2))
    second = parts.draw(st.integers(first + 1, count - 1))
    frames = TargetFrames.between(start, goal, step_m, math.radians(3.0), (first, second))
    assert frames.count == count
    way_m = float(np.linalg.norm(goal[:3, 3] - start[:3, 3]))
    assert way_m / count <= step_m * (1.0 + 1e-6)
    assert math.degrees(apart.magnitude()) / count <= 3.0 * (1.0 + 1e-6)
    for k in {0, 1, first - 1, first, first + 1, second - 1, second, second + 1, count - 1, count}:
        if 0 <= k <= count:
            wanted = read(start, goal, count, first, second, k)
            np.testing.assert_allclose(frames.at(k), wanted, atol=1e-9)


def test_frames_are_counted_by_way_and_turn_and_there_are_three_at_least():
    start, quarter = np.eye(4), target_pose((0.1, 0.0, 0.0), (0.0, 0.0, math.pi / 2.0))
    assert TargetFrames.between(start, quarter, 0.01, math.radians(3.0)).count == 30
    assert TargetFrames.between(start, quarter, 0.001, math.radians(3.0)).count == 100
    assert TargetFrames.between(start, start, 0.01, 0.1).count == 3
    with pytest.raises(ValueError, match="way has 30 frames, and 0 < k_1 < k_2 < 30 is needed"):
        TargetFrames.between(start, quarter, 0.01, math.radians(3.0), (10, 30))
    with pytest.raises(ValueError, match="at most 100000: longer steps"):
        TargetFrames.between(start, quarter, 1e-7, 1.0)


@given(angle=st.floats(0.0, math.pi), way=POINTS)
def test_distances_are_a_length_and_the_norm_of_frobenius(angle, way):
    """Oracle: a turn by an angle differs from none by 2 sqrt(2) sin(angle / 2)."""
    other = pose_of(way, Rotation.from_rotvec(angle * np.array([0.6, 0.0, 0.8])))
    length_m, turned = pose_distances(np.eye(4), other)
    assert length_m == pytest.approx(math.hypot(*way))
    assert turned == pytest.approx(2.0 * math.sqrt(2.0) * math.sin(0.5 * angle), abs=1e-9)
