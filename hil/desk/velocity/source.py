"""What a live source of velocity is: a twist at every moment, or the word that it has ended.

It is hold-to-run: without fresh input it wants zero velocity.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Literal, Protocol, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
Frame = Literal["gripper", "base", "world"]
FRAMES: tuple[Frame, ...] = get_args(Frame)


class SourceError(ValueError):
    """A source that cannot be made or sampled as asked; the text says what would be right."""


class SourceUnavailableError(SourceError):
    """A device, package or port that a source needs is not there; the text says the remedy."""


@dataclass(frozen=True, slots=True, eq=False)
class Twist:
    """Velocity of the gripper.

    Raises:
        SourceError: not three finite numbers each, or an unknown frame.
    """

    linear_m_s: Array
    """Of its origin, in axes of `frame` [m/s], shape (3,)."""
    angular_rad_s: Array
    """Its turn rate, in axes of `frame` [rad/s], shape (3,)."""
    frame: Frame
    """Whose axes they are: the gripper's own, of the arm's base, or of the world."""

    def __post_init__(self) -> None:
        if self.frame not in FRAMES:
            raise SourceError(f"frame {self.frame!r} is unknown: need one of {', '.join(FRAMES)}")
        for name in ("linear_m_s", "angular_rad_s"):
            object.__setattr__(self, name, three(name, getattr(self, name)))

    @property
    def at_rest(self) -> bool:
        """Whether all six numbers are zero."""
        return not (self.linear_m_s.any() or self.angular_rad_s.any())


def rest(frame: Frame) -> Twist:
    """Zero velocity, said in a frame."""
    return Twist(np.zeros(3), np.zeros(3), frame)


class VelocitySource(Protocol):
    """Something that wants the gripper to move."""

    @property
    def duration_s(self) -> float | None:
        """How long it lasts [s]; None for a live source, which ends when its operator says so."""
        ...

    @property
    def end_reason(self) -> str:
        """Why a source that gave None has ended, for the operator; empty while it lasts."""
        ...

    @property
    def held(self) -> bool:
        """Whether its operator holds it to run, as heard last; nobody has to hold a planned one."""
        ...

    def listen(self) -> None:
        """Take note of what its operator does now, many times between two samples; never blocks."""

    def sample(self, t_s: float) -> Twist | None:
        """Return the velocity wanted at a time that never goes back; None once it has ended.

        Raises:
            SourceError: if the time is not a finite number.
        """
        ...

    def close(self) -> None:
        """Give back what it holds: terminal, device, socket. More than once does no harm."""


def three(name: str, values: ArrayLike) -> Array:
    """Three finite numbers as a read-only copy, shape (3,); raises SourceError if they are not."""
    array = np.array(values, dtype=np.float64)
    if array.shape != (3,):
        raise SourceError(f"{name} has the shape {array.shape}: three numbers x, y, z are needed")
    if not np.isfinite(array).all():
        raise SourceError(f"{name} = {array.tolist()} is not finite: need three finite numbers")
    array.setflags(write=False)
    return array


def check_time(t_s: float) -> float:
    """The time, if it is one; raises SourceError if it is not finite."""
    if not math.isfinite(t_s):
        raise SourceError(f"t_s = {t_s} s: a source is sampled at a time, which is a finite number")
    return t_s


class TwistSource(ABC):
    """A motion that an operator moves, hold-to-run, until he ends it or his device is gone."""

    duration_s = None

    def __init__(self, frame: Frame) -> None:
        self._frame: Frame = frame
        self.end_reason = ""

    @property
    @abstractmethod
    def held(self) -> bool:
        """Whether the operator holds it to run, as heard last."""

    def listen(self) -> None:
        """Hear the operator; never blocks."""
        if not self.end_reason:
            self._listen()

    def sample(self, t_s: float) -> Twist | None:
        """See `VelocitySource`; the operator is heard first."""
        check_time(t_s)
        self.listen()
        return None if self.end_reason else self._velocity()

    @abstractmethod
    def close(self) -> None:
        """Give back what it holds."""

    @abstractmethod
    def _listen(self) -> None:
        """Take note of what the operator does, and whether he has ended the motion."""

    @abstractmethod
    def _velocity(self) -> Twist:
        """What is wanted now."""


class SourceWrapper:
    """A source that changes what another one wants; that one is heard and closed with it."""

    def __init__(self, inner: VelocitySource) -> None:
        self._inner = inner

    @property
    def duration_s(self) -> float | None:
        """How long it lasts [s]; None for a live source."""
        return self._inner.duration_s

    @property
    def end_reason(self) -> str:
        """Why it has ended; empty while it lasts."""
        return self._inner.end_reason

    @property
    def held(self) -> bool:
        """Whether it is held to run."""
        return self._inner.held

    def listen(self) -> None:
        """Hear the operator."""
        self._inner.listen()

    def close(self) -> None:
        """Close the source."""
        self._inner.close()
