"""The first motion of a drive after power-up: slow enough to find a wrong unit before it does harm.

Homing is planned by the drive, in the drive's own units of speed and acceleration. Only a motion
shows whether these are the units that the bench assumes. So homing begins with two stages, each
stopped after a short distance that is compared with the time: the first one, at the acceleration of
homing, proves the unit of speed; the second one, on a ramp gentle enough to be observed, proves
the unit of acceleration. Only then does the drive get its homing speed.

Drives with absolute encoders make no homing motion; their first motion has the same stages, made by
setpoints and judged by the gate (`safety.first_motion`).

A wrong unit of position cannot be detected here, because command and feedback agree in it.

Pure: time is counted in cycles, distance in counts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from typing import Final

from drives.axes.count_circle import difference

FIRST_MOTIONS: Final = ("real", "always")
"""Choices of drives that begin homing like this: those that do not report that they are
emulated, or all."""
SPEED_WRONG: Final = 0x8400
"""Error code of a leg whose speed differs from the commanded one (IEC 61800-7-201, table of error
codes: velocity speed controller). The bench's own judgement."""
FAST_FACTOR: Final = 3.0
"""Multiple of the commanded distance that is too far, ..."""
SLACK_M: Final = 5e-5
"""... plus this: movement of a rod when its brake opens [m]."""
SLOW_FACTOR: Final = 1.6
"""Multiple of the expected time that is too slow, ..."""
START_S: Final = 0.3
"""... plus this: time that a drive may take to begin [s]."""
STIR_M: Final = 5e-6
"""Distance from which a drive counts as moving [m]."""
JOLT_M: Final = 1e-5
"""Excess of one cycle's distance over `FAST_FACTOR` times the commanded one that is a jolt [m]."""
JOLTS: Final = 3
"""Jolts in a row that count as a runaway: one or two may be the new zero after homing."""


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage of the first motion."""

    travel_m: float
    """Distance after which it is stopped [m]."""
    speed_m_s: float
    """Speed that is commanded [m/s]."""
    ramp_s: float | None = None
    """Time in which the drive reaches this speed [s]; None: at its homing acceleration."""

    def acceleration_m_s2(self, homing_m_s2: float) -> float:
        """Return the acceleration that is commanded [m/s²].

        Args:
            homing_m_s2: Acceleration of homing [m/s²].
        """
        return homing_m_s2 if self.ramp_s is None else self.speed_m_s / self.ramp_s


STAGES: Final = (Stage(0.0002, 0.0001), Stage(0.002, 0.001, ramp_s=0.5))
"""0.2 mm at 0.1 mm/s, then 2 mm at 1 mm/s."""


class Progress(Enum):
    """Progress of a stage."""

    GOING = "going"
    PASSED = "passed"
    TOO_FAST = "too fast"
    TOO_SLOW = "too slow"


@dataclass(frozen=True, slots=True)
class StageCourse:
    """A stage with the scale of one drive and the cycle of one bus."""

    stage: Stage
    """The stage."""
    counts_per_m: float
    """Counts of the drive per metre of rod [1/m]."""
    period_s: float
    """Bus cycle [s]."""

    def travel_m(self, t_s: float) -> float:
        """Return the distance of a drive that follows its command [m]."""
        ramp_s, speed_m_s = self.stage.ramp_s or 0.0, self.stage.speed_m_s
        if t_s < ramp_s:
            return 0.5 * speed_m_s / ramp_s * t_s * t_s
        return speed_m_s * (t_s - 0.5 * ramp_s)

    @property
    def time_max_s(self) -> float:
        """Time after which a drive is too slow [s]."""
        stage = self.stage
        asked_s = stage.travel_m / stage.speed_m_s + 0.5 * (stage.ramp_s or 0.0)
        return SLOW_FACTOR * asked_s + START_S


class StageWatch:
    """Watches one drive through a stage.

    A jump of the count that lasts at most two cycles is no motion: it is the new zero after homing.

    Args:
        course: The stage.
        position: Position as it begins [counts].
    """

    __slots__ = (
        "_course", "_cycles", "_jolts", "_last", "_moving", "_pending", "_since", "_travel",
    )  # fmt: skip

    def __init__(self, course: StageCourse, position: int) -> None:
        self._course = course
        self._last = position
        self._travel = self._pending = 0
        self._cycles = self._moving = self._since = self._jolts = 0

    @property
    def travel_m(self) -> float:
        """Distance of the rod from its start, in either direction [m]."""
        return abs(self._travel + self._pending) / self._course.counts_per_m

    @property
    def time_s(self) -> float:
        """Time since the stage began [s]."""
        return self._cycles * self._course.period_s

    def observe(self, position: int | None) -> Progress:
        """Take in the position of one cycle.

        Args:
            position: Position [counts]; None in a cycle without a fresh one.
        """
        self._cycles += 1
        self._since += 1
        if position is not None:
            self._step(position)
        course, travel_m = self._course, self.travel_m
        self._moving = self._moving + 1 if travel_m > STIR_M else 1
        if self._jolts >= JOLTS:
            return Progress.TOO_FAST
        if self._jolts:
            return Progress.GOING
        moving_s = self._moving * course.period_s
        if travel_m > FAST_FACTOR * course.travel_m(moving_s) + SLACK_M:
            return Progress.TOO_FAST
        if travel_m >= course.stage.travel_m:
            return Progress.PASSED
        return Progress.TOO_SLOW if self.time_s > course.time_max_s else Progress.GOING

    def _step(self, position: int) -> None:
        course, step = self._course, difference(position, self._last)
        span_s = self._since * course.period_s
        self._last, self._since = position, 0
        fast_m = FAST_FACTOR * course.stage.speed_m_s * span_s + JOLT_M
        if abs(step) > fast_m * course.counts_per_m:
            self._jolts += 1
            self._pending += step
            return
        if self._jolts:
            self._jolts = self._pending = 0
        self._travel += step

    def words(self, progress: Progress) -> str:
        """Describe the fault, with the command and the probable cause.

        Args:
            progress: Too fast, or too slow.
        """
        course, stage = self._course, self._course.stage
        asked_m = min(course.travel_m(self.time_s), stage.travel_m)
        moved, asked = _mm(self.travel_m), _mm(asked_m)
        seen = f"moved {moved} mm in {self.time_s:.3g} s where {asked} mm was asked"
        if progress is Progress.TOO_SLOW:
            return f"{seen}: {self._slow_cause()}"
        ratio = self.travel_m / asked_m if asked_m else math.inf
        speed_m_s = self.travel_m / self.time_s
        if stage.ramp_s is not None and speed_m_s < FAST_FACTOR * stage.speed_m_s:
            return f"{seen}: its unit of acceleration (60AAh) is perhaps another one"
        return f"{seen}: its unit of speed (60A9h) is perhaps {_unit(ratio)}"

    def _slow_cause(self) -> str:
        if self.travel_m < SLACK_M and self._course.stage.ramp_s is None:
            return "it does not move, or its unit of speed (60A9h) is another one"
        unit = "speed (60A9h)" if self._course.stage.ramp_s is None else "acceleration (60AAh)"
        return f"its unit of {unit} is perhaps another one"


def _mm(travel_m: float) -> str:
    return f"{travel_m * 1e3:.2g}"


def _unit(ratio: float) -> str:
    """Return the unit that a factor of the speed suggests."""
    known = ((10.0, "ten times as large"), (60.0, "rpm"), (1000.0, "1000 times as large"))
    factor, name = min(known, key=lambda each: abs(math.log(max(ratio, 1.0) / each[0])))
    return f"{name}, factor about {factor:.0f}"
