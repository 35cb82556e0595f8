"""Accuracy of a run: the robot's continuous path against the simulated gripper's.

The waypoints say little of it: the simulated gripper moves on between them, and the robot goes by
chords with rounded corners. So the one is a cubic spline through its recorded places in between,
the other the path of its controller's model (`arm_driver.fit.blended_path`) over the waypoints that
it was sent, waypoint n due n periods after the start. A delay that the model leaves, the shift with
the least mean square distance, is taken out. In time: distance at the same moment. In space: of
each from the other's line, the larger of the two.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline
from scipy.optimize import minimize_scalar

from arm_driver.errors import ArmError
from arm_driver.fit.blended_path import BlendModel
from hil.stations.arm.arm_summaries import AccuracySummary
from hil.stations.arm.report.bound import BestPath, best_path
from hil.stations.arm.report.recording import ArmRecording
from hil.stations.arm.scene.machines import ArmMachines
from hil.stations.arm.signals import WAY_PLACES, ArmFlag

Array = NDArray[np.float64]

PROMISED_M: Final = 0.5e-3
"""The bench's promise: so near, in space and in time, wherever waypoints can bring the robot."""
OVER_BEST: Final = 1.2
"""Elsewhere at most this times the least that any waypoints can reach."""
FINE: Final = 20
"""Moments in a period at which both paths are compared."""
SHIFT_MAX_S: Final = 0.1
"""Largest remaining delay in the search [s]."""


@dataclass(frozen=True, slots=True, eq=False)
class Misfit:
    """Distances over time."""

    t_s: Array
    """Motion time [s], shape (M,), read-only."""
    distance_m: Array

    @property
    def largest_m(self) -> float:
        """Maximum [m]."""
        return float(self.distance_m.max())

    @property
    def median_m(self) -> float:
        """Median over time [m]."""
        return float(np.median(self.distance_m))

    @property
    def at_s(self) -> float:
        """Motion time of the maximum [s]."""
        return float(self.t_s[np.argmax(self.distance_m)])


@dataclass(frozen=True, eq=False)
class Accuracy:
    """The robot's continuous path against the simulated gripper's; arrays are read-only."""

    in_time: Misfit
    in_space: Misfit
    """Distances of the lines."""
    place_m: Array
    """The simulated gripper's places in the robot's base, shape (M, 3) [m]."""
    shift_s: float
    """Delay that remained and was taken out [s]."""
    find_best: Callable[[], BestPath]
    """Searches the least error in time that any waypoints can reach."""

    @classmethod
    def of(
        cls, run: ArmRecording, machines: ArmMachines, sent: NDArray[np.bool_], *, whole: bool
    ) -> "Accuracy":
        """Compare both over what the robot was sent, as long as it was to follow.

        Args:
            sent: waypoints that the robot was sent, shape (N,).
            whole: whether the robot was sent all; else it came to rest elsewhere than the motion,
                and its last period says nothing.

        Raises:
            ArmError: if the recording does not contain it; the text names what is missing.
        """
        model = machines.blend
        if model is None:
            raise ArmError("how the controller rounds corners is not in the recording")
        nodes = _nodes_m(run, machines, sent)
        path = _path_m(run, machines, len(nodes) - 1)
        ended = whole and len(nodes) == 1 + int(sent.sum())
        following = len(nodes) - (1 if ended else 2)
        t_s = np.arange(following * FINE + 1, dtype=np.float64) * (model.period_s / FINE)
        path_s = np.arange(len(path)) * (model.period_s / WAY_PLACES)
        place = CubicSpline(path_s, path)(t_s)
        rested = np.vstack([nodes, nodes[-1:]])  # the robot is at rest there a period later
        shift_s = _shift_s(model, rested, t_s, place)
        robot = model.path_m(rested, np.clip(t_s + shift_s, 0.0, None))
        apart = np.linalg.norm(robot - place, axis=1)
        beside = np.maximum(_off_line_m(robot, place), _off_line_m(place, robot))
        for array in (t_s, apart, beside, place):
            array.setflags(write=False)
        step_max_m = machines.gripper_speed_max_m_s * model.period_s
        return cls(
            Misfit(t_s, apart), Misfit(t_s, beside), place, shift_s,
            partial(best_path, model, nodes, path, WAY_PLACES, t_s, apart, step_max_m),
        )  # fmt: skip

    @cached_property
    def best(self) -> BestPath:
        """Compute the least error in time of any waypoints; it takes a moment."""
        return self.find_best()

    @property
    def limit_m(self) -> float:
        """Limit of both maxima [m]."""
        return max(PROMISED_M, OVER_BEST * self.best.least_m)

    @property
    def kept(self) -> bool:
        """Whether both maxima keep it; what is nearer in time is as near in space."""
        return max(self.in_time.largest_m, self.in_space.largest_m) <= self.limit_m

    def summarize(self) -> AccuracySummary:
        """Return the figures by name; the unit is the last part of it."""
        space, time = self.in_space, self.in_time
        return AccuracySummary(
            best_m=self.best.least_m,
            limit_m=self.limit_m,
            in_space_m=space.largest_m,
            in_space_median_m=space.median_m,
            in_space_at_s=space.at_s,
            in_time_m=time.largest_m,
            in_time_median_m=time.median_m,
            in_time_at_s=time.at_s,
        )

    def __str__(self) -> str:
        space, time, best, limit = (
            f"{1e3 * value:.3f} mm"
            for value in (
                self.in_space.largest_m, self.in_time.largest_m, self.best.least_m, self.limit_m
            )
        )  # fmt: skip
        return f"{space} in space, {time} in time; any waypoints {best} at best, {limit} allowed"


