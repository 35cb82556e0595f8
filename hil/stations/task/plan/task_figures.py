"""Figures that a task adds to the summary of its runs: one protocol for all tasks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol


class TaskFigures(Protocol):
    """Figures of a task, computed from what its judge measured."""

    def values(self, measures: Mapping[str, float]) -> Mapping[str, Any]:
        """Values by the keys that they have in the output with ``--json``."""
        ...

    def line(self, values: Mapping[str, Any]) -> str:
        """Line for people about a summary that holds these values."""
        ...
