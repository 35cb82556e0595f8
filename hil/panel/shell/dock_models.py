"""Docks that are one model of a run and one view of it, all of the same shape."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, Protocol, TypeVar, cast

from PySide6.QtWidgets import QWidget

from hil.panel.live.models.feed import Batch, RunFacts
from hil.panel.live.session import Session, Turn
from hil.panel.shell.dock_views import Drawn, OfRun
from hil.panel.shell.theme import Theme


class Model(Protocol):
    """What such a model does."""

    def take(self, batch: Batch, now_s: float) -> None:
        """Learn what came."""
        ...


_M = TypeVar("_M", bound=Model)
_Of = TypeVar("_Of", bound=Model, contravariant=True)


class ModelView(Drawn, Protocol[_Of]):
    """What such a view does, beside being a widget."""

    def set_model(self, model: _Of) -> None:
        """Show another run's."""
        ...


class ModelDock(OfRun[ModelView[_M]], Generic[_M]):
    """A model made anew for each run, and a view that is given it.

    Args:
        theme: colours.
        now_s: monotonic time [s].
        model: makes the model of a run.
        view: makes the view of the first model.
    """

    in_scenes = True

    def __init__(
        self,
        theme: Theme,
        now_s: Callable[[], float],
        model: Callable[[RunFacts], _M],
        view: Callable[[_M, Theme], ModelView[_M]],
    ) -> None:
        super().__init__(theme)
        self._now_s = now_s
        self._make_model, self._make_view = model, view
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
