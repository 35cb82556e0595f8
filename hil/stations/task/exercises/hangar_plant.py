"""The chassis of MF-4 in a drawn hangar, driven by the voltages of its sides; what is judged of it.

Judged is the true state of the engine, the law has sensors only. A touch or a stay at the goal
decides a scene; the engine does not step from then on.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Final

import numpy as np

from hil.diagram.exercises.exercise import Measure, Values
from hil.machines.world.robot_documents import robot_of
from hil.stations.task.exercises.drive_law import BASE_S, FANS, SECONDS
from hil.stations.task.exercises.hangar_draw import draw_hangar
from sim.world.engine.contact_pairs import ContactPairs
from sim.world.engine.mjcf_scene import scene_text
from sim.world.engine.world import World
from sim.world.robots.model import BASE, Robot
from sim.world.robots.robot_checks import checked
from sim.world.robots.sensors import RobotSensor, SensorKind, ValueDefects
from sim.world.scenes.model import SceneRobot
from sim.world.sensors.readings import RobotSensors

ROBOT: Final = "mf4_wheels"
PLACES: Final = "places"
"""Sensor of its document that has the places of centre and front."""
BEAM_M: Final = 0.01
"""Standard deviation of a beam [m]."""
RANGE_M: Final = 3.0
"""Greatest distance that a beam sees [m]."""
PLACE_M: Final = 0.002
"""Standard deviation of a place [m]."""
SIDES: Final = 0.05
"""Greatest share by which a side is stronger or weaker."""
STEP_S: Final = 0.005
"""Step of the engine [s]."""
LIMIT_S: Final = 75.0
"""Longest time for the way [s]."""
NEAR_M: Final = 0.1
"""Greatest distance from the goal [m]."""
ASKEW_DEG: Final = 5.0
"""Greatest angle between the heading and the wanted one [deg]."""
REST_M: Final = 0.002
"""Longest way in a period at rest: 0.2 m/s [m]."""
STAY_S: Final = 0.5
"""Time at the goal that counts [s]."""


class HangarPlant:
    """A robot in a hangar."""

    def __init__(self, draw: Random) -> None:
        self._course = course = draw_hangar(draw)
        self._sides = np.array([1.0 + draw.uniform(-SIDES, SIDES) for _ in range(2)])
        half = 0.5 * course.heading_rad
        placed = SceneRobot(
            "mf4", ROBOT, position_m=(*course.start, 0.0),
            quaternion=(math.cos(half), 0.0, 0.0, math.sin(half)),
        )  # fmt: skip
        stepping = replace(course.scene.stepping, step_s=STEP_S)
        scene = replace(course.scene, robots=(placed,), stepping=stepping)
        self._world = World(scene_text(scene, {"mf4": chassis(robot_of(ROBOT)[0])}))
        (self._robot,) = self._world.robots
        self._steps = round(BASE_S / self._world.step_s)
        self._sensors = RobotSensors(self._robot, BASE_S, draw.randrange(2**31))
        self._at = {one.name: one.at for one in self._sensors.signals}
        self._sensors.read()
        self._contacts = ContactPairs(self._world)
        links = self._robot.placed.robot.links
        self._allowed = {"floor", *(f"link {one.number}" for one in links)}
        goal, direction = course.goal, course.direction_rad
        height_m = float(self._robot.pose(BASE)[2, 3])
        self._reported = {
            "goal": [*goal, height_m], "direction": [math.cos(direction), math.sin(direction), 0.0],
        }  # fmt: skip
        self._touched = 0
        self._since_s, self._arrived_s = 0.0, math.inf
        self._place = course.start

    @property
    def place(self) -> tuple[float, float]:
        """True place of the robot's centre [m]."""
        return self._place

    def inputs(self, time_s: float) -> Values:
        """Return places [m], goal [m], direction, and beams [m] with whether they meet anything."""
        reading = self._sensors.latest
        places = reading[self._at[f"{PLACES}_place_m"]].tolist()
        beams = {fan: reading[self._at[f"{fan}_distance_m"]].tolist() for fan in FANS}
        seen = {f"{fan}_seen": reading[self._at[f"{fan}_seen"]].tolist() for fan in FANS}
        return {"p1": places[:3], "p2": places[3:], **self._reported, **beams, **seen}

    def step(self, time_s: float, outputs: Values) -> None:
        """Advance by a tick at the voltages of both sides, each a share of the supply's."""
        if self._touched or self._arrived_s < math.inf:
            return
        asked = np.clip(np.array(outputs["voltages"]) * self._sides, -1.0, 1.0)
        self._robot.command(asked)
        self._world.step(self._steps)
        self._sensors.read()
        self._touched = sum(other not in self._allowed for _, other in self._contacts.now())
        before, (x, y, _) = self._place, self._robot.pose(BASE)[:3, 3].tolist()
        self._place = (x, y)
        moving = math.dist(before, self._place) > REST_M
        if moving or self._off_m() > NEAR_M or self._askew_deg() > ASKEW_DEG:
            self._since_s = time_s
        elif time_s - self._since_s >= STAY_S:
            self._arrived_s = self._since_s

    def measures(self) -> Sequence[Measure]:
        """Return touches, distance and heading at the end, time until it stays at the goal."""
        return (
            Measure("bodies that the robot has touched", float(self._touched), 0.0, ""),
            Measure("distance from the goal at the end", self._off_m(), NEAR_M, "m"),
            Measure("heading from the wanted one at the end", self._askew_deg(), ASKEW_DEG, "deg"),
            Measure("time until it stays at the goal", min(self._arrived_s, SECONDS), LIMIT_S, "s"),
        )

    def _off_m(self) -> float:
        return math.dist(self._place, self._course.goal)

    def _askew_deg(self) -> float:
        pose = self._robot.pose(BASE)
        heading = math.atan2(pose[1, 0], pose[0, 0])
        return abs(math.degrees(math.remainder(heading - self._course.direction_rad, math.tau)))


def chassis(robot: Robot) -> Robot:
    """Robot without its arm, with sensors that have noise."""
    joints = tuple(
        one for one in robot.joints
        if one.child == BASE or (one.parent == BASE and "arm" not in one.name)
    )  # fmt: skip
    numbers = {one.number for one in joints}
    kept = {one.child for one in joints}
    links = tuple(
        replace(one, leaving=tuple(number for number in one.leaving if number in numbers))
        for one in robot.links
        if one.number in kept
    )
    drives = tuple(one for one in robot.drives if one.joint in numbers)
    named = {one.name: one for one in robot.sensors}
    sensors = tuple(_noisy(named[name]) for name in (PLACES, *FANS))
    return checked(replace(robot, links=links, joints=joints, drives=drives, sensors=sensors))


def _noisy(sensor: RobotSensor) -> RobotSensor:
    if sensor.kind is SensorKind.RANGEFINDER:
        return replace(sensor, defects=(ValueDefects("m", noise=BEAM_M),), range_m=RANGE_M)
    return replace(sensor, defects=(ValueDefects("m", noise=PLACE_M),))
