"""What ``hil world`` prints with ``--json``: one object each, their keys and meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class RobotRowSummary(TypedDict):
    """A shipped robot, or a machine."""

    name: str
    """As verbs take it."""
    file: str
    """Its document."""
    links: int
    """Its base among them."""
    joints: int
    """Those that move a link or close a loop."""
    loops: int
    """Closed by joints."""
    freedoms: int
    """Speeds of its joints, before loops take any."""
    drives: int
    """Joints that are driven."""


class SceneRowSummary(TypedDict):
    """A shipped scene."""

    name: str
    """As verbs take it."""
    file: str
    """Its document."""
    robots: int
    """That stand in it."""
    bodies: int
    """That the document places."""
    scattered: int
    """That its fields place at random."""
    lights: int
    """That shine on it."""
    cameras: int
    """From which it is looked at."""


class RobotsSummary(TypedDict):
    """The shipped robots and scenes."""

    ok: bool
    """True."""
    robots: list[RobotRowSummary]
    """In the order of their names."""
    scenes: list[SceneRowSummary]
    """In the order of their names."""


class SceneBodySummary(TypedDict):
    """A body of a scene."""

    name: str
    """Of it."""
    on: str
    """Body or robot that bears it; empty for the world."""
    link: int
    """Of the robot that bears it."""
    motion: str
    """How it moves there."""
    shape: str
    """Of it; none for a place."""
    size_m: list[float]
    """Edges of a box; radius, length."""
    mass_kg: float
    """Of it."""
    position_m: list[float]
    """Of its frame in that of what bears it."""
    quaternion: list[float]
    """Of its frame there: w, x, y, z."""


class SceneSummary(TypedDict):
    """All of a scene; bodies of fields are where seed 0 puts them, if theirs is left to a run."""

    ok: bool
    """True."""
    scene: str
    """Its name."""
    file: str
    """Its document."""
    robots: dict[str, str]
    """Documents of those that stand in it, by their names."""
    bodies: list[SceneBodySummary]
    """Those of fields at the end."""
    cameras: list[str]
    """Their names."""
    png: str
    """Its picture, if one was written; else empty."""


class SceneCheckSummary(TypedDict):
    """What a scene's document comes to."""

    ok: bool
    """It can be used."""
    scene: str
    """Its name."""
    file: str
    """Its document."""
    robots: int
    """That stand in it."""
    bodies: int
    """That the document places."""
    scattered: int
    """That its fields place at random."""
    joints: int | None
    """That the physics engine has of all that stands in it; null without the engine."""
    equalities: int | None
    """Ties of loops and joints that follow others, likewise."""
    sensors: int
    """Of its robots."""
    engine: str
    """What the physics engine made of it: ok, or why it was not asked."""
    overlaps: list[str]
    """What is more than 1 mm in each other where it begins, a line each."""
    frictions: list[str]
    """Bodies whose friction does not count, for the floor's is greater, a line each."""
    losses: list[str]
    """What of its robots' documents does not act in it, their own gravity among it, a line each."""


class ScenarioCheckSummary(TypedDict):
    """What a scenario comes to, before its motion is proved."""

    ok: bool
    """It can be used, and what moves in it can begin."""
    scenario: str
    """Its name."""
    file: str
    """Its file."""
    robot: str
    """That moves."""
    scene: str
    """In which it stands; empty for none."""
    drives: int
    """Of the robot."""
    sensors: int
    """Of the robot."""
    bodies: int | None
    """That the physics engine has of all; null without the engine."""
    joints: int | None
    """Likewise."""
    equalities: int | None
    """Ties of loops and joints that follow others, likewise."""
    engine: str
    """ok, or why it cannot begin, or that the engine was not asked."""
    losses: list[str]
    """What of its robots' documents does not act, their own gravity among it, a line each."""


class RobotLinkSummary(TypedDict):
    """A link of a robot."""

    number: int
    """0 is the base."""
    name: str
    """Empty if it has none."""
    joint: int
    """That moves it."""
    dh: list[float]
    """Of its frame in that of the link before it: [gamma rad, b m,] alpha rad, d m, theta rad, r
    m."""
    shape: str
    """Of its body; none for no body."""
    mass_kg: float
    """Of it."""
    position_m: NDArray[np.float64]
    """Of its frame in the world where the robot starts."""
    rotation: NDArray[np.float64]
    """Its axes there, as columns."""


class RobotJointSummary(TypedDict):
    """A joint of a robot."""

    number: int
    """0 is the base's."""
    name: str
    """Empty if it has none."""
    type: str
    """How it moves."""
    parent: int
    """Link before it; -1 for the world."""
    child: int
    """Link after it; -1 for an end."""
    closes: bool
    """It closes a loop."""
    start: list[float]
    """Its coordinates where the robot starts, loops closed [rad] or [m]."""


class RobotSummary(TypedDict):
    """All of a robot."""

    ok: bool
    """Its loops can be closed."""
    robot: str
    """Its name."""
    file: str
    """Its document."""
    mass_kg: float
    """Of all links."""
    freedoms: int
    """Speeds of its joints, before loops take any."""
    gap_max_m: float
    """Of its loops where it starts."""
    links: list[RobotLinkSummary]
    """Each after the one that carries it."""
    joints: list[RobotJointSummary]
    """In the order of the document."""
    png: str
    """Its picture, if one was written; else empty."""


class RobotCheckSummary(TypedDict):
    """What a document comes to."""

    ok: bool
    """It can be used."""
    robot: str
    """Its name."""
    file: str
    """Its document."""
    links: int
    """Its base among them."""
    joints: int
    """Those that move a link or close a loop."""
    loops: int
    """Closed by joints."""
    drives: int
    """Joints that are driven."""
    sensors: int
    """That it tells of."""
    bodies: int | None
    """That the physics engine has of it; null without the engine."""
    equalities: int | None
    """Ties of its loops and joints that follow others, likewise."""
    engine: str
    """What the physics engine made of it: ok, or why it was not asked."""
    losses: list[str]
    """What of a document is not read, with its place, or what the robot of a machine does not say
    of it: a line each."""


class ConvertedSummary(TypedDict):
    """A robot in another form."""

    ok: bool
    """It was written."""
    to: str
    """Form: dh, toml, urdf, mjcf."""
    file: str
    """That was written; empty if `text` has it."""
    text: str
    """The document, if no file was named."""
    losses: list[str]
    """What is not read of the document, not said of a machine, or not in the form: a line each."""


class EndSummary(TypedDict):
    """A place on a robot."""

    joint: int
    """Its number."""
    name: str
    """Empty if it has none."""
    position_m: NDArray[np.float64]
    """In the world."""
    rotation: NDArray[np.float64]
    """Its axes, as columns."""


class EndsSummary(TypedDict):
    """Where the ends of a robot are."""

    ok: bool
    """All joints are within their limits."""
    robot: str
    """Its name."""
    q: dict[str, list[float]]
    """Coordinates of its joints, by number [rad] or [m]."""
    ends: list[EndSummary]
    """Its ends, or its last link if it has none."""
    violations: list[str]
    """Joints beyond their limits."""


class PoseReachedSummary(TypedDict):
    """Joint coordinates for a pose."""

    ok: bool
    """It is reached."""
    robot: str
    """Its name."""
    q: dict[str, float]
    """Of the driven joints that move the place, by number [rad] or [m]."""
    error_m: float
    """Distance of the place from where it is wanted [m]."""
    error_rad: float
    """Angle of the turn that is left [rad]."""
    iterations: int
    """Or sweeps over all joints."""
