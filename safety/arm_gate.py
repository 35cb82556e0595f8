"""The arms' gate: judges one waypoint of both arms at a time, and stays shut after a refusal.

A waypoint passes for both arms or for neither: they do one motion, and half of it is another one.
Nothing is clipped. Rates and accelerations are the gate's own, differences of what it let through
before, never what somebody says they are. A start is at rest, and must be agreed upon before
anything passes.

The speed of the gripper is the straight way between two waypoints, over the period; a path that
bows out between them is somewhat faster. Declaring a smooth stop loosens nothing: a stop whose
waypoint breaks a limit, acceleration included, is refused like any other, and the arm then ends at
the last point that passed.
"""

import math
from collections.abc import Sequence

from safety.arm_limits import (
    JOINT_COUNT,
    ArmAction,
    ArmCheck,
    ArmLimits,
    ArmSample,
    ArmVerdict,
    ArmViolation,
    Values,
)
from safety.limits import LimitsError

ROUNDING_RAD = 1e-9
"""Rounding of joint angles of some revolutions, with room; far below any encoder."""
ROUNDING_M = 2e-5
"""A waypoint on the wire has hundredths of a millimetre: 5 um on each axis at both ends."""
ROUNDING_TURN_RAD = 6e-5
"""It has thousandths of a degree: half of one, in three angles, at both ends."""
ROUNDING_PART = 1e-3
"""Neither of the last two is ever a greater part of what the limit allows in a period."""
QUATERNION_TOLERANCE = 1e-6
"""Deviation from length 1 beyond which a quaternion is not a rotation with rounding."""

_NO_CHANGE = (0.0,) * JOINT_COUNT


