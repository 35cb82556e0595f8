"""Where the robot is before it moves: told by itself, or read at its controller by the operator.

Nothing is sent here. In which of its eight postures it stands no place tells: a person says so.
"""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from arm_driver.contour.host_states import HostState
from arm_driver.contour.host_values import LinkReport
from arm_driver.contour.location import Location
from arm_driver.kinematics.puma import Branch, Joints, nearest
from arm_driver.pose import ArmError
from hil.config.errors import RefusedError
from hil.machines.robot_settings import RobotSettings
from hil.stations.arm.gated import ArmWire
from hil.stations.arm.loop import ASKED_WITHIN_S, LOOK_S
from hil.stations.arm.start import place_of, posture_at
from hil.timing.clock import Clock
from hil.timing.stop import StopWish

Array = NDArray[np.float64]

TOLD_AFTER_S = 2.0
"""Longer waits say for what [s]."""
SILENT_S = 1.05
"""A robot that has not asked for so long is silent: three of its periods [s]."""
STILL_M, STILL_RAD = 5e-4, math.radians(0.1)
"""Two places that a robot at rest tells one after the other are not further apart."""


def await_place(
    robot: RobotSettings,
    clock: Clock,
    wire: ArmWire,
    shown: Location | None,
    wish: StopWish,
    say: Callable[[str], None],
) -> Location:
    """Wait until the robot asks, and has told twice where it stands still.

    Raises:
        RefusedError: if it does not come to that, with what was waited for.
    """
    waits, heard = "", _Heard(robot.oat_convention().zero_rad[1])
    for tick in clock.ticks(LOOK_S):
        report = wire.poll()
        if wish.asked is not None:
            raise RefusedError("stopped by the operator before the robot moved; nothing was sent")
        if report.state in (HostState.FAULT, HostState.HELD):
            raise RefusedError(f"nothing has moved: {report.text}")
        if place := heard.place(report, shown):
            return place
        if tick.t_s > ASKED_WITHIN_S:
            raise RefusedError(
                f"nothing has moved: waited {ASKED_WITHIN_S:g} s for {heard.awaited(report)}"
            )
        if tick.t_s > TOLD_AFTER_S and waits != heard.awaited(report):
            waits = heard.awaited(report)
            say(f"waiting for {waits}")
    raise AssertionError("a clock ticks without end")


class _Heard:
    """What the robot has told so far, with the convention's angle at a = 0 [rad]."""

    def __init__(self, a_zero_rad: float) -> None:
        self._a_zero_rad, self._requests = a_zero_rad, 0
        self._last: Location | None = None

    def place(self, report: LinkReport, shown: Location | None) -> Location | None:
        """Where it stands, once that is known."""
        if report.status is None or report.counts.requests == self._requests:
            return None
        self._requests = report.counts.requests
        if report.measured is None:
            return shown
        before, self._last = self._last, report.measured
        if before is None or self._requests < 2:
            return None
        still = before.distance_m(report.measured) <= STILL_M
        still &= before.turn_rad(report.measured, self._a_zero_rad) <= STILL_RAD
        return report.measured if still else None

    def awaited(self, report: LinkReport) -> str:
        """What is still missing."""
        if report.status is None:
            return "the robot's first request: is its program running?"
        if report.silence_s > SILENT_S:
            return "the robot's next request: it has fallen silent; is its program running?"
        if report.measured is None:
            return (
                "the robot's place, which its requests do not tell: switch its option feedback on, "
                "or give --arm-at X,Y,Z,O,A,T as its controller shows them"
            )
        return "the robot to stand still: two places that it told one after the other differ"


def joints_said(robot: RobotSettings, place: Location, joints_deg: Array) -> Joints:
    """The robot's joints at its place, in the posture of those that the pendant shows.

    Raises:
        RefusedError: if they do not lead there.
    """
    try:
        return posture_at(robot, place_of(robot, place), joints_deg)
    except ArmError as error:
        raise RefusedError(
            f"nothing has moved: the robot is at {place}; --at-joints: {error}"
        ) from None


def joints_in_posture(
    robot: RobotSettings, place: Location, near_rad: Array, branch: Branch
) -> Joints:
    """The robot's joints at its place if it stands in a posture, for a person to confirm.

    Raises:
        RefusedError: if it cannot stand there so.
    """
    try:
        return nearest(robot.geometry(), place_of(robot, place), near_rad, branch)
    except ArmError as error:
        raise RefusedError(
            f"nothing has moved: the robot is at {place}, where it cannot stand in the posture of "
            f"the target ({branch}): {error}; say with --at-joints what its pendant shows"
        ) from None
