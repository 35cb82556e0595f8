"""Requests that a platform takes from an operator: buttons, poses, another motion."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from hil.desk.order import Button
from hil.machines.rig.machine import envelope_of, geometry_of
from hil.run.lead import Controls, PlayedMotion, Poses, Seen
from hil.stations.platform.lead import buttons
from hil.stations.platform.lead.pose_limits import pose_limits
from hil.stations.platform.plan.scenario import MultiSineSettings, Plan
from safety.modes import Mode
from safety.verdict import Action


def why_not(button: str, seen: Seen) -> str:
    """Reason why a press does nothing now, and what leads to where it does something."""
    if seen.mode not in Mode.__members__:
        return f"the mode {seen.mode} is not known here"
    readiness = buttons.Readiness(
        held=seen.held,
        ready=seen.action == Action.HOLDING.name,
        clear=seen.clear,
        target=seen.target,
        playing=seen.playing,
        ending=seen.ending,
        stalled=seen.stalled,
    )
    return buttons.why_not(Button(button), Mode[seen.mode], readiness)


def controls(table: Mapping[str, Any]) -> Controls:
    """Controls: poses within the rig's envelope; the motion, if it is a sum of sines."""
    plan = Plan.build(table, "header")
    envelope = envelope_of(plan.rig, geometry_of(plan.rig))
    poses = Poses(
        neutral=np.array(plan.rig.neutral.coordinates(), dtype=np.float64),
        limits=lambda pose: pose_limits(envelope, pose),
        rest_signal="wanted_pose",
    )
    live = isinstance(plan.scenario.motion, MultiSineSettings)
    motion = PlayedMotion(
        scenario=plan.scenario.model_dump(mode="json", exclude_unset=True, exclude_none=True),
        own=plan.scenario.motion,
        read=(lambda table: MultiSineSettings.build(table, "motion")) if live else None,
    )
    return Controls(poses, motion)
