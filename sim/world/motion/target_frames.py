"""Frames of a way to a target, which open one after the other as the measured end meets them.

Eq. (6) of Strashnov and Finagin (2026): M frames, step_m apart along the straight line from the
pose at the start, which is never measured anew, to the target. The end turns about the fixed x of
the world until frame k_1, then about y until k_2, then about z: ``R_k = Rz(θ_k) Ry(ψ_k) Rx(φ_k)
R_c``. Their paper leaves open whether the axes are those of the world or of the starting frame:
here they are the world's. Frame k is met when ``|P - P_k| <= σ_1`` and ``‖R - R_k‖ <= σ_2`` (norm
of Frobenius).
"""

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from sim.world.motion.chain import Chain
from sim.world.motion.inverse import CoordinateDescent, damped_least_squares
from sim.world.motion.lines import StraightLine
from sim.world.motion.planned_motion import UnreachableError
from sim.world.robots.tree import turn

Array = NDArray[np.float64]

FRAMES_MAX = 100_000
"""Most frames of a way."""
SETTLING = 2000
"""Most sweeps of coordinate descent for a frame."""


def target_pose(point_m: tuple[float, ...], angles_rad: tuple[float, ...]) -> Array:
    """Pose of a point and of Euler angles about the world's fixed x, y, z, shape (4, 4)."""
    x, y, z = angles_rad
    pose = np.eye(4)
    pose[:3, :3] = turn((0, 0, 1), z) @ turn((0, 1, 0), y) @ turn((1, 0, 0), x)
    pose[:3, 3] = point_m
    return pose


@dataclass(frozen=True, slots=True, eq=False)
class TargetFrames:
    """Frames from a start to a target."""

    line: StraightLine
    """Line that they lie on, with the shares at which x and y are done."""
    count: int
    """Number M of the last frame, which is the target; frame 0 is the start."""

    @classmethod
    def between(
        cls, start: Array, goal: Array, step_m: float, step_rad: float,
        firsts: tuple[int, int] | None = None,
    ) -> Self:  # fmt: skip
        """Lay out frames at most so far apart, and turned at most so much on average.

        Args:
            firsts: the frames k_1 and k_2 at which x and y are done; None for a third and two.

        Raises:
            ValueError: if there are too many, or k_1 and k_2 do not rise within them.
        """
        whole = StraightLine(start, goal, "three_part")
        count = max(
            3,
            math.ceil(whole.length_m / step_m - 1e-9),
            math.ceil(whole.turn_rad / step_rad - 1e-9),
        )
        if count > FRAMES_MAX:
            raise ValueError(f"{count} frames to the target, at most {FRAMES_MAX}: longer steps")
        first, second = firsts or (round(count / 3), round(2 * count / 3))
        if not 0 < first < second < count:
            raise ValueError(
                f"k_1 = {first}, k_2 = {second}: the way has {count} frames, and 0 < k_1 < k_2 < "
                f"{count} is needed; shorter steps make more of them"
            )
        parts = first / count, second / count
        return cls(StraightLine(start, goal, "three_part", parts), count)

    def at(self, number: int) -> Array:
        """Pose of a frame, 0 to M, shape (4, 4)."""
        return self.line.at(number / self.count)

    def joints(self, chain: Chain, start: Array, *, descent: bool) -> list[Array]:
        """Solve the variables of a chain at frames 1 to M, each from the one before.

        Args:
            start: variables at frame 0, shape (n,).
            descent: whether by coordinate descent; else by damped least squares.

        Raises:
            UnreachableError: with the frame and what is left, if one cannot be reached.
        """
        descending, q, found = CoordinateDescent(chain, start, self.at(0)), start, list[Array]()
        for number in range(1, self.count + 1):
            wanted = self.at(number)
            if descent:
                descending.aim(wanted)
                result = descending.settle(SETTLING)
            else:
                result = damped_least_squares(chain, q, wanted)
            if not result.arrived:
                raise UnreachableError(
                    f"frame {number} of {self.count}: the nearest is {1e3 * result.error_m:.3f} mm "
                    f"and {math.degrees(result.error_rad):.4f} deg away; a target within reach and "
                    "joint limits, away from singular poses, is needed"
                )
            q = result.q
            found.append(q)
        return found


def pose_distances(found: Array, wanted: Array) -> tuple[float, float]:
    """Distance of two poses [m], and the norm of Frobenius of what their rotations differ by."""
    apart = found - wanted
    return float(np.linalg.norm(apart[:3, 3])), float(np.linalg.norm(apart[:3, :3]))
