"""Joint coordinates for which the loops of a robot are closed, or the least gap that was found.

Levenberg-Marquardt on the closing points, over all coordinates of the tree, joint
limits kept but those of balls and followers: a coordinate at its limit is left there.
Tried from the start of the document, then from seven other places within the limits; a least gap is
the least of those, which is no proof that there is none smaller.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sim.world.robots.body import Numbers
from sim.world.robots.dh import pose_of
from sim.world.robots.model import AT_REST, MOTIONS, NOWHERE, JointType, RobotJoint
from sim.world.robots.tree import RobotTree, turn, unit

Array = NDArray[np.float64]

CLOSED_M: Final = 1e-6
"""Greatest gap of a closed loop."""
STEPS_MAX: Final = 100
"""Most steps of one attempt."""
ATTEMPTS: Final = 8
"""Places from which closing is tried."""
WORK_MAX: Final = 400_000
"""Most steps × loops × links of all attempts; a robot of usual size needs less."""
STEPS_LEAST: Final = 20
"""Least steps of all attempts, however large the robot is."""
STEP_MAX: Final = 0.5
"""Greatest change of a coordinate in one step [rad] or [m]."""
DAMPING: Final = 1e-9
"""Part of the greatest entry that is added to the diagonal of the normal equations; ten times as
much after each step that widens the gaps."""
DAMPING_MAX: Final = 1e6
"""Damping at which no step helps."""
FREEDOMS: Final = {
    kind: sum(3 if one.kind == "ball" else 1 for one in motions)
    for kind, motions in MOTIONS.items()
    if motions
}
"""Number of speeds of a joint of each type that moves."""


@dataclass(frozen=True, slots=True)
class ClosedLoops:
    """Result of closing the loops."""

    coordinates: dict[int, Numbers]
    """Coordinates of every joint of the tree, by its number."""
    gaps_m: dict[int, float]
    """Distance of the two points of each joint that closes a loop, by its number."""

    @property
    def gap_max_m(self) -> float:
        """Gap of the loop that is furthest from closed; 0 without loops."""
        return max(self.gaps_m.values(), default=0.0)


def closed_loops(tree: RobotTree) -> ClosedLoops:
    """Close the loops of a robot as far as they can be."""
    steps = max(STEPS_LEAST, WORK_MAX // max(1, len(tree.loops) * len(tree.links)))
    best, used = _attempt(tree, tree.coordinates({}), min(steps, STEPS_MAX))
    for attempt in range(1, ATTEMPTS):
        steps -= used
        if best.gap_max_m <= CLOSED_M or steps <= 0:
            break
        elsewhere = tree.coordinates(dict(_elsewhere(tree, attempt)))
        other, used = _attempt(tree, elsewhere, min(steps, STEPS_MAX))
        best = min(best, other, key=lambda one: one.gap_max_m)
    return best


def _attempt(
    tree: RobotTree, coordinates: dict[int, Numbers], steps: int
) -> tuple[ClosedLoops, int]:
    """Attempt a closing in some steps at most; return its result and their number."""
    leaders = [one for one in tree.drivers.values() if one.type in FREEDOMS and one.mimic is None]
    columns, count = {}, 0
    for joint in leaders:
        columns[joint.number] = count
        count += FREEDOMS[joint.type]
    gaps, damping, used = _gaps_m(tree, coordinates), DAMPING, 0
    while used < steps:
        if not gaps.size or np.abs(gaps).max() < 1e-3 * CLOSED_M or damping > DAMPING_MAX:
            break
        used += 1
        jacobian = _jacobian(tree, coordinates, columns, count)
        step = _step(jacobian, gaps.ravel(), damping, np.ones(count, dtype=bool))
        stuck = _at_limits(leaders, columns, coordinates, step)
        if stuck.any():
            step = _step(jacobian, gaps.ravel(), damping, ~stuck)
        step *= min(1.0, STEP_MAX / max(float(np.abs(step).max(initial=0.0)), 1e-300))
        moved = tree.coordinates(
            {
                one.number: _moved(one, coordinates[one.number], step[columns[one.number] :])
                for one in leaders
            }
        )
        left = _gaps_m(tree, moved)
        if np.linalg.norm(left) < np.linalg.norm(gaps):
            coordinates, gaps, damping = moved, left, max(0.1 * damping, DAMPING)
        else:
            damping *= 10.0
    distances = np.linalg.norm(gaps, axis=1).tolist()
    numbers = [joint.number for joint in tree.loops]
    return ClosedLoops(coordinates, dict(zip(numbers, distances, strict=True))), used


def _gaps_m(tree: RobotTree, coordinates: dict[int, Numbers]) -> Array:
    """Vectors from each loop's point on its first link to that on its second, shape (loops, 3)."""
    poses = tree.poses(coordinates)
    return np.array(
        [
            _seen(poses[one.child], one.at_child_m) - _seen(poses[one.parent], one.at_parent_m)
            for one in tree.loops
        ]
    ).reshape(-1, 3)


def _seen(pose: Array, point_m: Sequence[float] | None) -> Array:
    return pose[:3, :3] @ np.array(point_m) + pose[:3, 3]


