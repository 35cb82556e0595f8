"""A whole recorded ride: what was told at uniform times, completed at once, and as states.

The same rules as `completion`, with differences about the middle, for the future is known.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation as Turn

from platform6dof.cueing.parameters import CueingError
from platform6dof.cueing.vehicle import GRAVITY_M_S2, Quaternion, Vector3, VehicleState

Array = NDArray[np.float64]
_WIDTHS: Final = {"force": 3, "omega": 3, "attitude": 4, "velocity": 3, "position": 3}


@dataclass(frozen=True, slots=True, eq=False)
class ReportedMotion:
    """What a recording tells; a column that it does not have is NaN all along.

    Raises:
        CueingError: of another shape, too few rows, or a number that is missing here and there.
    """

    step_s: float
    """Between two rows [s]."""
    force: Array
    """Specific force in body axes FRD [m/s²], shape (N, 3)."""
    omega: Array
    """Angular velocity in body axes [rad/s], shape (N, 3)."""
    attitude: Array
    """From body axes to north, east, down: w, x, y, z, shape (N, 4)."""
    velocity: Array
    """Over ground in body axes [m/s], shape (N, 3)."""
    position: Array
    """North, east, down [m], shape (N, 3)."""
    acceleration: Array | None = None
    """Without gravity, in body axes [m/s²], shape (N, 3); used where no force is told."""

    def __post_init__(self) -> None:
        if not 0.0 < self.step_s < 10.0:
            raise CueingError(f"step_s is {self.step_s:g} s: it must be above 0 and below 10 s")
        for name, width in (*_WIDTHS.items(), ("acceleration", 3)):
            values = getattr(self, name)
            if values is None:
                continue
            if values.shape != (len(self.force), width) or len(values) < 3:
                text = f"{name} has shape {values.shape}"
                raise CueingError(f"{text}: it must be (N, {width}), N at least 3", name)
            for column in range(width):
                missing = np.count_nonzero(~np.isfinite(values[:, column]))
                if 0 < missing < len(values):
                    text = f"{name}, column {column}: {missing} of {len(values)} rows are no number"
                    raise CueingError(text, name)


def recorded_motion(count: int, step_s: float, **columns: Array) -> ReportedMotion:
    """A recording of some of the fields of `ReportedMotion`; the others are not told."""
    unknown = {name: np.full((count, width), np.nan) for name, width in _WIDTHS.items()}
    return ReportedMotion(step_s, **(unknown | columns))


@dataclass(frozen=True, slots=True, eq=False)
class VehicleRecord:
    """A complete ride at uniform times; all arrays are read-only."""

    step_s: float
    """Between two rows [s]."""
    f_m_s2: Array
    """Specific force at the rider's head, body axes FRD [m/s²], shape (N, 3)."""
    omega_rad_s: Array
    """Angular velocity, body axes [rad/s], shape (N, 3)."""
    domega_rad_s2: Array
    """Its derivative [rad/s²], shape (N, 3)."""
    attitude: Array
    """From body axes to north, east, down: w, x, y, z, shape (N, 4)."""
    v_m_s: Array
    """Velocity of the head, body axes [m/s], shape (N, 3); NaN if nothing tells it."""
    position_m: Array
    """Of the head, north, east, down [m], shape (N, 3); NaN if nothing tells it."""

    def __len__(self) -> int:
        return len(self.f_m_s2)

    @property
    def duration_s(self) -> float:
        """From the first row to the last [s]."""
        return self.step_s * (len(self) - 1)

    @property
    def time_s(self) -> Array:
        """Of each row since the first [s], shape (N,)."""
        return np.asarray(self.step_s * np.arange(len(self)), np.float64)

    def state(self, row: int) -> VehicleState:
        """One row."""
        return VehicleState(
            row * self.step_s,
            _three(self.f_m_s2[row]),
            _three(self.omega_rad_s[row]),
            _three(self.domega_rad_s2[row]),
            _four(self.attitude[row]),
            _three(self.v_m_s[row]),
            _three(self.position_m[row]),
        )

    def states(self) -> Iterator[VehicleState]:
        """All rows, one after the other."""
        return (self.state(row) for row in range(len(self)))

    def at_rate(self, step_s: float) -> VehicleRecord:
        """The same ride on another uniform grid, by cubic splines; attitudes by their rotations.

        Args:
            step_s: of the new grid [s]; the last row is the last one that the record reaches.
        """
        from scipy.interpolate import CubicSpline
        from scipy.spatial.transform import Slerp

        count = int(self.duration_s / step_s * (1.0 + 1e-12)) + 1
        old, new = self.time_s, step_s * np.arange(count)
        new[-1] = min(new[-1], old[-1])

        def spline(values: Array) -> Array:
            return CubicSpline(old, values)(new) if np.isfinite(values).all() else _blank(count)

        turns = Slerp(old, Turn.from_quat(np.roll(self.attitude, -1, axis=1)))(new)
        vectors = (self.f_m_s2, self.omega_rad_s, self.domega_rad_s2, self.v_m_s, self.position_m)
        f, omega, domega, v, position = map(spline, vectors)
        return _frozen(step_s, f, omega, domega, np.roll(turns.as_quat(), 1, axis=1), v, position)


