"""What the command line changes in a plan of the arm station."""

from pathlib import Path

from arm_driver.location import Location
from hil.config.settings import ConfigError, read_toml
from hil.stations.arm.scenario import ArmPlan, arm_plan_from_table
from hil.stations.arm.start import read_place
from hil.terminal.console import numbers


def arm_plan_of(
    path: Path,
    *,
    clock: str | None = None,
    arm_link: str | None = None,
    fallback: str | None = None,
    overrides: list[str] | None = None,
) -> ArmPlan:
    """The plan of an arm scenario, with what the command line changes in it.

    Raises:
        ConfigError: with the file, the key path, the value and what would have been right.
    """
    changes = list(overrides or ())
    if arm_link is not None:
        changes.append(f'devices.arm="{arm_link}"')
        if arm_link != "sim:" and clock is None:
            changes.append('clock="real"')
    if clock is not None:
        changes.append(f'clock="{clock}"')
    if fallback is not None:
        changes.append(f'devices.fallback="{fallback}"')
    return arm_plan_from_table(read_toml(path), path, changes)


def robot_at(text: str | None) -> Location | None:
    """The place that --arm-at says; None if it was left out.

    Raises:
        ConfigError: if it is none.
    """
    if text is None:
        return None
    try:
        return read_place(numbers(text, 6, "--arm-at", "x,y,z in mm and o,a,t in degrees"))
    except ValueError as error:
        raise ConfigError("--arm-at", [str(error)]) from None
