"""Signals of a robot's sensors: names, units, frames, and the place of each in a reading.

Names end in their unit and begin with that of their sensor, as fields of recordings do.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from sim.world.robots.model import Robot
from sim.world.robots.sensor_values import QUATERNION, WORLD, quantities
from sim.world.robots.sensors import RobotSensor, SensorKind

UNITS_TOLD: Final = {
    "": "1", "m": "m", "rad": "rad", "n": "N", "nm": "N m", "m_s": "m/s", "rad_s": "rad/s",
    "m_s2": "m/s2", "t": "T",
}  # fmt: skip
"""Unit of a quantity by the ending of its keys in a document."""
POSE: Final = ("x_m", "y_m", "z_m", *QUATERNION)
"""Parts of a link's pose: its place, and its axes as a unit quaternion."""


@dataclass(frozen=True, slots=True)
class SensorSignal:
    """One quantity of a sensor in a reading."""

    name: str
    """Name such as ``wrist_force_n``."""
    unit: str
    """Unit such as ``N``; of a pose ``m,1``."""
    begin: int
    """Index of the first of its values in a reading of the whole robot."""
    count: int
    """Number of its values."""
    parts: tuple[str, ...] = ()
    """Names of several values."""
    frame: str = ""
    """Frame of the axes: ``world``, or the sensor's name for its own; empty where it does not
    matter."""
    child: str = ""
    """Child frame of a pose: ``l6`` for link 6."""
    boolean: bool = False
    """Whether its values are 1 for yes and 0 for no."""
    boundless: bool = False
    """Whether a value may be infinite, which no diagram can take."""

    @property
    def at(self) -> slice:
        """Slice of the signal in a reading."""
        return slice(self.begin, self.begin + self.count)


def sensor_signals(robot: Robot) -> tuple[SensorSignal, ...]:
    """List the signals of a robot's sensors, in the order of a reading."""
    found: list[SensorSignal] = []
    for sensor in robot.sensors:
        begin = found[-1].begin + found[-1].count if found else 0
        found += _of_sensor(robot, sensor, begin)
    return tuple(found)


def _of_sensor(robot: Robot, sensor: RobotSensor, begin: int) -> Iterator[SensorSignal]:
    name = sensor.called
    if sensor.kind is SensorKind.LINK_POSE:
        child = f"e{sensor.end}" if sensor.link is None else f"l{sensor.link}"
        yield SensorSignal(f"{name}_pose", "m,1", begin, len(POSE), POSE, WORLD, child)
        return
    rays, boundless = sensor.kind is SensorKind.RANGEFINDER, sensor.range_m is None
    for one in quantities(robot, sensor):
        count = len(one.parts)
        parts = one.parts if count > 1 else ()
        unit_text = UNITS_TOLD[one.unit]
        end = re.sub("[/ ]", "_", f"_{unit_text}").lower() if one.unit else ""
        yield SensorSignal(
            f"{name}_{one.name}{end}", unit_text, begin, count, parts, one.frame,
            boundless=rays and boundless,
        )  # fmt: skip
        begin += count
        if rays:
            yield SensorSignal(f"{name}_seen", "1", begin, count, parts, boolean=True)
