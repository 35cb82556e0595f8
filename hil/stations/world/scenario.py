"""A scenario of the virtual environment: which robot moves how, and by which law.

Scenarios of all stations lie in ``configs/scenarios/``; those of this one say
``station = "world"``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from hil.config.errors import ConfigError, Wrong, about
from hil.config.fields import AngleDeg, Point
from hil.config.inputs import SCENARIO, name_input
from hil.config.scenario import Name, RecordingSettings
from hil.config.settings import Change, Settings, apply_overrides, read_toml, scenario_toml
from hil.diagram.use import DiagramUse
from hil.stations.world.editing.edit_settings import EditAt
from hil.stations.world.led_settings import CopyMotion, JogMotion
from hil.stations.world.planned_settings import HoldMotion, JointsMotion, JointStart, LineMotion

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray

    from hil.diagram.changer import TimedChange
    from hil.diagram.use import UsedDiagram
    from hil.machines.robot_documents import RobotDocument
    from hil.run.texts import TimedEdit
    from hil.stations.world.placing import PlacedScene
    from sim.world.robots.model import Robot
    from sim.world.robots.tree import RobotTree
    from sim.world.scenes.model import Stepping

WorldMotion = Annotated[
    JointsMotion | LineMotion | HoldMotion | CopyMotion | JogMotion, Field(discriminator="kind")
]


WorldLaw = Literal["pid", "gravity", "computed", "pd", "diagram"]
"""The built-in laws of joints, and a diagram."""


class LawGains(Settings):
    """Gains of every drive, in the order of the document, in place of those of the bandwidth."""

    kp: tuple[float, ...]
    """Effort per error [N m/rad] or [N/m]."""
    ki: tuple[float, ...]
    """Effort per error and second."""
    kd: tuple[float, ...]
    """Effort per error of speed."""


class Mount(Settings):
    """Where a robot stands in a scene."""

    on: str = ""
    """Body, or robot of the scene, that bears it; empty for the world."""
    link: Annotated[int, Field(ge=0)] = 0
    """Of the robot that bears it."""
    position_m: Point = (0.0, 0.0, 0.0)
    """Of its base in the frame of what bears it."""
    turn_deg: tuple[AngleDeg, AngleDeg, AngleDeg] = (0.0, 0.0, 0.0)
    """Of its base there: about x, then y, then z."""

    def rotation(self) -> NDArray[float64]:
        """Axes of its base as columns, shape (3, 3)."""
        from sim.world.robots.rotations import rotation_of_rpy

        return rotation_of_rpy([math.radians(angle) for angle in self.turn_deg])


class WorldScenario(Settings):
    """Everything a run of the virtual environment needs."""

    station: Literal["world"]
    """Always ``world``: it makes the file a scenario of this station."""
    name: Name
    """What the folder of a run is called after."""
    description: str = ""
    """A line for the reader."""
    robot: str
    """Document of the robot."""
    scene: str | None = None
    """Name or file of the scene it stands in; left out, it stands on nothing, alone."""
    mount: Mount | None = None
    """Where it stands in the scene; left out, where the scene has a robot of the same document, or
    else in the origin. Other robots of a scene are held where they stand."""
    start: tuple[JointStart, ...] = ()
    """Where its joints start, in place of where its document has them."""
    may_touch: tuple[str, ...] = ()
    """Bodies of the scene, or ``floor``, that the robot may touch: no contact with them is counted
    or refused."""
    control: Literal["speed", "torque", "voltage"] = "torque"
    """What its drives are commanded by, whatever the document says."""
    law: WorldLaw = "computed"
    """What the commands are made of: the error; and what holds the robot; and what accelerates it;
    ``pd`` makes voltages of the error alone, ``diagram`` what a functional diagram computes."""
    diagram: DiagramUse | None = None
    """The diagram, for ``law = "diagram"``."""
    bandwidth_rad_s: Annotated[float, Field(gt=0.0, le=200.0)] = 30.0
    """Three poles of each joint's error lie here, if no gains are given."""
    gains: LawGains | None = None
    """Gains in place of those."""
    motion: WorldMotion
    """What the robot does."""
    following_deg: Annotated[float, Field(gt=0.0, le=90.0)] = 5.0
    """Greatest distance of a hinge from where it should be; beyond it the gate stops."""
    following_m: Annotated[float, Field(gt=0.0, le=1.0)] = 0.05
    """Likewise of a slide."""
    settle_s: Annotated[float, Field(ge=0.0, le=60.0)] = 1.0
    """How long it is held at the end."""
    step_s: Annotated[float, Field(ge=1e-4, le=0.01)] = 0.002
    """Of the engine, and of control; left out, that of the scene, if there is one."""
    integrator: Literal["implicitfast", "RK4"] = "implicitfast"
    """Of the engine: for motors' steep laws, or to keep energy; left out, that of the scene."""
    gravity_m_s2: tuple[float, float, float] = (0.0, 0.0, -9.81)
    """In the world's axes, z up; left out, that of the scene, or else of the robot's document."""
    clock: Literal["virtual", "real"] = "virtual"
    """``virtual``: as fast as it goes; ``real``: in real time."""
    seed: Annotated[int, Field(ge=0, le=2**32 - 1)] = 0
    """Of all random numbers: the same seed gives the same run."""
    edit: tuple[EditAt, ...] = ()
    """Documents of the robot that the run takes while it goes."""
    recording: RecordingSettings = RecordingSettings()
    """How the run is recorded."""


