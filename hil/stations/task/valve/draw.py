"""Draw of the task `valve`: a wheel in the airlock, defects of the sensors, what is reported.

All follows from the settings and the seed: numbers come from a counter-based generator that these
two seed, and nothing else is asked.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from hil.machines.world.scene_documents import FurnishedScene, scene_of
from hil.stations.task.plan.drawn_numbers import between, generator_of
from hil.stations.task.plan.task import DrawnTask
from hil.stations.task.valve import airlock
from hil.stations.task.valve.limits import require_feasible
from hil.stations.task.valve.settings import ValveSettings
from sim.world.robots.model import Robot
from sim.world.robots.sensors import RobotSensor, SensorKind, ValueDefects

if TYPE_CHECKING:
    from hil.config.settings import Settings

Array = NDArray[np.float64]

JUDGED: Final = {
    "angle_within_deg", "force_error_n", "moment_error_nm", "saturated_s", "slip_deg",
    "time_limit_s",
}  # fmt: skip
"""Settings that change what is judged and nothing that is drawn."""
X: Final = np.array([1.0, 0.0, 0.0])


def draw(settings: Settings, robot: Robot, seed: int) -> DrawnTask:
    """Draw a wheel, the defects of the sensors, and what is reported.

    Raises:
        ConfigError: if the task cannot be done with these settings.
    """
    assert isinstance(settings, ValveSettings)  # noqa: S101  # the task's own model
    rng = generator_of(settings, JUDGED, seed)
    wheel, angle_rad = _wheel(settings, rng)
    at_m, axis = np.array(wheel.at_m), np.array(wheel.axis)
    error_m, error_rad = (settings.report_error_m * rng.random(),
                          math.radians(settings.report_error_deg) * rng.random())  # fmt: skip
    reported_m = at_m + error_m * _direction(rng)
    reported_axis = _tilted(axis, error_rad, math.tau * rng.random())
    period_s = int(rng.integers(settings.period_ms[0], settings.period_ms[1] + 1)) / 1000
    require_feasible(settings, robot, angle_rad, reported_m - airlock.BASE_M, reported_axis)
    template = scene_of(airlock.TEMPLATE)
    scene = airlock.furnish(
        template.scene, None if settings.removed else wheel, settings.gravity_m_s2
    )
    values = {
        "angle_rad": angle_rad, "wheel_x_m": wheel.at_m[0], "wheel_y_m": wheel.at_m[1],
        "wheel_z_m": wheel.at_m[2], "axis_x": wheel.axis[0], "axis_y": wheel.axis[1],
        "axis_z": wheel.axis[2], "rim_radius_m": wheel.radius_m, "spin_rad": wheel.spin_rad,
        "friction_nm": wheel.friction_nm, "damping_nm_s": wheel.damping_nm_s,
        "finger_friction": wheel.finger_friction, "report_error_m": error_m,
        "report_error_rad": error_rad, "period_s": period_s,
    }  # fmt: skip
    reported = {"valve_m": _triple(reported_m - airlock.BASE_M),
                "valve_axis": _triple(reported_axis), "angle_rad": angle_rad}  # fmt: skip
    furnished = FurnishedScene(scene, {}, template.file, {})
    return DrawnTask(
        values, furnished, with_defects(robot, settings, period_s),
        airlock.BASE_M, 0.0, reported, () if settings.removed else airlock.wheel_parts(), period_s,
    )  # fmt: skip


def _wheel(settings: ValveSettings, rng: np.random.Generator) -> tuple[airlock.Wheel, float]:
    """Draw the wheel, and the angle to turn by."""
    at_m = np.array(airlock.NOMINAL_M) + np.array(settings.around_m) * rng.uniform(-1.0, 1.0, 3)
    if settings.wheel_at_m is not None:
        at_m = np.array(settings.wheel_at_m)
    axis = _tilted(X, math.radians(settings.tilt_deg) * rng.random(), math.tau * rng.random())
    amount, sign = math.radians(between(rng, settings.turn_deg)), 1.0 - 2.0 * rng.integers(2)
    angle_rad = float(sign * amount)
    if settings.angle_deg is not None:
        angle_rad = math.radians(settings.angle_deg)
    friction, damping, fingers, radius = (
        between(rng, pair)
        for pair in (settings.friction_nm, settings.damping_nm_s, settings.finger_friction,
                     settings.rim_radius_m)
    )  # fmt: skip
    travel = None if settings.travel_deg is None else math.radians(settings.travel_deg)
    wheel = airlock.Wheel(
        _triple(at_m), _triple(axis), radius, float(rng.uniform(-math.pi, math.pi)), friction,
        damping, fingers, None if travel is None else (-travel, travel), settings.jammed,
    )  # fmt: skip
    return wheel, angle_rad


def with_defects(robot: Robot, settings: ValveSettings, delay_s: float) -> Robot:
    """Robot whose sensors of forces have noise and a delay."""
    return replace(robot, sensors=tuple(_noisy(one, settings, delay_s) for one in robot.sensors))


def _noisy(sensor: RobotSensor, settings: ValveSettings, delay_s: float) -> RobotSensor:
    force, moment = (ValueDefects("n", noise=settings.force_noise_n),
                     ValueDefects("nm", noise=settings.moment_noise_nm))  # fmt: skip
    match sensor.kind:
        case SensorKind.WRENCH:
            return replace(sensor, defects=(force, moment), delay_s=delay_s)
        case SensorKind.TOUCH:
            return replace(sensor, defects=(force,), delay_s=delay_s)
        case SensorKind.JOINT_TORQUE:
            return replace(sensor, defects=(moment,), delay_s=delay_s)
        case _:
            return sensor


def _direction(rng: np.random.Generator) -> Array:
    """Direction drawn evenly over the sphere."""
    drawn = rng.standard_normal(3)
    return drawn / np.linalg.norm(drawn)


def _tilted(axis: Array, angle: float, around: float) -> Array:
    """Direction at an angle from another, on a side that a second angle gives."""
    aside = np.cross(axis, (0.0, 1.0, 0.0))
    aside /= np.linalg.norm(aside)
    other = np.cross(axis, aside)
    side = math.cos(around) * aside + math.sin(around) * other
    return math.cos(angle) * axis + math.sin(angle) * side


def _triple(values: Array) -> tuple[float, float, float]:
    x, y, z = values.tolist()
    return x, y, z
