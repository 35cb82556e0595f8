"""How well the robot followed: the delay of what it told, and the error once that is removed.

Waypoints are taken at the times at which the robot fetched them, so the delay is that from the
request for a waypoint to the gripper being there. The asked path is that of the controller's model
or, where none is known, straight lines in even motion; it rests before its first waypoint and after
its last. Places are told at requests only, where blends begin: they prove the model, and say little
of how accurate the path is (`report.accuracy`).
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.spatial.transform import Rotation, Slerp

from arm_driver.fit.blended_path import BlendModel
from hil_common.arrays.pose import Pose
from hil_common.arrays.rotation import quaternion_of

Array = NDArray[np.float64]

LEVER_M: Final = 0.1
"""Weight of orientation against position in the search for the delay: a gripper's length."""

LEAST_TRAVEL_M: Final = 2e-3
"""A path shorter than this does not tell a delay."""

LEAST_SAMPLES: Final = 6
EARLIEST_PERIODS: Final = 1.0
LATEST_PERIODS: Final = 10.0


@dataclass(frozen=True, slots=True, eq=False)
class TrackedPath:
    """Poses over time. Arrays are read-only."""

    t_s: Array
    """Rising times [s], shape (N,), N at least 1."""
    position_m: Array
    """Shape (N, 3)."""
    quaternion: Array
    """Unit, w x y z, shape (N, 4)."""

    @classmethod
    def of(cls, t_s: Array, poses: Array, used: NDArray[np.bool_] | None = None) -> "TrackedPath":
        """The poses that are there, in order of time, one per instant (the first told).

        Args:
            t_s: times [s], shape (N,).
            poses: positions and quaternions, shape (N, 7); NaN = not there.
            used: which to take, shape (N,).
        """
        there = np.isfinite(t_s) & np.isfinite(poses).all(axis=1)
        there &= np.linalg.norm(poses[:, 3:], axis=1) > 0.5
        if used is not None:
            there &= used
        times, first = np.unique(t_s[there], return_index=True)
        chosen = poses[there][first]
        norm = np.linalg.norm(chosen[:, 3:], axis=1, keepdims=True)
        arrays = (times, chosen[:, :3].copy(), chosen[:, 3:] / norm)
        for array in arrays:
            array.setflags(write=False)
        return cls(*arrays)

    def __len__(self) -> int:
        return len(self.t_s)

    @property
    def rotations(self) -> Rotation:
        """Orientations, N of them."""
        return Rotation.from_quat(self.quaternion, scalar_first=True)

    def travel_m(self) -> float:
        """Length of the way, turns counted by `LEVER_M` [m]."""
        if len(self) < 2:
            return 0.0
        turns = (self.rotations[:-1].inv() * self.rotations[1:]).magnitude()
        steps = np.linalg.norm(np.diff(self.position_m, axis=0), axis=1)
        return float(np.sum(np.hypot(steps, LEVER_M * turns)))

    def at(self, t_s: Array) -> tuple[Array, Rotation]:
        """Positions [m], shape (M, 3), and orientations at times [s], shape (M,)."""
        inside = np.clip(t_s, self.t_s[0], self.t_s[-1])
        position = np.column_stack(
            [np.interp(inside, self.t_s, self.position_m[:, axis]) for axis in range(3)]
        )
        if len(self) == 1:
            same = np.repeat(self.quaternion, len(t_s), axis=0)
            return position, Rotation.from_quat(same, scalar_first=True)
        return position, Slerp(self.t_s, self.rotations)(inside)

    def relative(self, reference: "TrackedPath | None" = None) -> tuple[Array, Array]:
        """Motion since the start, in the axes of the gripper at the start.

        Returns:
            Positions [m], shape (N, 3), and turns as rotation vectors [rad], shape (N, 3).
        """
        start = self if reference is None else reference
        back = start.rotations[0].inv()
        moved = back.apply(self.position_m - start.position_m[0])
        return moved, (back * self.rotations).as_rotvec()


@dataclass(frozen=True, slots=True, eq=False)
class Tracking:
    """What was measured of the robot's following. Arrays are read-only."""

    delay_s: float
    """By which what was told is behind what was asked [s]; 0 if not known."""
    delay_known: bool
    """The path moves enough to tell it, and it is not at an end of the search."""
    halves_s: tuple[float, float]
    """The delay from the first and from the second half of what was told alone [s]; NaN where it
    cannot be told."""
    t_s: Array
    """Times at which the robot was where it told [s], shape (M,)."""
    position_error_m: Array
    """Told minus asked, `delay_s` before, shape (M, 3)."""
    angle_error_rad: Array
    """Angle between the two orientations, shape (M,)."""

    @property
    def distance_m(self) -> Array:
        """Position error [m], shape (M,)."""
        return np.linalg.norm(self.position_error_m, axis=1)


