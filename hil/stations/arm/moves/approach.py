"""Place of the robot before it moves: sent by itself, or read at its controller by the operator.

Nothing is sent here. No place determines in which of its eight postures it is: a person says so.
"""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from arm_driver.errors import ArmError
from arm_driver.kinematics.puma import Branch, Joints, nearest
from arm_driver.link import ArmLink
from arm_driver.link_report import DisplayedPose, LinkReport
from arm_driver.link_states import LinkState
from hil.config.errors import RefusedError
from hil.machines.robot.settings import RobotSettings
from hil.stations.arm.cycle.loop import ASKED_WITHIN_S, LOOK_S
from hil.stations.arm.cycle.robot_start import posture_at
from hil.timing.clock import Clock
from hil.timing.stop import StopRequest
from hil_common.arrays.pose import PoseError, angle_between_rad

Array = NDArray[np.float64]

TOLD_AFTER_S = 2.0
"""Wait after which the reason for it is shown [s]."""
SILENT_S = 1.05
"""A robot that has not asked for so long is silent: three of its periods [s]."""
STILL_M, STILL_RAD = 5e-4, math.radians(0.1)
"""Largest difference of two places in a row of a robot at rest [m], [rad]."""


def await_place(
    robot: RobotSettings,
    clock: Clock,
    wire: ArmLink,
    shown: DisplayedPose | None,
    stop_request: StopRequest,
    say: Callable[[str], None],
) -> DisplayedPose:
    """Wait until the robot asks, and has sent twice where it is at rest.

    Raises:
        RefusedError: if it does not come to that, with what was waited for.
    """
    waits, reports = "", _RobotReports()
    for tick in clock.ticks(LOOK_S):
        report = wire.poll()
        if stop_request.asked is not None:
            raise RefusedError("stopped by the operator before the robot moved; nothing was sent")
        if report.state in (LinkState.FAULT, LinkState.HELD):
            raise RefusedError(f"nothing has moved: {report.text}")
        if place := reports.place(report, shown):
            return place
        if tick.t_s > ASKED_WITHIN_S:
            raise RefusedError(
                f"nothing has moved: waited {ASKED_WITHIN_S:g} s for {reports.awaited(report)}"
            )
        if tick.t_s > TOLD_AFTER_S and waits != reports.awaited(report):
            waits = reports.awaited(report)
            say(f"waiting for {waits}")
    raise AssertionError("a clock ticks without end")


class _RobotReports:
    """Places that the robot has sent so far."""

    def __init__(self) -> None:
        self._requests = 0
        self._last: DisplayedPose | None = None

    def place(self, report: LinkReport, shown: DisplayedPose | None) -> DisplayedPose | None:
        """Return the place of the robot, once that is known."""
        if not report.asked or report.counts.requests == self._requests:
            return None
        self._requests = report.counts.requests
        if report.measured is None:
            return shown
        before, self._last = self._last, report.measured
        if before is None or self._requests < 2:
            return None
        now, last = report.measured.X_RT, before.X_RT
        still = math.dist(now.position_m, last.position_m) <= STILL_M
        still &= angle_between_rad(last, now) <= STILL_RAD
        return report.measured if still else None

    def awaited(self, report: LinkReport) -> str:
        """Return the information that is still missing."""
        if not report.asked:
            return "the robot's first request: is its program running?"
        if report.silence_s > SILENT_S:
            return "the robot's next request: it has fallen silent; is its program running?"
        if report.measured is None:
            return (
                "the robot's place, which its requests do not tell: switch its option feedback on, "
                "or give --arm-at X,Y,Z,O,A,T as its controller shows them"
            )
        return "the robot to stand still: two places that it told one after the other differ"


def joints_by_operator(robot: RobotSettings, place: DisplayedPose, joints_deg: Array) -> Joints:
    """Return the robot's joints at its place, in the posture of those that the pendant shows.

    Raises:
        RefusedError: if they do not lead there.
    """
    try:
        return posture_at(robot, place.X_RT, joints_deg)
    except (ArmError, PoseError) as error:
        raise RefusedError(
            f"nothing has moved: the robot is at {place}; --at-joints: {error}"
        ) from None


def joints_in_posture(
    robot: RobotSettings, place: DisplayedPose, near_rad: Array, branch: Branch
) -> Joints:
    """Find the robot's joints at its place in a posture, for a person to confirm.

    Raises:
        RefusedError: if it cannot be there so.
    """
    try:
        return nearest(robot.geometry(), place.X_RT, near_rad, branch)
    except (ArmError, PoseError) as error:
        raise RefusedError(
            f"nothing has moved: the robot is at {place}, where it cannot stand in the posture of "
            f"the target ({branch}): {error}; say with --at-joints what its pendant shows"
        ) from None
