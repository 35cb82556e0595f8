"""Checks of an asked setpoint against the last commanded state, and of a start.

Each check is a comparison that NaN fails. The bounds are the gate's own and are differentiated from
the lengths themselves; the asked speed is only compared with them.
"""

import math

from hil_common.legs import LEGS, SixFloats
from safety.command import ROUNDING_M, ROUNDING_M_S
from safety.controlled_stop import ramp_distance
from safety.limits import GateLimits
from safety.modes import Severity
from safety.verdict import Check, Feedback, Violation


class SetpointChecks:
    """The six-leg checks: finite, position, speed, acceleration, feed-forward, stopping point."""

    def __init__(self, limits: GateLimits) -> None:
        dt = limits.period_s
        self._limits = limits
        self._dt_s = dt
        self._per_s = 1.0 / dt
        self._margin_m = limits.following_base_m
        self._margin_per_movement = (limits.following_per_speed_s + limits.reaction_time_s) / dt
        self._ends = tuple((leg.soft_min_m, leg.soft_max_m) for leg in limits.legs)
        self._bounds = tuple(
            (
                leg.soft_min_m,
                leg.soft_max_m,
                leg.speed_max_m_s * dt + ROUNDING_M,
                leg.acceleration_max_m_s2 * dt * dt + ROUNDING_M,
                leg.speed_max_m_s + ROUNDING_M_S,
                leg.acceleration_max_m_s2 * dt + ROUNDING_M_S,
                leg.stop_deceleration_m_s2 * dt * dt,
            )
            for leg in limits.legs
        )

    def judge(
        self,
        last_m: SixFloats,
        movement_m: SixFloats,
        asked_m: SixFloats,
        asked_speed_m_s: SixFloats,
    ) -> list[Violation]:
        """Judge a setpoint; an empty list lets it pass.

        Args:
            last_m: lengths commanded in the last cycle [m].
            movement_m: their change in that cycle [m].
            asked_m: lengths asked for this cycle [m].
            asked_speed_m_s: rates asked with them [m/s].
        """
        found: list[Violation] = []
        moves: list[float] = []
        per_s = self._per_s
        ratio = 1.0
        for (
            length,
            speed,
            last,
            before,
            (low, high, move_max, change_max, speed_max, mismatch_max, brake),
        ) in zip(asked_m, asked_speed_m_s, last_m, movement_m, self._bounds):
            move = length - last
            moves.append(move)
            # One chain in the good case; a second look says which links broke.
            if not (
                low <= length <= high
                and -move_max <= move <= move_max
                and -change_max <= move - before <= change_max
                and -speed_max <= speed <= speed_max
                and -mismatch_max <= speed - move * per_s <= mismatch_max
            ):
                found += self._explain(len(moves), length, speed, move, move - before)
            elif not -brake * ratio <= move <= brake * ratio:
                ratio = abs(move) / brake
        if not found:
            self._judge_stopping(asked_m, moves, ratio, found)
        return found

    def _judge_stopping(
        self, asked_m: SixFloats, moves: list[float], ratio: float, found: list[Violation]
    ) -> None:
        """Demand that a stop from here ends inside the soft limits, less the margin."""
        distance = ramp_distance(ratio)
        base, per_movement = self._margin_m, self._margin_per_movement
        for leg, length, move, (low, high) in zip(LEGS, asked_m, moves, self._ends):
            margin = base + per_movement * (move if move >= 0.0 else -move)
            end = length + move * distance
            if not low + margin <= end <= high - margin:
                found.append(
                    Violation(
                        Check.BRAKING, leg, end, high - margin, "m", Severity.STOP, low + margin
                    )
                )

    def _explain(
        self, leg: int, length: float, speed: float, move: float, change: float
    ) -> list[Violation]:
        """Name every rule that one leg of a setpoint breaks."""
        stop = Severity.STOP
        if not math.isfinite(length):
            return [Violation(Check.FINITE, leg, length, math.inf, "m", stop, note="asked length")]
        if not math.isfinite(speed):
            return [Violation(Check.FINITE, leg, speed, math.inf, "m/s", stop, note="asked speed")]
        limits, dt = self._limits.legs[leg - 1], self._dt_s
        low, high, move_max, change_max, speed_max, mismatch_max, _ = self._bounds[leg - 1]
        found: list[Violation] = []
        if not low <= length <= high:
            found.append(Violation(Check.POSITION, leg, length, high, "m", stop, low))
        limit = limits.speed_max_m_s
        if not abs(move) <= move_max:
            found.append(Violation(Check.SPEED, leg, move / dt, limit, "m/s", stop, -limit))
        if not abs(speed) <= speed_max:
            note = "asked feed-forward"
            found.append(Violation(Check.SPEED, leg, speed, limit, "m/s", stop, -limit, note))
        if not abs(change) <= change_max:
            limit = limits.acceleration_max_m_s2
            value = change / (dt * dt)
            found.append(Violation(Check.ACCELERATION, leg, value, limit, "m/s^2", stop, -limit))
        mismatch = abs(speed - move * self._per_s)
        if not mismatch <= mismatch_max:
            limit = limits.acceleration_max_m_s2 * dt
            found.append(Violation(Check.SPEED_MISMATCH, leg, mismatch, limit, "m/s", stop))
        return found

    def start_offset(self, held_m: SixFloats, asked_m: SixFloats) -> list[Violation]:
        """Judge the first setpoint of a stream: it must begin where the platform is held."""
        limit = self._limits.start_tolerance_m
        found: list[Violation] = []
        for leg, (asked, held) in enumerate(zip(asked_m, held_m, strict=True), 1):
            if not abs(asked - held) <= limit:
                offset = asked - held
                found.append(Violation(Check.START, leg, offset, limit, "m", Severity.HOLD, -limit))
        return found

    def start_obstacles(self, feedback: Feedback | None, at_rest: bool) -> list[str]:
        """Say why measured lengths cannot be taken as the commanded state; empty if they can.

        Args:
            feedback: the last bus cycle's.
            at_rest: all six legs were measured at standstill for long enough.
        """
        if feedback is None or not all(feedback.fresh):
            return ["feedback of all six legs is needed"]
        reasons: list[str] = []
        if not all(feedback.homed):
            reasons.append("the legs are not homed")
        if not all(feedback.enabled):
            reasons.append("the drives are not enabled")
        if not at_rest:
            reasons.append("the legs do not stand still")
        for leg, (length, (low, high)) in enumerate(
            zip(feedback.length_m, self._ends, strict=True), 1
        ):
            low, high = low + self._margin_m, high - self._margin_m
            if not low <= length <= high:
                outside = Violation(Check.POSITION, leg, length, high, "m", Severity.INFORM, low)
                reasons.append(str(outside))
        return reasons
