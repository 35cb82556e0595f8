"""The sensors of one robot of a world: measured, and read once after every step."""

import numpy as np
from numpy.typing import NDArray

from sim.world.engine.sensor_measurement import MeasuredValues
from sim.world.engine.world_robot import WorldRobot
from sim.world.sensors.distances import ReadingRows
from sim.world.sensors.layout import sensor_layout
from sim.world.sensors.sensor_chain import ChainSnapshot, SensorChain
from sim.world.sensors.sensor_signals import SensorSignal, sensor_signals

Array = NDArray[np.float64]


class RobotSensors:
    """Sensors of a robot; without any, readings have no values.

    Args:
        step_s: of the world.
        seed: of the run, 0 or more.
    """

    def __init__(self, robot: WorldRobot, step_s: float, seed: int) -> None:
        document = robot.placed.robot
        self.signals: tuple[SensorSignal, ...] = sensor_signals(document)
        """Quantities of a reading, in its order."""
        self._measured = MeasuredValues(robot)
        layout = sensor_layout(document, step_s, robot.placed.prefix)
        self._chain, self._rows = SensorChain(layout, seed), ReadingRows(document)
        self.latest: Array = np.zeros(0)
        """The last reading, shape (values,); empty before the first."""

    def measured(self) -> Array:
        """Measure the values of a reading without any defect, shape (values,)."""
        return self._rows.reading(self._measured.now())

    def read(self) -> Array:
        """Return the next reading, shape (values,); to be called once after every world step."""
        measured = self._measured.now() if self.signals else self.latest
        self.latest = self._rows.reading(self._chain.advance(measured))
        return self.latest

    def snapshot(self) -> ChainSnapshot:
        """Return the state that decides future readings, besides the world's own snapshot."""
        return self._chain.snapshot()

    def restore(self, snapshot: ChainSnapshot) -> None:
        """Restore a snapshot of the same sensors; the next reading is that after a step.

        Raises:
            ValueError: if it is of others, or of another seed.
        """
        self._chain.restore(snapshot)

    def carry_over(self, old: ChainSnapshot) -> None:
        """Continue from before an edit of the robot: sensors by their names."""
        self._chain.carry_over(old)
