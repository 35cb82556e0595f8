"""From the legs to the platform: the pose that has given leg lengths.

A hexapod's lengths belong to up to forty poses. Newton's method from a pose near the wanted one
(the last tick's) finds that one; nothing here can tell which branch a machine stands on.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hil_common.arrays.pose import Pose
from platform6dof.geometry import HexapodGeometry
from platform6dof.kernels import legs as kernel

Array = NDArray[np.float64]

TOLERANCE_M = 1e-12
MAX_STEPS = 50
CONDITION_MAX = 1e6
"""A pose with a larger condition number (1-norm, scaled Jacobian) is not trusted: an encoder step
of a micrometre could hide a metre."""

_PAIRS = tuple((i + 1, j + 1) for i in range(6) for j in range(i + 1, 6))


@dataclass(frozen=True, slots=True, eq=False)
class ForwardResult:
    """What the search found."""

    X_BP: Pose
    """The pose; **the guess, and not to be used, unless converged**."""
    iterations: int
    """Newton steps taken."""
    residual_m: float
    """Largest difference of a length from the wanted one [m]; nan if not begun."""
    condition: float
    """1-norm condition number of the scaled Jacobian at the pose; inf if not reached."""
    converged: bool
    """Whether X_BP is the answer."""
    reason: str
    """Why not, with leg, value and limit; empty if converged."""


def forward(
    geometry: HexapodGeometry,
    length_m: ArrayLike,
    guess: Pose,
    tolerance_m: float = TOLERANCE_M,
    max_steps: int = MAX_STEPS,
    condition_max: float = CONDITION_MAX,
) -> ForwardResult:
    """Pose of the platform from its leg lengths; called every tick, raises on no number.

    The update is ``p + v`` and ``exp([w]x) M``: a left multiplication on SO(3), w in base axes.

    Args:
        length_m: leg lengths as ``leg_lengths`` gives them [m], shape (6,).
        guess: pose to start from, usually the last result.
        tolerance_m: largest residual of a converged result [m].
        max_steps: largest number of Newton steps.
        condition_max: largest condition number of a converged result.

    Raises:
        ValueError: ``length_m`` is not six numbers.
    """
    lengths = np.array(length_m, np.float64)  # a copy: the kernel is compiled for writable ones
    if lengths.shape != (6,):
        raise ValueError(f"length_m: shape {lengths.shape}, must be (6,)")
    packed = np.empty(17)
    kernel.pose_of_lengths(
        geometry.table,
        geometry.pair_limits_m,
        lengths,
        guess.position_m,
        guess.rotation,
        geometry.length_scale_m,
        tolerance_m,
        max_steps,
        packed,
    )
    packed.setflags(write=False)
    steps, residual, condition = packed[12:15].tolist()
    reason = _why_not(geometry, lengths, packed, tolerance_m, condition_max)
    pose = guess if reason else Pose.from_packed(packed[:12])
    return ForwardResult(pose, int(steps), residual, condition, not reason, reason)


@dataclass(frozen=True, slots=True, eq=False)
class ForwardBatch:
    """What the searches for very many poses found; arrays are read-only."""

    position_m: Array
    """Origin of P in B [m], shape (N, 3); NaN where none was found."""
    rotation: Array
    """Axes of P in B as columns, shape (N, 3, 3); NaN where none was found."""
    iterations: NDArray[np.int64]
    """Newton steps taken, shape (N,)."""
    residual_m: Array
    """Largest difference of a length from the wanted one [m], shape (N,)."""
    condition: Array
    """1-norm condition number of the scaled Jacobian, shape (N,); inf where none was found."""
    converged: NDArray[np.bool_]
    """Whether the pose is the answer, shape (N,)."""
    _given: tuple[HexapodGeometry, Array, Array, float, float] = field(repr=False)

    def reason(self, row: int) -> str:
        """Why a row has no pose, with leg, value and limit; empty if it has one."""
        geometry, lengths, found, tolerance_m, condition_max = self._given
        return _why_not(geometry, lengths[row], found[row], tolerance_m, condition_max)


def forward_batch(
    geometry: HexapodGeometry,
    length_m: ArrayLike,
    guess: Pose,
    tolerance_m: float = TOLERANCE_M,
    max_steps: int = MAX_STEPS,
    condition_max: float = CONDITION_MAX,
) -> ForwardBatch:
    """Poses of the platform from very many leg lengths, one after the other; raises on no number.

    Each row is started from the last pose that was found, so rows are best in the order of a
    motion. A row without a pose is told as such, and the next one goes on from the pose before it.

    Args:
        length_m: leg lengths as ``leg_lengths`` gives them [m], shape (N, 6).
        guess: pose to start the first row from.
        tolerance_m: largest residual of a converged result [m].
        max_steps: largest number of Newton steps of a row.
        condition_max: largest condition number of a converged result.

    Raises:
        ValueError: ``length_m`` is not rows of six numbers.
    """
    lengths = np.array(length_m, np.float64, order="C")
    if lengths.ndim != 2 or lengths.shape[1] != 6:
        raise ValueError(f"length_m: shape {lengths.shape}, must be (N, 6)")
    found = np.empty((len(lengths), 17))
    kernel.poses_of_lengths(
        geometry.table,
        geometry.pair_limits_m,
        lengths,
        guess.position_m.copy(),
        guess.rotation.copy(),
        geometry.length_scale_m,
        tolerance_m,
        max_steps,
        found,
    )
    converged = (found[:, 15] == kernel.CONVERGED) & (found[:, 14] <= condition_max)
    found[~converged, :12] = np.nan
    steps = found[:, 12].astype(np.int64)
    for array in (found, lengths, steps, converged):
        array.setflags(write=False)
    return ForwardBatch(
        found[:, :3],
        found[:, 3:12].reshape(-1, 3, 3),
        steps,
        found[:, 13],
        found[:, 14],
        converged,
        (geometry, lengths, found, tolerance_m, condition_max),
    )


def _why_not(
    geometry: HexapodGeometry,
    lengths: Array,
    found: Array,
    tolerance_m: float,
    condition_max: float,
) -> str:
    """Why a search found no pose that may be used; empty if it found one."""
    steps, residual, condition, status, place = found[12:].tolist()
    if status != kernel.CONVERGED:
        return _reason(
            geometry, lengths, int(status), int(place), residual, tolerance_m, int(steps)
        )
    if condition <= condition_max:
        return ""
    return f"condition number {condition:.3g} is above {condition_max:.3g}: nearly singular"


def _reason(
    geometry: HexapodGeometry,
    lengths: Array,
    status: int,
    place: int,
    residual_m: float,
    tolerance_m: float,
    steps: int,
) -> str:
    """Tell a status of the kernel to people."""
    if status == kernel.NOT_FINITE:
        return f"leg {place + 1}: length {lengths[place]} m is not finite"
    if status == kernel.NOT_POSITIVE:
        return f"leg {place + 1}: length {lengths[place]:.6g} m, must be above 0 m"
    first, second = _PAIRS[place]
    one, other = float(lengths[first - 1]), float(lengths[second - 1])
    if status == kernel.TOO_UNEQUAL:
        return (
            f"legs {first} and {second}: {one:.6g} m and {other:.6g} m differ by "
            f"{abs(one - other):.6g} m; their joints allow {geometry.pair_limits_m[place, 0]:.6g} m"
        )
    if status == kernel.TOO_SHORT:
        return (
            f"legs {first} and {second}: {one:.6g} m and {other:.6g} m are {one + other:.6g} m "
            f"together; their joints need {geometry.pair_limits_m[place, 1]:.6g} m"
        )
    causes = {
        kernel.TOO_MANY_STEPS: f"no convergence in {steps} steps",
        kernel.SINGULAR: f"singular Jacobian after {steps} steps",
        kernel.STALLED: f"no step lessens the residual after {steps} steps",
    }
    return f"{causes[status]}: residual {residual_m:.3g} m, must be at most {tolerance_m:.3g} m"
