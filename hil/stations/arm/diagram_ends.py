"""What a diagram that makes the velocity of a scenario may take, and what it has to give."""

from __future__ import annotations

from pathlib import Path

from hil.config.settings import read_toml
from hil.diagram.seam import DiagramEnds
from hil.stations.arm.sources.diagram import ACCEPTED, OFFERED
from hil.stations.arm.sources.settings import PLANNED


def ends_of(path: Path) -> DiagramEnds:
    """Who is asked tells what is asked; a motion by itself is fed by nobody.

    Raises:
        ConfigError: if the file cannot be read.
    """
    source = read_toml(path).get("source", {})
    by_itself = source.get("kind") in PLANNED or "duration_s" in source
    return DiagramEnds(() if by_itself else OFFERED, ACCEPTED)
