"""What a source of motion is: a setpoint for every step, until it has ended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from safety.robot_limits import RobotSetpoint

if TYPE_CHECKING:
    from sim.world.motion.joint_bounds import BoundedJoints
    from sim.world.motion.planned_motion import JointInterpolation, PlannedMotion


@dataclass(frozen=True, slots=True)
class SourceNews:
    """Something that a source has to tell; it becomes an event of the recording."""

    text: str
    """In a sentence."""
    data: Mapping[str, str | float | bool] = field(default_factory=dict)
    """The same for who counts."""
    warning: bool = False
    """Whether somebody should look."""


class SetpointSource(Protocol):
    """Something that wants the robot to move; it is asked once a step, and never waits."""

    @property
    def duration_s(self) -> float | None:
        """How long it lasts [s]; None for one that ends when its operator says so."""
        ...

    @property
    def ended(self) -> bool:
        """Whether the setpoint given last is its end: it is held ever after."""
        ...

    def setpoint(self, index: int) -> RobotSetpoint:
        """Where to be at a step; its number never goes back."""
        ...

    def news(self) -> Sequence[SourceNews]:
        """What there is to tell since the last call."""
        ...

    def close(self) -> None:
        """Give back what it holds: terminal, socket. More than once does no harm."""
        ...


class LaidOutSource:
    """A motion laid out ahead; its last row is held ever after."""

    def __init__(self, motion: PlannedMotion | JointInterpolation) -> None:
        self.motion: PlannedMotion | JointInterpolation = motion
        """Its rows."""
        self._row = 0

    @property
    def duration_s(self) -> float:
        """How long it lasts [s]."""
        return self.motion.duration_s

    @property
    def ended(self) -> bool:
        """Whether its last row is reached."""
        return self._row == len(self.motion) - 1

    def setpoint(self, index: int) -> RobotSetpoint:
        """Its row of a step."""
        row = self._row = min(index, len(self.motion) - 1)
        position, speed, acceleration = self.motion.row(row)
        return RobotSetpoint(
            tuple(position.tolist()), tuple(speed.tolist()), tuple(acceleration.tolist())
        )

    def news(self) -> tuple[SourceNews, ...]:
        """Nothing ever."""
        return ()

    def close(self) -> None:
        """Nothing is held."""


class RestingSource:
    """A robot that rests where it starts.

    Args:
        start: of the driven joints [rad] or [m].
        rows: steps until its end; None for one that is stopped.
        period_s: of a step.
    """

    def __init__(self, start: Sequence[float], rows: int | None, period_s: float) -> None:
        still = (0.0,) * len(start)
        self._setpoint = RobotSetpoint(tuple(start), still, still)
        self._rows, self._index = rows, 0
        self.duration_s: float | None = None if rows is None else rows * period_s
        """How long it lasts [s]; None for one that is stopped."""

    @property
    def ended(self) -> bool:
        """Whether it has lasted as long as it shall."""
        return self._rows is not None and self._index >= self._rows

    def setpoint(self, index: int) -> RobotSetpoint:
        """Where it started."""
        self._index = index
        return self._setpoint

    def news(self) -> tuple[SourceNews, ...]:
        """Nothing ever."""
        return ()

    def close(self) -> None:
        """Nothing is held."""


class StandingSource:
    """In place of one that somebody leads, where nobody does: the robot holds, and it is over.

    Args:
        joints: where it stands.
    """

    duration_s: float | None = None
    """Nobody knows."""
    ended: bool = True
    """Always."""

    def __init__(self, joints: BoundedJoints) -> None:
        self._setpoint = setpoint_of(joints)

    def setpoint(self, index: int) -> RobotSetpoint:
        """Where it stands."""
        return self._setpoint

    def news(self) -> tuple[SourceNews, ...]:
        """Nothing ever."""
        return ()

    def close(self) -> None:
        """Nothing is held."""


def setpoint_of(joints: BoundedJoints) -> RobotSetpoint:
    """Where joints are that are led."""
    return RobotSetpoint(
        tuple(joints.positions.tolist()),
        tuple(joints.speeds.tolist()),
        tuple(joints.accelerations.tolist()),
    )
