"""Distances of rangefinders as a reading has them: the range where nothing is seen, and a flag.

A ray that hits nothing within the range is infinite on its way through the signal chain, so that a
filter neither blends nor delays it otherwise than the rest. What leaves the chain is made a reading
here: such a distance is the sensor's range, and beside the distances of each rangefinder stands,
ray by ray, whether something is seen. A lost sample keeps both.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from sim.world.robots.model import Robot
from sim.world.robots.sensor_values import quantities
from sim.world.robots.sensors import SensorKind

Array = NDArray[np.float64]


class ReadingRows:
    """Places of a reading's values among those of the signal chain.

    Args:
        robot: robot whose sensors are read.
    """

    def __init__(self, robot: Robot) -> None:
        picked, ranges_m, seen = list[int](), list[float](), list[int]()
        begin = 0
        for sensor in robot.sensors:
            rays = sensor.kind is SensorKind.RANGEFINDER
            count = sum(len(one.parts) for one in quantities(robot, sensor))
            own = list(range(begin, begin + count))
            far = sensor.range_m if rays and sensor.range_m is not None else np.inf
            picked += own
            ranges_m += [far] * count
            if rays:
                seen += range(len(picked), len(picked) + count)
                picked += own
                ranges_m += [np.inf] * count
            begin += count
        self._picked: Final = np.array(picked, np.intp)
        self._ranges_m: Final = np.array(ranges_m, np.float64)
        self._seen: Final = np.array(seen, np.intp)

    def reading(self, values: Array) -> Array:
        """Make a reading of values of the signal chain.

        Args:
            values: shape (values,).
        """
        if not len(self._seen):
            return values
        found = values[self._picked]
        found[self._seen] = np.isfinite(found[self._seen])
        return np.minimum(found, self._ranges_m, out=found)
