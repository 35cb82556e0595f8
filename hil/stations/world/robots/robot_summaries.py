"""Output of ``hil world`` with ``--json``: one object each, with keys and their meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class RobotRowSummary(TypedDict):
    """Shipped robot, or a machine."""

    name: str
    """Name for verbs."""
    file: str
    """Path of its document."""
    links: int
    """Number of links, the base among them."""
    joints: int
    """Number of joints that move a link or close a loop."""
    loops: int
    """Number of loops closed by joints."""
    freedoms: int
    """Speeds of its joints, before loops take any."""
    drives: int
    """Number of driven joints."""


class SceneRowSummary(TypedDict):
    """Shipped scene."""

    name: str
    """Name for verbs."""
    file: str
    """Path of its document."""
    robots: int
    """Number of robots in it."""
    bodies: int
    """Number of bodies that the document places."""
    scattered: int
    """Number of bodies that its fields place at random."""
    lights: int
    """Number of lights."""
    cameras: int
    """Number of cameras."""


class RobotsSummary(TypedDict):
    """The shipped robots and scenes."""

    ok: bool
    """True."""
    robots: list[RobotRowSummary]
    """Robots in the order of their names."""
    scenes: list[SceneRowSummary]
    """Scenes in the order of their names."""


class SceneBodySummary(TypedDict):
    """Body of a scene."""

    name: str
    """Name of the body."""
    on: str
    """Body or robot that bears it; empty for the world."""
    link: int
    """Number of the link of the robot that bears it."""
    motion: str
    """Way in which it moves there."""
    shape: str
    """Shape of the body; none for a place."""
    size_m: list[float]
    """Dimensions [m]: edges of a box; radius, length."""
    mass_kg: float
    """Mass of the body [kg]."""
    position_m: list[float]
    """Position of its frame in that of what bears it [m]."""
    quaternion: list[float]
    """Orientation of its frame there: w, x, y, z."""


class SceneSummary(TypedDict):
    """Scene; bodies of fields are where seed 0 puts them, if theirs is left to a run."""

    ok: bool
    """True."""
    scene: str
    """Name of the scene."""
    file: str
    """Path of its document."""
    robots: dict[str, str]
    """Documents of its robots, by their names."""
    bodies: list[SceneBodySummary]
    """Bodies, those of fields at the end."""
    cameras: list[str]
    """Names of the cameras."""
    png: str
    """Path of its picture, if one was written; else empty."""


class SceneCheckSummary(TypedDict):
    """Check of a scene's document."""

    ok: bool
    """It can be used."""
    scene: str
    """Name of the scene."""
    file: str
    """Path of its document."""
    robots: int
    """Number of robots in it."""
    bodies: int
    """Number of bodies that the document places."""
    scattered: int
    """Number of bodies that its fields place at random."""
    joints: int | None
    """Number of joints that the physics engine has in all; null without the engine."""
    equalities: int | None
    """Number of ties of loops and of following joints in the engine; null without the engine."""
    sensors: int
    """Number of its robots' sensors."""
    engine: str
    """Result of the physics engine: ok, or why it was not asked."""
    overlaps: list[str]
    """Overlaps of more than 1 mm where it begins, a line each."""
    frictions: list[str]
    """Bodies whose friction has no effect, as the floor's is greater, a line each."""
    losses: list[str]
    """Contents of its robots' documents without effect in it, such as own gravity, a line each."""


class ScenarioCheckSummary(TypedDict):
    """Check of a scenario, before its motion is proved."""

    ok: bool
    """It can be used, and what moves in it can begin."""
    scenario: str
    """Name of the scenario."""
    file: str
    """Path of its file."""
    robot: str
    """Name of the robot that moves."""
    scene: str
    """Name of the scene around it; empty for none."""
    drives: int
    """Number of the robot's drives."""
    sensors: int
    """Number of the robot's sensors."""
    bodies: int | None
    """Number of bodies that the physics engine has in all; null without the engine."""
    joints: int | None
    """Number of joints that the physics engine has in all; null without the engine."""
    equalities: int | None
    """Number of ties of loops and of following joints in the engine; null without the engine."""
    ties: list[list[str]] | None
    """The two parts of each of them, by their names in the engine; null without the engine."""
    engine: str
    """Result of the engine: ok, or why it cannot begin, or that it was not asked."""
    losses: list[str]
    """Contents of its robots' documents without effect in it, such as own gravity, a line each."""