@dataclass(frozen=True, slots=True)
class WorldPlan:
    """A scenario with its files read."""

    scenario: WorldScenario
    """As it stands, with what the command line changed."""
    robot: Robot
    """Its document, with drives commanded as the scenario says."""
    robot_text: str
    """The document itself, as TOML."""
    robot_file: str
    """Where it was."""
    scenario_file: str
    """Where the scenario was."""
    scene: PlacedScene | None = None
    """The scene with this robot in it; None if it stands alone."""
    edits: tuple[TimedEdit, ...] = ()
    """Documents that it takes while it goes."""
    diagram: UsedDiagram | None = None
    """What commands its drives, if a diagram does."""
    changes: tuple[TimedChange, ...] = ()
    """Changes of it while it runs."""
    losses: tuple[str, ...] = ()
    """What of its robots' documents does not act, a line each, what changes their motion first."""
    trusted: bool = False
    """Whether the person who started the run trusts the native code of the diagram's FMUs; no file
    can say so."""
    carried_in: Path | None = None
    """The recording that it comes from, in whose folder files are that it names."""

    @property
    def document(self) -> Path:
        """The file beside which the files are that it names."""
        return self.carried_in or Path(self.scenario_file)

    @property
    def tree(self) -> RobotTree:
        """Of the robot."""
        from sim.world.robots.tree import spanning_tree

        return spanning_tree(self.robot)

    @property
    def robot_has_loops(self) -> bool:
        """Whether joints close loops."""
        return any(joint.closes for joint in self.robot.joints)

    @property
    def live(self) -> bool:
        """Whether somebody has to lead the robot while the run lasts."""
        motion = self.scenario.motion
        if isinstance(motion, JogMotion):
            return motion.by.kind != "script"
        return isinstance(motion, CopyMotion) and motion.source == "frames"

    def told(self) -> dict[str, Any]:
        """The plan as a recording keeps it."""
        told: dict[str, Any] = {
            "scenario": self.scenario.model_dump(mode="json"),
            "robot": self.robot_text,
            "robot_file": self.robot_file,
            "scenario_file": self.scenario_file,
        }
        if self.diagram is not None:
            from hil.diagram.panel_page import told_of

            told |= told_of(self.diagram.version, self.diagram.text)
        if self.losses:
            told["losses"] = list(self.losses)
        return told if self.scene is None else {**told, "scene": self.scene.told()}

    @property
    def stepping(self) -> Stepping:
        """How the engine steps, and what acts everywhere."""
        from sim.world.scenes.model import Stepping

        one = self.scenario
        return Stepping(one.step_s, one.integrator, one.gravity_m_s2)


def scenario_model() -> type[Settings]:
    """What a scenario of this station says."""
    return WorldScenario


def load_world_plan(path: Path, overrides: Iterable[Change] = ()) -> WorldPlan:
    """Read a scenario and its robot.

    Raises:
        ConfigError: with the file, the key path, the value and what would have been right.
    """
    return world_plan_from_table(scenario_toml(path), path, overrides)


def scenario_table(path: Path) -> dict[str, Any]:
    """A scenario's table; of a robot's document, one in which the robot holds where it starts."""
    table = {} if path.suffix.lower() != ".toml" else read_toml(path)
    if table and ("station" in table or "link" not in table):
        name_input(path, str(path), SCENARIO)
        return table
    name = re.sub("[^a-z0-9_]+", "_", path.stem.lower())[:60] or "robot"
    return {"station": "world", "name": name, "robot": str(path), "motion": {"kind": "hold"}}


