"""Margins of the arms: travel of joints, distance from singularities, the robot's windows."""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from arm_driver.link import LinkSettings
from arm_driver.supervision_settings import SupervisionSettings
from hil.machines.robot.supervision import supervision_of
from hil.scene.margins import MarginGroup, above, travel, windows
from hil.stations.arm.plan.supervision import WARNED_FROM
from hil.stations.arm.scene.machines import ArmMachines
from hil.stations.arm.signals import WATCHED

LEGS: Final = 6
_ARM: Final = {"industrial": "Robot, joint", "simulated": "Space arm, joint"}
_SINGULAR: Final = (("wrist", "1"), ("elbow", "m"), ("shoulder", "m"))
_WATCHED: Final = {
    "following_1": ("Robot, off its path", "%", 100.0, "not following"),
    "ahead_s": ("Robot, too early", "ms", 1e3, "off its period"),
    "behind_s": ("Robot, too late", "ms", 1e3, "off its period"),
    "silence_s": ("Robot, silent", "ms", 1e3, "link lost"),
    "blank_1": ("Robot, tells no place", "", 1.0, "not following"),
}
"""Supervised quantity → its name, unit, factor to it, and how the stream ends beyond its window."""


def _numbered(what: str) -> tuple[str, ...]:
    return tuple(f"{what} {number}" for number in range(1, LEGS + 1))


def margins_of(scenario: Mapping[str, Any]) -> tuple[MarginGroup, ...]:
    """Return the margins of travel, to singularities, and of the windows of the supervision."""
    machines = ArmMachines.from_scenario(scenario)
    groups = [
        MarginGroup(
            _numbered(_ARM[one.arm]), ("rad",) * LEGS, one.angles, travel(one.low_rad, one.high_rad)
        )
        for one in reversed(machines.joints())
    ]
    least = machines.least_margins
    if least is not None and min(least) > 0.0:
        groups.append(
            MarginGroup(
                tuple(f"Robot, from {name} singularity" for name, _ in _SINGULAR),
                tuple(unit for _, unit in _SINGULAR),
                "margins",
                above(np.array(least)),
            )
        )
    watched = supervision_of(scenario)
    if watched is not None:
        groups.append(_watched(watched))
    return tuple(groups)


def _watched(settings: SupervisionSettings) -> MarginGroup:
    silent_s = LinkSettings(supervision=settings).lost_after_s
    limits = [1.0, settings.ahead_s, settings.behind_s, silent_s, settings.feedback_periods]
    names, units, factors, ends = zip(*(_WATCHED[name] for name in WATCHED), strict=True)
    ahead = [f"{{left}}, then {end}" for end in ends]
    shares = windows(np.array(limits), np.array(factors), ahead)
    return MarginGroup(names, units, "watched", shares, warn_share=1.0 - WARNED_FROM)
