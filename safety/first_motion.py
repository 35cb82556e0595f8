"""The first motion of drives that make no homing motion: short, slow, and judged against time.

Other drives show in homing how they interpret a speed and a distance. Drives with absolute encoders
have no homing, so their first motion is made by setpoints, and the gate passes no others before it:
when they are enabled for the first time, each leg moves a short distance at a very low speed, then
a longer one at a low speed. The measured path is compared with the one sent: it may lag by as much
as feedback may, and deviate by `SLACK_M` in addition. A drive that deviates more loses its power at
once, because nothing about it is proved, not even that it can brake.

A unit of position that is wrong cannot be seen here: command and feedback agree in it.

Counts cycles, reads no clock. Comparisons are written so that NaN fails them.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from hil_common.legs import LEG_COUNT, LEGS, ZERO_SIX, SixFloats
from safety.limits import GateLimits
from safety.modes import Severity
from safety.verdict import Check, Feedback, Violation

SLACK_M = 5e-5
"""Largest distance of a measured length from the path sent in addition to its lag [m]: friction,
backlash and resolution of a rod, and a servo that moves slowly."""
ROUNDING_M = 1e-5
"""Distance by which a move may end short of its end, or beyond it [m]."""
SPEED_SLACK = 1.1
"""Factor by which a setpoint may be faster than its stage: rounding of times and lengths."""
UNMADE = "the first motion of the drives, which shows their units, is not made"


@dataclass(frozen=True, slots=True)
class FirstStage:
    """A part of the first motion."""

    travel_m: float
    """Distance of each leg, from the end of the previous stage [m]."""
    speed_m_s: float
    """Largest speed that may be requested in it [m/s]."""


class FirstMotionWatch:
    """Passes nothing but a first motion until each leg has followed it."""

    def __init__(self, limits: GateLimits) -> None:
        self._period_s = limits.period_s
        self._lag_max_s = limits.feedback_lag_max_s
        self._cycles = limits.following_cycles
        self._stages: tuple[FirstStage, ...] = ()
        self._stage = 0
        self._start_m: SixFloats = ZERO_SIX
        self._strays = [0] * LEG_COUNT
        self.failed = False
        """Whether a leg did not follow its setpoints: its drive must lose its power."""

    @property
    def due(self) -> bool:
        """Whether the first motion has still to be made."""
        return self._stage < len(self._stages)

    def expect(self, stages: Iterable[FirstStage]) -> None:
        """Require a first motion, before the drives are enabled.

        Args:
            stages: its parts, in order.
        """
        self._stages = tuple(stages)
        self._stage = 0

    def begin(self, held_m: SixFloats) -> None:
        """Begin at these lengths [m]; a first motion that was stopped half-way starts again."""
        self._start_m, self._stage = held_m, 0
        self._strays = [0] * LEG_COUNT
        self.failed = False

    def objections(self, held_m: SixFloats, asked_m: SixFloats) -> list[Violation]:
        """Return the violations of the first motion by a setpoint.

        Args:
            held_m: lengths sent last [m].
            asked_m: lengths requested for this cycle [m].
        """
        found: list[Violation] = []
        stage, reach_m = self._stages[self._stage], self._reach_m
        for leg, held, asked, start in zip(LEGS, held_m, asked_m, self._start_m, strict=True):
            speed, travel = abs(asked - held) / self._period_s, abs(asked - start)
            if not speed <= SPEED_SLACK * stage.speed_m_s:
                note = f"asked to go at {speed:.3g} m/s, at most {stage.speed_m_s:g} m/s"
                found.append(_asked(leg, speed, stage.speed_m_s, "m/s", note))
            elif not travel <= reach_m + ROUNDING_M:
                note = f"asked to go {travel * 1e3:.3g} mm, at most {reach_m * 1e3:g} mm"
                found.append(_asked(leg, travel, reach_m, "m", note))
        return found

    def step(self, feedback: Feedback | None, sent_m: SixFloats) -> list[Violation]:
        """Judge how the drives followed the last setpoint.

        Args:
            feedback: the last bus cycle's, or None when the bank gave none.
            sent_m: lengths sent in that bus cycle [m].
        """
        if feedback is None:
            return []
        stage = self._stages[self._stage]
        limit_m = SLACK_M + self._lag_max_s * stage.speed_m_s
        found: list[Violation] = []
        arrived = True
        rows = zip(LEGS, feedback.fresh, feedback.length_m, sent_m, self._start_m, strict=True)
        for leg, fresh, measured, sent, start in rows:
            off = measured - sent
            strays = fresh and not abs(off) <= limit_m
            self._strays[leg - 1] = self._strays[leg - 1] + 1 if strays else 0
            if self._strays[leg - 1] >= self._cycles:
                note = _astray(measured - start, sent - start, limit_m)
                severity = Severity.QUICK_STOP
                found.append(
                    Violation(Check.FIRST_MOTION, leg, off, limit_m, "m", severity, note=note)
                )
            there = abs(sent - start) >= self._reach_m - ROUNDING_M
            arrived = arrived and there and fresh and not strays
        if found:
            self.failed = True
        elif arrived:
            self._stage += 1
        return found

    @property
    def _reach_m(self) -> float:
        """Distance from the start that a leg reaches in the present stage [m]."""
        return sum((stage.travel_m for stage in self._stages[: self._stage + 1]), 0.0)


def _asked(leg: int, value: float, limit: float, unit: str, note: str) -> Violation:
    return Violation(Check.FIRST_SETPOINT, leg, value, limit, unit, Severity.STOP, note=note)


def _astray(moved_m: float, sent_m: float, limit_m: float) -> str:
    """Return what a leg did, and the probable cause."""
    moved, sent = (f"{travel * 1e3 + 0.0:.3f} mm" for travel in (moved_m, sent_m))
    seen = f"moved {moved} where {sent} was sent (within {limit_m * 1e3:.3f} mm)"
    if moved_m * sent_m < 0.0 and abs(moved_m) > ROUNDING_M:
        return f"{seen}: the wrong way; do motor and encoder belong together?"
    if abs(moved_m) <= ROUNDING_M:
        return f"{seen}: it does not move, or another encoder is read"
    if abs(moved_m) > abs(sent_m):
        return f"{seen}: too fast; its unit of speed (60A9h, 60B1h) is perhaps another one"
    return (
        f"{seen}: too slow; its unit of speed (60A9h, 607Fh) or of time (60C2h) is perhaps "
        "another one"
    )
