"""Part of every cycle of the platform beside control, for a station that extends it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from drives.waits import Waits
from hil.recording.events import Level
from hil.timing.clock import Tick
from safety.verdict import Verdict

if TYPE_CHECKING:
    from hil.stations.platform.cycle.control import Control
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

    def update(self, tick: Tick, verdict: Verdict | None) -> Waits:
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
