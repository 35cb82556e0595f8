"""Columns of a recording's rows, which stay as they were at its beginning when documents change.

A joint that has gone leaves its columns without a number.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hil.stations.world.cycle.bench import WorldBench
    from sim.world.sensors.sensor_signals import SensorSignal

NOTHING = math.nan
"""Value in the columns of what is not there any more."""


@dataclass(frozen=True, slots=True)
class RowColumns:
    """Columns of a recording's rows, fixed at its beginning."""

    joints: tuple[int, ...]
    """Numbers of the driven joints."""
    coordinates: tuple[str, ...]
    """Names of all coordinates that move."""
    readings: tuple[SensorSignal, ...]
    """Signals of the sensors."""

    def fit(self, bench: WorldBench) -> RowFit | None:
        """Places of a bench's values in these columns; None if they are the same."""
        now = row_columns(bench)
        if now == self:
            return None
        joints = {number: at for at, number in enumerate(now.joints)}
        names = {name: at for at, name in enumerate(now.coordinates)}
        signals = {one.name: one for one in now.readings}
        return RowFit(
            tuple(joints.get(number, -1) for number in self.joints),
            tuple(names.get(name, -1) for name in self.coordinates),
            tuple(_reading_at(one, signals.get(one.name)) for one in self.readings),
        )


@dataclass(frozen=True, slots=True)
class RowFit:
    """Places from which the columns of a row take their values after an edit."""

    joints: tuple[int, ...]
    """Place of each joint among the drives; -1 for nothing."""
    coordinates: tuple[int, ...]
    """Place of each coordinate among all; -1 for nothing."""
    readings: tuple[tuple[int, ...], ...]
    """Places of each signal's values in a reading; -1 for nothing."""

    def of_joints(self, values: Sequence[float]) -> list[float]:
        """Values of drives in the order of the columns."""
        return [values[at] if at >= 0 else NOTHING for at in self.joints]

    def of_coordinates(self, values: Sequence[float]) -> list[float]:
        """Coordinates of everything that moves in the order of the columns."""
        return [values[at] if at >= 0 else NOTHING for at in self.coordinates]

    def of_readings(self, reading: Sequence[float]) -> list[float]:
        """Sensor values in the order of the columns."""
        return [reading[at] if at >= 0 else NOTHING for places in self.readings for at in places]


def _reading_at(shown: SensorSignal, now: SensorSignal | None) -> tuple[int, ...]:
    """Places of a signal's values in a reading, by the names of its parts."""
    if now is not None and (now.count, now.parts) == (shown.count, shown.parts):
        return tuple(range(now.begin, now.begin + now.count))
    there = {} if now is None else {part: now.begin + at for at, part in enumerate(now.parts)}
    parts = shown.parts or ("",)
    return tuple(there.get(part, -1) for part in parts)


def row_columns(bench: WorldBench) -> RowColumns:
    """Columns of a bench at its beginning."""
    return RowColumns(
        tuple(drive.joint for drive in bench.robot.drives),
        tuple(name for name, _ in bench.world.coordinate_names()),
        tuple(bench.sensors.signals),
    )
