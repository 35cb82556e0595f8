"""Limits of what may be drawn for a robot: what its jaws hold, and where its body fits through."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from hil.config.errors import ConfigError, Wrong, about

if TYPE_CHECKING:
    from hil.stations.task.container.settings import ContainerSettings
    from sim.world.robots.model import Robot

BODY_M: Final = 0.56
"""Width of the robot over its wheels [m]."""
GRAVITY_M_S2: Final = 9.81
HOLD_FACTOR: Final = 1.5
"""Friction that the jaws have left when they hold the container at rest, as a factor."""
JAW: Final = "jaw"
"""Word in the names of links that hold."""


def require_feasible(settings: ContainerSettings, robot: Robot) -> None:
    """Refuse settings that no run can meet.

    Raises:
        ConfigError: with value, limit and remedy of each fault.
    """
    if wrong := [*_mass_faults(settings, robot), *_gap_faults(settings)]:
        raise ConfigError("task", wrong)


def _mass_faults(settings: ContainerSettings, robot: Robot) -> Iterator[Wrong]:
    force_n = jaw_force_n(robot)
    if force_n is None:
        text = f"robot {robot.name}: no drive moves a link with {JAW!r} in its name; nothing grasps"
        yield about("robot", text)
        return
    friction = settings.container_friction[0]
    holds_kg = friction * force_n / (HOLD_FACTOR * GRAVITY_M_S2)
    if (mass_kg := settings.container_kg[1]) > holds_kg:
        yield about(
            "task.container_kg",
            f"task.container_kg: {mass_kg:g} kg, and jaws of {force_n:g} N hold at most "
            f"{holds_kg:.2f} kg at a friction of {friction:g}: a lighter container, more friction, "
            "or a stronger drive is needed",
        )


def jaw_force_n(robot: Robot) -> float | None:
    """Force of the drive that closes the jaws [N]; None without one."""
    links = {one.number: one.name for one in robot.links}
    joints = {one.number: one for one in robot.joints}
    forces = [one.effort_max for one in robot.drives if JAW in links[joints[one.joint].child]]
    return max(forces, default=None)


def _gap_faults(settings: ContainerSettings) -> Iterator[Wrong]:
    if settings.obstacle is None and settings.passage and settings.gap_m[0] < BODY_M:
        yield about(
            "task.gap_m",
            f"task.gap_m: {settings.gap_m[0]:g} m, and the body is {BODY_M:g} m wide: a gap of "
            f"{BODY_M + 2 * settings.margin_m:g} m or more lets it through",
        )
