"""A scenario of the virtual environment: which robot moves how, and by which law.

Scenarios of all stations lie in ``configs/scenarios/``; those of this one say
``station = "world"``.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from hil.config.scenario import Name, RecordingSettings
from hil.config.settings import Settings
from hil.diagram.run.diagram_use import DiagramUse
from hil.stations.world.editing.edit_settings import EditAt
from hil.stations.world.operator_motion_settings import CopyMotion, JogMotion
from hil.stations.world.planned_settings import HoldMotion, JointsMotion, JointStart, LineMotion
from hil.stations.world.scene_placement import Mount, PlacedScene

if TYPE_CHECKING:
    from hil.diagram.run.changer import TimedChange
    from hil.diagram.run.diagram_use import UsedDiagram
    from hil.run.edit_texts import TimedEdit
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
    def name(self) -> str:
        """Of its scenario."""
        return self.scenario.name

    @property
    def clock(self) -> str:
        """``"virtual"`` or ``"real"``."""
        return self.scenario.clock

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

    def to_table(self) -> dict[str, Any]:
        """The plan as a recording keeps it."""
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
        """How the engine steps, and what acts everywhere."""
        from sim.world.scenes.model import Stepping

        one = self.scenario
        return Stepping(one.step_s, one.integrator, one.gravity_m_s2)


def scenario_model() -> type[Settings]:
    """What a scenario of this station says."""
    return WorldScenario
