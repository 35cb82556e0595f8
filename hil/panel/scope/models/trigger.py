"""The trigger of the scope: when a signal crosses a level, a sweep around that moment is shown.

An edge is one only if the signal was on the other side of the level by the hysteresis before; a
signal that was not there (NaN) has no side. After an edge the sweep fills up, and until it is full
and the hold-off is over other edges do not count.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Edge(Enum):
    """Which crossings count."""

    RISING = "rising"
    FALLING = "falling"
    EITHER = "either"


class Sweep(Enum):
    """What is shown between two edges."""

    OFF = "off"
    """No trigger: the newest samples roll by."""
    AUTO = "auto"
    """The newest samples, if no edge came for as long as a sweep."""
    NORMAL = "normal"
    """The last sweep, for ever."""
    SINGLE = "single"
    """The first sweep; others only after arming again."""


@dataclass(frozen=True, slots=True)
class TriggerSettings:
    """What is waited for.

    Raises:
        ValueError: if a value is out of its range; the message says which.
    """

    channel: str = ""
    """Name of the signal; empty for none."""
    level: float = 0.0
    """In the signal's unit."""
    edge: Edge = Edge.RISING
    """Which crossings count."""
    hysteresis: float = 0.0
    """Distance from the level that the signal must have had before, same unit, ≥ 0."""
    pre: float = 0.5
    """Share of a sweep before its edge, 0 to 1."""
    sweep: Sweep = Sweep.OFF
    """What is shown between two edges."""
    hold_off_s: float = 0.0
    """Least time from an edge to the next that counts [s], ≥ 0."""

    def __post_init__(self) -> None:
        if not np.isfinite(self.level):
            raise ValueError(f"trigger level {self.level}: a finite value is needed")
        if not 0.0 <= self.hysteresis < np.inf:
            raise ValueError(f"trigger hysteresis {self.hysteresis}: 0 or more is needed")
        if not 0.0 <= self.pre <= 1.0:
            raise ValueError(f"share before the trigger {self.pre}: outside [0, 1]")
        if not 0.0 <= self.hold_off_s < np.inf:
            raise ValueError(f"trigger hold-off {self.hold_off_s} s: 0 s or more is needed")

    @property
    def active(self) -> bool:
        """Whether edges are looked for at all."""
        return self.sweep is not Sweep.OFF and self.channel != ""


def edges(values: Array, settings: TriggerSettings, side: int = 0) -> tuple[NDArray[np.intp], int]:
    """Where a signal crosses the level.

    Args:
        values: of the signal, (n,); NaN = not there.
        side: where it was before: bit 0, it was below by the hysteresis since the last rising edge;
            bit 1, it was above by it since the last falling one.

    Returns:
        Numbers of the samples at which an edge is complete, and the side after the last sample.
    """
    level, gap = settings.level, settings.hysteresis
    up, below_after = _crossings(values, level, gap, bool(side & 1))
    down, above_after = _crossings(-values, -level, gap, bool(side & 2))
    after = int(below_after) | int(above_after) << 1
    if settings.edge is Edge.RISING:
        return up, after
    if settings.edge is Edge.FALLING:
        return down, after
    return np.union1d(up, down), after


def _crossings(
    values: Array, level: float, gap: float, was_below: bool
) -> tuple[NDArray[np.intp], bool]:
    """Rising crossings: samples at or above the level, the signal having been below level - gap."""
    marks = np.zeros(len(values), dtype=np.int8)
    marks[values >= level] = 1
    marks[values < level - gap] = -1
    unknown = np.isnan(values)
    places = np.flatnonzero((marks != 0) | unknown)
    if not len(places):
        return places, was_below
    sequence = marks[places]
    before = np.concatenate((np.array([-1 if was_below else 0], dtype=np.int8), sequence[:-1]))
    return places[(sequence == 1) & (before == -1)], bool(sequence[-1] == -1)


class TriggerPhase(Enum):
    """Where the trigger is."""

    IDLE = "idle"
    ARMED = "armed"
    FILLING = "filling"
    FULL = "full"
    HELD = "held"


class TriggerEvent(Enum):
    """What can happen to it."""

    START = "start"
    EDGE = "edge"
    FILLED = "filled"
    FILLED_SINGLE = "filled, and one was all"
    READY = "hold-off over"
    STOP = "stop"