def tracking_of(asked: TrackedPath, measured: TrackedPath, period_s: float) -> Tracking | None:
    """Measure delay and error; None if one of the paths has no pose.

    The delay is the shift with the least mean square distance between what was told and what was
    asked: the best of a grid of a tenth of a period, refined by Brent's method. It is looked for
    from one period before to ten periods after.
    """
    if not len(asked) or not len(measured):
        return None
    delay, known = 0.0, False
    if len(measured) >= LEAST_SAMPLES and asked.travel_m() > LEAST_TRAVEL_M:
        delay, known = _delay(asked, measured, period_s)
    position, rotations = asked.at(measured.t_s - delay)
    error = measured.position_m - position
    angle = (rotations.inv() * measured.rotations).magnitude()
    for array in (error, angle):
        array.setflags(write=False)
    halves = _halves_s(asked, measured, delay, period_s) if known else (np.nan, np.nan)
    return Tracking(delay, known, halves, measured.t_s, error, angle)


def _halves_s(
    asked: TrackedPath, measured: TrackedPath, delay_s: float, period_s: float
) -> tuple[float, float]:
    """The delay from each half of what was told: how far they differ tells how sure it is."""
    middle = len(measured) // 2
    found: list[float] = []
    for half in (slice(None, middle), slice(middle, None)):
        part = TrackedPath(measured.t_s[half], measured.position_m[half], measured.quaternion[half])
        bounds = (delay_s - period_s, delay_s + period_s)
        best = np.nan
        if len(part) >= LEAST_SAMPLES and part.travel_m() > LEAST_TRAVEL_M:
            best = _refined(asked, part, bounds)
        inside = bounds[0] + 0.01 * period_s < best < bounds[1] - 0.01 * period_s
        found.append(best if inside else float("nan"))
    return found[0], found[1]


def _delay(asked: TrackedPath, measured: TrackedPath, period_s: float) -> tuple[float, bool]:
    steps = np.arange(-10 * EARLIEST_PERIODS, 10 * LATEST_PERIODS + 1) * (0.1 * period_s)
    signal = _signal(measured.position_m, measured.rotations)
    # The grid only has to find the right valley, for which chords in place of arcs are enough.
    corners = _signal(asked.position_m, asked.rotations)
    costs = np.zeros(len(steps))
    for column in range(corners.shape[1]):
        shifted = np.interp(measured.t_s - steps[:, None], asked.t_s, corners[:, column])
        costs += np.mean((signal[:, column] - shifted) ** 2, axis=1)
    best = int(np.argmin(costs))
    inside = 0 < best < len(steps) - 1
    # A robot that stands still, or a path that rests while it tells, fits every shift.
    if not inside or costs[best] >= 0.5 * costs.max():
        return 0.0, False
    return _refined(asked, measured, (float(steps[best - 1]), float(steps[best + 1]))), True


def _refined(asked: TrackedPath, measured: TrackedPath, bounds_s: tuple[float, float]) -> float:
    """The delay [s] with the least mean square distance between two bounds."""
    signal = _signal(measured.position_m, measured.rotations)

    def cost(delay_s: float) -> float:
        return float(np.mean((signal - _signal(*asked.at(measured.t_s - delay_s))) ** 2))

    found = minimize_scalar(cost, bounds=bounds_s, method="bounded", options={"xatol": 1e-6})
    return float(found.x)  # pyright: ignore[reportAttributeAccessIssue]


def _signal(position_m: Array, rotations: Rotation) -> Array:
    """Position and weighted axes as numbers whose differences are distances, shape (N, 12) [m]."""
    axes = rotations.as_matrix().reshape(-1, 9) * (LEVER_M / np.sqrt(2.0))
    return np.hstack([position_m, axes])


FINE: Final = 10
GAP_PERIODS: Final = 1.5
"""Waypoints further apart in time are not neighbours: one between them is not known."""


def path_of_controller(
    asked: TrackedPath, model: BlendModel | None, start: Pose | None
) -> TrackedPath:
    """The controller's path, each waypoint at the time at which it was fetched.

    Args:
        model: of the controller; without it, or with a waypoint missing, chords are all there is.
        start: where the robot stood a period before the first of them; None if that is not known.
    """
    if model is None or len(asked) < 2 or np.diff(asked.t_s).max() > GAP_PERIODS * model.period_s:
        return asked
    if start is not None:
        first = np.concatenate([start.position_m, quaternion_of(start.rotation)])
        poses = np.vstack([first, np.hstack([asked.position_m, asked.quaternion])])
        asked = TrackedPath.of(np.append(asked.t_s[0] - model.period_s, asked.t_s), poses)
    count = len(asked)
    part = np.arange(FINE * (count - 1) + 1) / FINE
    t_s = np.interp(part, np.arange(count), asked.t_s)
    position = model.path_m(asked.position_m, part * model.period_s)
    turns = asked.at(t_s)[1].as_quat(scalar_first=True)
    return TrackedPath.of(t_s, np.hstack([position, turns]))
