"""What each dock shows: one small adapter around each view, all of one shape for the window."""

from collections.abc import Callable
from pathlib import Path
from typing import Final, Protocol

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from hil.panel.scene_view import SceneView
from hil.panel.session import Session, Turn
from hil.panel.texts import text
from hil.panel.theme import Theme

ROWS_KEPT: Final = 2000
"""Of one turn for the picture in space; after a jump in a replay there are many more."""
TURNS_KEPT: Final = 4


class View(Protocol):
    """A dock's content."""

    @property
    def widget(self) -> QWidget:
        """What is in the dock."""
        ...

    def set_session(self, session: Session | None) -> None:
        """Show another run, or none."""
        ...

    def take(self, turn: Turn) -> None:
        """Learn what came; called in every turn, hidden or not, and cheap."""
        ...

    def refresh(self) -> None:
        """Draw; called only while visible."""
        ...

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        ...

    def tick(self) -> None:
        """Do what is to be done in every turn, with or without a run, seen or not."""
        ...

    def open_scenario(self, path: Path | None) -> None:
        """Make a scenario ready to run, if this is where they are."""
        ...

    def close(self) -> None:
        """The window closes."""
        ...


class Plain:
    """What most views leave alone."""

    def take(self, turn: Turn) -> None:
        """Learn nothing."""

    def set_session(self, session: Session | None) -> None:
        """Stay the same."""

    def refresh(self) -> None:
        """Draw nothing new."""

    def tick(self) -> None:
        """Do nothing."""

    def open_scenario(self, path: Path | None) -> None:
        """Leave scenarios to others."""

    def close(self) -> None:
        """Hold nothing that must be closed."""


class OfRun(Plain):
    """A dock that has nothing to show before the first run."""

    def __init__(self) -> None:
        self.widget = QWidget()
        self._room = QVBoxLayout(self.widget)
        self._room.setContentsMargins(0, 0, 0, 0)
        self._none = QLabel(text("window.none"))
        self._none.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._none.setWordWrap(True)
        self._room.addWidget(self._none)

    def say(self, words: str) -> None:
        """Say this where there is nothing to show."""
        self._none.setText(words)

    def put(self, view: QWidget) -> None:
        """Show this from now on."""
        self._none.hide()
        self._room.addWidget(view)

    def take_away(self, view: QWidget) -> None:
        """Show it no more, and forget it."""
        self._room.removeWidget(view)
        view.hide()
        view.deleteLater()
        self._none.show()


class SceneDock(Plain):
    """The picture in space.

    Args:
        theme: colours.
        now_s: monotonic time [s].
    """

    def __init__(self, theme: Theme, now_s: Callable[[], float]) -> None:
        self.widget = SceneView(theme=theme)
        self._now_s = now_s
        self._newest: np.ndarray | None = None
        self._rows: list[np.ndarray] = []

    def set_session(self, session: Session | None) -> None:
        """Show another run's machines, or none."""
        self._rows = []
        self.widget.set_run(None if session is None else session.facts)

    def take(self, turn: Turn) -> None:
        """Keep the rows for the next picture."""
        batch = turn.batch
        if batch.restart:
            self._rows = []
        if len(batch.rows):
            self._rows.append(batch.rows[-ROWS_KEPT:])
            del self._rows[:-TURNS_KEPT]  # hidden for long: only the newest matter

    def refresh(self) -> None:
        """Draw where the machines are now."""
        rows = np.concatenate(self._rows) if self._rows else np.empty((0, 0))
        self._rows = []
        self.widget.refresh(rows, self._now_s())

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        self.widget.set_theme(theme)
