"""Scenario of the virtual environment: robot, motion and control law.

Scenarios of all stations lie in ``configs/scenarios/``; those of this one say
``station = "world"``.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from hil.config.scenario import Name, RecordingSettings, ScenarioSettings
from hil.config.settings import Settings
from hil.diagram.run.diagram_use import DiagramUse
from hil.stations.world.plan.edit_settings import EditAt
from hil.stations.world.plan.goal import Goal
from hil.stations.world.plan.operator_motions import CopyMotion, JogMotion
from hil.stations.world.plan.planned_motions import (
    FreeMotion,
    HoldMotion,
    JointsMotion,
    JointStart,
    LineMotion,
)
from hil.stations.world.plan.scene_placement import Mount, PlacedScene
from hil.stations.world.plan.sensor_fault import SensorFaultRows
from hil.stations.world.plan.target_motion import TargetMotion

if TYPE_CHECKING:
    from hil.diagram.run.changer import TimedChange
    from hil.diagram.run.diagram_use import UsedDiagram
    from hil.run.edit_texts import TimedEdit
    from sim.world.robots.model import Robot
    from sim.world.robots.tree import RobotTree
    from sim.world.scenes.model import Stepping

WorldMotion = Annotated[
    JointsMotion | LineMotion | TargetMotion | HoldMotion | FreeMotion | CopyMotion | JogMotion,
    Field(discriminator="kind"),
]


WorldLaw = Literal["pid", "gravity", "computed", "pd", "diagram"]
"""Built-in laws of joints, and a diagram."""


class LawGains(Settings):
    """Gains of every drive, in the order of the document, in place of those of the bandwidth."""

    kp: tuple[float, ...]
    """Proportional gain, effort per error [N m/rad] or [N/m]."""
    ki: tuple[float, ...]
    """Integral gain, effort per error and second [N m/(rad s)] or [N/(m s)]."""
    kd: tuple[float, ...]
    """Derivative gain, effort per error of speed [N m s/rad] or [N s/m]."""


class WorldScenario(ScenarioSettings):
    """Scenario of the virtual environment: everything that a run needs."""

    station: Literal["world"]
    """Always ``world``: it makes the file a scenario of this station."""
    name: Name
    """Name of the scenario, and first part of the name of a run's folder."""
    description: str = ""
    """Description in a line."""
    robot: str
    """Name or file of the robot's document."""
    scene: str | None = None
    """Name or file of the scene around the robot; left out, it is alone and rests on nothing."""
    mount: Mount | None = None
    """Place of the robot in the scene; left out, that of the scene's robot of the same document, or
    else the origin. Other robots of a scene are held where they start."""
    start: tuple[JointStart, ...] = ()
    """Starts of joints, in place of those in its document."""
    may_touch: tuple[str, ...] = ()
    """Bodies of the scene, or ``floor``, that the robot may touch: contacts with them are neither
    counted nor refused."""
    control: Literal["speed", "torque", "voltage"] = "torque"
    """Quantity that commands the drives, whatever the document says."""
    law: WorldLaw = "computed"
    """Terms of the commands: the error; also what holds the robot; also what accelerates it;
    ``pd`` makes voltages of the error alone, ``diagram`` what a functional diagram computes."""
    diagram: DiagramUse | None = None
    """Functional diagram, for ``law = "diagram"``."""
    bandwidth_rad_s: Annotated[float, Field(gt=0.0, le=200.0)] = 30.0
    """Bandwidth at which each joint's error has three poles [rad/s], if no gains are given."""
    gains: LawGains | None = None
    """Gains in place of those of the bandwidth."""
    motion: WorldMotion
    """Motion of the robot."""
    following_deg: Annotated[float, Field(gt=0.0, le=90.0)] = 5.0
    """Largest error of a hinge [deg]; beyond it the gate stops."""
    following_m: Annotated[float, Field(gt=0.0, le=1.0)] = 0.05
    """Largest error of a slide [m]; beyond it the gate stops."""
    settle_s: Annotated[float, Field(ge=0.0, le=60.0)] = 1.0
    """Duration of the hold at the end [s]."""
    step_s: Annotated[float, Field(ge=1e-4, le=0.01)] = 0.002
    """Step of engine and control [s]; left out, that of the scene, if there is one."""
    integrator: Literal["implicitfast", "RK4"] = "implicitfast"
    """Integrator: for motors' steep laws, or to keep energy; left out, that of the scene."""
    gravity_m_s2: tuple[float, float, float] = (0.0, 0.0, -9.81)
    """Gravity in the world's axes, z up; left out, that of the scene, or else of the document."""
    clock: Literal["virtual", "real"] = "virtual"
    """Clock: ``virtual``, as fast as the computer can; ``real``, in real time."""
    seed: Annotated[int, Field(ge=0, le=2**32 - 1)] = 0
    """Seed of all random numbers: the same seed gives the same run."""
    goal: Goal | None = None
    """Goal of the run, judged by its rows; left out, to reach the end is all."""
    edit: tuple[EditAt, ...] = ()
    """Documents that replace the robot during the run."""
    sensor_fault: SensorFaultRows = ()
    """Faults of sensors, for ``law = "diagram"``; of joints only the diagram gets them."""
    recording: RecordingSettings = RecordingSettings()
    """Settings of the recording."""


