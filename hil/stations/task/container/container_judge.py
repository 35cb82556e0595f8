"""Judge of the task `container`, by the true state of the world.

Done is: the container at rest in the bin and the robot at rest; until then chassis, arm and
container have touched nothing but floor, stand, jaws and the inside of the bin, the container has
slipped in the jaws by at most 5 mm, has not been dropped, and the time has not run out.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from hil.stations.task.container.floor_track import FloorTrack
from hil.stations.task.container.jerk import ChassisJerk
from hil.stations.task.container.slip import GripSlip
from hil.stations.task.judge.collisions import AllowedContacts, Collisions
from hil.stations.task.plan.reasons import TaskFinding, timed_out
from sim.world.engine.body_groups import BodyGroups, GroupContact, JointSpeeds, is_any_above
from sim.world.robots.model import BASE

if TYPE_CHECKING:
    from hil.stations.task.container.settings import ContainerSettings
    from sim.world.engine.step_contacts import StepContacts
    from sim.world.engine.world import World
    from sim.world.scenes.model import Scene

FALL_S: Final = 0.15
"""Longest time that the container may be borne by nothing: a fall of 11 cm [s]."""
REST_S: Final = 0.5
"""Time at rest that counts [s]."""
REST_SPEED: Final = 0.02
"""Speed of a joint of the robot at rest [rad/s], [m/s]."""
BODY_REST: Final = 0.02
"""Speed of the container at rest [m/s], [rad/s]."""
INSIDE_M: Final = 0.006
"""Depth from the inner face of the bin's sides to which a contact is inside [m]."""
FAR_M: Final = 0.25
"""Distance of the container from the stand's middle on which it is not on the stand any more."""
FREE_GROUPS: Final = frozenset({("floor", "robot"), ("floor", "jaws"), ("robot", "stand"),
                                ("jaws", "stand"), ("container", "stand"), ("container", "jaws"),
                                ("jaws", "jaws"), ("robot", "robot"), ("jaws", "robot"),
                                ("container", "container"), ("container", "floor")})  # fmt: skip
"""Pairs of groups that may touch; a container on the floor is judged as dropped."""
STILL: Final = frozenset({"bin", "floor", "other", "stand"})
"""Groups that do not move by themselves: what touches among them is no matter of the robot."""
IN_BIN: Final = frozenset({("bin", "container"), ("bin", "jaws"), ("bin", "robot")})
"""Pairs of groups that may touch within the bin."""


@dataclass(frozen=True, slots=True)
class ContainerNames:
    """Names of the bodies that the judge looks at; what they are called means nothing."""

    container: str = "container"
    """Body that is fetched."""
    bar: str = "grip"
    """Grip bar on it."""
    stand: str = "stand"
    """Stand that it begins on."""
    bin: str = "bin"
    """Bottom of the bin, which bears its sides."""
    wall: str = "bin_side_1"
    """One of the sides of the bin."""
    hand: str = "hand"
    """Link that bears the jaws."""
    jaws: tuple[str, str] = ("left_jaw", "right_jaw")
    """Links that hold."""


