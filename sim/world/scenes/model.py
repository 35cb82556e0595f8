"""A scene as frozen values: bodies, robots placed among them, floor, lights, cameras, fields.

Lengths, angles and forces are in SI; z is up. Plain values: nothing is judged here
(:mod:`sim.world.scenes.checks` does), and nothing is computed from them.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal

from sim.world.robots.body import BodyPlace, BodyShape, LinkInertia, Numbers, Triple

Quaternion = tuple[float, float, float, float]
Integrator = Literal["implicitfast", "RK4"]

UPRIGHT: Final[Quaternion] = (1.0, 0.0, 0.0, 0.0)
"""Not turned: w, x, y, z."""
BODIES_MAX: Final = 1000
"""Bodies of a scene at most, those of its fields included."""
ROBOTS_MAX: Final = 30
"""Robots of a scene at most."""


class BodyMotion(StrEnum):
    """How a body moves on what bears it."""

    FIXED = "fixed"
    """Not at all: a wall, or a payload."""
    FREE = "free"
    """Freely in space; it stands on nothing but by contact."""
    HINGE = "hinge"
    """Turns about an axis through its frame's origin."""
    SLIDE = "slide"
    """Slides along an axis."""


@dataclass(frozen=True, slots=True)
class SceneBody:
    """A rigid body of one shape; bodies of several are fixed on each other."""

    name: str
    """Unique among the bodies and robots of a scene."""
    shape: BodyShape
    """Of it; none for a place that bears others."""
    size_m: Numbers = ()
    """All numbers that the shape asks for: edges of a box, radius and length."""
    on: str = ""
    """Body or robot that bears it; empty for the world."""
    link: int = 0
    """Of the robot that bears it."""
    position_m: Triple = (0.0, 0.0, 0.0)
    """Of its frame in that of what bears it, where the scene begins."""
    quaternion: Quaternion = UPRIGHT
    """Of its frame there: w, x, y, z, of length 1."""
    motion: BodyMotion = BodyMotion.FIXED
    """How it moves there."""
    axis: Numbers = ()
    """Of a hinge or slide, in its frame, of any length above 0."""
    start: float = 0.0
    """Coordinate of a hinge [rad] or slide [m] where the scene begins."""
    limits: tuple[float, float] | None = None
    """Least and greatest coordinate of a hinge [rad] or slide [m]; None for no bounds."""
    joint_friction: float = 0.0
    """Coulomb friction of a hinge [N m] or slide [N]."""
    damping: float = 0.0
    """Viscous friction of a hinge [N m s/rad] or slide [N s/m]."""
    armature: float = 0.0
    """Inertia besides that of the body, seen at a hinge [kg m2] or slide [kg]."""
    place: BodyPlace | None = None
    """Of its shape in its frame; None for its centre at the origin."""
    density_kg_m3: float = 0.0
    """Of it; 0 if its mass is told otherwise, or it is fixed and needs none."""
    mass_kg: float | None = None
    """Of it, instead of a density."""
    inertia: LinkInertia | None = None
    """Instead of both."""
    colour: Triple = (0.7, 0.7, 0.7)
    """Red, green, blue, 0 to 1."""
    friction: float = 0.8
    """Coefficient of sliding; of two that touch the greater one counts, as for those below."""
    friction_torsion_m: float = 0.0
    """Coefficient of turning about the normal."""
    friction_rolling_m: float = 0.0
    """Coefficient of rolling."""
    contact_time_s: float = 0.0
    """Time constant by which it gives where it is touched [s], longer for what is softer; 0 for the
    engine's own, which is stiff. Where it is told, this body's friction counts alone."""
    contact_damping: float = 1.0
    """Damping ratio of that, 1 if it swings no more."""