@dataclass(frozen=True, slots=True)
class WorldPlan:
    """Scenario with its files read."""

    scenario: WorldScenario
    """Scenario as written, with the changes of the command line."""
    robot: Robot
    """Robot of the document, with drives commanded as the scenario says."""
    robot_text: str
    """Text of the robot's document, as TOML."""
    robot_file: str
    """Path of that document."""
    scenario_file: str
    """Path of the scenario."""
    scene: PlacedScene | None = None
    """Scene with this robot in it; None if it is alone."""
    edits: tuple[TimedEdit, ...] = ()
    """Documents that replace the robot during the run."""
    diagram: UsedDiagram | None = None
    """Diagram that commands the drives; None without one."""
    changes: tuple[TimedChange, ...] = ()
    """Changes of the diagram during the run."""
    losses: tuple[str, ...] = ()
    """Contents of the robots' documents that have no effect, a line each, those of motion first."""
    trusted: bool = False
    """Whether the person who started the run trusts the native code of the diagram's FMUs, which no
    file can say."""
    carried_in: Path | None = None
    """Recording that it comes from, in whose folder the files are that it names."""

    @property
    def name(self) -> str:
        """Name of the scenario."""
        return self.scenario.name

    @property
    def clock(self) -> str:
        """Clock of the run, ``"virtual"`` or ``"real"``."""
        return self.scenario.clock

    @property
    def document(self) -> Path:
        """File beside which the files are that it names."""
        return self.carried_in or Path(self.scenario_file)

    @property
    def tree(self) -> RobotTree:
        """Kinematic tree of the robot."""
        from sim.world.robots.tree import spanning_tree

        return spanning_tree(self.robot)

    @property
    def robot_has_loops(self) -> bool:
        """Whether joints close loops."""
        return any(joint.closes for joint in self.robot.joints)

    @property
    def free_joints(self) -> frozenset[int]:
        """Numbers of the driven joints whose places nobody asks for: a diagram moves them."""
        use = self.scenario.diagram
        if use is None or not isinstance(self.scenario.motion, FreeMotion):
            return frozenset()
        return frozenset(use.commanded([drive.joint for drive in self.robot.drives]))

    @property
    def live(self) -> bool:
        """Whether an operator has to lead the robot while the run lasts."""
        motion = self.scenario.motion
        if isinstance(motion, JogMotion):
            return motion.by.kind != "script"
        return isinstance(motion, CopyMotion) and motion.source == "frames"

    def to_table(self) -> dict[str, Any]:
        """Data of the plan in a recording."""
        summary: dict[str, Any] = {
            "scenario": self.scenario.model_dump(mode="json"),
            "robot": self.robot_text,
            "robot_file": self.robot_file,
            "scenario_file": self.scenario_file,
        }
        if self.diagram is not None:
            from hil.diagram.run.panel_page import table_of

            summary |= table_of(self.diagram.version, self.diagram.text)
        if self.losses:
            summary["losses"] = list(self.losses)
        return summary if self.scene is None else {**summary, "scene": self.scene.to_table()}

    @property
    def stepping(self) -> Stepping:
        """Steps of the engine, and what acts everywhere."""
        from sim.world.scenes.model import Stepping

        one = self.scenario
        return Stepping(one.step_s, one.integrator, one.gravity_m_s2)


def scenario_model() -> type[Settings]:
    """Model of a scenario of this station."""
    return WorldScenario
