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
"""Orientation without a turn: w, x, y, z."""
BODIES_MAX: Final = 1000
"""Most bodies of a scene, those of its fields included."""
ROBOTS_MAX: Final = 30
"""Most robots of a scene."""


class BodyMotion(StrEnum):
    """Motion of a body on what bears it."""

    FIXED = "fixed"
    """No motion: a wall, or a payload."""
    FREE = "free"
    """Free motion in space; it rests on others by contact only."""
    HINGE = "hinge"
    """Turn about an axis through its frame's origin."""
    SLIDE = "slide"
    """Slide along an axis."""


@dataclass(frozen=True, slots=True)
class SceneBody:
    """A rigid body of one shape; bodies of several are fixed on each other."""

    name: str
    """Name, unique among the bodies and robots of a scene."""
    shape: BodyShape
    """Shape of the body; none for a place that bears others."""
    size_m: Numbers = ()
    """All numbers that the shape asks for: edges of a box, radius and length."""
    on: str = ""
    """Name of the body or robot that bears it; empty for the world."""
    link: int = 0
    """Link of the robot that bears it."""
    position_m: Triple = (0.0, 0.0, 0.0)
    """Position of its frame in that of what bears it, where the scene begins."""
    quaternion: Quaternion = UPRIGHT
    """Orientation of its frame there: w, x, y, z, of length 1."""
    motion: BodyMotion = BodyMotion.FIXED
    """Motion relative to what bears it."""
    axis: Numbers = ()
    """Axis of a hinge or slide, in its frame, of any length above 0."""
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
    """Place of its shape in its frame; None for its centre at the origin."""
    density_kg_m3: float = 0.0
    """Density of the body; 0 if its mass is given otherwise, or it is fixed and needs none."""
    mass_kg: float | None = None
    """Mass of the body, instead of a density."""
    inertia: LinkInertia | None = None
    """Mass and inertia, instead of both."""
    colour: Triple = (0.7, 0.7, 0.7)
    """Colour red, green, blue, 0 to 1."""
    friction: float = 0.8
    """Coefficient of sliding friction; of two bodies the greater one counts, as for those below."""
    friction_torsion_m: float = 0.0
    """Coefficient of friction by turning about the normal."""
    friction_rolling_m: float = 0.0
    """Coefficient of rolling friction."""
    contact_time_s: float = 0.0
    """Time constant of its contacts [s], longer for what is softer; 0 for the engine's own, which
    is stiff. Where it is given, this body's friction counts alone."""
    contact_damping: float = 1.0
    """Damping ratio of its contacts, 1 for no overshoot."""


@dataclass(frozen=True, slots=True)
class SceneRobot:
    """Robot placed in a scene."""

    name: str
    """Name, unique among the bodies and robots of a scene."""
    document: str
    """Name or file of its document."""
    on: str = ""
    """Name of the body, or another robot, that bears it; empty for the world."""
    link: int = 0
    """Link of the robot that bears it."""
    position_m: Triple = (0.0, 0.0, 0.0)
    """Position of its base in the frame of what bears it."""
    quaternion: Quaternion = UPRIGHT
    """Orientation of its base there: w, x, y, z, of length 1."""
    link_mass_kg: tuple[tuple[int, float], ...] = ()
    """Links with another mass here, and their masses: those of which a part is a body of the
    scene."""


@dataclass(frozen=True, slots=True)
class Floor:
    """The plane z = 0."""

    friction: float = 0.8
    """Coefficient of sliding friction; of two bodies the greater one counts."""
    colour: Triple = (0.42, 0.45, 0.48)
    """Colour of half of its squares: red, green, blue, 0 to 1."""
    other_colour: Triple = (0.34, 0.37, 0.40)
    """Colour of the other half of its squares."""
    square_m: float = 0.5
    """Edge of a square."""


@dataclass(frozen=True, slots=True)
class Light:
    """A lamp, or light from afar."""

    position_m: Triple = (0.0, 0.0, 4.0)
    """Position in the world."""
    direction: Triple = (0.0, 0.0, -1.0)
    """Direction of the light, of any length above 0."""
    colour: Triple = (0.7, 0.7, 0.7)
    """Colour red, green, blue, 0 to 1."""
    parallel: bool = False
    """Whether its rays are parallel, as from the sun, instead of from its place."""
    shadows: bool = True
    """Whether it casts shadows."""


@dataclass(frozen=True, slots=True)
class SceneCamera:
    """Camera of a scene; up in its picture is up in the frame of its bearer."""

    name: str
    """Name, unique among the cameras of a scene."""
    position_m: Triple
    """Position in the frame of what bears it."""
    looks_at_m: Triple
    """Point in the middle of its picture, in the same frame."""
    fov_rad: float = 0.8
    """Vertical angle of view."""
    on: str = ""
    """Name of the body or robot that bears it; empty for the world."""
    link: int = 0
    """Link of the robot that bears it."""


@dataclass(frozen=True, slots=True)
class BodyField:
    """Bodies at random places that do not overlap."""

    name: str
    """Name of its bodies, with a number at the end."""
    count: int
    """Number of bodies."""
    box_m: tuple[Triple, Triple]
    """Least and greatest corner of the box of its bodies; without height they rest on it."""
    kinds: tuple[SceneBody, ...]
    """Kinds of bodies; each body is one of these, turned about the vertical."""
    seed: int | None = None
    """Seed of its places; None for that of the run."""
    gap_m: float = 0.05
    """Least gap between two bodies."""
    clear_m: tuple[Triple, ...] = ()
    """Circles x, y, radius that are left free."""


@dataclass(frozen=True, slots=True)
class Stepping:
    """Steps of the engine, and what acts everywhere."""

    step_s: float = 0.002
    """Step of time."""
    integrator: Integrator = "implicitfast"
    """``implicitfast`` for motors' steep laws; ``RK4`` to keep energy."""
    gravity_m_s2: Triple = (0.0, 0.0, -9.81)
    """Gravity in the world's axes, z up."""
    magnetic_t: Triple = (0.0, 0.0, 0.0)
    """Magnetic flux density in the world's axes."""
    friction_ratio: float = 10.0
    """Stiffness of friction against that of the normal contact: the greater, the less a body that
    is held by friction creeps."""


@dataclass(frozen=True, slots=True)
class Scene:
    """Contents and start of a world."""

    name: str
    """Name for people."""
    stepping: Stepping = Stepping()
    """Stepping of time, gravity and magnetic field."""
    floor: Floor | None = None
    """Floor of the scene; None for none."""
    robots: tuple[SceneRobot, ...] = ()
    """Robots placed in it."""
    bodies: tuple[SceneBody, ...] = ()
    """Bodies besides those of fields."""
    fields: tuple[BodyField, ...] = ()
    """Fields of bodies at random places."""
    lights: tuple[Light, ...] = ()
    """Lights of the scene."""
    cameras: tuple[SceneCamera, ...] = ()
    """Cameras of the scene."""
