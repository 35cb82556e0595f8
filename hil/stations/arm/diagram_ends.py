"""What a diagram that makes the velocity of a scenario may take, and what it has to give."""

from __future__ import annotations

from pathlib import Path

from hil.diagram.check.seam import DiagramEnds
from hil.stations.arm.scenario import load_arm_plan
from hil.stations.arm.sources.diagram import ACCEPTED, OFFERED


def ends_of(path: Path) -> DiagramEnds:
    """Who is asked tells what is asked; a motion by itself is fed by nobody.

    Raises:
        ConfigError: if the scenario is none.
    """
    planned = load_arm_plan(path).scenario.source.planned
    return DiagramEnds(() if planned else OFFERED, ACCEPTED)
