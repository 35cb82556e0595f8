"""Airlocks of the task `valve`: the shipped one with another wheel, at another place."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sim.world.robots.body import BodyPlace, BodyShape
from sim.world.scenes.model import BodyMotion, Quaternion, Scene, SceneBody

Array = NDArray[np.float64]
Triple = tuple[float, float, float]

TEMPLATE: Final = "airlock"
"""Scene that the airlocks are made of."""
NOMINAL_M: Final = (1.28, 0.35, 1.3)
"""Nominal place of the wheel's middle in the world [m]."""
BASE_M: Final = (0.74, 0.13, 0.0)
"""Place of the robot's base in the world [m]; its axes are those of the world."""
BULKHEAD_M: Final = 1.5
"""Place x of the bulkhead's inner face, which the stem leads to [m]."""
STEP_S: Final = 0.001
"""Step of the engine [s]: contacts of 4 ms need it."""
FRICTION_RATIO: Final = 1000.0
"""Stiffness of friction against that of the normal contact: with 100 a held rim creeps by half a
degree in a turn of 300°, which no sensor of the hand feels."""
CONTACT_S: Final = 0.004
"""Time constant of the rim's contacts, whose own friction counts then [s]."""
TORSION_M: Final = 0.005
"""Coefficient of friction by turning about the normal, which makes contacts of four directions."""
TUBE_M: Final = 0.01
"""Radius of the rim's tube [m]."""
SEGMENTS: Final = 24
"""Capsules that make the rim."""
STEM_M: Final = 0.018
RED: Final = (0.75, 0.12, 0.1)
GREY: Final = (0.55, 0.57, 0.6)
WHEEL: Final = "valve_wheel"
OLD: Final = ("rim_", "spoke_", "valve_")
"""Beginnings of the names of the template's valve."""


@dataclass(frozen=True, slots=True)
class Wheel:
    """Wheel of a drawn valve."""

    at_m: Triple
    """Middle of the wheel in the world [m]."""
    axis: Triple
    """Direction of its axis away from the robot, a unit vector in the world."""
    radius_m: float
    """Radius of the rim's middle line [m]."""
    spin_rad: float
    """Turn of the wheel where the run begins [rad]."""
    friction_nm: float
    """Coulomb friction [N m]."""
    damping_nm_s: float
    """Viscous friction [N m s/rad]."""
    finger_friction: float
    """Coefficient of friction of the rim."""
    stops_rad: tuple[float, float] | None = None
    """Ends of its travel from where it begins; None for none [rad]."""
    jammed: bool = False
    """Whether it cannot be turned."""


def furnish(template: Scene, wheel: Wheel | None, gravity_m_s2: float) -> Scene:
    """Put a wheel into the airlock, in place of the template's; None for none."""
    bodies = [one for one in template.bodies if not one.name.startswith(OLD)]
    if wheel is not None:
        bodies += [*_wheel(wheel), _stem(wheel)]
    stepping = replace(
        template.stepping, step_s=STEP_S, friction_ratio=FRICTION_RATIO,
        gravity_m_s2=(0.0, 0.0, -gravity_m_s2),
    )  # fmt: skip
    return replace(template, bodies=tuple(bodies), stepping=stepping, robots=())


def wheel_parts() -> tuple[str, ...]:
    """Names of the bodies of a wheel that the hand may touch."""
    return (WHEEL, *(f"rim_{number}" for number in range(1, SEGMENTS + 1)), "spoke_1", "spoke_2")


def _wheel(wheel: Wheel) -> list[SceneBody]:
    """Hub on its hinge, rim and spokes; x is the axis."""
    hub = SceneBody(
        WHEEL, BodyShape.CYLINDER, (0.022, 0.05), position_m=wheel.at_m,
        quaternion=_turn_x_to(wheel.axis), axis=(1.0, 0.0, 0.0), mass_kg=0.5, colour=GREY,
        place=BodyPlace((0.0, 0.0, 0.0), _about_y(0.5 * math.pi)),
        motion=BodyMotion.FIXED if wheel.jammed else BodyMotion.HINGE,
        start=0.0 if wheel.jammed else wheel.spin_rad,
        joint_friction=wheel.friction_nm, damping=wheel.damping_nm_s,
        limits=None if wheel.stops_rad is None else (
            wheel.spin_rad + wheel.stops_rad[0], wheel.spin_rad + wheel.stops_rad[1]),
        contact_time_s=CONTACT_S, friction=wheel.finger_friction,
    )  # fmt: skip
    if wheel.jammed:
        hub = replace(hub, axis=(), joint_friction=0.0, damping=0.0, limits=None)
    part = {"on": WHEEL, "shape": BodyShape.CAPSULE, "mass_kg": 0.05, "colour": RED,
            "contact_time_s": CONTACT_S, "friction": wheel.finger_friction,
            "friction_torsion_m": TORSION_M}  # fmt: skip
    length = 2.0 * wheel.radius_m * math.tan(math.pi / SEGMENTS)
    rim: list[SceneBody] = []
    for number in range(SEGMENTS):
        angle = math.tau * number / SEGMENTS
        at = (0.0, wheel.radius_m * math.cos(angle), wheel.radius_m * math.sin(angle))
        rim.append(SceneBody(f"rim_{number + 1}", size_m=(TUBE_M, length), position_m=at,
                             quaternion=_about_x(angle), **part))  # type: ignore[arg-type]  # fmt: skip
    spokes = [
        SceneBody(f"spoke_{number}", size_m=(0.007, 2.0 * wheel.radius_m),
                  quaternion=_about_x(0.5 * math.pi * number), **part)  # type: ignore[arg-type]
        for number in (1, 2)
    ]  # fmt: skip
    return [hub, *rim, *spokes]


def _stem(wheel: Wheel) -> SceneBody:
    """Stem from behind the hub into the bulkhead."""
    axis = np.array(wheel.axis)
    first, last = 0.03, (BULKHEAD_M - wheel.at_m[0]) / axis[0] + STEM_M
    middle = np.array(wheel.at_m) + 0.5 * (first + last) * axis
    return SceneBody(
        "valve_stem", BodyShape.CYLINDER, (STEM_M, last - first), colour=GREY,
        position_m=(float(middle[0]), float(middle[1]), float(middle[2])),
        quaternion=_product(_turn_x_to(wheel.axis), _about_y(0.5 * math.pi)),
    )  # fmt: skip


def _about_x(angle: float) -> Quaternion:
    return math.cos(0.5 * angle), math.sin(0.5 * angle), 0.0, 0.0


def _about_y(angle: float) -> Quaternion:
    return math.cos(0.5 * angle), 0.0, math.sin(0.5 * angle), 0.0


def _turn_x_to(axis: Triple) -> Quaternion:
    """Shortest turn of the x axis to a direction, which is not opposite."""
    x, y, z = axis
    parts = np.array([1.0 + x, 0.0, -z, y])
    w, i, j, k = (parts / np.linalg.norm(parts)).tolist()
    return w, i, j, k


def _product(one: Quaternion, other: Quaternion) -> Quaternion:
    a, b, c, d = one
    e, f, g, h = other
    return (a * e - b * f - c * g - d * h, a * f + b * e + c * h - d * g,
            a * g - b * h + c * e + d * f, a * h + b * g - c * f + d * e)  # fmt: skip
