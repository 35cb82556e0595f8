"""The commanded state: what was last allowed, and the few forms in which it may continue.

Every way out ends in one self-check, written apart from the checks of asked setpoints. An output
that fails it is a defect of the gate itself and raises; the gate then locks itself.
"""

from hil_common.legs import ZERO_SIX, LegTarget, SixFloats, as_six
from safety.controlled_stop import StopRamp
from safety.limits import GateLimits

ROUNDING_M = 1e-12
"""Rounding of differences of lengths around 1 m, with margin; far below what a drive resolves."""
ROUNDING_M_S = 1e-6
"""Rounding and finite differences in an asked speed."""


class GateInconsistentError(Exception):
    """The gate was about to send what it must never send."""


class CommandedState:
    """Last commanded lengths and their last change, and the ramp while a stop is on."""

    def __init__(self, limits: GateLimits) -> None:
        dt = limits.period_s
        self._dt_s = dt
        self.target: LegTarget | None = None
        """Last commanded state; None while the gate commands nothing."""
        self.movement_m: SixFloats = ZERO_SIX
        """Change of the lengths in the last cycle [m]."""
        self._ramp: StopRamp | None = None
        self._ramp_cycle = 0
        self._brake_steps_m = tuple(leg.stop_deceleration_m_s2 * dt * dt for leg in limits.legs)
        self._rest_steps_m = tuple(
            min(limits.standstill_speed_m_s * dt, brake) for brake in self._brake_steps_m
        )
        self._bounds = tuple(
            (
                leg.soft_min_m,
                leg.soft_max_m,
                leg.speed_max_m_s * dt + 2.0 * ROUNDING_M,
                leg.acceleration_max_m_s2 * dt * dt + 2.0 * ROUNDING_M,
                leg.speed_max_m_s + 2.0 * ROUNDING_M_S,
            )
            for leg in limits.legs
        )

    @property
    def at_rest(self) -> bool:
        """Whether nothing moves, or so little that one cycle of braking ends it."""
        return all(
            abs(u) <= rest for u, rest in zip(self.movement_m, self._rest_steps_m, strict=True)
        )

    @property
    def stopped(self) -> bool:
        """Whether the last cycle commanded no movement at all."""
        return self.movement_m == ZERO_SIX

    def start(self, measured_m: SixFloats) -> None:
        """Begin at measured lengths, at rest; there was no commanded state before."""
        self.target = LegTarget(measured_m, ZERO_SIX)

    def drop(self) -> None:
        """Command nothing any more."""
        self.target = None
        self.movement_m = ZERO_SIX

    def begin_stop(self) -> None:
        """Plan the controlled stop from the last commanded state; nothing to do without one."""
        if self.target is not None:
            self._ramp_cycle = 0
            self._ramp = StopRamp.begin(self.target.length_m, self.movement_m, self._brake_steps_m)

    def end_stop(self) -> None:
        """Leave the ramp; the commanded state stays where it is."""
        self._ramp = None

    def hold_or_stop(self) -> bool:
        """Go one cycle on with the stop, or stay; say whether it was the stop."""
        ramp = self._ramp
        if ramp is None:
            self.advance(self.last().length_m, ZERO_SIX)
            return False
        self._ramp_cycle += 1
        cycle = self._ramp_cycle
        self.advance(ramp.length_m(cycle), ramp.speed_m_s(cycle, self._dt_s))
        return True

    def extrapolated(self) -> LegTarget:
        """One cycle on at constant speed."""
        pairs = zip(self.last().length_m, self.movement_m, strict=True)
        return LegTarget(
            as_six(length + u for length, u in pairs),
            as_six(u / self._dt_s for u in self.movement_m),
        )

    def advance(self, length_m: SixFloats, speed_m_s: SixFloats) -> None:
        """Make this the commanded state.

        Raises:
            GateInconsistentError: it is not finite, outside the soft limits, or too fast a change.
        """
        last_m = self.last().length_m
        moves: list[float] = []
        for length, speed, last, before, (low, high, move_max, change_max, speed_max) in zip(
            length_m, speed_m_s, last_m, self.movement_m, self._bounds
        ):
            move = length - last
            moves.append(move)
            if not (
                low <= length <= high
                and -move_max <= move <= move_max
                and -change_max <= move - before <= change_max
                and -speed_max <= speed <= speed_max
            ):
                raise GateInconsistentError(
                    f"leg {len(moves)}: would go from {last} m to {length} m at {speed} m/s "
                    f"after a step of {before} m"
                )
        a, b, c, d, e, f = moves
        self.movement_m = (a, b, c, d, e, f)
        self.target = LegTarget(length_m, speed_m_s)

    def last(self) -> LegTarget:
        """Return the last commanded state.

        Raises:
            GateInconsistentError: there is none.
        """
        if self.target is None:
            raise GateInconsistentError("there is no commanded state to go on from")
        return self.target
