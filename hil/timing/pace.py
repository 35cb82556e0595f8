"""How fast a run goes in real time, whether it stands, and single steps: asked at every turn.

A person says it to a `Pace` while the run goes; a `PacedClock` keeps to it. Time of the motion
stays index · period, so a run that was slowed down, or stood, has the same rows as another one.
"""

import math
from collections.abc import Callable, Iterator
from typing import Final

from hil.timing.clock import Clock, Tick

SLOWEST: Final = 0.01
"""Least share of real time."""
FASTEST: Final = 100.0
"""Greatest; a machine that cannot keep up goes as fast as it can, and its clock counts overruns."""


class Pace:
    """What a person wants of the time of a run.

    Args:
        speed: share of real time, `SLOWEST` to `FASTEST`.
        paused: whether it begins at a stand.
    """

    __slots__ = ("_owed", "_paused", "_speed", "_steps")

    def __init__(self, speed: float = 1.0, *, paused: bool = False) -> None:
        self._speed = _checked(speed)
        self._paused = paused
        self._steps = 0
        self._owed = 0.0

    @property
    def speed(self) -> float:
        """Share of real time, whether it stands or not."""
        return self._speed

    @property
    def paused(self) -> bool:
        """Whether it stands; single steps go on."""
        return self._paused

    def set_speed(self, speed: float) -> None:
        """Go at this share of real time from the next turn on.

        Raises:
            ValueError: outside `SLOWEST` to `FASTEST`.
        """
        self._speed = _checked(speed)

    def pause(self) -> None:
        """Stand from the next turn on."""
        self._paused, self._owed = True, 0.0

    def go_on(self) -> None:
        """Go again; single steps that were asked for and not made are dropped."""
        self._paused, self._steps = False, 0

    def step(self, count: int = 1) -> None:
        """Stand, but make so many steps more, one a turn of the clock.

        Raises:
            ValueError: if it is not above 0.
        """
        if count < 1:
            raise ValueError(f"{count} steps: at least 1 is needed")
        self.pause()
        self._steps += count

    def due(self) -> int:
        """Steps to make in this turn of the clock; asked once a turn."""
        if self._paused:
            made = min(1, self._steps)
            self._steps -= made
            return made
        self._owed += self._speed
        # 100 turns at 0.29 are 29 steps, whatever the rounding of their sum.
        made = math.floor(self._owed + 1e-9)
        self._owed -= made
        return made


class PacedClock:
    """A clock whose ticks come as a `Pace` asks.

    Its ticks come in those of another clock, none or several in one; a virtual clock, on which no
    time passes, is better left alone.

    Args:
        clock: in real time.
        heard: called at each turn of that clock, while it stands too: here orders are read.
        hurried: whether the pace does not count any more, for a stop that waits for nobody.
    """

    def __init__(
        self,
        clock: Clock,
        pace: Pace,
        heard: Callable[[], object] = bool,
        hurried: Callable[[], object] = bool,
    ) -> None:
        self._clock, self.pace = clock, pace
        self._heard, self._hurried = heard, hurried

    @property
    def overruns(self) -> int:
        """Of the clock."""
        return self._clock.overruns

    def now_s(self) -> float:
        """Of the clock [s]."""
        return self._clock.now_s()

    def ticks(self, period_s: float) -> Iterator[Tick]:
        """Yield ticks without holes, as many as are due; `dt_s` is real time since the last one."""
        index, passed_s = 0, 0.0
        for tick in self._clock.ticks(period_s):
            self._heard()
            passed_s += tick.dt_s
            for _ in range(1 if self._hurried() else self.pace.due()):
                yield Tick(index, index * period_s, passed_s, tick.late_s)
                index, passed_s = index + 1, 0.0


def _checked(speed: float) -> float:
    if not SLOWEST <= speed <= FASTEST:
        raise ValueError(f"speed = {speed!r}: a share of real time from {SLOWEST} to {FASTEST:g}")
    return float(speed)
