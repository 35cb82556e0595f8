"""Joint angles for a place of the gripper, for any arm: Newton's method with a damped inverse.

From a start within the joints' travel each step takes the damped rates of `singularity.Posture` for
what is left of the way, and ends at the joints' limits. An arm that does not follow all components
of a velocity leaves the others of a place as they come. Redundant arms have many answers; one that
is reached from the start is found, whole turns nearest to it.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hil_common.arrays.rotation import turn_vector
from sim.world.space_arm.arm import Arm
from sim.world.space_arm.kernels import dynamics
from sim.world.space_arm.singularity import Damping, PostureSolver, reach_m

Array = NDArray[np.float64]

ITERATIONS = 200
STARTS = 24
"""Number of starts: the one that is given, and drawn ones."""
STEP_RAD = 0.3
"""Longest step of a joint [rad, or m]."""
CLOSE = 1e-10
"""What may be left, in parts of the arm's reach and in rad."""
SEED = 35


class InverseKinematics:
    """Solver for joint angles of an arm, of the components of a place that it follows."""

    def __init__(self, arm: Arm) -> None:
        self._arm = arm
        self._counts = np.array(arm.followed)
        self._solver = PostureSolver(arm, reach_m(arm))
        self._scale = np.array([reach_m(arm)] * 3 + [1.0] * 3)
        self._low = np.array([link.position_min_rad for link in arm.links])
        self._high = np.array([link.position_max_rad for link in arm.links])

    def solve(
        self, position_m: Array, rotation: Array, near_rad: Sequence[float] | Array
    ) -> tuple[Array, float, float]:
        """Find the joint angles for a place of the gripper frame in the base.

        Args:
            position_m: of the gripper's origin [m], shape (3,).
            rotation: axes of the gripper frame as columns, shape (3, 3).
            near_rad: where to begin [rad; of prismatic joints m], shape (n,).

        Returns:
            Joint angles, and what is left there: distance [m] and angle [rad], of the components
            that count; both next to 0 if the place is reached.
        """
        rng = np.random.default_rng(SEED)
        drawn = rng.uniform(self._low, self._high, (STARTS - 1, self._arm.joints))
        best, left = np.array(near_rad, dtype=np.float64), np.full(6, np.inf)
        for start in (best, *drawn):
            q = self._descend(np.clip(start, self._low, self._high), position_m, rotation)
            after = self._left(q, position_m, rotation)
            if self._size(after) < self._size(left):
                best, left = q, after
            if self._size(left) < CLOSE:
                break
        best = self._turned_back(best, np.array(near_rad, dtype=np.float64))
        return best, float(np.linalg.norm(left[:3])), float(np.linalg.norm(left[3:]))

    def _descend(self, q: Array, position_m: Array, rotation: Array) -> Array:
        """Go from a start towards the place as far as it gets nearer."""
        left = self._left(q, position_m, rotation)
        for _ in range(ITERATIONS):
            if self._size(left) < CLOSE:
                break
            step = self._solver.at(q).rates(left, Damping(below=0.02, largest=0.02))
            step *= min(1.0, STEP_RAD / max(float(np.abs(step).max()), 1e-300))
            for factor in (1.0, 0.5, 0.25, 0.05):
                tried = np.clip(q + factor * step, self._low, self._high)
                after = self._left(tried, position_m, rotation)
                if self._size(after) < self._size(left):
                    break
            else:
                break
            q, left = tried, after
        return q

    def _turned_back(self, q: Array, near: Array) -> Array:
        """Take whole turns out of revolute joints where they lead away from the start."""
        turn = np.where([link.prismatic for link in self._arm.links], 0.0, 2.0 * np.pi)
        nearer = q - turn * np.round((q - near) / (2.0 * np.pi))
        return np.where((nearer >= self._low) & (nearer <= self._high), nearer, q)

    def _left(self, q: Array, position_m: Array, rotation: Array) -> Array:
        """Compute the way that is left as a twist: metres, then radians, base axes, shape (6,)."""
        here, place = np.empty((3, 3)), np.empty(3)
        dynamics.gripper_pose(self._arm.arrays(), q, dynamics.make_scratch(), here, place)
        turn = turn_vector(rotation @ here.T)
        return np.where(self._counts, np.concatenate([position_m - place, turn]), 0.0)

    def _size(self, left: Array) -> float:
        return float(np.linalg.norm(left / self._scale))
