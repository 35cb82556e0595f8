"""Keys of a scene's TOML by field, and the forms of their values.

Units are in the keys; those of a moving body go with its motion: m and N of a slide, rad and N m
of a hinge.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from sim.world.robots.body import SOLIDS
from sim.world.robots.model import JointType
from sim.world.robots.toml_keys import (
    READERS,
    Fields,
    UnreadableError,
    integer,
    number,
    one_of,
    some,
    text,
    with_unit,
    yes,
)
from sim.world.scenes.model import BodyMotion

_BORNE: Final = ("on", "link")
_POSED: Final = (*_BORNE, "position_m", "quaternion")
_LOOKS: Final = ("shape", "size_m", "place", "density_kg_m3", "mass_kg", "inertia", "colour")
_TOUCH: Final = (
    "friction", "friction_torsion_m", "friction_rolling_m", "contact_time_s", "contact_damping"
)  # fmt: skip


def _same(*fields: str) -> Fields:
    return MappingProxyType({one: one for one in fields})


STEPPING: Final = _same("step_s", "integrator", "gravity_m_s2", "magnetic_t", "friction_ratio")
FLOOR: Final = _same("friction", "colour", "other_colour", "square_m")
ROBOT: Final = _same("name", "document", *_POSED, "link_mass_kg")
LIGHT: Final = _same("position_m", "direction", "colour", "parallel", "shadows")
CAMERA: Final = _same("name", *_BORNE, "position_m", "looks_at_m", "fov_rad")
FIELD: Final = _same("name", "count", "box_m", "seed", "gap_m", "clear_m")
KIND: Final = _same("name", *_LOOKS, "quaternion", "motion", *_TOUCH)
"""Keys of the kinds of a field's bodies, which are placed by the field."""

READ: Final[Mapping[str, Callable[[object], Any]]] = MappingProxyType(
    {
        **READERS,
        "shape": one_of(SOLIDS),
        "on": text,
        "document": text,
        "link": integer,
        "position_m": some(3),
        "quaternion": some(4),
        "motion": one_of(BodyMotion),
        "start": number,
        "limits": some(2),
        "joint_friction": number,
        "friction_torsion_m": number,
        "friction_rolling_m": number,
        "contact_time_s": number,
        "contact_damping": number,
        "step_s": number,
        "integrator": one_of(("implicitfast", "RK4")),
        "gravity_m_s2": some(3),
        "magnetic_t": some(3),
        "friction_ratio": number,
        "other_colour": some(3),
        "square_m": number,
        "link_mass_kg": lambda value: _masses(value),
        "direction": some(3),
        "parallel": yes,
        "shadows": yes,
        "looks_at_m": some(3),
        "fov_rad": number,
        "count": integer,
        "box_m": lambda value: _triples(value),
        "seed": lambda value: _seed(value),
        "gap_m": number,
        "clear_m": lambda value: _triples(value),
    }
)
"""Readers of the value of each field."""


def body_keys(motion: BodyMotion) -> Fields:
    """List the keys of a body with such a motion."""
    kind = JointType.SLIDE if motion is BodyMotion.SLIDE else JointType.HINGE
    joint = {one: with_unit(one, kind) for one in ("start", "limits", "damping", "armature")}
    joint["joint_friction"] = with_unit("friction", kind)
    return {**_same("name", *_POSED, "motion", "axis"), **joint, **_same(*_LOOKS, *_TOUCH)}


def _masses(value: object) -> tuple[tuple[int, float], ...]:
    """Read masses by the numbers of links."""
    if not isinstance(value, dict) or not all(key.isdecimal() for key in value):
        raise UnreadableError("not masses by links", "{ 1 = 60.0 } for 60 kg of link 1")
    return tuple((int(key), number(mass)) for key, mass in value.items())


def _seed(value: object) -> int:
    if (found := integer(value)) < 0:
        raise UnreadableError("below 0", "a whole number of 0 or more")
    return found


def _triples(value: object) -> tuple[tuple[float, ...], ...]:
    if not isinstance(value, list):
        raise UnreadableError("not a list", "[[0, 0, 0], [1, 1, 1]]")
    return tuple(map(some(3), value))