class RobotLinkSummary(TypedDict):
    """Link of a robot."""

    number: int
    """Number; 0 is the base."""
    name: str
    """Name; empty if it has none."""
    joint: int
    """Number of the joint that moves it."""
    dh: list[float]
    """D-H parameters of its frame in that of the link before it: [gamma rad, b m,] alpha rad, d m,
    theta rad, r m."""
    shape: str
    """Shape of its body; none for no body."""
    mass_kg: float
    """Mass of the link [kg]."""
    position_m: NDArray[np.float64]
    """Position of its frame in the world where the robot starts [m]."""
    rotation: NDArray[np.float64]
    """Axes of its frame there, as columns."""


class RobotJointSummary(TypedDict):
    """Joint of a robot."""

    number: int
    """Number; 0 is the base's."""
    name: str
    """Name; empty if it has none."""
    type: str
    """Type of movement."""
    parent: int
    """Link before it; -1 for the world."""
    child: int
    """Link after it; -1 for an end."""
    closes: bool
    """It closes a loop."""
    start: list[float]
    """Coordinates where the robot starts, loops closed [rad] or [m]."""


class RobotSummary(TypedDict):
    """Robot with its links and joints."""

    ok: bool
    """Its loops can be closed."""
    robot: str
    """Name of the robot."""
    file: str
    """Path of its document."""
    mass_kg: float
    """Mass of all links [kg]."""
    freedoms: int
    """Speeds of its joints, before loops take any."""
    gap_max_m: float
    """Largest gap of its loops where it starts [m]."""
    links: list[RobotLinkSummary]
    """Links, each after the one that carries it."""
    joints: list[RobotJointSummary]
    """Joints in the order of the document."""
    png: str
    """Path of its picture, if one was written; else empty."""


class RobotCheckSummary(TypedDict):
    """Check of a robot's document."""

    ok: bool
    """It can be used."""
    robot: str
    """Name of the robot."""
    file: str
    """Path of its document."""
    links: int
    """Number of links, the base among them."""
    joints: int
    """Number of joints that move a link or close a loop."""
    loops: int
    """Number of loops closed by joints."""
    drives: int
    """Number of driven joints."""
    sensors: int
    """Number of sensors."""
    bodies: int | None
    """Number of bodies that the physics engine has of it; null without the engine."""
    equalities: int | None
    """Number of ties of loops and of following joints in the engine; null without the engine."""
    engine: str
    """Result of the physics engine: ok, or why it was not asked."""
    losses: list[str]
    """Contents of the document that are not read, with their place, or facts that the robot of a
    machine lacks: a line each."""


class ConvertedSummary(TypedDict):
    """Robot in another form."""

    ok: bool
    """It was written."""
    to: str
    """Form: dh, toml, urdf, mjcf."""
    file: str
    """Path of the file that was written; empty if `text` has it."""
    text: str
    """Text of the document, if no file was named."""
    losses: list[str]
    """Contents not read of the document, not said of a machine, or not in the form: a line each."""


class EndSummary(TypedDict):
    """Place on a robot."""

    joint: int
    """Number of the end joint."""
    name: str
    """Name; empty if it has none."""
    position_m: NDArray[np.float64]
    """Position in the world [m]."""
    rotation: NDArray[np.float64]
    """Axes in the world, as columns."""


class EndsSummary(TypedDict):
    """Places of the ends of a robot."""

    ok: bool
    """All joints are within their limits."""
    robot: str
    """Name of the robot."""
    q: dict[str, list[float]]
    """Coordinates of its joints, by number [rad] or [m]."""
    ends: list[EndSummary]
    """Ends, or its last link if it has none."""
    violations: list[str]
    """Joints beyond their limits."""


class PoseReachedSummary(TypedDict):
    """Joint coordinates for a pose."""

    ok: bool
    """It is reached."""
    robot: str
    """Name of the robot."""
    q: dict[str, float]
    """Coordinates of the driven joints that move the place, by number [rad] or [m]."""
    error_m: float
    """Distance of the place from its goal [m]."""
    error_rad: float
    """Angle that remains to the goal [rad]."""
    iterations: int
    """Number of iterations, or of sweeps over all joints."""
