"""``hil world check`` of scenarios of the virtual environment."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from hil.config.errors import ConfigError, RefusedError, Wrong
from hil.stations.world.robots.robot_summaries import ScenarioCheckSummary
from hil.stations.world.run.world_output import show_losses
from hil.terminal.console import out, print_json

if TYPE_CHECKING:
    from hil.run.station import Station
    from hil.stations.world.plan.scenario import WorldPlan


def world_scenario(name: str) -> Path | None:
    """File of a scenario of this station, or of one that extends it; None if it is none."""
    from hil.config.file_search import find_file
    from hil.stations.world.signals import STATION

    with suppress(ConfigError):
        path = find_file(name, folder="scenarios", key="SCENARIO")
        station = None if path.suffix != ".toml" else _station_of(path)
        if station is not None and STATION in (station.name, station.extends):
            return path
    return None


def _station_of(path: Path) -> Station | None:
    from hil.config.settings import read_toml
    from hil.run.registry import station_or_none

    return station_or_none(str(read_toml(path).get("station")))


def _world_plan(path: Path) -> WorldPlan:
    """Plan of a scenario; of a station that extends this one the plan of its world.

    Raises:
        ConfigError: with every fault of the scenario.
    """
    from hil.run.station import Request
    from hil.stations.world.plan.scenario_reader import load_world_plan

    station = _station_of(path)
    if station is None or not station.extends:
        return load_world_plan(path)
    return station.plan(Request(scenario=path, options={})).world


def scenario_checked(path: Path, no_engine: str, *, as_json: bool) -> bool:
    """Whether a scenario can be used; its motion is proved by `hil check`.

    Args:
        no_engine: text if the engine is not installed.

    Raises:
        ConfigError: with every fault, those of the scenario by line and column.
    """
    summary = _checked(path, no_engine)
    if as_json:
        print_json(summary)
    else:
        counts = ", ".join(
            f"{summary[key]} {key}"
            for key in ("bodies", "joints", "equalities", "drives", "sensors")
            if summary[key] is not None
        )
        out.print(f"{summary['scenario']}: {summary['robot']}, {counts}")
        show_losses(summary["losses"])
        style = None if summary["ok"] else "red"
        out.print(f"physics engine: {summary['engine']}", style=style, soft_wrap=True)
    return summary["ok"]


def _checked(path: Path, no_engine: str) -> ScenarioCheckSummary:
    from hil.stations.world.cycle.bench import open_bench
    from sim.world.engine.library import EngineMissingError, engine

    try:
        plan = _world_plan(path)
    except ConfigError as error:
        raise _located(path, error) from None
    summary = ScenarioCheckSummary(
        ok=True, scenario=plan.scenario.name, file=str(path),
        robot=plan.robot.name or plan.scenario.robot,
        scene="" if plan.scene is None else plan.scene.scene.name,
        drives=len(plan.robot.drives), sensors=len(plan.robot.sensors),
        bodies=None, joints=None, equalities=None, ties=None, engine="ok", losses=list(plan.losses),
    )  # fmt: skip
    try:
        engine()
        bench = open_bench(replace(plan, trusted=True))  # its FMUs begin where it runs
    except EngineMissingError:
        return {**summary, "engine": no_engine}
    except RefusedError as error:
        return {**summary, "ok": False, "engine": str(error)}
    bodies, joints, equalities = bench.world.sizes
    ties = [list(one) for one in bench.world.ties()]
    return {
        **summary, "bodies": bodies, "joints": joints, "equalities": equalities, "ties": ties,
    }  # fmt: skip


def _located(path: Path, error: ConfigError) -> ConfigError:
    """Copy of an error with line and column of each fault of the scenario itself."""
    from sim.world.robots.toml_places import key_places

    if error.source != str(path):
        return error
    try:
        places = key_places(path.read_text("utf-8"))
    except (OSError, ValueError):
        return error
    problems: list[str] = []
    for one in error.problems:
        keys = one.place if isinstance(one, Wrong) else ()
        known = (keys[:end] for end in range(len(keys), 0, -1) if keys[:end] in places)
        at = next(known, None)
        line, column = (1, 1) if at is None else places[at]
        problems.append(f"{line}:{column}: {one}")
    return ConfigError(error.source, problems)
