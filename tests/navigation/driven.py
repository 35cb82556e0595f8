"""A drive of MF-4 through a room: diagram and engine, without station, gate and recording.

Voltages of the diagram go to the wheels, the arm is held. Contacts are those of the engine, of any
part of the robot with anything but the floor.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
from rooms import Drive, Obstacle, walls

from hil.config.named_files import configs_dir
from hil.diagram.check.diagram import SoundDiagram, load
from hil.diagram.run.engine import Engine
from sim.world.engine.mjcf_scene import scene_text
from sim.world.engine.world import World
from sim.world.robots.body import BodyShape
from sim.world.robots.model import Robot
from sim.world.robots.robot_toml_reader import read_toml
from sim.world.robots.sensors import SensorKind, ValueDefects
from sim.world.scenes.model import Floor, Scene, SceneBody, SceneRobot
from sim.world.sensors.readings import RobotSensors

FANS = ("left", "front", "right")
WHEELS = {"mf4_wheels": ((1,), (2,))}
"""Driven joints of the left and of the right side."""
LOOK_STEPS = 5
"""Steps of the world from one look at contacts to the next."""


@dataclass(frozen=True)
class Noise:
    """How badly the robot measures and drives."""

    beam_m: float = 0.01
    lost: float = 0.02
    place_m: float = 0.005
    sides: float = 0.1
    """Greatest share by which a side is stronger or weaker."""


CLEAN = Noise(0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Outcome:
    """Outcome of a drive."""

    end: str
    """`arrived`, `blocked`, `time`, or `missed` if it says that it arrived and is elsewhere."""
    time_s: float
    contacts: int
    """Looks at which something touched the robot."""
    first: str = ""
    """What touched first, and when."""
    path_m: float = 0.0

    @property
    def clean(self) -> bool:
        return self.end == "arrived" and self.contacts == 0


@cache
def robot_of(name: str, noise: Noise) -> Robot:
    """The shipped robot with noisy sensors."""
    text = (configs_dir() / "world" / "robots" / f"{name}.toml").read_text(encoding="utf-8")
    robot = read_toml(text, name)
    sensors = []
    for one in robot.sensors:
        if one.kind is SensorKind.RANGEFINDER and noise.beam_m:
            one = replace(one, defects=(ValueDefects("m", noise.beam_m),), dropout=noise.lost)
        elif one.kind is SensorKind.JOINT_PLACE and noise.place_m:
            one = replace(one, defects=(ValueDefects("m", noise.place_m),))
        sensors.append(one)
    return replace(robot, sensors=tuple(sensors))


@cache
def diagram(name: str) -> SoundDiagram:
    """A shipped diagram, or a file's."""
    path = Path(name)
    return load(path if path.suffix else configs_dir() / "diagrams" / f"{name}.toml")


def body_of(number: int, one: Obstacle) -> SceneBody:
    """An obstacle as a body of a scene that stands."""
    flat = len(one.size_m) == 1
    shape = BodyShape.CYLINDER if flat else BodyShape.BOX
    half = one.turn_rad / 2
    return SceneBody(
        f"body_{number}", shape, (*one.size_m, one.height_m),
        position_m=(one.x_m, one.y_m, one.height_m / 2),
        quaternion=(math.cos(half), 0.0, 0.0, math.sin(half)),
    )  # fmt: skip


def world_of(drive: Drive, name: str, noise: Noise) -> World:
    """The room with the robot at its start."""
    bodies = tuple(body_of(k, one) for k, one in enumerate((*walls(), *drive.obstacles)))
    x, y, heading = drive.start
    turned = (math.cos(heading / 2), 0.0, 0.0, math.sin(heading / 2))
    placed = SceneRobot("mf4", name, position_m=(x, y, 0.0), quaternion=turned)
    scene = Scene("room", floor=Floor(), robots=(placed,), bodies=bodies)
    return World(scene_text(scene, {"mf4": robot_of(name, noise)}))


