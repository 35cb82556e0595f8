"""Additions of a station that extends this one: a table, facts, and a part of every cycle.

Machine, gate, drives, course, loop and journal stay as they are; a run without an extension is
recorded byte by byte as without this module.
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
"""Function that writes a line of text into the recording."""


class Companion(Protocol):
    """Part of every cycle beside control; its exceptions count as control's."""

    note: Note
    """Writer of notes, set by the run before its first cycle."""

    @property
    def given_up(self) -> str:
        """Reason why the motion was given up, once it is at rest; empty while it was not.

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
        """Take the pose from measured lengths, whenever it was solved."""
        ...

    def row(self, control: Control) -> bytes:
        """Bytes of this cycle's row besides the platform's own signals."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Extension:
    """Additions of another station to a run of the platform."""

    signals: Signals
    """Signals of its rows: this station's first, then its own."""
    blank: bytes
    """Bytes of its own signals in a row without control."""
    settings: Mapping[str, Any]
    """Settings in the recording's header in place of the platform's plan."""
    facts: Mapping[str, str]
    """Further facts of the header."""
    open: Callable[[Callable[[], float]], AbstractContextManager[Companion]]
    """Opens the companion of control, by the run's clock [s]; nothing is powered before that.
    Raises `ConfigError`."""
    led: Callable[[], OperatedMotion] | None = None
    """Makes the motion of an operated run in ENGAGED; None if nobody can lead such a run."""
    prover: tuple[str, ...] = ()
    """Arguments of the interpreter for the prover of an operator's requests."""
