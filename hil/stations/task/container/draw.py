"""Draw of the task `container`: a hangar, a start, defects of the robot, reported places.

All follows from the settings and the seed: numbers come from a counter-based generator that these
two seed, attempt by attempt, and nothing else is asked.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from hil.config.errors import ConfigError, about
from hil.machines.world.scene_documents import FurnishedScene, scene_of
from hil.stations.task.container import hangar
from hil.stations.task.container.limits import BODY_M, require_feasible
from hil.stations.task.container.settings import ContainerSettings
from hil.stations.task.plan.drawn_numbers import between, generator_of
from hil.stations.task.plan.task import DrawnTask
from sim.world.robots.model import Robot
from sim.world.robots.sensors import RobotSensor, SensorKind, ValueDefects
from sim.world.scenes.fields import FieldFullError, all_bodies
from sim.world.scenes.model import Scene
from sim.world.scenes.passages import FloorPlan

if TYPE_CHECKING:
    from hil.config.settings import Settings
    from hil.stations.task.container.hangar import Place

ATTEMPTS: Final = 200
"""Most hangars that are drawn for a seed."""
WALL_CLEAR_M: Final = 1.35
"""Least distance of stand, bin and start from the walls [m]."""
APART_M: Final = 2.8
"""Least distance of stand, bin and start from each other [m]."""
JUDGED: Final = {"slip_max_mm", "time_limit_s"}
"""Settings that change what is judged and nothing that is drawn."""
SIDES: Final = ("left", "right")


@dataclass(frozen=True, slots=True)
class DrawnHangar:
    """Hangar of a seed."""

    scene: Scene
    """Scene with all bodies at their places, without a robot."""
    start: Place
    """Place of the robot [m]."""
    heading_rad: float
    """Heading of the robot [rad]."""
    container: Place
    """True place of the container [m]."""
    bar_heading_rad: float
    """Direction of the grip bar about the vertical [rad]."""
    bin: Place
    """Place of the bin's middle [m]."""
    values: dict[str, float]
    """Drawn values, by name."""


def draw(settings: Settings, robot: Robot, seed: int) -> DrawnTask:
    """Draw a hangar, the defects of the robot, and what is reported.

    Raises:
        ConfigError: if no hangar is found.
    """
    assert isinstance(settings, ContainerSettings)  # noqa: S101  # the task's own model
    require_feasible(settings, robot)
    template = scene_of(hangar.TEMPLATE)
    found = draw_hangar(settings, template.scene, seed)
    rng = generator_of(settings, JUDGED, seed, ATTEMPTS)
    error_m, direction = between(rng, settings.report_error_m), float(rng.uniform(0, math.tau))
    sides = tuple(1.0 + settings.sides * float(rng.uniform(-1.0, 1.0)) for _ in SIDES)
    x, y = found.container
    height_m = hangar.grip_height_m(template.scene)
    reported_m = (x + error_m * math.cos(direction), y + error_m * math.sin(direction), height_m)
    values = {
        **found.values, "report_error_m": error_m, "left_side": sides[0], "right_side": sides[1],
        "reported_x_m": reported_m[0], "reported_y_m": reported_m[1],
    }  # fmt: skip
    scene = replace(template, scene=found.scene)
    return DrawnTask(
        values, FurnishedScene(scene.scene, {}, template.file, {}),
        with_defects(robot, settings, sides), (*found.start, 0.0), found.heading_rad,
        {"container_m": reported_m, "container_heading_rad": found.bar_heading_rad,
         "bin_m": (*found.bin, hangar.rim_height_m(template.scene))},
        ("floor", "stand", "bin", "container", "grip", "grip_post_1", "grip_post_2",
         *(f"bin_side_{number}" for number in range(1, 5))),
    )  # fmt: skip


def draw_hangar(settings: ContainerSettings, template: Scene, seed: int) -> DrawnHangar:
    """Draw hangars until one has a way for the body from start to container and bin.

    Raises:
        ConfigError: if none has.
    """
    why, attempt = "", 0
    for attempt in range(ATTEMPTS):
        rng = generator_of(settings, JUDGED, seed, attempt)
        found, why = _attempt(settings, template, rng)
        if found is not None:
            found.values["hangars_drawn"] = float(attempt + 1)
            return found
        if settings.obstacle is not None and settings.start_at_m and settings.container_at_m:
            break
    remedy = "fewer obstacles, smaller gaps, or a larger room_m"
    raise ConfigError("task", [about("task", f"{why}; seed {seed}, {attempt + 1} tried: {remedy}")])


