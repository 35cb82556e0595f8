"""Requests that an operator may make of a run, as its station knows them: values, not widgets."""

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
"""Name of the one thing that an operator does beside the buttons."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """State of a run by which a panel judges a press."""

    mode: str
    action: str
    """Action of its gate; empty if not known."""
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
    """Lowest and highest value of each coordinate at this moment, given a pose, shape (6, 2)."""
    rest_signal: str
    """Signal of the wanted pose, which the machine keeps while no motion is played."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlayedMotion:
    """The motion of a run as it can be changed; ``motion`` in the scenario is its table."""

    scenario: Mapping[str, Any]
    own: Settings
    read: Callable[[Mapping[str, Any]], Settings] | None
    """Reads another one, or raises `ConfigError`; None if it cannot change while the run lasts."""


@dataclass(frozen=True, slots=True)
class Controls:
    """Controls that can be set while a run lasts."""

    poses: Poses
    motion: PlayedMotion


class Velocity(Protocol):
    """Velocity that six deflections mean."""

    @property
    def linear_m_s(self) -> Array:
        """Velocity of the point that is moved [m/s], shape (3,)."""
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
        """Reason why it gives nothing any more."""
        ...

    def sample(self, t_s: float, /) -> Any:
        """The `Velocity` wanted now; None once it gives nothing any more."""
        ...

    def close(self) -> None:
        """Give the device back."""
        ...


class HandlesWriter(Protocol):
    """Writer of the wanted velocity for a run; nothing in it waits."""

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
    """Place where a run that is about to begin will listen for handles."""

    @property
    def override(self) -> str:
        """Change of its scenario, ``key=value``."""
        ...

    def writer(self, now_s: Callable[[], float]) -> HandlesWriter:
        """Writer of velocities for it, by a monotonic clock [s]."""
        ...

    def remove(self) -> None:
        """Remove it; harmless when repeated."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Handles:
    """Two three-axis handles that steer a run."""

    velocity: Callable[[Sequence[float]], Velocity]
    """Velocity of six deflections, -1 to 1: along x, y, z, then about them."""
    gamepad: Callable[[str, Callable[[], float]], Gamepad]
    """Opens a device, by its path or a part of its name; raises `RefusedError`."""
    place: Callable[[Mapping[str, Any]], HandlesPlace | None]
    """Place of the handles of a scenario; None for one that nobody steers. Raises `OSError`."""


@dataclass(frozen=True, slots=True)
class Steered:
    """A run that has begun and listens to handles."""

    handles: Handles
    writer: HandlesWriter


@dataclass(frozen=True, slots=True, kw_only=True)
class Lead:
    """Requests that an operator may make of runs of a station, beside the stop."""

    buttons: tuple[str, ...] = ()
    why_not: Callable[[str, Seen], str] | None = None
    """Reason why a button does nothing now, as half a sentence; empty if it does something."""
    next_acts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Acts that bring a bench on, in order, by the name of the mode in which it has stopped:
    buttons, and `HOLD_TO_RUN`."""
    controls: Callable[[Mapping[str, Any]], Controls] | None = None
    """Controls of the plan in a run's header, or raises `ValueError`; None at a station without."""
    handles: Callable[[], Handles] | None = None
    """None at a station that no handles steer."""
