"""Plan of a command line: a scenario, or a rig and a recorded motion."""

from pathlib import Path

from hil.config.named_files import GIVEN
from hil.config.settings import ConfigError
from hil.diagram.run.options import changes_by_options
from hil.run.station import Request
from hil.stations.platform.options import OPTIONS
from hil.stations.platform.plan.recording_scenario import recorded_table
from hil.stations.platform.plan.scenario import Plan, load_plan, plan_from_table


def plan_of(request: Request) -> Plan:
    """Plan of a request.

    Raises:
        ConfigError: with the file, the key path, the value and what would have been right.
    """
    options = request.options
    changes = request.changes(OPTIONS, changes_by_options(request, "motion"))
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