def _jacobian(
    tree: RobotTree, coordinates: dict[int, Numbers], columns: dict[int, int], count: int
) -> Array:
    """Change of the gaps with the freedoms, shape (3 loops, count)."""
    poses = tree.poses(coordinates)
    dh = {link.number: link.dh for link in tree.links}
    out = np.zeros((3 * len(tree.loops), count))
    for row, loop in enumerate(tree.loops):
        sides = (loop.child, loop.at_child_m, 1.0), (loop.parent, loop.at_parent_m, -1.0)
        for number, at_m, sign in sides:
            point = _seen(poses[number], at_m)
            while number != NOWHERE:
                joint = tree.drivers[number]
                leader, ratio = joint.number, sign
                if joint.mimic is not None:
                    leader, ratio = joint.mimic.joint, sign * joint.mimic.ratio
                if leader in columns:
                    rest = pose_of(dh[number])[:3, :3]
                    if joint.parent != NOWHERE:
                        rest = poses[joint.parent][:3, :3] @ rest
                    arm = point - poses[number][:3, 3]
                    found = _directions(joint, coordinates[joint.number], poses[number], rest, arm)
                    for offset, column in enumerate(found):
                        out[3 * row : 3 * row + 3, columns[leader] + offset] += ratio * column
                number = joint.parent
    return out


def _directions(
    joint: RobotJoint, coordinates: Numbers, pose: Array, rest: Array, arm_m: Array
) -> Iterator[Array]:
    """Velocity of a point with each freedom of a joint, in the world, shape (3,) each.

    Args:
        pose: frame of the link that it moves, in the world.
        rest: axes of that frame where the joint is at zero, in the world.
        arm_m: from the frame to the point, in the world.
    """
    axes: Array = pose[:3, :3]
    before: Array = rest
    at = 0
    for number, (kind, axis) in enumerate(joint.motions, 1):
        if kind == "slide":
            along: Array = rest @ unit(axis)
            yield along
        elif kind == "hinge":  # the last one leaves its own axis where it is
            last = number == len(joint.motions)
            yield np.cross((axes if last else before) @ unit(axis), arm_m)
            before = before @ turn(axis, coordinates[at])
        else:
            turning: Array = np.cross(axes.T, arm_m)
            yield from turning
        at += len(AT_REST[kind])


def _step(jacobian: Array, gaps_m: Array, damping: float, allowed: NDArray[np.bool_]) -> Array:
    """Least squares step of the freedoms that may move, shape (count,)."""
    part = jacobian[:, allowed]
    normal = part @ part.T
    normal[np.diag_indices_from(normal)] += damping * max(float(np.diag(normal).max()), 1e-12)
    step = np.zeros(jacobian.shape[1])
    step[allowed] = -part.T @ np.linalg.solve(normal, gaps_m)
    return step


def _at_limits(
    leaders: Sequence[RobotJoint],
    columns: dict[int, int],
    coordinates: dict[int, Numbers],
    step: Array,
) -> NDArray[np.bool_]:
    """Freedoms that are at a limit and would go past it."""
    stuck = np.zeros(step.size, dtype=bool)
    for joint in leaders:
        if joint.type is JointType.BALL:
            continue
        for axis, (least, greatest) in enumerate(joint.limits):
            column, value = columns[joint.number] + axis, coordinates[joint.number][axis]
            stuck[column] = (value <= least and step[column] < 0.0) or (
                value >= greatest and step[column] > 0.0
            )
    return stuck


def _moved(joint: RobotJoint, coordinates: Numbers, step: Array) -> Numbers:
    """Coordinates of a joint after a step, within its limits."""
    if joint.type is JointType.BALL:
        return _turned(coordinates, step[:3])
    if joint.type is JointType.FREE:
        shifted = [value + float(one) for value, one in zip(coordinates[:3], step, strict=False)]
        return (*shifted, *_turned(coordinates[3:], step[3:6]))
    found = [value + float(one) for value, one in zip(coordinates, step, strict=False)]
    for axis, (least, greatest) in enumerate(joint.limits):
        found[axis] = min(max(found[axis], least), greatest)
    return tuple(found)


def _turned(quaternion: Numbers, by_rad: Array) -> Numbers:
    """A quaternion turned by a small rotation vector in its own axes."""
    angle = float(np.linalg.norm(by_rad))
    if angle < 1e-300:
        return quaternion
    b, c, d = (math.sin(0.5 * angle) / angle * by_rad).tolist()
    a = math.cos(0.5 * angle)
    w, x, y, z = quaternion
    return (
        w * a - x * b - y * c - z * d,
        w * b + x * a + y * d - z * c,
        w * c - x * d + y * a + z * b,
        w * d + x * c - y * b + z * a,
    )


def _elsewhere(tree: RobotTree, attempt: int) -> Iterator[tuple[int, Numbers]]:
    """Choose other coordinates within the limits, spread evenly (a Weyl sequence)."""
    for index, joint in enumerate(tree.drivers.values()):
        kinds = [kind for kind, _ in joint.motions]
        shares = [math.modf(attempt * (0.61803398875 + 0.1 * axis) + 0.7548 * index)[0]
                  for axis in range(max(1, len(kinds)))]  # fmt: skip
        if kinds == ["ball"]:
            half = math.pi * shares[0]
            yield joint.number, (math.cos(half), 0.0, math.sin(half), 0.0)
        elif kinds and "ball" not in kinds:
            reaches = [1.0 if kind == "slide" else math.pi for kind in kinds]
            bounds = joint.limits or [(-reach, reach) for reach in reaches]
            found = [low + s * (high - low) for s, (low, high) in zip(shares, bounds, strict=False)]
            yield joint.number, tuple(found)
