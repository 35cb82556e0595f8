"""Interface of a live source: polled once a cycle, never waiting.

Its kinds are found by the entry points `hil.sources`, ours and those of others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Protocol

from hil.config.settings import Settings
from hil.hosts.watch.states import HostReading
from platform6dof.cueing.plausible import ForceFinding
from platform6dof.cueing.vehicle import VehicleState

BY_FORCES, BY_POSES = "forces", "poses"
"""Quantities of a source: specific force and rates at the head, or the pose of the platform."""
GROUP: Final = "hil.sources"
"""Entry points whose objects are `SourceKind` values; each bears the ``kind`` of its table."""


class LiveSource(Protocol):
    """A source of a vehicle's motion, cycle by cycle."""

    @property
    def ended_s(self) -> float:
        """Time at which the source ends, on the clock of the run [s].

        Infinite before that, and for one that has no end.
        """
        ...

    def begin(self, now_s: float) -> None:
        """The platform follows from now on: a recording or a model starts here [s]."""
        ...

    def poll(self, now_s: float) -> HostReading:
        """Return the reading of this cycle; never waits, and raises nothing whatever it receives.

        Args:
            now_s: on the clock of the run [s].
        """
        ...

    def preview(self, now_s: float, span_s: float, step_s: float) -> tuple[VehicleState, ...]:
        """Preview the vehicle's states, a step apart; empty for a source without a future."""
        ...


INPUT_NAME: Final = "^[a-z][a-z0-9_]{0,39}$"
"""Pattern of what a person's input may be called."""


@dataclass(frozen=True, slots=True)
class OperatorInput:
    """A number that a person may ask of a source that is a model: a slider, or a pedal."""

    name: str
    """Name of the input, such as `steering`."""
    low: float
    high: float
    unit: str = ""
    """Unit shown to people."""

    @property
    def start(self) -> float:
        """Before a person asks: 0, or the bound next to it."""
        return min(max(0.0, self.low), self.high)


@dataclass(frozen=True, slots=True)
class Feedback:
    """Measurements of the bench in this cycle, for a source that is a model."""

    pose: tuple[float, ...]
    """Measured x, y, z, alpha, beta, gamma of the platform, less neutral [m, rad], 6."""
    operator: Mapping[str, float] = field(default_factory=dict)
    """Requests of a person, by name: the bench's inputs such as sliders and pedals."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Parts of a run that a source may need when it is opened."""

    scenario_file: Path
    """File of the scenario; relative paths of its settings are looked for beside it."""
    period_s: float
    """Cycle time of the loop [s]."""
    virtual: bool
    """Whether no time passes: then its host is emulated in this process, in step with the loop."""
    seed: int
    now_s: Callable[[], float]
    """Clock of the run, monotonic [s]."""
    head_m: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Position of the head from the vehicle's own sensor, in body axes FRD [m]."""
    feedback: Callable[[], Feedback | None] = lambda: None
    """Latest measurement; None before there is any."""
    trusted: bool = False
    """Whether the person who starts the run trusts native code that the source would load: by an
    option of the command line, never by a file."""


@dataclass(frozen=True, slots=True)
class SourceKind:
    """A kind of live source, as its entry point gives it."""

    settings: type[Settings]
    """Model of the ``[source]`` table; its field ``kind`` is a `Literal` of the entry's name."""
    open: Callable[[Any, Surroundings], AbstractContextManager[LiveSource]]
    """Opens the source of such settings; raises `ConfigError` if that cannot be."""
    lasts_s: Callable[[Any, Path], float]
    """Gives the duration of the source [s], from its settings and the scenario's file; infinite if
    that cannot be known; raises `ConfigError`."""
    inputs: Callable[[Any], tuple[OperatorInput, ...]] = lambda settings: ()
    """Gives the inputs that a person may set, by such settings; none if left out."""
    fields: Callable[[Any, Path], frozenset[str]] = lambda settings, file: frozenset()
    """Gives the quantities of the source, `BY_FORCES` or `BY_POSES`; empty if not known."""
    known_ahead: Callable[[Any], bool] = lambda settings: True
    """Gives whether the source's motion can be known before a run, on the virtual clock; not of a
    simulator that is received."""
    judges: bool = False
    """Whether it compares its quantities with physics itself; for another one the bench does
    (`hil.stations.simulator.sources.judged_source`)."""
    remedy: Callable[[Any, ForceFinding], str] = lambda settings, finding: ""
    """Gives the text to write into settings so that a mean force is a vehicle's; else empty."""
