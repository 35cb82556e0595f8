"""Signals and setpoints of a scenario's diagram, for a station of any kind."""

from __future__ import annotations

from pathlib import Path

from hil.config.errors import ConfigError
from hil.diagram.check.seam import DiagramEnds
from hil.run.file_kinds import TOGETHER, run_file
from hil.run.registry import station_of_kind


def ends_of(scenario: str) -> tuple[Path, DiagramEnds]:
    """Return the file of a scenario, and what a diagram of it may take and has to give.

    Raises:
        ConfigError: if it is none, or takes no diagrams.
        RefusedError: if its machine cannot be used.
    """
    path, kind = run_file(scenario)
    if path is None or kind is TOGETHER:
        raise ConfigError(scenario, ["a scenario of one station is needed"])
    station = station_of_kind(kind)
    if station.diagram_ends is None:
        raise ConfigError(str(path), [f"scenarios of station {station.name} take no diagrams"])
    return path, station.diagram_ends(path)
