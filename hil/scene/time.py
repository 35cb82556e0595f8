"""Between two frames of the arm station: what is drawn while the next one is awaited.

Frames come every 0.35 s, pictures thirty times a second. A picture shows the way from the frame
before to the newest one, in the time that such a way takes: it lags by one frame and never invents
a motion that nobody has told of.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

JUMP_S = 1.0
"""Between frames farther apart in motion time nothing is interpolated."""

GAP_S = 5.0
"""A longer hole is another place of the run, and no path leads across."""


@dataclass(frozen=True, slots=True, eq=False)
class Between:
    """The newest two frames."""

    before: Array
    """Values of the one before; the same as ``newest`` after a jump."""
    newest: Array
    arrived_s: float
    spacing_s: float
    """Time that the way between them is given [s]; 0 shows the newest at once."""

    def share(self, now_s: float) -> float:
        """Share of the way that is past at a moment [s], 0 to 1."""
        if self.spacing_s <= 0.0:
            return 1.0
        return min(1.0, max(0.0, (now_s - self.arrived_s) / self.spacing_s))


def is_jump(known: Between | None, t_s: Array) -> bool:
    """Whether new frames are not the sequel of those before, as when a replay is moved.

    Args:
        t_s: motion times of the new frames [s], shape (N,), at least one.
    """
    if known is None:
        return False
    last_s = float(known.newest[1])  # t_s is the second field of every layout
    return not last_s <= float(t_s[0]) <= last_s + GAP_S


def advance(known: Between | None, rows: Array, t_s: Array, now_s: float) -> Between | None:
    """What is known after new frames.

    Args:
        rows: values of the new frames, oldest first, shape (N, values).
        t_s: their motion times [s], shape (N,).
        now_s: when they came, monotonic [s].
    """
    if not len(rows):
        return known
    newest, newest_t = rows[-1], float(t_s[-1])
    if len(rows) > 1:
        before, before_t = rows[-2], float(t_s[-2])
    elif known is not None:
        before, before_t = known.newest, float(known.newest[1])
    else:
        return Between(newest, newest, now_s, 0.0)
    step_s = newest_t - before_t
    if not 0.0 < step_s <= JUMP_S:
        return Between(newest, newest, now_s, 0.0)
    # A replay at another rate, or a run on a virtual clock, comes sooner than its motion time says.
    since_s = math.inf if known is None else (now_s - known.arrived_s) / len(rows)
    return Between(before, newest, now_s, min(step_s, max(0.0, since_s)))


def between_angles(before_rad: Array, after_rad: Array, share: float) -> Array:
    """Joint angles on the straight way between two sets [rad], shape (6,).

    Where one of them is not known, the other is taken.
    """
    if not np.isfinite(before_rad).all():
        return after_rad
    if not np.isfinite(after_rad).all():
        return before_rad
    return before_rad + share * (after_rad - before_rad)


def between_poses(before: Array, after: Array, share: float) -> Array:
    """Pose between two: straight in position, along the shorter arc in orientation.

    Source: Shoemake, "Animating Rotation with Quaternion Curves", SIGGRAPH 1985.

    Args:
        before: position [m] and unit quaternion w, x, y, z, shape (7,); NaN where not known.
        after: likewise.
        share: 0 gives the first, 1 the second.
    """
    if not np.isfinite(before).all():
        return after
    if not np.isfinite(after).all():
        return before
    first, second = before[3:], after[3:]
    cosine = float(first @ second)
    if cosine < 0.0:
        second, cosine = -second, -cosine
    angle = math.acos(min(1.0, cosine))
    if angle < 1e-9:
        turned = first + share * (second - first)
    else:
        turned = math.sin((1.0 - share) * angle) * first + math.sin(share * angle) * second
    turned = turned / np.linalg.norm(turned)
    return np.concatenate([before[:3] + share * (after[:3] - before[:3]), turned])


def rotation_of(quaternion: Array) -> Array:
    """Rotation matrix of a unit quaternion w, x, y, z, shape (3, 3)."""
    w, x, y, z = quaternion.tolist()
    return np.array(
        [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
            [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
            [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
        ]
    )
