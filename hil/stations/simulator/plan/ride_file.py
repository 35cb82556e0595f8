"""A recorded ride from a file: columns, a map, and what a vehicle did at uniform times."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.spatial.transform import Rotation as Turn
from scipy.spatial.transform import Slerp

from hil.config.errors import MotionError
from hil.config.tables import NumberTable, read_header, read_table
from hil.machines.cueing.ride_map import QUANTITIES, RideMap, map_of_header, read_ride_map
from hil.stations.platform.motion.columns import TimeMap
from hil.stations.platform.motion.lowpass import lowpass
from hil.stations.platform.motion.resample import UNIFORM_SHARE, times
from hil.stations.platform.motion.source import Floats
from hil.stations.simulator.plan.force_remedies import ride_remedy
from platform6dof.cueing.agreement import Agreement, agreements
from platform6dof.cueing.parameters import CueingError
from platform6dof.cueing.record import ReportedMotion, VehicleRecord, completed, recorded_motion
from platform6dof.cueing.vehicle import GRAVITY_M_S2, Vector3

SHORTEST_S: Final = 2.0
"""A shorter record is no ride [s]."""
LARGEST: Final = {"m_s2": 1000.0, "rad_s": 100.0, "m_s": 10_000.0, "rad": 100.0}
"""Largest values that a vehicle reaches: beyond them the unit is wrong."""
SURE_CORRELATION: Final = 0.8
"""Correlation above which a slope proves that a sign or unit is wrong."""
IN_MS: Final = 'time.unit = "ms" in its map (--map, or source.map)'
"""Advice for times in milliseconds."""
_NORM_ERROR: Final = 0.2
FloatsByName = dict[str, Floats]


@dataclass(frozen=True, slots=True, eq=False)
class RideFile:
    """A recorded ride as it was read."""

    path: Path
    """The file."""
    map: RideMap
    """Map of the columns."""
    motion: ReportedMotion
    """Motion in the file, on a uniform grid, not completed."""

    def ride(self, head_m: Vector3 = (0.0, 0.0, 0.0)) -> VehicleRecord:
        """Return the complete ride at the rider's head.

        Args:
            head_m: the head from the recorder's sensor, forward, right, down [m].

        Raises:
            MotionError: if no force follows from it, or none that a vehicle could have.
        """
        for one in self.agreements():
            sure = one.finding is not None or abs(one.correlation) >= SURE_CORRELATION
            if one.judgement.wrong and sure:
                raise MotionError(f"{self.path}: {one.text}")
        try:
            return completed(self.motion, head_m)
        except CueingError as error:
            raise MotionError(f"{self.path}: {error}") from None

    def agreements(self) -> tuple[Agreement, ...]:
        """Compare its quantities; the intake of `ride` refuses what this finds."""
        return agreements(self.motion, self.map.level_s, lambda one: ride_remedy(one, self.map))


def read_ride(
    path: str | Path, map_: RideMap | str | None = None, head_m: Vector3 = (0.0, 0.0, 0.0)
) -> VehicleRecord:
    """Return a complete recorded ride; see `read_ride_file`.

    Args:
        head_m: the head from the recorder's sensor, forward, right, down [m].

    Raises:
        MotionError: with the place, the value and what would have been right.
        ConfigError: if there is no such map, or it cannot be.
    """
    return read_ride_file(path, map_).ride(head_m)


def read_ride_file(path: str | Path, map_: RideMap | str | None = None) -> RideFile:
    """Read a recorded ride and put it on a uniform grid.

    Args:
        path: a CSV file with a header line.
        map_: which column is what, or the name of such a map; None where the columns bear the
            bench's own names, such as `f_x_m_s2`.

    Raises:
        MotionError: with the place, the value and what would have been right.
        ConfigError: if there is no such map, or it cannot be.
    """
    path = Path(path)
    if isinstance(map_, str):
        map_ = read_ride_map(map_)
    elif map_ is None:
        map_ = map_of_header(read_header(path).header, str(path))
    names = dict.fromkeys(one.column for one in map_.columns.values())
    table = read_table(path, [map_.time.column, *names], time=map_.time.column)
    t_s = times(table, TimeMap(map_.time.column, map_.time.unit), map_.gap_max_s, IN_MS)
    if t_s[-1] < SHORTEST_S:
        place = table.place(len(t_s) - 1, map_.time.column)
        text = f"{place}: the record lasts {t_s[-1]:g} s: a ride has at least {SHORTEST_S:g} s"
        raise MotionError(f"{text} (unit {map_.time.unit!r} right?)")
    values = {name: _si(table, map_, name) for name in map_.columns}
    return RideFile(path, map_, _uniform(path, map_, t_s, values))


def _si(table: NumberTable, map_: RideMap, name: str) -> Floats:
    """Return a column in SI, with its sign and without its bias, shape (N,)."""
    one, quantity = map_.columns[name], QUANTITIES[name]
    table.check_unit(one.column, one.key)
    raw = table.columns[one.column]
    factor = one.sign * quantity.units[one.key]
    if one.bias == "mean":
        values = factor * (raw - raw.mean()) + quantity.rest
    else:
        values = factor * (raw - one.bias)
    unit = next(iter(quantity.units))
    large = np.flatnonzero(np.abs(values) > LARGEST.get(unit, 1e8))
    if len(large):
        row = int(large[0])
        text = f"{table.place(row, one.column)}: {name} is {values[row]:g} {unit}"
        text += f": at most {LARGEST.get(unit, 1e8):g} {unit} make sense"
        raise MotionError(f"{text} (unit {one.unit!r} right?)")
    return values


def _uniform(path: Path, map_: RideMap, t_s: Floats, values: dict[str, Floats]) -> ReportedMotion:
    """Bring all quantities to the grid of the median step; attitudes by rotations, no angles."""
    steps_s = np.diff(t_s)
    mean_s = float(t_s[-1]) / len(steps_s)
    off_s = float(np.abs(t_s - mean_s * np.arange(len(t_s))).max())
    count, step_s = len(t_s), mean_s
    if off_s > UNIFORM_SHARE * mean_s:
        count = round(float(t_s[-1]) / float(np.median(steps_s))) + 1
        step_s = float(t_s[-1]) / (count - 1)
    grid_s = np.minimum(step_s * np.arange(count), t_s[-1])
    same = count == len(t_s) and off_s <= UNIFORM_SHARE * mean_s

    def vectors(*names: str) -> Floats:
        made = np.full((count, len(names)), np.nan)
        for k, name in enumerate(names):
            if name in values:
                made[:, k] = values[name] if same else CubicSpline(t_s, values[name])(grid_s)
        return made

    force = vectors("f_x", "f_y", "f_z")
    acceleration = vectors("a_x", "a_y", "a_z")
    omega = vectors("p", "q", "r")
    velocity = vectors("v_x", "v_y", "v_z")
    fields: FloatsByName = {"position": vectors("north", "east", "down")}
    turns = _turns(path, values)
    if turns is not None:
        turns = turns if same else Slerp(t_s, turns)(grid_s)
    over_ground = vectors("v_north", "v_east", "v_down")
    if np.isfinite(over_ground).all():
        velocity = over_ground if turns is None else turns.inv().apply(over_ground)
    if map_.level_s is not None:
        level = _levelled(path, force, max(1, round(map_.level_s / step_s)))
        force, omega = level.apply(force), _applied(level, omega)
        velocity = _applied(level, velocity)
        turns = None if turns is None else turns * level.inv()
    if turns is not None:
        fields["attitude"] = np.roll(turns.as_quat(), 1, axis=1)
    if np.isfinite(acceleration).any():
        fields["acceleration"] = acceleration
    fields |= {"force": force, "omega": omega, "velocity": velocity}
    if map_.lowpass_hz is not None:
        fields = _slower(path, fields, step_s, map_.lowpass_hz)
    return recorded_motion(count, step_s, **fields)


def _slower(path: Path, fields: FloatsByName, step_s: float, corner_hz: float) -> FloatsByName:
    """Remove what is faster than a corner from all fields; an attitude by its quaternion.

    Raises:
        MotionError: if the corner is not below half the rate of the record.
    """
    fields = dict(fields)
    if "attitude" in fields:
        turns = fields["attitude"]
        there = np.r_[1.0, np.sign(np.sum(turns[1:] * turns[:-1], axis=1))]
        fields["attitude"] = turns * np.cumprod(np.where(there == 0.0, 1.0, there))[:, None]
    try:
        return {name: lowpass(values, step_s, corner_hz) for name, values in fields.items()}
    except MotionError as error:
        raise MotionError(f"{path}: {error}") from None


def _applied(level: Turn, vectors: Floats) -> Floats:
    return level.apply(vectors) if np.isfinite(vectors).all() else vectors


def _turns(path: Path, values: dict[str, Floats]) -> Turn | None:
    """Return the attitudes of the rows; None if there are none."""
    if "yaw" in values:
        level = np.zeros_like(values["yaw"])  # a heading on level ground has no roll and pitch
        names = ("yaw", "pitch", "roll")
        angles = np.stack([values.get(name, level) for name in names], axis=1)
        return Turn.from_euler("ZYX", angles)
    if "qw" not in values:
        return None
    quaternions = np.stack([values[name] for name in ("qx", "qy", "qz", "qw")], axis=1)
    norms = np.linalg.norm(quaternions, axis=1)
    bad = np.flatnonzero(np.abs(norms - 1.0) > _NORM_ERROR)
    if len(bad):
        text = f"{path}, row {int(bad[0]) + 1}: a quaternion of length {norms[bad[0]]:.3g}"
        raise MotionError(f"{text}: it must be 1")
    return Turn.from_quat(quaternions)


def _levelled(path: Path, force: Floats, count: int) -> Turn:
    """Return the smallest turn of the sensor's axes that makes the first mean force point up."""
    mean = force[:count].mean(axis=0)
    size = float(np.linalg.norm(mean))
    if not abs(size - GRAVITY_M_S2) < 0.3 * GRAVITY_M_S2:  # a NaN is not
        text = f"{path}: level_s: the force of the first rows is {mean.tolist()} m/s2"
        raise MotionError(f"{text}: a vehicle that stands has all three and {GRAVITY_M_S2:g} m/s2")
    up = mean / size
    axis = np.cross(up, (0.0, 0.0, -1.0))
    sine, cosine = float(np.linalg.norm(axis)), float(-up[2])
    if sine < 1e-12:
        return Turn.from_rotvec([0.0, 0.0, 0.0] if cosine > 0.0 else [np.pi, 0.0, 0.0])
    return Turn.from_rotvec(axis / sine * np.arctan2(sine, cosine))
