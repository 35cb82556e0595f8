"""Sensors of a run's robot as they are received: read, and with the faults of this step."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hil.stations.world.cycle.sensor_faults import SensorFaults, TimedFault
from hil.stations.world.plan.sensor_fault import measured_signals, struck_signals
from sim.world.robots.sensors import SensorKind
from sim.world.sensors.readings import RobotSensors
from sim.world.sensors.sensor_signals import sensor_signals

if TYPE_CHECKING:
    from hil.stations.world.plan.scenario import WorldPlan
    from sim.world.engine.world_robot import WorldRobot

Array = NDArray[np.float64]


class ReceivedSensors(RobotSensors):
    """Sensors of a robot, and the faults between them and what reads them.

    Args:
        plan: plan of the run, with its step, seed and faults.
    """

    def __init__(self, robot: WorldRobot, plan: WorldPlan) -> None:
        super().__init__(robot, plan.scenario.step_s, plan.scenario.seed)
        self.faults: SensorFaults = faults_of_plan(plan)
        """Faults of the run, those of joints included; the run advances them."""

    def read(self) -> Array:
        """Return the next reading as it is received, as `RobotSensors.read`."""
        reading = super().read()
        if self.faults.any_now:
            reading = reading.copy()
            for one in self.signals:
                reading[one.at] = self.faults.received(one.name, reading[one.at])
            self.latest = reading
        return reading


def faults_of_plan(plan: WorldPlan) -> SensorFaults:
    """Faults of a plan's run; none without a diagram."""
    scenario, use = plan.scenario, plan.scenario.diagram
    if use is None or not scenario.sensor_fault:
        return SensorFaults((), {})
    measured, found = measured_signals(plan.robot, use), list[TimedFault]()
    for one in scenario.sensor_fault:
        first = round(one.at_s / scenario.step_s)
        steps = math.inf if one.for_s is None else max(1, round(one.for_s / scenario.step_s))
        names = frozenset(struck_signals(one, measured))
        found.append(TimedFault(one, names, first, first + steps))
    ranges_m = {
        f"{one.called}_distance_m": math.inf if one.range_m is None else one.range_m
        for one in plan.robot.sensors if one.kind is SensorKind.RANGEFINDER
    }  # fmt: skip
    booleans = frozenset(one.name for one in sensor_signals(plan.robot) if one.boolean)
    return SensorFaults(found, ranges_m, booleans)