def _attempt(
    settings: ContainerSettings, template: Scene, rng: np.random.Generator
) -> tuple[DrawnHangar | None, str]:
    """Draw one hangar; else why it is none."""
    low, high = settings.obstacles
    count, gap_m = int(rng.integers(low, high + 1)), between(rng, settings.gap_m)
    mass_kg, friction = (
        between(rng, settings.container_kg), between(rng, settings.container_friction)
    )  # fmt: skip
    bar_rad, heading_rad = (float(rng.uniform(-math.pi, math.pi)) for _ in range(2))
    container, bin_m, start = (_place(rng, settings.room_m) for _ in range(3))
    field_seed = int(rng.integers(2**32))
    container, bin_m = settings.container_at_m or container, settings.bin_at_m or bin_m
    start = settings.start_at_m or start
    if settings.start_heading_deg is not None:
        heading_rad = math.radians(settings.start_heading_deg)
    nearest = min(math.dist(a, b) for a, b in ((container, bin_m), (container, start),
                                               (bin_m, start)))  # fmt: skip
    if nearest < APART_M and None in (settings.container_at_m, settings.bin_at_m):
        return None, f"stand, bin and start are {nearest:.2f} m apart, at least {APART_M} m"
    room = hangar.furnish(
        template, settings.room_m, container, bar_rad, bin_m, mass_kg, friction
    )  # fmt: skip
    kinds = hangar.kinds(template)
    if settings.obstacle is not None:
        count, scene = len(settings.obstacle), hangar.put(room, kinds, settings.obstacle)
    else:
        scattered = hangar.scatter(room, kinds, count, gap_m, field_seed, start)
        try:
            scene = replace(scattered, bodies=all_bodies(scattered), fields=())
        except FieldFullError as error:
            return None, str(error)
    if why := _blocked(settings, scene, start, container, bin_m):
        return None, why
    values = {
        "obstacles": float(count), "gap_m": gap_m, "container_kg": mass_kg,
        "container_friction": friction, "start_x_m": start[0], "start_y_m": start[1],
        "start_heading_rad": heading_rad, "container_x_m": container[0],
        "container_y_m": container[1], "container_heading_rad": bar_rad,
        "bin_x_m": bin_m[0], "bin_y_m": bin_m[1],
    }  # fmt: skip
    return DrawnHangar(scene, start, heading_rad, container, bar_rad, bin_m, values), ""


def _blocked(
    settings: ContainerSettings, scene: Scene, start: Place, container: Place, bin_m: Place
) -> str:
    """Why the body has no way from start to container and bin; empty if it has."""
    half = 0.5 * settings.room_m[0], 0.5 * settings.room_m[1]
    own = ("stand", "container", "grip", "grip_post_1", "grip_post_2", "bin",
           *(f"bin_side_{number}" for number in range(1, 5)))  # fmt: skip
    plan = FloorPlan(scene, ((-half[0], -half[1]), half), ignored=own)
    for name, place, least in (("start", start, 0.5 * BODY_M), ("container", container, 0.15),
                               ("bin", bin_m, 0.36)):  # fmt: skip
        if (clear := plan.clearance_m(place)) < least:
            return f"the {name} at {place[0]:.2f}, {place[1]:.2f} m is {clear:.2f} m from the " \
                   f"nearest obstacle, at least {least:g} m"  # fmt: skip
    radius = 0.5 * BODY_M + settings.margin_m
    if settings.passage:
        for name, place in (("container", container), ("bin", bin_m)):
            if not plan.has_way(start, place, radius):
                return f"no way of {2 * radius:.2f} m width leads from the start to the {name}"
    return ""


def with_defects(robot: Robot, settings: ContainerSettings, sides: tuple[float, ...]) -> Robot:
    """Robot whose sensors have noise and whose sides are unequal."""
    names = {joint.number: joint.name for joint in robot.joints}
    drives = tuple(
        replace(
            one, effort_max=one.effort_max * factor,
            speed_max=None if one.speed_max is None else one.speed_max * factor,
        )
        for one in robot.drives
        for factor in (_side(names[one.joint], sides),)
    )  # fmt: skip
    return replace(
        robot, drives=drives, sensors=tuple(_noisy(one, settings) for one in robot.sensors)
    )


def _side(joint: str, sides: tuple[float, ...]) -> float:
    """Factor of the motor of a joint: that of its side if it is a wheel's, else 1."""
    for name, factor in zip(SIDES, sides, strict=True):
        if joint.startswith(name) and "wheel" in joint:
            return factor
    return 1.0


def _noisy(sensor: RobotSensor, settings: ContainerSettings) -> RobotSensor:
    if sensor.kind is SensorKind.RANGEFINDER:
        defects = (ValueDefects("m", noise=settings.range_noise_m),)
        return replace(sensor, defects=defects, dropout=settings.range_lost)
    if sensor.kind is SensorKind.JOINT_PLACE:
        return replace(sensor, defects=(ValueDefects("m", noise=settings.position_noise_m),))
    return sensor


def _place(rng: np.random.Generator, room_m: Place) -> Place:
    """Place in a room, away from its walls."""
    x, y = (0.5 * length - WALL_CLEAR_M for length in room_m)
    return float(x * rng.uniform(-1.0, 1.0)), float(y * rng.uniform(-1.0, 1.0))
