"""Signals of a task's rows behind those of the world: the diagram's words, the judge's findings."""

from __future__ import annotations

from typing import Final

from hil.recording.signals import Signal, Signals
from hil.stations.world.signals import SIGNALS as OF_WORLD

STATION: Final = "task"
TASK_SIGNALS: Final = (
    Signal("phase", "f8"),
    Signal("said_reason", "f8"),
    Signal("said_done", "f8"),
    Signal("judged_reason", "f8"),
)
"""What the diagram says of itself, a nan where it says nothing, and what the judge found; the
signals of the task stand behind."""
SIGNALS: Final = Signals(STATION, (*OF_WORLD.fields, *TASK_SIGNALS))
"""Table of a robot without drives; a run's has its own."""
