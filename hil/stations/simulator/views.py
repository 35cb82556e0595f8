"""How people see a ride: as a run of the platform."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from hil.run.lead import Controls, Lead, LedMotion, Poses, Seen
from hil.stations.platform.station import LEAD as PLATFORM_LEAD
from hil.stations.platform.views import VIEWS as PLATFORM_VIEWS

VIEWS: Final = replace(PLATFORM_VIEWS, lasts_s=lambda motion: None)
"""Lamps, margins and lateness are those of the platform."""
BUTTONS: Final = tuple(one for one in PLATFORM_LEAD.buttons if one != "pose")


def _why_not(button: str, seen: Seen) -> str:
    from hil.stations.platform.lead import why_not

    return why_not(button, seen)


def _controls(table: Mapping[str, Any]) -> Controls:
    """No poses; gain, preset and mute go through the page."""
    import numpy as np

    from hil.machines.machine import envelope_of, geometry_of
    from hil.stations.platform.operator.pose_limits import pose_limits
    from hil.stations.simulator.scenario import RidePlan

    plan = RidePlan.build(table, "header")
    envelope = envelope_of(plan.rig, geometry_of(plan.rig))
    poses = Poses(
        neutral=np.array(plan.rig.neutral.coordinates(), dtype=np.float64),
        limits=lambda pose: pose_limits(envelope, pose),
        stands_at="wanted_pose",
    )
    scenario = plan.scenario
    motion = LedMotion(
        scenario=scenario.model_dump(mode="json", exclude_unset=True, exclude_none=True),
        own=scenario.source,
        read=None,
    )
    return Controls(poses, motion)


LEAD: Final = Lead(
    buttons=BUTTONS, why_not=_why_not, next_acts=PLATFORM_LEAD.next_acts, controls=_controls
)
"""What an operator may ask of a ride."""
