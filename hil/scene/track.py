"""The track of an arm: its last two frames, and the path of what is followed.

Frames come every 0.35 s, pictures thirty times a second. A picture shows the way from the frame
before to the newest one, in the time that such a way takes: it lags by one frame and never invents
a motion that nobody has reported.
"""

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hil.scene.figure import TRACE_POINTS, Figure

Array = NDArray[np.float64]

JUMP_S = 1.0
"""Motion time between two frames above which nothing is interpolated [s]."""

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
    """Whether new frames, of times [s], (N,), do not follow, as when a replay is moved."""
    if known is None:
        return False
    last_s = float(known.newest[1])  # t_s is the second field of every layout
    return not last_s <= float(t_s[0]) <= last_s + GAP_S


def advance(known: Between | None, rows: Array, t_s: Array, now_s: float) -> Between | None:
    """Advance the track by new frames: values (N, values), times [s] (N,), and arrival [s]."""
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
    """Joint angles on the straight way between two sets [rad], shape (n,).

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


class Track:
    """The frames of an arm station as a picture of one of its arms needs them.

    Args:
        time: where a row has its time.
        followed: where it has the pose whose path is drawn.
        least_step_m: points of the path nearer to the last one than this are left out [m].
    """

    def __init__(self, time: slice, followed: slice, least_step_m: float) -> None:
        self._time = time
        self._followed = followed
        self.trace = Trail(least_step_m)
        self.between: Between | None = None

    def take(self, rows: Array, now_s: float) -> None:
        """Learn of new frames as a scene does; after a jump in time the path begins anew."""
        if not len(rows):
            return
        times = rows[:, self._time][:, 0]
        if is_jump(self.between, times):
            self.trace.clear()
        self.between = advance(self.between, rows, times, now_s)
        self.trace.add(rows[:, self._followed][:, :3])

    def drawn(self, figure: Figure, note: str) -> Figure:
        """A figure with the path, and what a reader must know."""
        path = self.trace
        return replace(figure, trace_m=path.points_m, trace_serial=path.serial, note=note)


class Trail:
    """The last points of a path, oldest first; those nearer than a least step [m] are left out."""

    def __init__(self, least_step_m: float) -> None:
        self._least_m = least_step_m
        self._points: list[tuple[float, float, float]] = []
        self.serial = -1
        self._changed()

    def add(self, points_m: Array) -> None:
        """More points [m], shape (N, 3); those that are not finite are left out."""
        before = len(self._points)
        for x, y, z in points_m[np.isfinite(points_m).all(axis=1)].tolist():
            if not self._points or math.dist((x, y, z), self._points[-1]) >= self._least_m:
                self._points.append((x, y, z))
        if len(self._points) > before:
            del self._points[:-TRACE_POINTS]
            self._changed()

    def clear(self) -> None:
        """Forget the path."""
        if self._points:
            self._points.clear()
            self._changed()

    def _changed(self) -> None:
        self.points_m = np.array(self._points, np.float64).reshape(-1, 3)
        """The points [m], shape (N, 3), read-only."""
        self.points_m.setflags(write=False)
        self.serial += 1