class ContainerJudge:
    """Judge of one run.

    Args:
        world: world with the robot as its first, at its beginning.
        scene: scene of it.
        contacts: reading that is up to date before each look; None if the judge reads itself.
    """

    def __init__(
        self, world: World, scene: Scene, settings: ContainerSettings,
        names: ContainerNames | None = None, contacts: StepContacts | None = None,
    ) -> None:  # fmt: skip
        self._world, self._settings = world, settings
        self._names = own = names or ContainerNames()
        robot = world.robots[0]
        links = {one.name: one.number for one in robot.placed.robot.links}
        prefix = robot.placed.prefix
        self._robot, self._hand = robot, links[own.hand]
        engine_name = {name: f"{prefix}l{number}" for name, number in links.items()}
        self._jaws = tuple(engine_name[one] for one in own.jaws)
        groups = {
            **dict.fromkeys(engine_name.values(), "robot"), **dict.fromkeys(self._jaws, "jaws"),
            own.container: "container", own.stand: "stand", own.bin: "bin", "floor": "floor",
        }  # fmt: skip
        self._contacts = BodyGroups(world, groups, contacts=contacts)
        joints = [one.number for one in robot.placed.robot.joints if one.child == BASE]
        self._speeds = JointSpeeds(world, robot, [*joints, *(one.joint for one in robot.drives)])
        others = tuple(one.name for one in scene.bodies if one.name not in world.bodies
                       or _is_obstacle(one.name, scene, own))  # fmt: skip
        self.course: FloorTrack = FloorTrack(scene, others)
        """Course of the robot."""
        self.jerk: ChassisJerk = ChassisJerk()
        """Jerk of the chassis."""
        self.slip: GripSlip = GripSlip()
        """Slip of the container."""
        self._bin_half_m = _inner_half_m(scene, own)
        allowed = AllowedContacts(
            pairs=FREE_GROUPS, among=STILL, within=dict.fromkeys(IN_BIN, self._inside)
        )
        shown = {engine: name or engine for name, engine in engine_name.items()}
        self._collisions = Collisions(self._contacts, allowed, shown)
        self._now_s = self._rest_since_s = self._body_since_s = self._borne_s = 0.0
        self._container, self._bar = world.bodies[own.container], world.bodies[own.bar]
        self._known: tuple[GroupContact, ...] | None = None
        self._is_touched = self._both_touch = self._on_floor = self._is_borne = False
        self._fatal: TaskFinding | None = None

    def look(self, t_s: float) -> tuple[TaskFinding, ...]:
        """Look at the world before a step."""
        contacts = self._contacts.now()
        if contacts is not self._known:
            self._sort(contacts)
        if self.course.is_due(t_s):
            self.course.update(t_s, self._robot.pose(BASE))
        if self.jerk.is_due(t_s):
            x, y = self._robot.pose(BASE)[:2, 3].tolist()
            self.jerk.update(t_s, x, y)
        found = self._collisions.find(t_s, contacts)
        self._hold(t_s, found)
        if self._speeds.any_above(REST_SPEED):
            self._rest_since_s = t_s
        if is_any_above(self._container.speeds(), BODY_REST):
            self._body_since_s = t_s
        if found and self._fatal is None:
            self._fatal = next((one for one in found if one.final), None)
        self._now_s = t_s
        return tuple(found)

    @property
    def collisions(self) -> int:
        """Number of contacts that were not allowed: pairs of bodies, each from touch to parting."""
        return self._collisions.count

    @property
    def at_rest(self) -> bool:
        """Whether the robot is at rest."""
        return self._now_s - self._rest_since_s >= REST_S

    def values(self) -> tuple[float, ...]:
        """Slip of the container in the jaws so far [m]."""
        return (1e-3 * self._slip_mm(),)

    def conclude(self, t_s: float) -> TaskFinding | None:
        """Why the task is not done; None if it is."""
        if self._fatal is not None:
            return self._fatal
        if t_s >= self._settings.time_limit_s:
            return timed_out(t_s, self._settings.time_limit_s)
        at = self._container_m()
        if self._in_bin(at):
            still = t_s - self._body_since_s >= REST_S and self.at_rest
            if still and not self.slip.holds:
                return None
            what = "is in the bin and still held or moving"
            return TaskFinding("time_out", t_s, f"the container {what}", at)
        away = math.dist(at[:2], self._world.bodies[self._names.stand].pose()[:2, 3])
        where = (
            "is still on its stand" if away < FAR_M else "is neither in the bin nor on its stand"
        )
        return TaskFinding("not_found", t_s, f"the container {where}", at)

    def measures(self) -> Mapping[str, float]:
        """Figures of the run so far."""
        return {
            "contacts": float(self.collisions), "slip_mm": self._slip_mm(),
            "path_m": self.course.path_m, "turns": self.course.turned_rad / math.tau,
            "least_distance_m": self.course.least_m, "jerk_m_s3": self.jerk.rms_m_s3,
        }  # fmt: skip

    def _sort(self, contacts: tuple[GroupContact, ...]) -> None:
        """Sort contacts by what they are to the judge; they hold until others are made."""
        self._known = contacts
        touching = {
            name for one in contacts if one.groups == ("container", "jaws") for name in one.bodies
        }
        borne_by = {one.groups for one in contacts if "container" in one.groups}
        self._is_touched = bool(touching)
        self._both_touch = all(one in touching for one in self._jaws)
        self._on_floor = ("container", "floor") in borne_by
        self._is_borne = bool(borne_by - {("container", "jaws"), ("container", "container")})

    def _hold(self, t_s: float, found: list[TaskFinding]) -> None:
        """Follow the container in the jaws, and find what slips or falls."""
        if self._both_touch:
            bar_m = self._bar.pose()[:3, 3]
            self.slip.hold(t_s, self._robot.pose(self._hand), bar_m, borne=self._is_borne)
        elif self.slip.part(t_s, borne=self._is_borne):
            text = "the jaws have lost the container"
            found.append(TaskFinding("grip_lost", t_s, text, self._container_m(), final=False))
        if self._is_borne or self._is_touched:
            self._borne_s = t_s
        if self._fatal is None:
            found += self._failures(t_s)

    def _failures(self, t_s: float) -> list[TaskFinding]:
        """Failures of holding that cannot be made good."""
        found: list[TaskFinding] = []
        if self._on_floor:
            text = "the container lies on the floor"
            found.append(TaskFinding("dropped", t_s, text, self._container_m()))
        elif (fell_s := t_s - self._borne_s) > FALL_S:
            text = "the container falls"
            found.append(
                TaskFinding("dropped", t_s, text, self._container_m(), fell_s, FALL_S, "s")
            )  # fmt: skip
        slip_mm, limit_mm = self._slip_mm(), self._settings.slip_max_mm
        if slip_mm > limit_mm:
            at = self._container_m()
            text = f"the container has slipped by {slip_mm:.1f} mm, at most {limit_mm:g} mm"
            found.append(TaskFinding("slip", t_s, text, at, slip_mm, limit_mm, "mm"))
        return found

    def _slip_mm(self) -> float:
        return 1e3 * self.slip.greatest_m

    def _container_m(self) -> tuple[float, float, float]:
        x, y, z = self._container.pose()[:3, 3].tolist()
        return x, y, z

    def _inside(self, position_m: tuple[float, float, float]) -> bool:
        """Whether a place is within the bin, seen from above."""
        pose = self._world.bodies[self._names.bin].pose()
        at = pose[:3, :3].T @ (np.array(position_m) - pose[:3, 3])
        return bool((np.abs(at[:2]) <= self._bin_half_m + INSIDE_M).all())

    def _in_bin(self, at_m: tuple[float, float, float]) -> bool:
        """Whether the container's middle is within the bin, below its rim."""
        wall = self._world.bodies[self._names.wall]
        rim_m = wall.pose()[2, 3] + 0.5 * wall.document.size_m[2]
        return self._inside(at_m) and at_m[2] < rim_m


def _is_obstacle(name: str, scene: Scene, own: ContainerNames) -> bool:
    """Whether a body is one that the chassis keeps away from."""
    bearers = {one.name: one.on for one in scene.bodies}
    while bearers.get(name):
        name = bearers[name]
    return name not in (own.container, own.stand, own.bin)


def _inner_half_m(scene: Scene, own: ContainerNames) -> float:
    """Half of the inner width of the bin [m]."""
    found = {one.name: one for one in scene.bodies}
    wall = found[own.wall]
    thick_m = min(wall.size_m[:2])
    return 0.5 * max(found[own.bin].size_m[:2]) - thick_m