def _nodes_m(run: ArmRecording, machines: ArmMachines, sent: NDArray[np.bool_]) -> Array:
    """Select the start and the waypoints sent in a row while the robot followed."""
    if machines.X_RT0 is None:
        raise ArmError("where both arms started is not in the recording")
    index = run.column("index").astype(np.intp)
    resting = (run.column("flags").astype(np.int64) & ArmFlag.RESTING) != 0
    good = sent & ~resting & (index == np.arange(1, len(index) + 1))
    count = len(good) if good.all() else int(np.argmin(good))
    if count < 2:
        raise ArmError("fewer than two waypoints were sent")
    return np.vstack([machines.X_RT0.position_m, run.column("target_pose")[:count, :3]])


def _path_m(run: ArmRecording, machines: ArmMachines, count: int) -> Array:
    """Return the simulated gripper's places in the robot's base [m], shape (10 count + 1, 3)."""
    X_WG0, X_RT0 = machines.X_WG0, machines.X_RT0
    if X_WG0 is None or X_RT0 is None:
        raise ArmError("where both arms started is not in the recording")
    places = run.column("space_way")[:count].reshape(-1, 3)
    if not np.isfinite(places).all():
        raise ArmError("the simulated gripper's way between waypoints is not in the recording")
    moved = np.vstack([np.zeros(3), places - X_WG0.position_m]) @ X_WG0.rotation  # its own axes
    turned = machines.scale * moved @ np.asarray(machines.alignment)
    return X_RT0.position_m + turned @ X_RT0.rotation.T


def _shift_s(model: BlendModel, nodes: Array, t_s: Array, place: Array) -> float:
    """Return the delay of the robot's path that fits best [s]."""

    def cost(shift_s: float) -> float:
        off = model.path_m(nodes, np.clip(t_s + shift_s, 0.0, None)) - place
        return float(np.sum(off * off))

    bounds = (-SHIFT_MAX_S, SHIFT_MAX_S)
    found = minimize_scalar(cost, bounds=bounds, method="bounded", options={"xatol": 1e-6})
    return float(found.x)


def _off_line_m(points: Array, line: Array) -> Array:
    """Measure distances from a line passed within a period before or after [m], shape (M,)."""
    begin, chords = line[:-1], np.diff(line, axis=0)
    square = np.maximum(np.sum(chords * chords, axis=1), 1e-30)
    least = np.full(len(points), np.inf)
    number = np.arange(len(points))
    for offset in range(-FINE, FINE + 1):
        k = np.clip(number + offset, 0, len(chords) - 1)
        ahead = points - begin[k]
        share = np.clip(np.sum(ahead * chords[k], axis=1) / square[k], 0.0, 1.0)
        least = np.minimum(least, np.sum((ahead - share[:, None] * chords[k]) ** 2, axis=1))
    return np.sqrt(least)