@dataclass(frozen=True, slots=True)
class SceneRobot:
    """A robot that stands in a scene."""

    name: str
    """Unique among the bodies and robots of a scene."""
    document: str
    """Name or file of its document."""
    on: str = ""
    """Body, or another robot, that bears it; empty for the world."""
    link: int = 0
    """Of the robot that bears it."""
    position_m: Triple = (0.0, 0.0, 0.0)
    """Of its base in the frame of what bears it."""
    quaternion: Quaternion = UPRIGHT
    """Of its base there: w, x, y, z, of length 1."""
    link_mass_kg: tuple[tuple[int, float], ...] = ()
    """Links whose mass is another one here, and their masses: those of which a part is a body of
    the scene."""


@dataclass(frozen=True, slots=True)
class Floor:
    """The plane z = 0."""

    friction: float = 0.8
    """Coefficient of sliding; of two that touch the greater one counts."""
    colour: Triple = (0.42, 0.45, 0.48)
    """Of half of its squares: red, green, blue, 0 to 1."""
    other_colour: Triple = (0.34, 0.37, 0.40)
    """Of the other half."""
    square_m: float = 0.5
    """Edge of a square."""


@dataclass(frozen=True, slots=True)
class Light:
    """A lamp, or light from afar."""

    position_m: Triple = (0.0, 0.0, 4.0)
    """In the world."""
    direction: Triple = (0.0, 0.0, -1.0)
    """To which it shines, of any length above 0."""
    colour: Triple = (0.7, 0.7, 0.7)
    """Red, green, blue, 0 to 1."""
    parallel: bool = False
    """As from the sun, instead of from its place."""
    shadows: bool = True
    """Whether it casts any."""


@dataclass(frozen=True, slots=True)
class SceneCamera:
    """From where a scene is looked at; up in its picture is up in the frame it stands in."""

    name: str
    """Unique among the cameras of a scene."""
    position_m: Triple
    """In the frame of what bears it."""
    looks_at_m: Triple
    """A point in the middle of its picture, in the same frame."""
    fov_rad: float = 0.8
    """Vertical angle of view."""
    on: str = ""
    """Body or robot that bears it; empty for the world."""
    link: int = 0
    """Of the robot that bears it."""


@dataclass(frozen=True, slots=True)
class BodyField:
    """Bodies at random places that do not overlap."""

    name: str
    """Of its bodies, with a number at the end."""
    count: int
    """Of bodies."""
    box_m: tuple[Triple, Triple]
    """Least and greatest corner of where they are as a whole; without height they stand on it."""
    kinds: tuple[SceneBody, ...]
    """Each body is one of these, turned about the vertical."""
    seed: int | None = None
    """Of its places; None for that of the run."""
    gap_m: float = 0.05
    """Between two bodies at least."""
    clear_m: tuple[Triple, ...] = ()
    """Circles x, y, radius that are left free."""


@dataclass(frozen=True, slots=True)
class Stepping:
    """How the engine goes from one state to the next, and what acts everywhere."""

    step_s: float = 0.002
    """Of time."""
    integrator: Integrator = "implicitfast"
    """``implicitfast`` for motors' steep laws; ``RK4`` to keep energy."""
    gravity_m_s2: Triple = (0.0, 0.0, -9.81)
    """In the world's axes, z up."""
    magnetic_t: Triple = (0.0, 0.0, 0.0)
    """Magnetic flux density in the world's axes."""


@dataclass(frozen=True, slots=True)
class Scene:
    """What a world holds, and how it begins."""

    name: str
    """For people."""
    stepping: Stepping = Stepping()
    """Its time, gravity and magnetic field."""
    floor: Floor | None = None
    """None for no floor."""
    robots: tuple[SceneRobot, ...] = ()
    """That stand in it."""
    bodies: tuple[SceneBody, ...] = ()
    """Besides those of fields."""
    fields: tuple[BodyField, ...] = ()
    """Of bodies at random places."""
    lights: tuple[Light, ...] = ()
    """That shine on it."""
    cameras: tuple[SceneCamera, ...] = ()
    """From which it is looked at."""
