"""Requests that an operator may make of a run, defined by its station as values, not widgets."""

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
"""Name of the only operator action that is not a button."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """State of a run from which a panel decides whether a press has an effect."""

    mode: str
    action: str
    """Action of the run's gate; empty if not known."""
    held: bool
    target: bool
    playing: str
    """``"play"``, ``"pose"`` or empty."""
    ending: bool
    clear: bool = True
    """Whether the cause of a fault is gone, so that a reset works."""
    stalled: bool = False
    """Whether only a stall of the computer stopped it."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Poses:
    """Poses that can be requested, x, y, z [m], alpha, beta, gamma [rad], arrays of shape (6,)."""

    neutral: Array
    """The pose in the middle."""
    limits: Callable[[Array], Array]
    """Lowest and highest value of each coordinate at this moment, given a pose, shape (6, 2)."""
    rest_signal: str
    """Signal of the requested pose, which the machine keeps while no motion is played."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlayedMotion:
    """The motion of a run as it can be changed; ``motion`` in the scenario is its table."""

    scenario: Mapping[str, Any]
    own: Settings
    read: Callable[[Mapping[str, Any]], Settings] | None
    """Reads another motion, or raises `ConfigError`; None if it cannot change during the run."""


@dataclass(frozen=True, slots=True)
class Controls:
    """Controls that can be set during a run."""

    poses: Poses
    motion: PlayedMotion


class Velocity(Protocol):
    """Velocity that corresponds to six deflections."""

    @property
    def linear_m_s(self) -> Array:
        """Velocity of the moved point [m/s], shape (3,)."""
        ...

    @property
    def angular_rad_s(self) -> Array:
        """Angular velocity [rad/s], shape (3,)."""
        ...

    @property
    def at_rest(self) -> bool:
        """Whether both are zero."""
        ...


class Gamepad(Protocol):
    """A device with handles."""

    @property
    def end_reason(self) -> str:
        """Reason why the device no longer gives a velocity."""
        ...

    def sample(self, t_s: float, /) -> Any:
        """Return the `Velocity` requested now; None once the device has ended."""
        ...

    def close(self) -> None:
        """Release the device."""
        ...


class HandlesWriter(Protocol):
    """Writer of the requested velocity for a run; its methods do not block."""

    @property
    def connected(self) -> bool:
        """Whether the run is connected."""
        ...

    def send(self, velocity: Any, /) -> bool:
        """Send the `Velocity` requested now; return whether it was sent completely."""
        ...

    def end(self) -> bool:
        """Send the end of the motion; return whether it was sent completely."""
        ...

    def close(self) -> None:
        """Disconnect; the run then assumes zero velocity."""
        ...


class HandlesPlace(Protocol):
    """Address at which a run that is about to begin will listen for handles."""

    @property
    def override(self) -> str:
        """Change of the run's scenario, ``key=value``."""
        ...

    def writer(self, now_s: Callable[[], float]) -> HandlesWriter:
        """Writer of velocities for the run, with a monotonic clock [s]."""
        ...

    def remove(self) -> None:
        """Remove the address; harmless when repeated."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Handles:
    """Two three-axis handles that steer a run."""

    velocity: Callable[[Sequence[float]], Velocity]
    """Velocity for six deflections, -1 to 1: along x, y, z, then about them."""
    gamepad: Callable[[str, Callable[[], float]], Gamepad]
    """Opens a device, by its path or a part of its name; raises `RefusedError`."""
    place: Callable[[Mapping[str, Any]], HandlesPlace | None]
    """Address of the handles of a scenario; None if it takes no handles. Raises `OSError`."""


@dataclass(frozen=True, slots=True)
class Steered:
    """A started run that listens to handles."""

    handles: Handles
    writer: HandlesWriter


@dataclass(frozen=True, slots=True, kw_only=True)
class Lead:
    """Requests that an operator may make of runs of a station, in addition to the stop."""

    buttons: tuple[str, ...] = ()
    why_not: Callable[[str, Seen], str] | None = None
    """Reason why a button has no effect now, as half a sentence; empty if it has one."""
    next_acts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Acts that resume a bench, in order, by the name of the mode in which it has stopped:
    buttons, and `HOLD_TO_RUN`."""
    controls: Callable[[Mapping[str, Any]], Controls] | None = None
    """Controls of the plan in a run's header, or raises `ValueError`; None if there are none."""
    handles: Callable[[], Handles] | None = None
    """Handles of the station; None if it has none."""