class Driven:
    """A robot that a diagram drives through a room.

    Args:
        law: name of a shipped diagram, or a file.
        seed: of noise and of the sides' strengths.
    """

    def __init__(
        self,
        law: str,
        drive: Drive,
        seed: int = 0,
        noise: Noise = Noise(),
        robot: str = "mf4_wheels",
        pose: dict[int, float] | None = None,
    ) -> None:
        self.engine, self.drive = Engine(diagram(law)), drive
        self.world = world_of(drive, robot, noise)
        (self.robot,) = self.world.robots
        self.sensors = RobotSensors(self.robot, self.world.step_s, seed)
        self._signals = {one.name: one.at for one in self.sensors.signals}
        rng = np.random.default_rng(np.random.SeedSequence((37, seed)))
        self.strength = 1.0 + rng.uniform(-noise.sides, noise.sides, 2)
        drives = [one.joint for one in self.robot.placed.robot.drives]
        self.sides = [[drives.index(j) for j in side] for side in WHEELS[robot]]
        self.steps = round(self.engine.sound.flat.base_s / self.world.step_s)
        if pose:
            self.robot.move_to({joint: (value,) for joint, value in pose.items()})
            self.world.settle()
        self._held = self.robot.positions()
        limits = self.robot.placed.robot.drives
        self._idle = np.array([one.speed_max or 1.0 for one in limits])
        self.contacts, self.first, self.path_m = 0, "", 0.0
        self.trace: list[tuple[float, ...]] = []
        self.sensors.read()

    def tick(self) -> None:
        """One tick of the diagram and the world's steps until the next."""
        reading, engine = self.sensors.latest, self.engine
        places = reading[self._signals["places_place_m"]]
        engine.set_input("p1", places[:3])
        engine.set_input("p2", places[3:6])
        for fan in FANS:
            engine.set_input(fan, reading[self._signals[f"{fan}_distance_m"]])
            engine.set_input(f"{fan}_seen", reading[self._signals[f"{fan}_seen"]])
        engine.step()
        u = np.clip(engine.output("U") * self.strength, -1.0, 1.0)
        for _ in range(self.steps):
            q, v = self.robot.positions(), self.robot.speeds()
            command = np.clip(v / self._idle + 20.0 * (self._held - q) - v, -1.0, 1.0)
            for side, value in zip(self.sides, u, strict=True):
                command[side] = value
            self.robot.command(command)
            self.world.step()
            self.sensors.read()
        self._look()

    def _look(self) -> None:
        x, y, heading = self.pose()
        if self.trace:
            self.path_m += math.dist((x, y), self.trace[-1][1:3])
        self.trace.append((self.world.time_s, x, y, heading, float(self.engine.output("mode")[0])))
        for one in self.world.contacts():
            names = one.bodies
            if any(name.startswith("mf4/") for name in names) and any(
                name.startswith("body_") for name in names
            ):
                self.contacts += 1
                self.first = self.first or f"{names} at {self.world.time_s:.1f} s"
                break

    def pose(self) -> tuple[float, float, float]:
        """True place and heading of the chassis."""
        pose = self.robot.pose(0)
        return float(pose[0, 3]), float(pose[1, 3]), math.atan2(pose[1, 0], pose[0, 0])

    def run(self, limit_s: float = 150.0) -> Outcome:
        """Drive until the diagram says that it is done."""
        x, y, turn = self.drive.goal
        engine = self.engine
        engine.set_input("enable", True)
        engine.set_input("goal", (x, y, 0.12))
        engine.set_input("direction", (math.cos(turn), math.sin(turn), 0.0))
        end = "time"
        while self.world.time_s < limit_s:
            self.tick()
            if engine.output("arrived")[0]:
                at = self.pose()
                off = math.remainder(at[2] - turn, 2.0 * math.pi)
                near = math.dist(at[:2], (x, y)) < 0.1 and abs(off) < 0.1
                end = "arrived" if near else "missed"
                break
            if engine.output("blocked")[0]:
                end = "blocked"
                break
        return Outcome(end, self.world.time_s, self.contacts, self.first, self.path_m)