def completed(motion: ReportedMotion, head_m: Vector3 = (0.0, 0.0, 0.0)) -> VehicleRecord:
    """All that can be known of a recorded ride, at the rider's head.

    Args:
        motion: what is told.
        head_m: the head from where force and velocity are told, body axes FRD [m].

    Raises:
        CueingError: if neither a force nor anything that one follows from is told.
    """
    step_s = motion.step_s
    has_attitude = bool(np.isfinite(motion.attitude).all())
    omega = motion.omega.copy()
    if has_attitude:
        turns = Turn.from_quat(np.roll(motion.attitude, -1, axis=1))
        _fill(omega, rates_of(turns, step_s))
    else:
        _fill(omega, np.zeros_like(omega))
        turns = _turned(omega, step_s)
    domega = np.gradient(omega, step_s, axis=0)
    velocity = _velocity(motion, turns)
    force = motion.force.copy()
    _fill(force, _force(motion, turns, omega, velocity))
    lever = np.asarray(head_m, np.float64)
    swing = np.cross(omega, lever)
    force += np.cross(domega, lever) + np.cross(omega, swing)
    position = motion.position + turns.apply(lever)
    quaternions = np.roll(turns.as_quat(), 1, axis=1)
    return _frozen(step_s, force, omega, domega, quaternions, velocity + swing, position)


def rates_of(turns: Turn, step_s: float) -> Array:
    """Angular velocity in body axes of attitudes at uniform times [rad/s], shape (N, 3).

    From the rotation between the attitudes before and after; no angle is ever subtracted.
    """
    rates = np.empty((len(turns), 3))
    rates[1:-1] = (turns[:-2].inv() * turns[2:]).as_rotvec() / (2.0 * step_s)
    rates[0] = (turns[0].inv() * turns[1]).as_rotvec() / step_s
    rates[-1] = (turns[-2].inv() * turns[-1]).as_rotvec() / step_s
    return rates


def _turned(omega: Array, step_s: float) -> Turn:
    """Attitudes that rates lead to, from level."""
    quaternions = np.empty((len(omega), 4))
    steps = Turn.from_rotvec(0.5 * step_s * (omega[1:] + omega[:-1])).as_quat()
    w, x, y, z = 1.0, 0.0, 0.0, 0.0
    quaternions[0] = 0.0, 0.0, 0.0, 1.0
    for n, (a, b, c, d) in enumerate(steps.tolist(), start=1):
        w, x, y, z = (
            w * d - x * a - y * b - z * c,
            w * a + x * d + y * c - z * b,
            w * b - x * c + y * d + z * a,
            w * c + x * b - y * a + z * d,
        )
        quaternions[n] = x, y, z, w
    return Turn.from_quat(quaternions)


def _velocity(motion: ReportedMotion, turns: Turn) -> Array:
    velocity = motion.velocity.copy()
    if not np.isfinite(velocity[:, 0]).all() and np.isfinite(motion.position).all():
        world = np.gradient(motion.position, motion.step_s, axis=0)
        _fill(velocity, turns.inv().apply(world))
    if np.isfinite(velocity[:, 0]).all():
        _fill(velocity, np.zeros_like(velocity))  # straight on
    return velocity


def _force(motion: ReportedMotion, turns: Turn, omega: Array, velocity: Array) -> Array:
    """What the force is where it is not told."""
    weight = turns.inv().apply(np.array([0.0, 0.0, -GRAVITY_M_S2]))
    acceleration = np.full_like(velocity, np.nan)
    if motion.acceleration is not None:
        acceleration = motion.acceleration.copy()
    if np.isfinite(velocity).all():
        moved = np.gradient(velocity, motion.step_s, axis=0) + np.cross(omega, velocity)
        _fill(acceleration, moved)
    has_some = np.isfinite(motion.force).any() or np.isfinite(acceleration).any()
    if not has_some:
        text = "neither specific force nor acceleration, velocity or position is told"
        raise CueingError(f"{text}: a force needs one of them", "force")
    _fill(acceleration, np.zeros_like(acceleration))
    return acceleration + weight


def _fill(values: Array, otherwise: Array) -> None:
    """Write into the columns that are not told."""
    for column in range(values.shape[1]):
        if not np.isfinite(values[0, column]):
            values[:, column] = otherwise[:, column]


def _blank(count: int) -> Array:
    return np.full((count, 3), np.nan)


def _frozen(step_s: float, *arrays: Array) -> VehicleRecord:
    made = [np.ascontiguousarray(one) for one in arrays]
    for one in made:
        one.setflags(write=False)
    return VehicleRecord(step_s, *made)


def _three(row: Array) -> Vector3:
    a, b, c = row.tolist()
    return a, b, c


def _four(row: Array) -> Quaternion:
    a, b, c, d = row.tolist()
    return a, b, c, d
