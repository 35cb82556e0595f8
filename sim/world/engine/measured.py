"""What a robot's sensors measure in a world, without defects, as one row of values.

Values are those of the beginning of the last step: the engine measures first and goes on then.
`World.settle` brings them to its end.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.world.engine.mjcf_sensors import sensor_name
from sim.world.engine.world_robot import WorldRobot
from sim.world.robots.model import JointType
from sim.world.robots.sensor_values import measured_joints, quantities
from sim.world.robots.sensors import RobotSensor, SensorKind

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _Weight:
    """Of a tool, to be taken out of a wrench."""

    at: int
    """The first of the wrench's six values."""
    site: int
    """The engine's, whose axes are the sensor's."""
    mass_kg: float
    arm: Array
    """Product with it is the moment of a force at the tool's centre, shape (3, 3)."""


@dataclass(frozen=True, slots=True)
class _FirstAxis:
    """Of a universal joint, which the second one turns in the axes of the measurement."""

    at: int
    torque: int
    """Of the engine's measurement, the first of three values."""
    site: int
    """The engine's, whose axes are those of the measurement."""
    joint: int
    """The engine's joint that turns about it."""


class MeasuredValues:
    """Of one robot of a world."""

    def __init__(self, robot: WorldRobot) -> None:
        # A robot and what is measured of it are two parts of one thing.
        self._model: Any = robot._model  # noqa: SLF001
        self._data: Any = robot._data  # noqa: SLF001
        self._robot = robot
        self._sensed: Array = self._data.sensordata  # views of what the engine goes on writing
        self._site_axes: Array = self._data.site_xmat.reshape(-1, 3, 3)
        self._gravity_m_s2: Array = self._model.opt.gravity
        picked: list[int] = []
        self._weights: list[_Weight] = []
        self._first_axes: list[_FirstAxis] = []
        self._touching: list[int] = []
        rays: list[tuple[int, float]] = []
        for sensor in robot.placed.robot.sensors:
            at = len(picked)
            picked += self._picked(sensor, at)
            if sensor.kind is SensorKind.WRENCH and sensor.tool_mass_kg:
                self._weights.append(self._weight(sensor, at))
            elif sensor.kind is SensorKind.CONTACT:
                self._touching.append(at)
            elif sensor.kind is SensorKind.RANGEFINDER:
                far = np.inf if sensor.range_m is None else sensor.range_m
                rays += [(at + index, far) for index in range(len(sensor.directions))]
        self._pick = np.array(picked, dtype=np.intp)
        self._rays = np.array([at for at, _ in rays], dtype=np.intp)
        self._ranges_m = np.array([far for _, far in rays])

    @property
    def count(self) -> int:
        """Values of all sensors."""
        return len(self._pick)

    def now(self) -> Array:
        """Of all sensors, in the order of the document and of `quantities`, shape (values,)."""
        values: Array = self._sensed[self._pick]
        if len(self._rays):
            seen = values[self._rays]  # -1 if nothing is hit
            values[self._rays] = np.where((seen < 0.0) | (seen > self._ranges_m), np.inf, seen)
        for at in self._touching:
            values[at] = min(values[at], 1.0)  # the engine counts
        for one in self._weights:
            axes = self._site_axes[one.site]
            weight_n = one.mass_kg * (self._gravity_m_s2 @ axes)
            values[one.at : one.at + 3] += weight_n
            values[one.at + 3 : one.at + 6] += one.arm @ weight_n
        for one in self._first_axes:
            axes = self._site_axes[one.site]
            torque_nm = self._sensed[one.torque : one.torque + 3]
            values[one.at] = self._data.xaxis[one.joint] @ (axes @ torque_nm)
        return values

    def _picked(self, sensor: RobotSensor, at: int) -> list[int]:
        """Places of a sensor's values among the engine's measurements."""
        placed = self._robot.placed
        if sensor.kind is SensorKind.JOINT_TORQUE:
            return self._picked_torques(sensor, at)
        count = sum(len(one.parts) for one in quantities(placed.robot, sensor))
        if not count:
            return []
        first = int(self._model.sensor(f"{sensor_name(placed, sensor)}/0").adr[0])
        return list(range(first, first + count))

    def _picked_torques(self, sensor: RobotSensor, at: int) -> list[int]:
        """The axis is z of each measurement."""
        placed, found = self._robot.placed, list[int]()
        name = sensor_name(placed, sensor)
        for index, joint in enumerate(measured_joints(placed.robot, sensor)):
            torque = int(self._model.sensor(f"{name}/{index}").adr[0])
            if joint.type is JointType.UNIVERSAL:
                site = int(self._model.site(f"{name}/j{joint.number}").id)
                first = int(self._model.joint(f"{placed.prefix}j{joint.number}a").id)
                self._first_axes.append(_FirstAxis(at + len(found), torque, site, first))
                found.append(torque)
            found.append(torque + 2)
        return found

    def _weight(self, sensor: RobotSensor, at: int) -> _Weight:
        x, y, z = sensor.tool_centre_m
        arm = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        site = self._model.site(sensor_name(self._robot.placed, sensor)).id
        return _Weight(at, int(site), sensor.tool_mass_kg, arm)
