"""Checks of a planned start: the pace of its link, and where a person says that the robot is."""

from collections.abc import Iterable

from arm_driver.contour.place import read_place
from arm_driver.link_errors import WaypointRefusedError
from arm_driver.link_report import DisplayedPose
from hil.config.errors import ConfigError, RefusedError
from hil.machines.robot.offered_links import SIM_URL, link_kind
from hil.machines.robot.settings import RobotSettings
from hil.stations.arm.cycle.step import RobotStep
from hil.terminal.console import numbers
from hil_common.arrays.pose import Pose


def hold_to_pace(
    robot: RobotSettings, X_RT0: Pose, steps: Iterable[RobotStep], url: str = SIM_URL
) -> None:
    """Refuse a motion that its link would end by itself, though its robot keeps its period.

    Args:
        url: of the link; of one like the bench's own where nobody says.

    Raises:
        RefusedError: with waypoint, value and limit; nothing has been sent.
    """
    kind = link_kind(url)
    if kind.prove is None:
        return
    waypoints = [step.waypoint for step in steps if step.waypoint is not None]
    try:
        kind.prove(robot.link_order(url), X_RT0, waypoints)
    except WaypointRefusedError as refusal:
        raise RefusedError(f"the motion was refused, nothing has been sent: {refusal}") from None


def robot_at(text: str | None, robot: RobotSettings) -> DisplayedPose | None:
    """Read the place of --arm-at; None if it was left out; raises ConfigError if it is none."""
    if text is None:
        return None
    try:
        values = numbers(text, 6, "--arm-at", "x,y,z in mm and o,a,t in degrees")
        return read_place(values, robot.oat_convention())
    except ValueError as error:
        raise ConfigError("--arm-at", [str(error)]) from None
