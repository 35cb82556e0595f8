"""Contents of the docks: one small adapter around each view, all of one shape for the window."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar, cast

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from hil.panel.live.models.feed import Batch, RunFacts
from hil.panel.live.session import Session, Turn
from hil.panel.widgets.theme import Theme
from hil.run.preview import Preview


class Drawn(Protocol):
    """Methods of a view, beside those of a widget."""

    def refresh(self) -> None:
        """Draw what its model has."""

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""


_W = TypeVar("_W", bound=QWidget)


class Plain(Generic[_W]):
    """A dock's content; most do no more than this."""

    in_scenes = False
    """Whether it draws in scenes of Qt, which tell the widget later what has changed."""
    of_run = False
    """Whether its colours say how a run stands: they do no more when that is over."""
    every_turn = False
    """Whether its widget is refreshed in every turn, seen or not, not when there is time."""

    def __init__(self, widget: _W) -> None:
        self.widget = widget

    def set_session(self, session: Session | None) -> None:
        """Show another run, or none."""

    def take(self, turn: Turn) -> None:
        """Learn what came; called in every turn, hidden or not, and cheap."""

    def refresh(self) -> None:
        """Draw; called only while visible."""
        if not self.every_turn:
            cast(Drawn, self.widget).refresh()

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        cast(Drawn, self.widget).set_theme(theme)

    def preview(self, preview: Preview | str) -> None:
        """Show what a scenario will look like, or why that cannot be, if machines are shown."""

    def say(self, words: str) -> None:
        """Say this where there is nothing to show, if there is such a place."""

    def tick(self) -> None:
        """Do the work of every turn, with or without a run."""
        if self.every_turn:
            cast(Drawn, self.widget).refresh()

    def open_scenario(self, path: Path | None) -> None:
        """Make a scenario ready to run, if this is where they are."""

    def suggest(self, path: Path | None) -> None:
        """Show a scenario to who has chosen none, if this is where they are."""

    def close(self) -> None:
        """The window closes."""


View = Plain[Any]
_V = TypeVar("_V", bound=Drawn)


class OfRun(Plain[QWidget], Generic[_V]):
    """A dock that has nothing to show before the first run."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(QWidget())
        self._theme = theme
        self.view: _V | None = None
        """Of the run that is shown; None before the first."""
        self._layout = QVBoxLayout(self.widget)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._none = QLabel()
        self._none.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._none.setWordWrap(True)
        self._layout.addWidget(self._none)

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
        self._layout.addWidget(view)

    def take_away(self, view: QWidget) -> None:
        """Show it no more, and forget it."""
        self._layout.removeWidget(view)
        view.hide()
        view.deleteLater()
        self._none.show()


class Model(Protocol):
    """Methods of a model of a run."""

    def take(self, batch: Batch, now_s: float) -> None:
        """Learn what came."""


_M = TypeVar("_M", bound=Model)
_Of = TypeVar("_Of", bound=Model, contravariant=True)


class ModelView(Drawn, Protocol[_Of]):
    """Methods of the view of such a model, beside those of a widget."""

    def set_model(self, model: _Of) -> None:
        """Show another run's."""


class ModelDock(OfRun[ModelView[_M]], Generic[_M]):
    """A model made anew for each run, and a view that is given it.

    Args:
        model: makes the model of a run.
    """

    in_scenes = of_run = True

    def __init__(
        self, theme: Theme, now_s: Callable[[], float], model: Callable[[RunFacts], _M],
        view: Callable[[_M, Theme], ModelView[_M]],
    ) -> None:  # fmt: skip
        super().__init__(theme)
        self._now_s, self._make_model, self._make_view = now_s, model, view
        self.model: _M | None = None
        """Of the run that is shown."""

    def set_session(self, session: Session | None) -> None:
        """Show another run; the last one stays when there is none."""
        if session is None:
            return
        self.model = self._make_model(session.facts)
        if self.view is None:
            self.view = self._make_view(self.model, self._theme)
            self.put(cast(QWidget, self.view))
        else:
            self.view.set_model(self.model)

    def take(self, turn: Turn) -> None:
        """Let the model learn, seen or not."""
        if self.model is not None:
            self.model.take(turn.batch, self._now_s())
