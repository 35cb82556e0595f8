"""Polls the file of a diagram that moves a machine; each time it is saved it is a change."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Final, Self

from hil.config.errors import ConfigError
from hil.config.settings import settings_text
from hil.diagram.run.change import DiagramChange
from hil.diagram.run.diagram_use import DiagramUse, UsedDiagram, change_of

LOOK_S: Final = 0.1
"""Time between two polls of the file [s]."""


class DiagramFileWatch:
    """Contents of a file, each time that they change; polled in a thread of its own.

    Args:
        path: of the diagram.
        text: what it says now.
        set_: parameters of the scenario, which stay set.
        report: called with the reason why the file cannot be read, once for each.
    """

    def __init__(
        self, path: Path, text: str, set_: Mapping[str, Any], report: Callable[[str], object]
    ) -> None:
        self._path, self._text, self._set = path, text, set_
        self._report, self._last_fault = report, ""
        self._found: SimpleQueue[DiagramChange] = SimpleQueue()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="diagram file", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def next(self) -> DiagramChange | None:
        """Return the change since the last call; None if there is none."""
        with suppress(Empty):
            return self._found.get_nowait()
        return None

    def _watch(self) -> None:
        while not self._over.wait(LOOK_S):
            self.poll()

    def poll(self) -> None:
        """Poll once; a file that cannot be read now is reported, and polled again."""
        try:
            text = settings_text(self._path)
        except ConfigError as error:
            if str(error) != self._last_fault:
                self._last_fault = str(error)
                self._report(f"the law goes on as it is: {error}")
            return
        self._last_fault = ""
        if text and text != self._text:
            self._text = text
            self._found.put(DiagramChange(self._set, text, str(self._path)))


def watch_diagram_file(
    used: UsedDiagram, use: DiagramUse | None, report: Callable[[str], object]
) -> DiagramFileWatch:
    """Watch the file of a scenario's diagram."""
    return DiagramFileWatch(
        used.path, used.text, {} if use is None else change_of(use.set).set, report
    )
