"""Inputs and output of a diagram that moves the robot of a scenario."""

from __future__ import annotations

from pathlib import Path

from hil.diagram.check.seam import DiagramEnds
from hil.diagram.run.diagram_use import DiagramUse
from hil.stations.world.cycle.bench import open_bench
from hil.stations.world.cycle.control_laws import signals_to_diagram
from hil.stations.world.cycle.diagram_law import setpoint_of
from hil.stations.world.plan.scenario_reader import scenario_table, world_plan_from_table


def ends_of(path: Path) -> DiagramEnds:
    """Signals of a scenario's robot, and its setpoint, whether or not it names a diagram.

    Raises:
        ConfigError: if the scenario is none.
        RefusedError: if its robot cannot be used.
    """
    table = scenario_table(path)
    named = table.pop("diagram", {})
    if table.get("law") == "diagram":
        table["law"] = "pid"
    if table.get("motion", {}).get("kind") == "free":
        table["motion"] = {"kind": "hold"}
    plan = world_plan_from_table(table, path)
    own = named if isinstance(named, dict) else {}
    given = {key: own[key] for key in ("joints", "end", "group") if key in own}
    use = DiagramUse.build({"file": "none", **given}, str(path))
    bench = open_bench(plan)
    signals = signals_to_diagram(plan, bench.robot, use, bench.chain, bench.sensors)
    setpoints = tuple(setpoint_of(plan.scenario.control, one) for one in signals.groups)
    return DiagramEnds(tuple(signals.offered), setpoints, step_s=plan.scenario.step_s)
