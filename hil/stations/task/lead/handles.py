"""Handles of a panel by which a person drives the robot of a task."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hil.stations.world.sources.jog_operators import SCREEN_M_S, SCREEN_RAD_S

if TYPE_CHECKING:
    from hil.run.lead import Handles, HandlesPlace


def handles() -> Handles:
    """Handles as driven runs take them: ahead and to the side, or about the vertical."""
    from hil.desk.velocity.handles import screen_handles

    return screen_handles(SCREEN_M_S, SCREEN_RAD_S, _place)


def _place(scenario: Mapping[str, Any]) -> HandlesPlace | None:
    """Place where a driven run listens for handles; None for one that drives by itself."""
    from hil.desk.velocity.remote_writer import ScreenPlace
    from hil.stations.task.plan.task_registry import task_named

    kind = scenario.get("task", {}).get("kind", "")
    own = scenario.get("diagram", {}).get("file", "")
    if own or scenario.get("navigator", "robust") not in task_named(kind).led:
        return None
    return ScreenPlace({}, "driver")
