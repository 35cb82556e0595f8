"""Defects of all values of a robot's sensors, as arrays over the values of one reading."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from sim.world.robots.model import Robot
from sim.world.robots.sensor_values import QUATERNION, SensorQuantity, quantities
from sim.world.robots.sensors import RobotSensor, SensorKind, ValueDefects

Array = NDArray[np.float64]
Indices = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class SensorLayout:
    """Of one robot at one step of time. Arrays are read-only."""

    names: tuple[str, ...]
    """Of sensors that have values, those of other robots told apart: seeds of their noise."""
    values: tuple[str, ...]
    """Sensor, quantity and part of each value, unique."""
    sensors: Indices
    """Which of the sensors a value is of, shape (values,)."""
    bias: Array
    """Shape (values,); 0 for quaternions."""
    noise: Array
    """Standard deviation, shape (values,); 0 for quaternions."""
    quantisation: Array
    """Shape (values,); 0 for none."""
    share: Array
    """Of the way to the measurement that the filter goes in a step, shape (values,); 1 without."""
    delay: Indices
    """Whole steps, shape (values,)."""
    rate: Array
    """Samples a step, shape (sensors,); from 1 on there is one in each."""
    dropout: Array
    """Shape (sensors,)."""
    quaternions: Indices
    """Values that are quaternions w, x, y, z, shape (quaternions, 4)."""
    turned: Array
    """Their bias as turns about x, y, z [rad], shape (quaternions, 3)."""
    turning: Array
    """Standard deviation of their noise about each axis [rad], shape (quaternions, 1)."""
    boundless: bool
    """Whether a value that is filtered may be infinite."""

    def __post_init__(self) -> None:
        for one in fields(self):
            if isinstance(array := getattr(self, one.name), np.ndarray):
                array.setflags(write=False)


def sensor_layout(robot: Robot, step_s: float, prefix: str = "") -> SensorLayout:
    """Of a robot's sensors.

    Args:
        robot: checked.
        step_s: from one reading to the next.
        prefix: that tells sensors of two robots apart.
    """
    sensors = [one for one in robot.sensors if quantities(robot, one)]
    rows: list[tuple[float, ...]] = []
    values, quaternions = list[str](), list[tuple[int, RobotSensor]]()
    for index, sensor in enumerate(sensors):
        share, delay = _share(sensor, step_s), round(sensor.delay_s / step_s)
        for one in quantities(robot, sensor):
            if one.parts == QUATERNION:
                quaternions.append((len(rows), sensor))
            values += [f"{sensor.called}/{one.name}_{one.unit}/{part}" for part in one.parts]
            own = share if one.unit or one.parts == QUATERNION else 1.0  # a yes or no stays one
            rows += [(index, own, delay, *each) for each in _defects(sensor, one)]
    table = np.array(rows, dtype=np.float64).reshape(-1, 6)
    rates = [1.0 if one.rate_hz is None else one.rate_hz * step_s for one in sensors]
    begins = np.array([at for at, _ in quaternions], dtype=np.intp).reshape(-1, 1)
    axes = [_defects_of(sensor, "rad") for _, sensor in quaternions]
    return SensorLayout(
        tuple(f"{prefix}{one.called}" for one in sensors),
        tuple(values),
        table[:, 0].astype(np.intp),
        table[:, 3].copy(),
        table[:, 4].copy(),
        table[:, 5].copy(),
        table[:, 1].copy(),
        table[:, 2].astype(np.intp),
        np.array(rates),
        np.array([one.dropout for one in sensors]),
        begins + np.arange(4),
        np.array([_biases(one, 3) for one in axes]).reshape(-1, 3),
        np.array([one.noise for one in axes]).reshape(-1, 1),
        any(one.kind is SensorKind.RANGEFINDER and one.cutoff_hz is not None for one in sensors),
    )


def _share(sensor: RobotSensor, step_s: float) -> float:
    """Of a filter of first order whose input stands during a step: 1 - exp(-2π f h)."""
    if sensor.cutoff_hz is None:
        return 1.0
    return float(-np.expm1(-2.0 * np.pi * sensor.cutoff_hz * step_s))


def _defects(sensor: RobotSensor, quantity: SensorQuantity) -> Sequence[tuple[float, ...]]:
    """Bias, noise and quantisation of each value; a quaternion has none of its own."""
    count = len(quantity.parts)
    defects = _defects_of(sensor, quantity.unit)
    return [(bias, defects.noise, defects.quantisation) for bias in _biases(defects, count)]


def _defects_of(sensor: RobotSensor, unit: str) -> ValueDefects:
    found = (one for one in sensor.defects if one.unit == unit)
    return next(found, ValueDefects(unit))


def _biases(defects: ValueDefects, count: int) -> tuple[float, ...]:
    return (defects.bias or (0.0,)) * (1 if len(defects.bias) == count else count)
