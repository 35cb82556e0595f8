"""Settings that scenarios of every station have in common."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import Field

from hil.config.drawn import DRAW
from hil.config.fields import NotNegative
from hil.config.settings import Settings

Name = Annotated[str, Field(pattern=r"^[a-z0-9_]{1,60}$")]


class ScenarioSettings(Settings):
    """Settings of a scenario; its table `draw` is none of them (`hil.draw`)."""

    @classmethod
    def build(cls, table: Mapping[str, Any], source: str) -> Self:
        """Make the model from a parsed table without its draw; raises as `Settings.build`."""
        return super().build({key: one for key, one in table.items() if key != DRAW}, source)


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
