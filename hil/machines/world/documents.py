"""Machines that have a file of their own as jointed robots: ``rig:NAME``, ``robot:``, ``arm:``.

Every value is their file's; what a document cannot say of them, and what their files do not say, is
told loss by loss. Models of files are loaded when they are asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from hil.config.errors import ConfigError, about
from hil.config.file_search import find_file, shipped_paths
from hil.config.named_files import GIVEN
from sim.world.robots.losses import Loss
from sim.world.robots.model import Robot
from sim.world.robots.robot_checks import findings_of

if TYPE_CHECKING:
    from hil.machines.robot.settings import RobotSettings

PUMA: Final = "puma560"
"""Arm whose masses and gears robots of its class have."""


@dataclass(frozen=True, slots=True)
class MachineRobot:
    """A machine as a jointed robot."""

    robot: Robot
    """Its graph."""
    losses: tuple[Loss, ...]
    """What it does not say of the machine, or says otherwise."""
    file: Path
    """Of the machine."""


@dataclass(frozen=True, slots=True)
class _Kind:
    folder: str
    """Of ``configs/``."""
    make: Callable[[Path], tuple[Robot, tuple[Loss, ...]]]
    """From a file."""


def is_machine(name: str) -> bool:
    """Whether a name means a machine: ``rig:NAME``, ``robot:NAME``, ``arm:NAME``."""
    return name.partition(":")[0] in KINDS and ":" in name


def machine_names() -> Iterator[str]:
    """Names of the machines that come with the program."""
    for kind, what in KINDS.items():
        for path in shipped_paths(what.folder):
            yield f"{kind}:{path.stem}"


def machine_robot(
    name: str, *, key: str = "ROBOT", beside: Path | None = None, kind: str = ""
) -> MachineRobot:  # fmt: skip
    """The robot of a machine.

    Args:
        name: ``rig:NAME``, ``robot:NAME`` or ``arm:NAME``, of a shipped file or a path.
        key: what to call the name in an error.
        beside: the file in which the name stands; its folder is searched first.
        kind: what it is to a run, as `find_file` has it.

    Raises:
        ConfigError: if there is no such kind or file, for each wrong value of it, and for each
            reason why it is no jointed robot.
    """
    machine, _, file = name.partition(":")
    if not is_machine(name):
        line = f"{key} = {name!r}: no machine; one of {', '.join(machine_names())}, or a path there"
        raise ConfigError("command line", [about(key, line)])
    given = GIVEN.has(key, name)
    folder, beside = KINDS[machine].folder, None if given else beside
    path = find_file(file, beside=beside, folder=folder, key=key, kind=kind)
    robot, losses = KINDS[machine].make(path)
    if found := findings_of(robot):
        raise ConfigError(str(path), [f"as a jointed robot: {one}" for one in found])
    return MachineRobot(robot, losses, path)


def _rig(path: Path) -> tuple[Robot, tuple[Loss, ...]]:
    from hil.machines.rig.machine import load_rig
    from hil.machines.world.rig_document import rig_robot

    return rig_robot(load_rig(path))


def _arm(path: Path) -> tuple[Robot, tuple[Loss, ...]]:
    from hil.machines.space_arm.settings import ArmSettings
    from hil.machines.world.arm_document import arm_robot, started

    settings = ArmSettings.load(path)
    robot, losses = arm_robot(settings.arm())
    return started(robot, settings.home_rad()), losses


def _puma(path: Path) -> tuple[Robot, tuple[Loss, ...]]:
    from hil.machines.robot.settings import RobotSettings

    return puma_class_robot(RobotSettings.load(path))


def puma_class_robot(settings: RobotSettings) -> tuple[Robot, tuple[Loss, ...]]:
    """A robot of the PUMA 560's class, with the masses and gears of `PUMA`, and what is lost.

    Raises:
        ConfigError: if that arm's file cannot be read.
    """
    from hil.machines.space_arm.settings import ArmSettings
    from hil.machines.world.arm_document import puma_robot, started

    masses = ArmSettings.load(find_file(PUMA, folder="arms", key="arm", kind="masses"))
    robot, losses = puma_robot(settings, masses)
    ends_rad = settings.geometry().position_min_rad, settings.geometry().position_max_rad
    return started(robot, masses.home_rad().clip(*ends_rad)), losses


KINDS: Final[Mapping[str, _Kind]] = MappingProxyType(
    {"rig": _Kind("rigs", _rig), "robot": _Kind("robots", _puma), "arm": _Kind("arms", _arm)}
)
"""By what stands before the colon."""