def world_plan_from_table(
    table: Mapping[str, Any], path: Path, overrides: Iterable[Change] = ()
) -> WorldPlan:
    """Like `load_world_plan`, for a scenario that is already a table."""
    from dataclasses import replace

    from hil.diagram.changer import TimedChange
    from hil.diagram.use import changes_at, used_diagram
    from hil.machines.robot_documents import document_of
    from hil.stations.world.editing.reading import edits_at
    from hil.stations.world.robot_facts import robot_facts
    from hil.stations.world.scenario_checks import check_plan
    from sim.world.robots.toml_writing import write_toml

    scenario = WorldScenario.build(apply_overrides(dict(table), overrides), str(path))
    document = document_of(scenario.robot, key="robot", beside=path)
    robot, file = document.robot, document.path
    robot = _started(robot, scenario.start, str(path))
    drives = tuple(replace(drive, control=scenario.control) for drive in robot.drives)
    driven, scene = replace(robot, drives=drives), None
    if scenario.scene is not None:
        scenario, scene = _placed(scenario, scenario.scene, robot, file, path)
        scene = scene.with_robot(driven)
    elif robot.gravity_m_s2 is not None and "gravity_m_s2" not in scenario.model_fields_set:
        scenario = scenario.model_copy(update={"gravity_m_s2": robot.gravity_m_s2})
    edits = edits_at(scenario.edit, scenario.step_s, path)
    whole = write_toml(robot, whole=True)
    lost = _losses(scenario, document, scene)
    plan = WorldPlan(scenario, driven, whole, str(file), str(path), scene, edits, losses=lost)
    check_plan(plan, str(path))
    if scenario.diagram is None:
        return plan
    used = used_diagram(scenario.diagram, path, "diagram", robot_facts(plan, scenario.diagram))
    changes = tuple(
        TimedChange(round(at_s / scenario.step_s), change)
        for at_s, change in changes_at(scenario.diagram, path, "diagram")
    )
    return replace(plan, diagram=used, changes=changes)


def _losses(
    scenario: WorldScenario, document: RobotDocument, scene: PlacedScene | None
) -> tuple[str, ...]:
    """What of the documents does not act: gravities first, then what is not taken of them."""
    from hil.machines.documents import is_machine
    from sim.world.robots.losses import gravity_losses

    whose = "gravity_m_s2 of the " + ("scenario" if scene is None else "scene or scenario")
    robots = {document.robot.name or scenario.robot: document.robot}
    if scene is not None:
        others = {name: one for name, one in scene.robots.items() if name != scene.moved}
        robots = {scenario.robot: document.robot, **others}
    found = [str(one) for one in gravity_losses(robots, scenario.gravity_m_s2, whose)]
    found += [] if is_machine(scenario.robot) else document.lost
    return tuple(dict.fromkeys([*found, *(() if scene is None else scene.lost)]))


def _started(robot: Robot, starts: Iterable[JointStart], source: str) -> Robot:
    """A robot whose joints start where a scenario says."""
    from dataclasses import replace

    from sim.world.robots.model import JointType

    found, wrong = {joint.number: joint for joint in robot.joints}, list[Wrong]()
    for index, one in enumerate(starts):
        key = f"start.{index}"
        kind = JointType.HINGE if one.deg is not None else JointType.SLIDE
        joint = found.get(one.joint)
        if joint is None or joint.type is not kind or joint.mimic is not None:
            there = ", ".join(str(own.number) for own in robot.joints if own.type is kind)
            told = f"is no {kind.value} of its own; there are {there or 'none'}"
            wrong.append(about(key, f"{key}: joint {one.joint} {told}"))
            continue
        at = math.radians(one.deg) if one.deg is not None else one.m or 0.0
        least, greatest = joint.limits[0] if joint.limits else (-math.inf, math.inf)
        if not least <= at <= greatest:
            text = f"{key}: joint {one.joint} at {at:g}: its limits are {least:g} to {greatest:g}"
            wrong.append(about(key, text))
        found[one.joint] = replace(joint, start=(at,))
    if wrong:
        raise ConfigError(source, wrong)
    return replace(robot, joints=tuple(found.values()))


def _placed(
    scenario: WorldScenario, name: str, robot: Robot, file: Path, path: Path
) -> tuple[WorldScenario, PlacedScene]:
    """The scene of a scenario with its robot in it, and the scenario stepped as the scene is."""
    from hil.machines.scene_documents import scene_of
    from hil.stations.world.placing import placed_scene

    found = scene_of(name, key="scene", beside=path)
    stepping = found.scene.stepping
    own = {key: getattr(stepping, key) for key in ("step_s", "integrator", "gravity_m_s2")}
    left = {key: value for key, value in own.items() if key not in scenario.model_fields_set}
    placed = placed_scene(found, robot, scenario.robot, scenario.mount, str(file))
    return scenario.model_copy(update=left), placed
