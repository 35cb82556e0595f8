"""The whole text of a model: robots, their surroundings, and how the engine steps it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal
from xml.etree.ElementTree import Element

from sim.world.engine.mjcf_robot import MjcfParts, PlacedRobot, add_robot
from sim.world.engine.mjcf_text import add, document
from sim.world.robots.model import Numbers

Integrator = Literal["implicitfast", "RK4"]


@dataclass(frozen=True, slots=True)
class Stepping:
    """How the engine goes from one state to the next."""

    step_s: float = 0.002
    """Of time."""
    integrator: Integrator = "implicitfast"
    """``implicitfast`` for motors' steep laws; ``RK4`` to keep energy."""
    gravity_m_s2: tuple[float, float, float] = (0.0, 0.0, -9.81)
    """In the world's axes, z up."""


DEFAULT: Final = Stepping()
"""2 ms, gravity on."""


@dataclass(frozen=True, slots=True)
class ModelText:
    """A model for the engine, and where it starts."""

    text: str
    """MJCF, all digits kept."""
    robots: tuple[PlacedRobot, ...]
    """That it holds."""
    starts: tuple[Mapping[int, Numbers], ...]
    """Coordinates of each robot's joints where it starts, its loops closed."""


def model_text(robots: Sequence[PlacedRobot], stepping: Stepping = DEFAULT) -> ModelText:
    """The text of a model of robots on nothing.

    The engine's restart of a model that diverges is switched off: it would go on from the
    beginning without a word.
    """
    root = Element("mujoco")
    add(root, "compiler", angle="radian", autolimits="false", balanceinertia="false",
        inertiafromgeom="false", fusestatic="false")  # fmt: skip
    option = add(root, "option", timestep=stepping.step_s, integrator=stepping.integrator,
                 gravity=stepping.gravity_m_s2, cone="elliptic", impratio=10.0)  # fmt: skip
    add(option, "flag", autoreset="disable")
    parts = MjcfParts(*(add(root, tag) for tag in
                        ("worldbody", "equality", "actuator", "sensor", "contact")))  # fmt: skip
    starts = tuple(add_robot(parts, robot, stepping.step_s) for robot in robots)
    return ModelText(document(root), tuple(robots), starts)
