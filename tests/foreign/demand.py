"""What a drive wants its rod to do: ramps, lines between setpoints, profiles."""

import math
from dataclasses import dataclass

LEAST_M_S2 = 1e-6
"""Least acceleration: one count of the coarsest encoder here."""


@dataclass(slots=True)
class Demand:
    """The demanded place and speed of a rod, step by step.

    Args:
        place_m: demanded now.
    """

    place_m: float = 0.0
    speed_m_s: float = 0.0
    _kind: str = "hold"
    _goal: float = 0.0
    _limit: float = 1.0
    _rate: float = 1.0
    _left_s: float = 0.0

    def hold(self, place_m: float) -> None:
        """Stand here from now on."""
        self.place_m, self.speed_m_s, self._kind = place_m, 0.0, "hold"

    def ramp_down(self, deceleration_m_s2: float) -> None:
        """Come to rest."""
        self._kind, self._goal, self._rate = "speed", 0.0, max(deceleration_m_s2, LEAST_M_S2)

    def run(self, speed_m_s: float, acceleration_m_s2: float) -> None:
        """Go on at a speed."""
        self._kind, self._goal, self._rate = "speed", speed_m_s, max(acceleration_m_s2, LEAST_M_S2)

    def line(self, place_m: float, time_s: float) -> None:
        """Be there in this time: interpolation between cyclic setpoints."""
        self._kind, self._goal, self._left_s = "line", place_m, max(time_s, 1e-3)

    def profile(self, place_m: float, speed_m_s: float, acceleration_m_s2: float) -> None:
        """Go there with a trapezoid of speed."""
        self._kind, self._goal = "profile", place_m
        self._limit, self._rate = speed_m_s, max(acceleration_m_s2, LEAST_M_S2)

    @property
    def at_rest(self) -> bool:
        return self._kind == "hold" or (
            self._kind == "speed" and self.speed_m_s == 0.0 == self._goal
        )

    def advance(self, dt_s: float) -> None:
        """One step."""
        match self._kind:
            case "speed":
                self._towards(self._goal, dt_s)
                self.place_m += self.speed_m_s * dt_s
            case "line":
                if self._left_s <= 0.5 * dt_s:
                    self.hold(self._goal)
                    return
                self.speed_m_s = (self._goal - self.place_m) / self._left_s
                self.place_m += self.speed_m_s * min(dt_s, self._left_s)
                self._left_s -= dt_s
            case "profile":
                way = self._goal - self.place_m
                if abs(way) < 1e-7 and abs(self.speed_m_s) < self._rate * dt_s * 2:
                    self.hold(self._goal)
                    return
                fastest = min(self._limit, math.sqrt(2.0 * self._rate * abs(way)))
                fastest = min(fastest, abs(way) / dt_s)
                self._towards(math.copysign(fastest, way), dt_s)
                self.place_m += self.speed_m_s * dt_s

    def _towards(self, speed_m_s: float, dt_s: float) -> None:
        step = self._rate * dt_s
        self.speed_m_s += min(max(speed_m_s - self.speed_m_s, -step), step)
