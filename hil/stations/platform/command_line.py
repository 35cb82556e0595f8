"""The plan that a command line describes: a scenario, or a rig and a recorded motion."""

from pathlib import Path

from hil.config.named import GIVEN
from hil.config.settings import ConfigError
from hil.diagram.options import operated_changes
from hil.run.station import Request
from hil.stations.platform.adhoc import recorded_table
from hil.stations.platform.scenario import Plan, load_plan, plan_from_table


def plan_of(request: Request) -> Plan:
    """The plan of a request.

    Raises:
        ConfigError: with the file, the key path, the value and what would have been right.
    """
    options, changes = request.options, _changes(request)
    described = [options.get(flag) for flag in ("--rig", "--motion", "--map")]
    if request.scenario is not None:
        if any(described):
            raise ConfigError(
                "command line", ["give a SCENARIO, or --rig with --motion and --map, not both"]
            )
        return load_plan(request.scenario, changes)
    rig, motions, maps = described
    if rig is None or not motions:
        raise ConfigError("command line", ["a SCENARIO is needed, or --rig and --motion"])
    table = recorded_table(rig, Path(motions[0]), list(maps or ()), *map(Path, motions[1:]))
    GIVEN.take(table)
    return plan_from_table(table, Path("command line"), changes)


def _changes(request: Request) -> tuple[str, ...]:
    """What the options change in the scenario, then what `--set` does, then the clock."""
    changes: list[str] = []
    drives = request.options.get("--drives")
    if drives is not None:
        changes.append(f'devices.drives="{drives}"')
        if drives != "sim:" and request.clock is None:
            changes.append('clock="real"')
    if (world := request.options.get("--world")) is not None:
        changes.append(f'world="{world}"')
    if request.fallback is not None:
        changes.append(f'devices.fallback="{request.fallback}"')
    changes += operated_changes(request, "motion")
    changes += request.overrides
    if request.clock is not None:
        changes.append(f'clock="{request.clock}"')
    return tuple(changes)
