"""What each dock shows: one small adapter around each view, all of one shape for the window."""

from pathlib import Path
from typing import Generic, Protocol, TypeVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from hil.panel.live.session import Session, Turn
from hil.panel.shell.theme import Theme


class View(Protocol):
    """A dock's content."""

    @property
    def in_scenes(self) -> bool:
        """Whether it draws in scenes of Qt, which tell the widget later what has changed."""
        ...

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

    in_scenes = False

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


class Drawn(Protocol):
    """What the view of a run does, beside being a widget."""

    def refresh(self) -> None:
        """Draw what its model has."""
        ...

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        ...


_V = TypeVar("_V", bound=Drawn)


class OfRun(Plain, Generic[_V]):
    """A dock that has nothing to show before the first run.

    Args:
        theme: colours.
    """

    def __init__(self, theme: Theme) -> None:
        self._theme = theme
        self.view: _V | None = None
        """Of the run that is shown; None before the first."""
        self.widget = QWidget()
        self._room = QVBoxLayout(self.widget)
        self._room.setContentsMargins(0, 0, 0, 0)
        self._none = QLabel("No run")
        self._none.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._none.setWordWrap(True)
        self._room.addWidget(self._none)

    def refresh(self) -> None:
        """Draw."""
        if self.view is not None:
            self.view.refresh()

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        self._theme = theme
        if self.view is not None:
            self.view.set_theme(theme)

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
