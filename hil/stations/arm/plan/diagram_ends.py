"""Signals that a diagram for the velocity of a scenario may take, and setpoints that it gives."""

from __future__ import annotations

from pathlib import Path

from hil.diagram.check.seam import DiagramEnds
from hil.stations.arm.plan.scenario import load_arm_plan
from hil.stations.arm.sources.diagram import ACCEPTED, OFFERED


def ends_of(path: Path) -> DiagramEnds:
    """Return the ends by source: an operator's requests are inputs; a motion by itself has none.

    Raises:
        ConfigError: if the scenario is none.
    """
    planned = load_arm_plan(path).scenario.source.planned
    return DiagramEnds(() if planned else OFFERED, ACCEPTED)
