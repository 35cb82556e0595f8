"""Sources of motion that continue after an edit, and rows that keep their columns.

Joints are known by their numbers. One that is new, or of another type, is held where it begins; one
that has gone leaves its columns of the recording without a number.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from safety.robot_limits import RobotSetpoint

if TYPE_CHECKING:
    from hil.stations.world.bench import WorldBench
    from hil.stations.world.sources.source import SetpointSource, SourceNews
    from sim.world.sensors.sensor_signals import SensorSignal

NOTHING = math.nan
"""Value in the columns of what is not there any more."""


class ContinuedSource:
    """Source whose setpoints fit the joints that there are now.

    Args:
        source: source, in the order of the drives that there were.
        columns: place of each drive's joint among those, -1 for one that is held.
        held: coordinates at which those stay [rad] or [m], in the same order.
    """

    def __init__(
        self, source: SetpointSource, columns: Sequence[int], held: Sequence[float]
    ) -> None:
        self.source: SetpointSource = source
        """Source in the order of the drives that there were."""
        self.columns: tuple[int, ...] = tuple(columns)
        """Place of each drive's joint among those of the source, -1 for one that is held."""
        self.held: tuple[float, ...] = tuple(held)
        """Coordinates of the held joints [rad] or [m], in the order of the drives."""

    @property
    def duration_s(self) -> float | None:
        """Duration [s], None if nobody knows."""
        return self.source.duration_s

    @property
    def ended(self) -> bool:
        """Whether the end is reached."""
        return self.source.ended

    def setpoint(self, index: int) -> RobotSetpoint:
        """Setpoint of a step."""
        positions, speeds, accelerations = self.source.setpoint(index)
        still = (0.0,) * len(self.columns)
        return RobotSetpoint(
            self._picked(positions, self.held),
            self._picked(speeds, still),
            self._picked(accelerations, still),
        )

    def news(self) -> Sequence[SourceNews]:
        """Events since the last call."""
        return self.source.news()

    def close(self) -> None:
        """Release what the source holds."""
        self.source.close()

    def again(self, columns: Sequence[int], at: Sequence[float]) -> ContinuedSource:
        """Source after another edit.

        Args:
            columns: place of each drive's joint among those of this one, -1 for one that begins.
            at: coordinates at which those begin [rad] or [m], in the same order.
        """
        return ContinuedSource(
            self.source,
            [self.columns[one] if one >= 0 else -1 for one in columns],
            [self.held[one] if one >= 0 else here for one, here in zip(columns, at, strict=True)],
        )

    def _picked(self, values: Sequence[float], fresh: Sequence[float]) -> tuple[float, ...]:
        return tuple(
            values[column] if column >= 0 else one
            for column, one in zip(self.columns, fresh, strict=True)
        )


def continue_source(
    source: SetpointSource, columns: Sequence[int], at: Sequence[float], count: int
) -> SetpointSource:
    """Continue a source after an edit; the same one if the edit leaves its joints.

    Args:
        columns: place of each drive's joint among those that there were, -1 for one that begins.
        at: coordinates at which those begin [rad] or [m].
        count: number of drives that there were.
    """
    if isinstance(source, ContinuedSource):
        return source.again(columns, at)
    if list(columns) == list(range(count)):
        return source
    return ContinuedSource(source, columns, at)


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
