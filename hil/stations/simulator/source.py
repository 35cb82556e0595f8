"""What a live source is: asked once a cycle, never waiting.

Its kinds are found by the entry points `hil.sources`, ours and those of others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Protocol

from hil.config.settings import Settings
from hil.hosts.watch.states import Heard
from platform6dof.cueing.plausible import ForceFinding
from platform6dof.cueing.vehicle import VehicleState

BY_FORCES, BY_POSES = "forces", "poses"
"""What a source may tell: specific force and rates at the head, or where the platform shall be."""
GROUP: Final = "hil.sources"
"""Entry points whose objects are `SourceKind` values; each bears the ``kind`` of its table."""


class LiveSource(Protocol):
    """Something that says in each cycle what a vehicle does."""

    @property
    def ended_s(self) -> float:
        """When it has said all that it has to say, on the clock of the run [s].

        Infinite before that, and for one that has no end.
        """
        ...

    def begin(self, now_s: float) -> None:
        """The platform follows from now on: a recording or a model starts here [s]."""
        ...

    def poll(self, now_s: float) -> Heard:
        """What it says now; waits for nothing, and raises nothing for whatever it hears.

        Args:
            now_s: on the clock of the run [s].
        """
        ...

    def preview(self, now_s: float, span_s: float, step_s: float) -> tuple[VehicleState, ...]:
        """What the vehicle will do, a state a step from now on; empty for one that cannot know."""
        ...


INPUT_NAME: Final = "^[a-z][a-z0-9_]{0,39}$"
"""Pattern of what a person's input may be called."""


@dataclass(frozen=True, slots=True)
class OperatorInput:
    """A number that a person may ask of a source that is a model: a slider, or a pedal."""

    name: str
    """Such as `steering`."""
    low: float
    high: float
    unit: str = ""
    """As people are shown it."""

    @property
    def start(self) -> float:
        """Before a person asks: 0, or the bound next to it."""
        return min(max(0.0, self.low), self.high)


@dataclass(frozen=True, slots=True)
class Feedback:
    """What the bench knows of itself in this cycle, for a source that is a model."""

    pose: tuple[float, ...]
    """Measured x, y, z, alpha, beta, gamma of the platform, less neutral [m, rad], 6."""
    operator: Mapping[str, float] = field(default_factory=dict)
    """What a person asks, by name: the bench's inputs such as sliders and pedals."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a source may need of the run that opens it."""

    scenario_file: Path
    """Relative paths of its settings are looked for beside this."""
    period_s: float
    """Of the loop [s]."""
    virtual: bool
    """Whether no time passes: then its host is emulated in this process, in step with the loop."""
    seed: int
    now_s: Callable[[], float]
    """Clock of the run, monotonic [s]."""
    head_m: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Where the head is from the vehicle's own sensor, in body axes FRD [m]."""
    feedback: Callable[[], Feedback | None] = lambda: None
    """Gives what was measured last; None before anything was."""
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
    """How long it will say something [s], from its settings and the scenario's file; infinite if
    that cannot be known; raises `ConfigError`."""
    inputs: Callable[[Any], tuple[OperatorInput, ...]] = lambda settings: ()
    """What a person may ask of the source of such settings; none if left out."""
    fields: Callable[[Any, Path], frozenset[str]] = lambda settings, file: frozenset()
    """What such a source tells, `BY_FORCES` or `BY_POSES`; empty if that cannot be known."""
    known_ahead: Callable[[Any], bool] = lambda settings: True
    """Whether what the source of such settings will say can be had before a run, on the virtual
    clock; not of a simulator that is heard."""
    judges: bool = False
    """Whether it holds all that it tells against physics itself; what another one tells the bench
    does (`hil.stations.simulator.judged_source`)."""
    remedy: Callable[[Any, ForceFinding], str] = lambda settings, finding: ""
    """What to write into such settings so that a mean force is a vehicle's; empty: nobody knows."""
