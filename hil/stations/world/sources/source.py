"""Interface of a source of motion: a setpoint for every step, until it has ended."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from safety.robot_limits import RobotSetpoint

if TYPE_CHECKING:
    from sim.world.motion.joint_bounds import BoundedJoints
    from sim.world.motion.planned_motion import JointInterpolation, PlannedMotion


Array = NDArray[np.float64]
Measured = Callable[[], tuple[Array, ...]]
"""Measures positions, speeds and efforts of the driven joints, shape (drives,) each."""


@dataclass(frozen=True, slots=True)
class SourceNews:
    """Report of a source, which becomes an event of the recording."""

    text: str
    """Report in a sentence."""
    data: Mapping[str, str | float | bool] = field(default_factory=dict)
    """Data of the report, for programs."""
    warning: bool = False
    """Whether it is a warning."""


class SetpointSource(Protocol):
    """Source of setpoints for a robot; it is called once a step, and never waits."""

    @property
    def duration_s(self) -> float | None:
        """Duration [s]; None for one that its operator ends."""
        ...

    @property
    def ended(self) -> bool:
        """Whether the last setpoint given is the end, which is held from then on."""
        ...

    def setpoint(self, index: int) -> RobotSetpoint:
        """Setpoint of a step, whose number never goes back."""
        ...

    def news(self) -> Sequence[SourceNews]:
        """Reports since the last call."""
        ...

    def close(self) -> None:
        """Release terminal and socket; harmless when repeated."""
        ...


class LaidOutSource:
    """Motion planned ahead; its last row is held from then on."""

    def __init__(self, motion: PlannedMotion | JointInterpolation) -> None:
        self.motion: PlannedMotion | JointInterpolation = motion
        """Rows of the motion."""
        self._row, self._last = 0, len(motion) - 1

    @property
    def duration_s(self) -> float:
        """Duration [s]."""
        return self.motion.duration_s

    @property
    def ended(self) -> bool:
        """Whether the last row is reached."""
        return self._row == self._last

    def setpoint(self, index: int) -> RobotSetpoint:
        """Row of a step."""
        row = self._row = min(index, self._last)
        position, speed, acceleration = self.motion.row(row)
        return RobotSetpoint(
            tuple(position.tolist()), tuple(speed.tolist()), tuple(acceleration.tolist())
        )

    def news(self) -> tuple[SourceNews, ...]:
        """Reports, of which there are none."""
        return ()

    def close(self) -> None:
        """Do nothing: no resource is held."""


class RestingSource:
    """Robot that rests where it starts.

    Args:
        start: coordinates of the driven joints [rad] or [m].
        rows: number of steps until its end; None for one that is stopped.
        period_s: period of a step [s].
    """

    def __init__(self, start: Sequence[float], rows: int | None, period_s: float) -> None:
        still = (0.0,) * len(start)
        self._setpoint = RobotSetpoint(tuple(start), still, still)
        self._rows, self._index = rows, 0
        self.duration_s: float | None = None if rows is None else rows * period_s
        """Duration [s]; None for one that is stopped."""

    @property
    def ended(self) -> bool:
        """Whether its duration is over."""
        return self._rows is not None and self._index >= self._rows

    def setpoint(self, index: int) -> RobotSetpoint:
        """Coordinates of the start, at rest."""
        self._index = index
        return self._setpoint

    def news(self) -> tuple[SourceNews, ...]:
        """Reports, of which there are none."""
        return ()

    def close(self) -> None:
        """Do nothing: no resource is held."""


class FreeSource(RestingSource):
    """Robot whose free joints are where they are measured; the others rest where they start.

    Args:
        start: coordinates of the driven joints [rad] or [m].
        free: places of the free joints among the drives.
        measured: positions and speeds of the driven joints, shape (drives,) each.
        rows: number of steps until its end; None for one that is stopped.
        period_s: period of a step [s].
    """

    def __init__(
        self, start: Sequence[float], free: Sequence[int], measured: Measured, rows: int | None,
        period_s: float,
    ) -> None:  # fmt: skip
        super().__init__(start, rows, period_s)
        self._resting = [place for place in range(len(start)) if place not in free]
        self._measured = measured

    def setpoint(self, index: int) -> RobotSetpoint:
        """Measured coordinates of the free joints, and the start of the others."""
        still = super().setpoint(index)
        positions, speeds, *_ = [values.tolist() for values in self._measured()]
        for place in self._resting:
            positions[place], speeds[place] = still.positions[place], still.speeds[place]
        return RobotSetpoint(tuple(positions), tuple(speeds), still.accelerations)


class FixedSource:
    """Stand-in for a led source where nobody leads: the robot holds, and it is over.

    Args:
        joints: joints where the robot starts.
    """

    duration_s: float | None = None
    """Duration, which nobody knows."""
    ended: bool = True
    """Whether it is over, which it always is."""

    def __init__(self, joints: BoundedJoints) -> None:
        self._setpoint = setpoint_of(joints)

    def setpoint(self, index: int) -> RobotSetpoint:
        """Setpoint that holds the start."""
        return self._setpoint

    def news(self) -> tuple[SourceNews, ...]:
        """Reports, of which there are none."""
        return ()

    def close(self) -> None:
        """Do nothing: no resource is held."""


def setpoint_of(joints: BoundedJoints) -> RobotSetpoint:
    """Setpoint of led joints."""
    return RobotSetpoint(
        tuple(joints.positions.tolist()),
        tuple(joints.speeds.tolist()),
        tuple(joints.accelerations.tolist()),
    )
