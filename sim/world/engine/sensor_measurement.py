"""What a robot's sensors measure in a world, without defects, as one row of values.

Values are those of the beginning of the last step: the engine measures first and goes on then.
`World.settle` brings them to its end.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.world.engine.measurement_kernel import measure_values
from sim.world.engine.mjcf_sensors import sensor_name
from sim.world.engine.world_robot import WorldRobot
from sim.world.robots.model import JointType
from sim.world.robots.sensor_values import measured_joints, quantities
from sim.world.robots.sensors import RobotSensor, SensorKind

Array = NDArray[np.float64]


class MeasuredValues:
    """Of one robot of a world."""

    def __init__(self, robot: WorldRobot) -> None:
        # A robot and what is measured of it are two parts of one thing.
        self._model: Any = robot._model  # noqa: SLF001
        self._data: Any = robot._data  # noqa: SLF001
        self._robot = robot
        self._sensed: Array = self._data.sensordata  # views of what the engine goes on writing
        self._site_axes: Array = self._data.site_xmat.reshape(-1, 9)
        self._joint_axes: Array = self._data.xaxis
        self._gravity_m_s2: Array = self._model.opt.gravity
        picked: list[int] = []
        weights, masses_kg, arms = list[tuple[int, int]](), list[float](), list[Array]()
        self._first_axes: list[tuple[int, int, int, int]] = []
        touching, rays = list[int](), list[tuple[int, float]]()
        for sensor in robot.placed.robot.sensors:
            at = len(picked)
            picked += self._picked(sensor, at)
            if sensor.kind is SensorKind.WRENCH and sensor.tool_mass_kg:
                weights.append((at, int(self._model.site(sensor_name(robot.placed, sensor)).id)))
                masses_kg.append(sensor.tool_mass_kg)
                arms.append(_arm(sensor.tool_centre_m))
            elif sensor.kind is SensorKind.CONTACT:
                touching.append(at)
            elif sensor.kind is SensorKind.RANGEFINDER:
                far = np.inf if sensor.range_m is None else sensor.range_m
                rays += [(at + index, far) for index in range(len(sensor.directions))]
        self._pick = np.array(picked, dtype=np.intp)
        self._corrected = (
            np.array([at for at, _ in rays], dtype=np.intp),
            np.array([far for _, far in rays], dtype=np.float64),
            np.array(touching, dtype=np.intp),
            np.array(weights, dtype=np.intp).reshape(-1, 2),
            np.array(masses_kg, dtype=np.float64),
            np.array(arms, dtype=np.float64).reshape(-1, 3, 3),
            np.array(self._first_axes, dtype=np.intp).reshape(-1, 4),
        )
        self.now()  # compiles the kernel before the first step of a run

    @property
    def count(self) -> int:
        """Values of all sensors."""
        return len(self._pick)

    def now(self) -> Array:
        """Of all sensors, in the order of the document and of `quantities`, shape (values,)."""
        values = np.empty(len(self._pick))
        measure_values(
            self._sensed, self._pick, *self._corrected,
            self._site_axes, self._joint_axes, self._gravity_m_s2, values,
        )  # fmt: skip
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
                self._first_axes.append((at + len(found), torque, site, first))
                found.append(torque)
            found.append(torque + 2)
        return found


def _arm(centre_m: Sequence[float]) -> Array:
    """Product with it is the moment of a force at a tool's centre, shape (3, 3)."""
    x, y, z = centre_m
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
