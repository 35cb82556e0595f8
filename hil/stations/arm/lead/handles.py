"""Requests of an operator to the arm station: to be steered by handles."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

from hil.desk.velocity.handles import screen_handles
from hil.desk.velocity.remote_writer import ScreenPlace
from hil.run.lead import Handles
from hil.stations.arm.sources.settings import PLANNED

SCREEN_M_S: Final = 0.05
"""Full deflection of the handles [m/s]: half of what the arms may do, so nothing saturates."""
SCREEN_RAD_S: Final = math.radians(5.0)
"""Full deflection of the turning handles on the screen [rad/s]; chosen likewise."""


def _place(scenario: Mapping[str, Any]) -> ScreenPlace | None:
    """Return the place of the handles among a scenario's sources; None for a planned one."""
    source = scenario["source"]
    if source["kind"] == "diagram":
        return None if source["by"] is None else ScreenPlace(source["by"], "source.by")
    return None if source["kind"] in PLANNED else ScreenPlace(source)


def handles() -> Handles:
    """Return the handles as the station takes them."""
    return screen_handles(SCREEN_M_S, SCREEN_RAD_S, _place)
