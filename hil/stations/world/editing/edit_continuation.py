"""Sources of motion that continue after an edit.

Joints are known by their numbers. One that is new, or of another type, is held where it begins.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from safety.robot_limits import RobotSetpoint

if TYPE_CHECKING:
    from hil.stations.world.sources.source import SetpointSource, SourceNews


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
