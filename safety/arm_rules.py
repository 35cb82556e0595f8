"""Rules that the arms' gate judges one arm by: functions of a waypoint and those before it.

Nothing is remembered here. Every comparison is written so that NaN breaks the rule.
"""

import math
from collections.abc import Iterator

from safety.arm_corners import turn_rad
from safety.arm_limits import ArmCheck, ArmLimits, ArmSample, ArmViolation, Values

ROUNDING_RAD = 1e-9
"""Rounding of joint angles of some revolutions, with margin; far below any encoder."""
ROUNDING_M = 2e-5
"""A waypoint on the wire has hundredths of a millimetre: 5 um on each axis at both ends."""
ROUNDING_TURN_RAD = 6e-5
"""It has thousandths of a degree: half of one, in three angles, at both ends."""
ROUNDING_PART = 1e-3
"""Neither of the last two is ever a greater part of what the limit allows in a period."""
QUATERNION_TOLERANCE = 1e-6
"""Deviation from length 1 beyond which a quaternion is not a rotation with rounding."""


def malformed(limits: ArmLimits, sample: ArmSample) -> list[ArmViolation]:
    """Find counts that are wrong, numbers that are none, a quaternion that is no rotation."""
    arm = limits.name
    found: list[ArmViolation] = []
    margins = tuple(margin.name for margin in limits.margins)
    for what, values, names, units in (
        ("joint angle", sample.q_rad, limits.joint_names, limits.joint_units),
        ("gripper position", sample.gripper_position_m, ("x", "y", "z"), ("m",) * 3),
        ("gripper rotation", sample.gripper_rotation, ("w", "x", "y", "z"), ("",) * 4),
        ("margin", sample.margins, margins, ("",) * len(margins)),
    ):
        if len(values) != len(names):
            given, wanted = float(len(values)), float(len(names))
            found.append(ArmViolation(ArmCheck.COUNT, arm, "", given, wanted, "", note=what))
            continue
        for name, value, unit in zip(names, values, units, strict=True):
            if not math.isfinite(value):
                of_joint = what == "joint angle"
                joint, note = (name, what) if of_joint else ("", f"{what}, {name},")
                found.append(
                    ArmViolation(ArmCheck.FINITE, arm, joint, value, math.inf, unit, note=note)
                )
    if not found:
        length = math.hypot(*sample.gripper_rotation)
        if not abs(length - 1.0) <= QUATERNION_TOLERANCE:
            found.append(ArmViolation(ArmCheck.ROTATION, arm, "", length, 1.0, ""))
    return found


def out_of_place(limits: ArmLimits, sample: ArmSample) -> list[ArmViolation]:
    """Find joints outside their range, and distances below their least."""
    found = [
        ArmViolation(ArmCheck.POSITION, limits.name, joint, q, high, unit, low)
        for joint, unit, q, low, high in zip(
            limits.joint_names,
            limits.joint_units,
            sample.q_rad,
            limits.position_min_rad,
            limits.position_max_rad,
            strict=True,
        )
        if not low - ROUNDING_RAD <= q <= high + ROUNDING_RAD
    ]
    for margin, value in zip(limits.margins, sample.margins, strict=True):
        if not value >= margin.least:
            found.append(
                ArmViolation(
                    ArmCheck.MARGIN,
                    limits.name,
                    "",
                    value,
                    float(margin.least),
                    margin.unit,
                    note=margin.name,
                )
            )
    return found + list(_too_close(limits, sample))


def _too_close(limits: ArmLimits, sample: ArmSample) -> Iterator[ArmViolation]:
    """Bodies of the arm too near each other, as measured here and now."""
    if limits.clearances is None:
        return
    pairs, least_m, measure = limits.clearances
    for pair, value in zip(pairs, measure(sample.q_rad), strict=True):
        if not value >= least_m:
            check = ArmCheck.CLEARANCE
            yield ArmViolation(check, limits.name, "", float(value), least_m, "m", note=pair)