TRANSITIONS: Final[Mapping[tuple[TriggerPhase, TriggerEvent], TriggerPhase]] = MappingProxyType(
    {
        (TriggerPhase.IDLE, TriggerEvent.START): TriggerPhase.ARMED,
        (TriggerPhase.ARMED, TriggerEvent.START): TriggerPhase.ARMED,
        (TriggerPhase.FILLING, TriggerEvent.START): TriggerPhase.ARMED,
        (TriggerPhase.FULL, TriggerEvent.START): TriggerPhase.ARMED,
        (TriggerPhase.HELD, TriggerEvent.START): TriggerPhase.ARMED,
        (TriggerPhase.ARMED, TriggerEvent.EDGE): TriggerPhase.FILLING,
        (TriggerPhase.FILLING, TriggerEvent.FILLED): TriggerPhase.FULL,
        (TriggerPhase.FILLING, TriggerEvent.FILLED_SINGLE): TriggerPhase.HELD,
        (TriggerPhase.FULL, TriggerEvent.READY): TriggerPhase.ARMED,
        (TriggerPhase.IDLE, TriggerEvent.STOP): TriggerPhase.IDLE,
        (TriggerPhase.ARMED, TriggerEvent.STOP): TriggerPhase.IDLE,
        (TriggerPhase.FILLING, TriggerEvent.STOP): TriggerPhase.IDLE,
        (TriggerPhase.FULL, TriggerEvent.STOP): TriggerPhase.IDLE,
        (TriggerPhase.HELD, TriggerEvent.STOP): TriggerPhase.IDLE,
    }
)
"""Every way; what is not here does not happen and leaves the phase as it is."""


@dataclass(frozen=True, slots=True)
class TriggerState:
    """What the trigger knows."""

    phase: TriggerPhase = TriggerPhase.IDLE
    """Where it is."""
    edge_s: float = float("nan")
    """Time of the last edge that counted [s]; NaN before the first."""
    side: int = 0
    """See `edges`."""


def turned(state: TriggerState, happening: TriggerEvent) -> TriggerState:
    """The state after something happened; an edge's time is set by `step`."""
    return replace(state, phase=TRANSITIONS.get((state.phase, happening), state.phase))


def start(state: TriggerState) -> TriggerState:
    """Wait for an edge anew; what was seen of the signal before does not count."""
    return replace(turned(state, TriggerEvent.START), side=0)


def step(
    state: TriggerState, settings: TriggerSettings, span_s: float, t_s: Array, values: Array
) -> tuple[TriggerState, tuple[float, ...]]:
    """Look at new samples.

    Args:
        t_s: times of the samples [s], (n,), rising.
        values: of the trigger's signal, (n,).

    Returns:
        The state after them, and the times of the edges whose sweeps became full, oldest first.
    """
    if not settings.active or state.phase in (TriggerPhase.IDLE, TriggerPhase.HELD) or not len(t_s):
        return state, ()
    places, side = edges(values, settings, state.side)
    full: list[float] = []
    for edge_s in t_s[places].tolist():
        state = _until(state, settings, span_s, edge_s, full)
        if state.phase is TriggerPhase.ARMED:
            state = replace(turned(state, TriggerEvent.EDGE), edge_s=edge_s)
    state = _until(state, settings, span_s, float(t_s[-1]), full)
    return replace(state, side=side), tuple(full)


def _until(
    state: TriggerState,
    settings: TriggerSettings,
    span_s: float,
    now_s: float,
    full: list[float],
) -> TriggerState:
    """Let time go on to now_s; sweeps that become full are added to `full`."""
    post_s = (1.0 - settings.pre) * span_s
    if state.phase is TriggerPhase.FILLING and now_s >= state.edge_s + post_s:
        single = settings.sweep is Sweep.SINGLE
        full.append(state.edge_s)
        state = turned(state, TriggerEvent.FILLED_SINGLE if single else TriggerEvent.FILLED)
    if state.phase is TriggerPhase.FULL and now_s > state.edge_s + max(post_s, settings.hold_off_s):
        state = turned(state, TriggerEvent.READY)
    return state
