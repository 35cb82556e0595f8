"""Checks of one asked setpoint against the last commanded state.

Each check is a comparison that NaN fails. The bounds are the gate's own and are differentiated from
the lengths themselves; the asked speed is only compared with them.
"""

import math

from safety.limits import GateLimits
from safety.modes import Severity
from safety.stopping import ramp_way
from safety.verdict import Check, Six, Violation

ROUNDING_M = 1e-12
"""Rounding of differences of lengths around 1 m, with room; far below what a drive resolves."""
ROUNDING_M_S = 1e-6
"""Rounding and finite differences in an asked speed."""


class SetpointChecks:
    """The six-leg checks: finite, position, speed, acceleration, feed-forward, stopping point."""

    def __init__(self, limits: GateLimits) -> None:
        dt = limits.period_s
        self._limits = limits
        self._dt_s = dt
        self._margin_m = limits.following_base_m
        self._margin_per_movement = (limits.following_per_speed_s + limits.reaction_time_s) / dt
        self.brake_steps_m = tuple(leg.stop_deceleration_m_s2 * dt * dt for leg in limits.legs)
        self._bounds = tuple(
            (
                leg.soft_min_m,
                leg.soft_max_m,
                leg.speed_max_m_s * dt + ROUNDING_M,
                leg.acceleration_max_m_s2 * dt * dt + ROUNDING_M,
                leg.speed_max_m_s + ROUNDING_M_S,
                leg.acceleration_max_m_s2 * dt + ROUNDING_M_S,
            )
            for leg in limits.legs
        )

    def judge(
        self, last_m: Six, movement_m: Six, asked_m: Six, asked_speed_m_s: Six
    ) -> list[Violation]:
        """Judge a setpoint; an empty list lets it pass.

        Args:
            last_m: lengths commanded in the last cycle [m].
            movement_m: their change in that cycle [m].
            asked_m: lengths asked for this cycle [m].
            asked_speed_m_s: rates asked with them [m/s].
        """
        found: list[Violation] = []
        dt = self._dt_s
        moves: list[float] = []
        for i, (low, high, move_max, change_max, speed_max, mismatch_max) in enumerate(
            self._bounds
        ):
            length = asked_m[i]
            speed = asked_speed_m_s[i]
            move = length - last_m[i]
            moves.append(move)
            # One chain in the good case; a second look says which links broke.
            if not (
                low <= length <= high
                and -move_max <= move <= move_max
                and -change_max <= move - movement_m[i] <= change_max
                and -speed_max <= speed <= speed_max
                and -mismatch_max <= speed - move / dt <= mismatch_max
            ):
                found += self._explain(i, length, speed, move, move - movement_m[i])
        if not found:
            self._judge_stopping(asked_m, moves, found)
        return found

    def _judge_stopping(self, asked_m: Six, moves: list[float], found: list[Violation]) -> None:
        """Demand that a stop from here ends inside the soft limits, less the margin."""
        ratio = 1.0
        for move, brake in zip(moves, self.brake_steps_m, strict=True):
            ratio = max(ratio, abs(move) / brake)
        way = ramp_way(ratio)
        base, per_movement = self._margin_m, self._margin_per_movement
        for i, (low, high, _, _, _, _) in enumerate(self._bounds):
            move = moves[i]
            margin = base + per_movement * abs(move)
            end = asked_m[i] + move * way
            if not low + margin <= end <= high - margin:
                found.append(
                    Violation(
                        Check.BRAKING, i + 1, end, high - margin, "m", Severity.STOP,
                        low=low + margin,
                    )
                )  # fmt: skip

    def _explain(
        self, i: int, length: float, speed: float, move: float, change: float
    ) -> list[Violation]:
        leg, dt, n = self._limits.legs[i], self._dt_s, i + 1
        _, _, move_max, change_max, speed_max, mismatch_max = self._bounds[i]
        stop = Severity.STOP
        if not math.isfinite(length):
            return [Violation(Check.FINITE, n, length, math.inf, "m", stop, note="asked length")]
        if not math.isfinite(speed):
            return [Violation(Check.FINITE, n, speed, math.inf, "m/s", stop, note="asked speed")]
        found: list[Violation] = []
        low, high = leg.soft_min_m, leg.soft_max_m
        if not low <= length <= high:
            found.append(Violation(Check.POSITION, n, length, high, "m", stop, low=low))
        limit = leg.speed_max_m_s
        if not -move_max <= move <= move_max:
            found.append(Violation(Check.SPEED, n, move / dt, limit, "m/s", stop, low=-limit))
        if not -speed_max <= speed <= speed_max:
            note = "asked feed-forward"
            found.append(Violation(Check.SPEED, n, speed, limit, "m/s", stop, -limit, note))
        limit = leg.acceleration_max_m_s2
        if not -change_max <= change <= change_max:
            value = change / dt / dt
            found.append(Violation(Check.ACCELERATION, n, value, limit, "m/s^2", stop, low=-limit))
        mismatch = speed - move / dt
        if not -mismatch_max <= mismatch <= mismatch_max:
            limit = mismatch_max
            found.append(Violation(Check.SPEED_MISMATCH, n, abs(mismatch), limit, "m/s", stop))
        return found