def too_fast_joints(
    limits: ArmLimits, moves: Values, moved: Values, period_s: float
) -> Iterator[ArmViolation]:
    """Joints whose rate or acceleration is too great.

    Args:
        moves: of the joints in this period [rad; m], one a joint.
        moved: of the joints in the period before [rad; m], one a joint.
    """
    dt = period_s
    for joint, unit, move, before, rate_max, acceleration_max in zip(
        limits.joint_names,
        limits.joint_units,
        moves,
        moved,
        limits.rate_max_rad_s,
        limits.acceleration_max_rad_s2,
        strict=True,
    ):
        if not abs(move) <= rate_max * dt + ROUNDING_RAD:
            yield ArmViolation(
                ArmCheck.RATE, limits.name, joint, move / dt, rate_max, f"{unit}/s", -rate_max
            )
        change = move - before
        if not abs(change) <= acceleration_max * dt * dt + ROUNDING_RAD:
            yield ArmViolation(
                ArmCheck.ACCELERATION, limits.name, joint, change / (dt * dt),
                acceleration_max, f"{unit}/s^2", -acceleration_max,
            )  # fmt: skip


def too_fast_gripper(
    limits: ArmLimits, before: ArmSample, now: ArmSample, period_s: float
) -> Iterator[ArmViolation]:
    """The gripper's speed and turn rate, if too great, from one waypoint to the next."""
    dt, name = period_s, limits.name
    distance_m = math.dist(now.gripper_position_m, before.gripper_position_m)
    limit = limits.gripper_speed_max_m_s
    if not distance_m <= limit * dt + min(ROUNDING_M, ROUNDING_PART * limit * dt):
        yield ArmViolation(ArmCheck.GRIPPER_SPEED, name, "", distance_m / dt, limit, "m/s")
    turn = _angle_between(before.gripper_rotation, now.gripper_rotation)
    limit = limits.gripper_turn_max_rad_s
    if not turn <= limit * dt + min(ROUNDING_TURN_RAD, ROUNDING_PART * limit * dt):
        yield ArmViolation(ArmCheck.GRIPPER_TURN, name, "", turn / dt, limit, "rad/s")


def cut_corner(
    limits: ArmLimits, before_m: Values, after_m: Values, period_s: float
) -> Iterator[ArmViolation]:
    """The corner between two ways, if the controller would round it too much.

    Args:
        before_m: way of the gripper in the period before [m], three.
        after_m: way of the gripper in this period [m], three.
    """
    corners = limits.corners
    if corners is None:
        return
    before, after = (tuple(x / period_s for x in step_m) for step_m in (before_m, after_m))
    off_m, limit_m = corners.deviation_m(before, after), corners.deviation_max_m
    if not off_m <= limit_m:
        speeds = [1e3 * math.hypot(*each) for each in (before, after)]
        share = corners.fitting_share(before, after)
        note = (
            f"at the waypoint before: a turn by {math.degrees(turn_rad(before, after)):.0f} deg "
            f"at {speeds[0]:.1f} and {speeds[1]:.1f} mm/s; it fits at {share * speeds[0]:.1f} and "
            f"{share * speeds[1]:.1f} mm/s"
        )
        yield ArmViolation(ArmCheck.CORNER, limits.name, "", off_m, limit_m, "m", note=note)


def differences(now: Values, before: Values) -> Values:
    """Entry by entry, now less before."""
    return tuple(a - b for a, b in zip(now, before, strict=True))


def _angle_between(a: Values, b: Values) -> float:
    """Angle of the turn from one unit quaternion to another [rad], 0 to pi.

    A quaternion and its negative are one rotation, hence the absolute value. The sum and difference
    keep all digits at small angles, where an arc cosine keeps half of them.
    """
    apart = math.dist(a, b)
    together = math.hypot(*(p + q for p, q in zip(a, b, strict=True)))
    return 4.0 * math.atan2(min(apart, together), max(apart, together))