class ArmGate:
    """Lets waypoints through, or refuses one and then all that follow, until a reset.

    Args:
        limits: the limits of each arm; a waypoint has one sample for each, in this order.
        period_s: time from one waypoint to the next [s].
        start: where each arm stands still now; with None nothing passes until `reset`. A start
            outside the limits is not agreed to: the gate is then shut, and says why.

    Raises:
        LimitsError: no arm, two arms of one name, or a period that is not finite and positive.
    """

    def __init__(
        self,
        limits: Sequence[ArmLimits],
        period_s: float,
        start: Sequence[ArmSample] | None = None,
    ) -> None:
        if not limits:
            raise LimitsError("arm gate: no arm is given; need the limits of at least one")
        names = [arm.name for arm in limits]
        if len(set(names)) != len(names):
            raise LimitsError(
                f"arm gate: two of the arms {names} have one name; need them to differ"
            )
        if isinstance(period_s, bool) or not (math.isfinite(period_s) and period_s > 0.0):
            raise LimitsError(f"arm gate: period_s = {period_s} s; need a finite time above 0 s")
        self._limits = tuple(limits)
        self._period_s = float(period_s)
        self._last: tuple[ArmSample, ...] | None = None
        self._moves_rad: tuple[Values, ...] = ()
        self._next_index: int | None = None
        self._stopping = False
        self._latched: tuple[ArmViolation, ...] = (_no_start("no start has been agreed upon"),)
        if start is not None:
            self.reset(start)

    @property
    def latched(self) -> tuple[ArmViolation, ...]:
        """Why nothing passes; empty while the gate is open."""
        return self._latched

    @property
    def stopping(self) -> bool:
        """Whether a smooth stop has been declared; the limits are the same while it lasts."""
        return self._stopping

    def declare_stop(self) -> None:
        """Note that the waypoints from now on are a smooth stop; violations then say so."""
        self._stopping = True

    def reset(self, start: Sequence[ArmSample]) -> tuple[ArmViolation, ...]:
        """Agree upon a new start at rest, and open; an operator's act, never a programme's own.

        Args:
            start: where each arm stands still now.

        Returns:
            Why the start is refused and the gate stays shut; empty if it is open now.
        """
        self._last = None
        self._stopping = False
        self._next_index = None
        try:
            found = self._judge_still(start)
            agreed = tuple(start)
        except Exception as error:
            found, agreed = [_broken(error)], ()
        self._latched = tuple(found)
        if not found:
            self._last = agreed
            self._moves_rad = tuple(_NO_CHANGE for _ in agreed)
        return self._latched

    def judge(self, index: int, samples: Sequence[ArmSample]) -> ArmVerdict:
        """Judge one waypoint. Never raises: what breaks inside shuts the gate and is told.

        Args:
            index: number of the waypoint; each is one more than the last that passed.
            samples: what is asked of each arm, in the order of the limits.
        """
        try:
            last = self._last
            if self._latched or last is None:
                return ArmVerdict(index, ArmAction.REFUSED, (self._still_shut(),), None)
            found = self._judge_index(index)
            found += self._judge_still(samples)
            if not found:
                found = self._judge_moving(last, samples)
            if not found:
                return self._pass(index, last, tuple(samples))
        except Exception as error:
            found = [_broken(error)]
        self._latched = tuple(found)
        return ArmVerdict(index, ArmAction.REFUSED, self._latched, None)

    def _pass(
        self, index: int, last: tuple[ArmSample, ...], samples: tuple[ArmSample, ...]
    ) -> ArmVerdict:
        self._moves_rad = tuple(
            _differences(now.q_rad, before.q_rad) for now, before in zip(samples, last, strict=True)
        )
        self._last = samples
        self._next_index = index + 1
        return ArmVerdict(index, ArmAction.PASSED, (), samples)

    def _still_shut(self) -> ArmViolation:
        note = f"nothing passes until a reset, because of: {self._latched[0]}"
        return ArmViolation(ArmCheck.LATCHED, "", "", 0.0, 0.0, "", note=note)

    def _judge_index(self, index: int) -> list[ArmViolation]:
        """A waypoint left out or sent twice would make every difference a wrong one."""
        if type(index) is not int:
            raise TypeError(f"index: {index!r} is not an int")
        if self._next_index is None or index == self._next_index:
            return []
        wanted = float(self._next_index)
        return [ArmViolation(ArmCheck.SEQUENCE, "", "", float(index), wanted, "")]

    def _judge_still(self, samples: Sequence[ArmSample]) -> list[ArmViolation]:
        """Judge what needs no earlier waypoint: counts, numbers, positions and margins."""
        if len(samples) != len(self._limits):
            note = "one sample per arm"
            given, wanted = float(len(samples)), float(len(self._limits))
            return [ArmViolation(ArmCheck.COUNT, "", "", given, wanted, "", note=note)]
        found: list[ArmViolation] = []
        for limits, sample in zip(self._limits, samples, strict=True):
            malformed = _malformed(limits, sample)
            found += malformed or _out_of_place(limits, sample)
        return found

    def _judge_moving(
        self, last: tuple[ArmSample, ...], samples: Sequence[ArmSample]
    ) -> list[ArmViolation]:
        found: list[ArmViolation] = []
        for limits, before, now, moved in zip(
            self._limits, last, samples, self._moves_rad, strict=True
        ):
            moves = _differences(now.q_rad, before.q_rad)
            found += self._judge_joints(limits, moves, moved)
            found += self._judge_gripper(limits, before, now)
        return found

    def _judge_joints(self, limits: ArmLimits, moves: Values, moved: Values) -> list[ArmViolation]:
        """Judge rate and acceleration of six joints, from their last two movements [rad]."""
        dt = self._period_s
        found: list[ArmViolation] = []
        for joint, move, before, rate_max, acceleration_max in zip(
            limits.joint_names,
            moves,
            moved,
            limits.rate_max_rad_s,
            limits.acceleration_max_rad_s2,
            strict=True,
        ):
            if not abs(move) <= rate_max * dt + ROUNDING_RAD:
                found.append(
                    self._moving(ArmCheck.RATE, limits, joint, move / dt, rate_max, "rad/s")
                )
            change = move - before
            if not abs(change) <= acceleration_max * dt * dt + ROUNDING_RAD:
                value, unit = change / (dt * dt), "rad/s^2"
                check = ArmCheck.ACCELERATION
                found.append(self._moving(check, limits, joint, value, acceleration_max, unit))
        return found

    def _judge_gripper(
        self, limits: ArmLimits, before: ArmSample, now: ArmSample
    ) -> list[ArmViolation]:
        dt = self._period_s
        found: list[ArmViolation] = []
        way = math.dist(now.gripper_position_m, before.gripper_position_m)
        limit = limits.gripper_speed_max_m_s
        if not way <= limit * dt + min(ROUNDING_M, ROUNDING_PART * limit * dt):
            found.append(self._moving(ArmCheck.GRIPPER_SPEED, limits, "", way / dt, limit, "m/s"))
        turn = _angle_between(before.gripper_rotation, now.gripper_rotation)
        limit = limits.gripper_turn_max_rad_s
        if not turn <= limit * dt + min(ROUNDING_TURN_RAD, ROUNDING_PART * limit * dt):
            found.append(self._moving(ArmCheck.GRIPPER_TURN, limits, "", turn / dt, limit, "rad/s"))
        return found

    def _moving(
        self, check: ArmCheck, limits: ArmLimits, joint: str, value: float, limit: float, unit: str
    ) -> ArmViolation:
        low = -limit if joint else None
        note = "during a declared smooth stop; it is refused all the same" if self._stopping else ""
        return ArmViolation(check, limits.name, joint, value, limit, unit, low, note)


