"""What a station that extends this one adds to a run: a table, facts, and a look in every cycle.

Machine, gate, drives, course, loop and journal stay as they are; a run without an extension is
recorded byte by byte as ever.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from drives.waits import Waits
from hil.recording.events import Level
from hil.recording.signals import Signals
from hil.timing.clock import Tick
from safety.verdict import Verdict

if TYPE_CHECKING:
    from hil.stations.platform.control import Control
    from hil.stations.platform.operator.motion import OperatedMotion
    from platform6dof.forward import ForwardResult

Note = Callable[[Tick, str, Level], None]
"""Puts a line of text into the recording."""


class Companion(Protocol):
    """What works beside control in every cycle; an exception of it is one of control."""

    note: Note
    """Set by the run before its first cycle."""

    @property
    def given_up(self) -> str:
        """Why the motion was given up, once it has come to rest; empty while it was not.

        The platform parks then, and the run is over, or a person engages anew.
        """
        ...

    def look(self, tick: Tick, verdict: Verdict | None) -> Waits:
        """Do the part of a cycle that comes before control, in every mode.

        Returns:
            What must come before the platform may engage; empty if it may.
        """
        ...

    def reached(self, found: ForwardResult) -> None:
        """Hear where the platform is, whenever that was looked for, from measured lengths."""
        ...

    def row(self, control: Control) -> bytes:
        """What the row of this cycle has beside the platform's own signals."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Extension:
    """What another station adds to a run of the platform."""

    signals: Signals
    """Of its rows: this station's first, then its own."""
    blank: bytes
    """What a row has for its own signals where control was not there."""
    settings: Mapping[str, Any]
    """What the recording's header holds in place of the platform's plan."""
    facts: Mapping[str, str]
    """Further facts of the header."""
    open: Callable[[Callable[[], float]], AbstractContextManager[Companion]]
    """Opens what works beside control, by the run's clock [s]; nothing is powered before that.
    Raises `ConfigError`."""
    led: Callable[[], OperatedMotion] | None = None
    """Makes what an operated run follows in ENGAGED; None if nobody can lead such a run."""
    prover: tuple[str, ...] = ()
    """Arguments of the interpreter for what proves that an operator's wishes can be."""
