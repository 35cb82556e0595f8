"""Reason of a task that its gate has ended, from the rule that was broken."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from hil.stations.task.plan.reasons import Reason, TaskFinding
from safety.robot_limits import RobotCheck

if TYPE_CHECKING:
    from collections.abc import Mapping

    from safety.robot_limits import RobotViolation

CHECKS: Final[Mapping[RobotCheck, Reason]] = {
    RobotCheck.COUNT: "sensor",
    RobotCheck.FINITE: "sensor",
    RobotCheck.FEEDBACK: "sensor",
    RobotCheck.POSITION: "unreachable",
    RobotCheck.BRAKING: "unreachable",
    RobotCheck.BOX: "unreachable",
    RobotCheck.SPEED: "saturated",
    RobotCheck.ACCELERATION: "saturated",
    RobotCheck.FOLLOWING: "saturated",
    RobotCheck.EFFORT: "force",
    RobotCheck.OWN_BODIES: "collision",
    RobotCheck.ASKED: "time_out",
}
"""Reason by the rule of the gate that was broken."""
WITHOUT_VALUE: Final = frozenset({RobotCheck.OWN_BODIES, RobotCheck.ASKED})
"""Rules about something that has no value; of every other a value that is none is the sensor's."""


def refusal(broken: RobotViolation, t_s: float, text: str) -> TaskFinding:
    """Finding about a run that the gate has ended."""
    has_value = broken.check not in WITHOUT_VALUE
    if has_value and not math.isfinite(broken.value):
        return TaskFinding("sensor", t_s, text, unit=broken.unit)
    if not has_value or not math.isfinite(broken.limit):
        return TaskFinding(CHECKS[broken.check], t_s, text)
    return TaskFinding(CHECKS[broken.check], t_s, text, None, broken.value, broken.limit,
                       broken.unit)  # fmt: skip
