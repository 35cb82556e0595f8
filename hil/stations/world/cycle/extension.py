"""Additions of a station that extends this one, or of a goal: an observer of every turn.

Robot, gate, law, engine, loop and journal stay as they are; a run without an observer is recorded
byte by byte as without this module.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray

    from hil.recording.signals import Signal
    from hil.stations.world.cycle.bench import WorldBench
    from hil.stations.world.cycle.figures import WorldFigures
    from hil.stations.world.sources.source_setup import LiveInputs
    from hil.timing.clock import Tick


@dataclass(frozen=True, slots=True)
class Observation:
    """Something that an observer noticed."""

    text: str
    """Sentence about it."""
    data: Mapping[str, Any]
    """Numbers and names in it."""
    failed: bool = False
    """Whether it means that the run has failed."""


class RunObserver(Protocol):
    """Observer of every turn of a run, which may end the run and decides how it ended."""

    def observe(self, tick: Tick, figures: WorldFigures) -> tuple[Observation, ...]:
        """Look at the state before a step; returns what was noticed now."""
        ...

    def values(self) -> NDArray[float64]:
        """Values of its signals in this row, in their order."""
        ...

    def take_row(self, row: bytes) -> None:
        """Take a row as it is recorded; called for every row, also without a recording."""
        ...

    @property
    def over(self) -> bool:
        """Whether the run is to end with this row."""
        ...

    def conclude(self, figures: WorldFigures) -> tuple[str, str]:
        """Outcome in a word and its reason when a run that went well is over."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldExtension:
    """Additions of another station to a run of this one."""

    station: str
    """Name of the station."""
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Further data of the plan in the recording's header."""
    signals: tuple[Signal, ...] = ()
    """Signals of its rows behind this station's, all of them floats."""
    open: Callable[[WorldBench], RunObserver]
    """Makes the observer of a run."""
    driver: Callable[[LiveInputs, bool], AbstractContextManager[Any]] | None = None
    """Opens what a person drives by, given whether a desk holds the run; it gives an action between
    steps (`hil.stations.world.cycle.loop.BetweenSteps`). None: nobody drives."""
