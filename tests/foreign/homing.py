"""Homing methods of CiA 402 (IEC 61800-7-201, 11.3.5), for a rod with its home switch inside.

The switch is closed from the inner end to its edge, so that methods 21 and 27 find one and the same
edge, and so do 19 and 23, which come from where it is open, at once.
"""

from dataclasses import dataclass

from demand import Demand
from electro_cylinder import HOME, NEGATIVE_LIMIT, POSITIVE_LIMIT

SEARCHES = {
    17: (NEGATIVE_LIMIT, -1, 1),
    18: (POSITIVE_LIMIT, 1, -1),
    21: (HOME, -1, 1),
    27: (HOME, -1, 1),
    19: (HOME, 1, -1),
    23: (HOME, 1, -1),
}
"""Switch, direction in which it is looked for, direction in which it is left."""
ON_THE_SPOT = (35, 37)
INDEX_PULSES = {33: -1, 34: 1}


@dataclass(slots=True)
class Homing:
    """One homing motion; directions and limits are those of the drive's counting.

    Args:
        method: 6098h.
        speeds_m_s: while looking for the switch, while leaving it (6099h:1, :2).
        acceleration_m_s2: 609Ah.
        sign: 1 if the drive counts outwards.
        index_m: way between two index pulses.
    """

    method: int
    speeds_m_s: tuple[float, float]
    acceleration_m_s2: float
    sign: int
    index_m: float
    phase: str = "begin"

    def step(self, demand: Demand, inputs: int, place_m: float) -> float | None:
        """Lead the rod on; the place that is home once it is found.

        Raises:
            LookupError: the switch is not where it was looked for.
        """
        if self.method in ON_THE_SPOT:
            return place_m
        if self.method in INDEX_PULSES:
            return self._to_pulse(demand, place_m)
        bit, seek, leave = SEARCHES[self.method]
        if self.phase == "begin":
            self.phase = "leave" if inputs & bit else "seek"
            speed = self.speeds_m_s[0] * seek if self.phase == "seek" else self._slow(leave)
            demand.run(speed * self.sign, self.acceleration_m_s2)
        elif self.phase == "seek":
            if inputs & bit:
                self.phase = "leave"
                demand.run(self._slow(leave) * self.sign, self.acceleration_m_s2)
            elif inputs & (NEGATIVE_LIMIT | POSITIVE_LIMIT):
                raise LookupError
        elif not inputs & bit:
            demand.ramp_down(self.acceleration_m_s2)
            return place_m
        return None

    def _slow(self, direction: int) -> float:
        return self.speeds_m_s[1] * direction

    def _to_pulse(self, demand: Demand, place_m: float) -> float | None:
        if self.phase == "begin":
            self.phase = str(int(place_m // self.index_m))
            way = INDEX_PULSES[self.method] * self.speeds_m_s[1]
            demand.run(way * self.sign, self.acceleration_m_s2)
        elif int(place_m // self.index_m) != int(self.phase):
            demand.ramp_down(self.acceleration_m_s2)
            return place_m
        return None