def _malformed(limits: ArmLimits, sample: ArmSample) -> list[ArmViolation]:
    """Find counts that are wrong, numbers that are none, a quaternion that is no rotation."""
    arm = limits.name
    found: list[ArmViolation] = []
    for what, values, names, unit in (
        ("joint angle", sample.q_rad, limits.joint_names, "rad"),
        ("gripper position", sample.gripper_position_m, ("x", "y", "z"), "m"),
        ("gripper rotation", sample.gripper_rotation, ("w", "x", "y", "z"), ""),
        ("margin", sample.margins, tuple(margin.name for margin in limits.margins), ""),
    ):
        if len(values) != len(names):
            given, wanted = float(len(values)), float(len(names))
            found.append(ArmViolation(ArmCheck.COUNT, arm, "", given, wanted, "", note=what))
            continue
        for name, value in zip(names, values, strict=True):
            if not math.isfinite(value):
                joint, note = (name, what) if unit == "rad" else ("", f"{what}, {name},")
                found.append(
                    ArmViolation(ArmCheck.FINITE, arm, joint, value, math.inf, unit, note=note)
                )
    if not found:
        length = math.hypot(*sample.gripper_rotation)
        if not abs(length - 1.0) <= QUATERNION_TOLERANCE:
            found.append(ArmViolation(ArmCheck.ROTATION, arm, "", length, 1.0, ""))
    return found


def _out_of_place(limits: ArmLimits, sample: ArmSample) -> list[ArmViolation]:
    """Find joints outside their range, and distances below their least."""
    found = [
        ArmViolation(ArmCheck.POSITION, limits.name, joint, q, high, "rad", low)
        for joint, q, low, high in zip(
            limits.joint_names,
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
    return found


def _differences(now: Values, before: Values) -> Values:
    return tuple(a - b for a, b in zip(now, before, strict=True))


def _angle_between(a: Values, b: Values) -> float:
    """Angle of the turn from one unit quaternion to another [rad], 0 to pi.

    A quaternion and its negative are one rotation, hence the absolute value. The sum and difference
    keep all digits at small angles, where an arc cosine keeps half of them.
    """
    apart = math.dist(a, b)
    together = math.hypot(*(p + q for p, q in zip(a, b, strict=True)))
    return 4.0 * math.atan2(min(apart, together), max(apart, together))


def _no_start(note: str) -> ArmViolation:
    return ArmViolation(ArmCheck.START, "", "", 0.0, 0.0, "", note=note)


def _broken(error: Exception) -> ArmViolation:
    note = f"{type(error).__name__}: {error}"
    return ArmViolation(ArmCheck.INTERNAL, "", "", 0.0, 0.0, "", note=note)
