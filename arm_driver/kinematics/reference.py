"""Where to put a motion so that it lies deepest inside the arm's reach and limits."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize

from arm_driver.errors import ArmError, arm_array
from arm_driver.kinematics.bodies import clearances_m
from arm_driver.kinematics.geometry import PumaGeometry
from arm_driver.kinematics.kernels import posture
from arm_driver.kinematics.kernels import puma as kernel
from arm_driver.kinematics.motion_map import Mapping
from arm_driver.kinematics.path_report import STANDARD_LIMITS, PathLimits, PathReport
from arm_driver.kinematics.puma import BRANCHES, Joints, branch_of, forward
from arm_driver.kinematics.workspace import check_path
from hil_common.arrays.pose import Pose, packed_poses

Array = NDArray[np.float64]

STARTS = 1500
"""Random places tried before the best of them are refined."""
REFINED = 8
"""Places that are refined."""
REFINEMENTS = 300
"""Evaluations of one refinement."""
SEARCH_POINTS = 60
"""Points of the path that the search looks at; the final report looks at all."""
ROOMY_M = 0.2
"""Free distance between bodies above which more is not better."""


class NoReferenceError(ArmError):
    """No working point was found from which the whole motion keeps the limits.

    Attributes:
        report: of the best place found.
    """

    def __init__(self, report: PathReport) -> None:
        text = "; ".join(str(one) for one in report.violations)
        super().__init__(f"no reference pair keeps the limits over the whole motion; best: {text}")
        self.report = report


@dataclass(frozen=True, slots=True, eq=False)
class BestReference:
    """A reference pair and how deep the motion lies."""

    mapping: Mapping
    """With the reference pair."""
    start: Joints
    """Joint angles at the first pose, and the branch of the whole motion."""
    margin: float
    """Smallest normalised margin over the path; 1 is the middle of everything, 0 is on a limit.
    Positions and speeds count as shares of what their limits leave; distances from singularities
    and bodies as shares of the largest there can be."""
    report: PathReport
    """Every limit over the whole path, with joint, value and limit of the worst."""


@dataclass(frozen=True, slots=True, eq=False)
class _Task:
    """What the search evaluates: the motion relative to its start, and the limits."""

    geometry: PumaGeometry
    motion: Array  # packed poses relative to the first, in the industrial gripper's axes (N, 12)
    step_s: float  # between the poses that are looked at
    period_s: float  # between waypoints: in it the speed starts from and ends at rest
    limits: PathLimits
    box_m: Array  # (2, 3)

    def depth(self, place: Pose, q_start: Array, branch: int) -> float:
        """Smallest normalised margin of the motion started there; below -1 if out of reach."""
        low, high = self.box_m
        astray = np.maximum(low - place.position_m, place.position_m - high).max()
        if astray > 0.0:
            return -2.0 - float(astray)
        geometry, count = self.geometry, len(self.motion)
        q, excess = np.empty((count, 6)), np.empty(count)
        poses = _moved(place, self.motion)
        reached = kernel.follow(geometry.table, poses, branch, q_start, q, excess)
        if reached < count:
            return -1.0 - float(excess.max())
        return min(
            float(share.min())
            for share in (*self._joint_shares(q), *self._distance_shares(q))
            if share.size
        )

    def _joint_shares(self, q: Array) -> tuple[Array, Array, Array]:
        low, high = self.geometry.position_min_rad, self.geometry.position_max_rad
        rates = np.diff(q, axis=0) / self.step_s
        accelerations = np.diff(rates, axis=0) / self.step_s
        ends = rates[[0, -1]] / self.period_s if len(rates) else rates
        accelerations = np.concatenate([ends, accelerations])
        return (
            np.minimum(q - low, high - q) / (0.5 * (high - low)),
            1.0 - np.abs(rates) / self.geometry.rate_max_rad_s,
            1.0 - np.abs(accelerations) / self.geometry.acceleration_max_rad_s2,
        )

    def _distance_shares(self, q: Array) -> tuple[Array, Array]:
        geometry, least = self.geometry, self.limits.least
        found = np.empty((len(q), 3))
        posture.singular_distances(geometry.table, q, found)
        lowest = np.array([least.wrist, least.elbow_m, least.shoulder_m])
        band = geometry.reach_m - geometry.fold_m
        largest = np.array([1.0, 0.5 * band, 0.5 * band])
        singular = (found - lowest) / np.maximum(largest - lowest, 1e-9)
        free = clearances_m(geometry, q, self.limits.bodies) - self.limits.clearance_min_m
        return singular, free / ROOMY_M


def best_reference(
    geometry: PumaGeometry,
    gripper_path: Sequence[Pose],
    period_s: float,
    *,
    limits: PathLimits = STANDARD_LIMITS,
    alignment: ArrayLike | None = None,
    scale: float = 1.0,
    orientations: Sequence[ArrayLike] | None = None,
    box_m: ArrayLike | None = None,
    seed: int = 0,
) -> BestReference:
    """Reference pair from which the planned motion lies deepest inside the industrial arm.

    X_WG0 is the first pose of the path: any other choice is the same motion with another X_RT0,
    so nothing is lost. How sharp its corners are is the same at every place: that is not looked at.
    X_RT0 maximises the smallest normalised margin over the path. Random
    places come first, then the best of them are refined by Nelder and Mead's simplex method; the
    same arguments give the same answer.

    Args:
        gripper_path: X_WG of the space arm's gripper at each waypoint.
        limits: what the path must keep besides the joints' limits.
        alignment: A of the mapping, shape (3, 3); identity without it.
        scale: of translations.
        orientations: rotations of X_RT0 to choose from; without it, any.
        box_m: lowest and highest corner of allowed working points [m], shape (2, 3).
        seed: of the random places.

    Raises:
        NoReferenceError: no place was found that keeps the limits; with the best one's report.
        ArmError: an empty path, a box that is not one, or a bad period or scale.
        PoseError: an orientation or ``alignment`` that is not a rotation.
    """
    if not gripper_path:
        raise ArmError("gripper_path: no pose, a path has at least one")
    if not (np.isfinite(period_s) and period_s > 0.0):
        raise ArmError(f"period_s: {period_s} s, must be finite and above 0 s")
    turn = np.eye(3) if alignment is None else np.asarray(alignment)
    # With X_RT0 the identity the mapping gives the motion itself.
    motion = Mapping(gripper_path[0], Pose.identity(), turn, scale)
    relative = packed_poses([motion.robot_pose(pose) for pose in gripper_path])
    stride = -(-len(relative) // SEARCH_POINTS)
    box = _box(geometry, box_m)
    task = _Task(geometry, relative[::stride], stride * period_s, period_s, limits, box)
    place, q_start = _search(task, orientations, np.random.default_rng(seed))
    mapping = Mapping(gripper_path[0], place, turn, scale)
    poses = [mapping.robot_pose(pose) for pose in gripper_path]
    report = check_path(geometry, poses, period_s, q_start, limits)
    if not report.ok:
        raise NoReferenceError(report)
    whole = _Task(geometry, relative, period_s, period_s, limits, box)
    margin = whole.depth(place, np.array(q_start), report.branch.index)
    return BestReference(mapping, Joints.of(report.q_rad[0], report.branch), margin, report)


def _box(geometry: PumaGeometry, box_m: ArrayLike | None) -> Array:
    if box_m is None:
        span = geometry.reach_m + geometry.tool_m
        shoulder = np.array([0.0, 0.0, geometry.base_height_m])
        return np.array([shoulder - span, shoulder + span])
    box = arm_array(box_m, (2, 3), "box_m")
    if not (box[0] < box[1]).all():
        raise ArmError(f"box_m: lowest corner {box[0]} must be below the highest, {box[1]}")
    return box


def _moved(place: Pose, motion: Array) -> Array:
    """Packed poses ``place @ motion``, shape (N, 12)."""
    out = np.empty_like(motion)
    out[:, :3] = place.position_m + motion[:, :3] @ place.rotation.T
    turned = place.rotation @ motion[:, 3:].reshape(-1, 3, 3)  # (N, 3, 3)
    out[:, 3:] = turned.reshape(-1, 9)
    return out


def _search(
    task: _Task, orientations: Sequence[ArrayLike] | None, generator: np.random.Generator
) -> tuple[Pose, Array]:
    """The best working point, and joint angles there."""
    geometry = task.geometry
    if orientations is None:

        def by_joints(q: Array) -> float:
            q = np.clip(q, geometry.position_min_rad, geometry.position_max_rad)
            return task.depth(forward(geometry, q), q, branch_of(geometry, q).index)

        span = np.array([geometry.position_min_rad, geometry.position_max_rad])
        _, best = _climb(by_joints, span, STARTS, generator)
        q = np.clip(best, *span)
        return forward(geometry, q), q
    if not orientations:
        raise ArmError("orientations: an empty choice; give at least one rotation, or None for any")
    found: list[tuple[float, Pose, Array]] = []
    for rotation in orientations:
        turn = Pose(np.zeros(3), np.asarray(rotation)).rotation

        def by_place(position: Array, turn: Array = turn) -> float:
            return _best_branch(task, Pose(position, turn))[0]

        starts = max(100, STARTS // (4 * len(orientations)))
        depth, position = _climb(by_place, task.box_m, starts, generator)
        place = Pose(position, turn)
        found.append((depth, place, _best_branch(task, place)[1]))
    _, place, q = max(found, key=lambda one: one[0])
    return place, q


def _best_branch(task: _Task, place: Pose) -> tuple[float, Array]:
    """Depth of the best branch at a working point, and its joint angles."""
    rows, middle = np.empty((kernel.BRANCHES, kernel.SOLUTION_SIZE)), task.geometry.middle_rad
    status, excess = kernel.solve(task.geometry.table, place.packed, middle, rows)
    if status != kernel.REACHED:
        return -1.0 - excess, middle
    inside = [k for k in range(len(BRANCHES)) if rows[k, 6] == 0.0] or [int(rows[:, 7].argmin())]
    depths = [task.depth(place, np.array(rows[k, :6]), k) for k in inside]
    best = int(np.argmax(depths))
    return depths[best], np.array(rows[inside[best], :6])


def _climb(
    depth: Callable[[Array], float], span: Array, starts: int, generator: np.random.Generator
) -> tuple[float, Array]:
    """Largest depth found inside ``span``, shape (2, K), and where, shape (K,)."""
    size = span[1] - span[0]
    places = span[0] + size * generator.random((starts, len(size)))
    depths = np.array([depth(place) for place in places])
    order = np.argsort(-depths, kind="stable")[:REFINED]
    best = float(depths[order[0]]), places[order[0]]
    for k in order:
        simplex = np.vstack([places[k], places[k] + np.diag(0.08 * size)])
        options = {"initial_simplex": simplex, "maxfev": REFINEMENTS, "xatol": 1e-4}
        result = minimize(lambda x: -depth(x), places[k], method="Nelder-Mead", options=options)
        if -result.fun > best[0]:
            best = -float(result.fun), np.asarray(result.x)
    return best
