"""What an operator may ask of a run, as its station knows it: values, whoever draws them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from hil.config.settings import Settings

    Array = NDArray[np.float64]


HOLD_TO_RUN: Final = "hold_to_run"
"""Beside the buttons something that an operator does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What a panel knows of a run when it judges a press."""

    mode: str
    action: str
    """What its gate does; empty if not known."""
    held: bool
    target: bool
    playing: str
    """``"play"``, ``"pose"`` or empty."""
    ending: bool
    clear: bool = True
    """Whether the cause of a fault is gone, so that a reset works."""
    stalled: bool = False
    """Whether nothing but a stall of the computer stopped it."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Poses:
    """Poses that can be asked for, x, y, z [m], alpha, beta, gamma [rad], arrays of shape (6,)."""

    neutral: Array
    """The pose in the middle."""
    limits: Callable[[Array], Array]
    """From a pose, lowest and highest value of each coordinate at this moment, shape (6, 2)."""
    stands_at: str
    """Signal of the pose wanted, which the machine stands at while it moves for nobody."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlayedMotion:
    """The motion of a run as it can be changed; ``motion`` in the scenario is its table."""

    scenario: Mapping[str, Any]
    own: Settings
    read: Callable[[Mapping[str, Any]], Settings] | None
    """Reads another one, or raises `ConfigError`; None if it cannot change while the run lasts."""


@dataclass(frozen=True, slots=True)
class Controls:
    """What can be set while a run lasts."""

    poses: Poses
    motion: PlayedMotion


class Velocity(Protocol):
    """What six deflections mean."""

    @property
    def linear_m_s(self) -> Array:
        """Of the point that is moved [m/s], shape (3,)."""
        ...

    @property
    def angular_rad_s(self) -> Array:
        """Its turn rate [rad/s], shape (3,)."""
        ...

    @property
    def at_rest(self) -> bool:
        """Whether nothing is wanted."""
        ...


class Gamepad(Protocol):
    """A device with handles."""

    @property
    def end_reason(self) -> str:
        """Why it tells nothing any more."""
        ...

    def sample(self, t_s: float, /) -> Any:
        """The `Velocity` wanted now; None once it tells nothing any more."""
        ...

    def close(self) -> None:
        """Give the device back."""
        ...


class HandlesWriter(Protocol):
    """Tells a run the velocity wanted; nothing in it waits."""

    @property
    def connected(self) -> bool:
        """Whether the run listens."""
        ...

    def send(self, velocity: Any, /) -> bool:
        """Say the `Velocity` wanted now; whether it was taken whole."""
        ...

    def end(self) -> bool:
        """Say that the motion is over; whether it was taken whole."""
        ...

    def close(self) -> None:
        """Leave; the run takes that for zero."""
        ...


class HandlesPlace(Protocol):
    """Where a run that is about to begin will listen for handles."""

    @property
    def override(self) -> str:
        """What its scenario is told, ``key=value``."""
        ...

    def writer(self, now_s: Callable[[], float]) -> HandlesWriter:
        """Who tells it velocities, by a monotonic clock [s]."""
        ...

    def remove(self) -> None:
        """Remove it; harmless when repeated."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Handles:
    """Two three-axis handles that steer a run."""

    velocity: Callable[[Sequence[float]], Velocity]
    """Of six deflections, -1 to 1: along x, y, z, then about them."""
    gamepad: Callable[[str, Callable[[], float]], Gamepad]
    """Opens a device, by its path or a part of its name; raises `RefusedError`."""
    place: Callable[[Mapping[str, Any]], HandlesPlace | None]
    """For a scenario; None for one that nobody steers. Raises `OSError`."""


@dataclass(frozen=True, slots=True)
class Steered:
    """A run that has begun and listens to handles."""

    handles: Handles
    writer: HandlesWriter


@dataclass(frozen=True, slots=True, kw_only=True)
class Lead:
    """What an operator may ask of runs of a station, beside the stop."""

    buttons: tuple[str, ...] = ()
    why_not: Callable[[str, Seen], str] | None = None
    """Why a press of a button does nothing now, as half a sentence; empty if it does something."""
    next_acts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """From the name of a mode in which a bench has stopped, what brings it on, in order: buttons,
    and `HOLD_TO_RUN`."""
    controls: Callable[[Mapping[str, Any]], Controls] | None = None
    """From the plan in a run's header, or raises `ValueError`; None at a station without."""
    handles: Callable[[], Handles] | None = None
    """None at a station that no handles steer."""
