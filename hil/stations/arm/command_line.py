"""What the command line changes in a plan of the arm station."""

from arm_driver.location import Location
from hil.config.settings import ConfigError
from hil.run.station import Request
from hil.stations.arm.scenario import SIM_URL, ArmPlan, load_arm_plan
from hil.stations.arm.start import read_place
from hil.stations.arm.station import LINK
from hil.terminal.console import numbers


def plan_of(request: Request) -> ArmPlan:
    """The plan of an arm scenario, with what the command line changes in it.

    Raises:
        ConfigError: with the file, the key path, the value and what would have been right.
    """
    if request.scenario is None:
        raise ConfigError("command line", ["a SCENARIO is needed"])
    changes, link = list(request.overrides), request.options.get(LINK.flag)
    if link is not None:
        changes.append(f'devices.arm="{link}"')
        if link != SIM_URL and request.clock is None:
            changes.append('clock="real"')
    if request.clock is not None:
        changes.append(f'clock="{request.clock}"')
    if request.fallback is not None:
        changes.append(f'devices.fallback="{request.fallback}"')
    return load_arm_plan(request.scenario, changes)


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
