"""Free axes of a jointed robot's gate: their rules, by what is measured, and their own stop.

A free axis (`RobotAxis.free`) is moved by a law alone. Nobody asks for its place, so its setpoint
is where it is measured, and following says nothing. Judged instead are its measured position, the
point at which it would stop, and its measured acceleration; speed and effort are judged as those
of every axis. It may reach an end stop slowly, as a jaw does that closes on nothing.
"""

import math
from collections.abc import Sequence

from safety.robot_limits import RobotAxis, RobotCheck, RobotViolation, Values, axis_violation

END_S = 0.05
"""Duration of a stop from the speed with which a free axis may reach its limit [s]."""
SWING_S = 0.05
"""Time over which the measured acceleration of a free axis is judged, swings included [s]."""
MEASURED = "measured"


def chosen(free: Sequence[bool], measured: Sequence[float], asked: Sequence[float]) -> Values:
    """Values of free axes as measured, and of the others as asked."""
    return tuple([
        here if one else there for one, here, there in zip(free, measured, asked, strict=True)
    ])  # fmt: skip


def place_violations(axis: RobotAxis, q: float, v: float) -> list[RobotViolation]:
    """Judge the measured position of a free axis, and the point at which it would stop.

    It may be beyond its limit, pressed into an end stop, by its greatest following error; it may
    reach the limit with the speed from which it stops within `END_S`.
    """
    broken: list[RobotViolation] = []
    if not axis.least - axis.following <= q <= axis.greatest + axis.following:
        limit = axis.least if q < axis.least else axis.greatest
        broken.append(axis_violation(RobotCheck.POSITION, axis, q, limit, "", MEASURED))
    limit = axis.greatest if v > 0.0 else axis.least
    room = limit - q if v > 0.0 else q - limit
    if room < 0.0:
        room = 0.0
    way = 0.5 * v * v / axis.stop
    if not way <= room + 0.5 * axis.stop * END_S * END_S:
        end = q + math.copysign(way, v)
        broken.append(axis_violation(RobotCheck.BRAKING, axis, end, limit, "", MEASURED))
    return broken


def acceleration_violations(
    axis: RobotAxis, most: float, v: float, reference: float
) -> list[RobotViolation]:
    """Judge the measured speed of a free axis against one that keeps to its acceleration.

    Args:
        most: greatest acceleration of the axis, per s2.
        reference: speed that keeps to it, per s.
    """
    if abs(v - reference) <= most * SWING_S:
        return []
    value = (v - reference) / SWING_S
    return [axis_violation(RobotCheck.ACCELERATION, axis, value, most, "/s2", MEASURED)]


def reference_speed(v: float, reference: float, step: float) -> float:
    """Speed that follows the measured one by at most a step."""
    return reference + min(max(v - reference, -step), step)


def free_lags(axes: Sequence[RobotAxis], speeds: Sequence[float]) -> Values:
    """Lag that a stop allows each axis besides its following error [rad] or [m].

    A free axis may move more than its drive holds, as a wheel moves a vehicle: in its stop it may
    be behind by half of the stop's way.
    """
    each = zip(axes, speeds, strict=True)
    return tuple([0.25 * v * v / axis.stop if axis.free else 0.0 for axis, v in each])


def stop_alone(
    axes: Sequence[RobotAxis], speeds: Sequence[float], braking: Values
) -> tuple[Values, float]:
    """Accelerations of a stop in which free axes stop alone, and the longest of their stops [s].

    Args:
        braking: accelerations of a stop in which all stop together.
    """
    each = list(zip(axes, speeds, strict=True))
    alone_s = [abs(v) / axis.stop for axis, v in each if axis.free]
    own = [-math.copysign(axis.stop, v) if v else 0.0 for axis, v in each]
    return chosen([axis.free for axis in axes], own, braking), max(alone_s, default=0.0)
