"""Settings that scenarios of every station have in common."""

from typing import Annotated, Literal

from pydantic import Field

from hil.config.fields import NotNegative
from hil.config.settings import Settings

Name = Annotated[str, Field(pattern=r"^[a-z0-9_]{1,60}$")]


class RecordingSettings(Settings):
    """How a run is recorded."""

    ring_slots: Annotated[int, Field(ge=64, le=1_000_000)] = 4096
    """Entries that can wait for the disk, each a cycle or an event."""
    min_free_mb: NotNegative = 100.0
    """Free space on the disk below which the recording is ended, or does not begin [MB]."""


class OperatorSettings(Settings):
    """What a run led by an operator (``hil run --operator``) asks of him."""

    dead_man: Literal["hold", "presence"] = "hold"
    """``hold``: legs move only while hold-to-run is pressed; ``presence``: while a panel lives."""
