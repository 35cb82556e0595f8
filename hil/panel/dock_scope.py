"""The dock of the scope."""

from contextlib import suppress
from typing import Final

from hil.panel.dock_views import OfRun
from hil.panel.models.scope import ScopeModel
from hil.panel.scope_view import ScopeView
from hil.panel.session import Session, Turn
from hil.panel.theme import Theme

FIRST_TRACES: Final = {
    "platform": tuple(f"measured_length_leg{leg}_m" for leg in range(1, 7)),
    "arm": tuple(f"space_q_joint{joint}_rad" for joint in range(1, 7)),
}
"""Signals of each station that are shown at first."""


class ScopeDock(OfRun):
    """The scope of the run; signals that the next run has as well stay chosen.

    Args:
        theme: colours.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._model: ScopeModel | None = None
        self._view: ScopeView | None = None

    def set_session(self, session: Session | None) -> None:
        """Show another run; the last one stays when there is none."""
        if session is None:
            return
        facts = session.facts
        before = [] if self._model is None else [trace.name for trace in self._model.traces]
        model = ScopeModel(facts)
        for name in before:
            with suppress(KeyError):
                model.show(name)
        if not model.traces:
            for name in FIRST_TRACES[facts.station]:
                model.show(name)
        self._model = model
        if self._view is None:
            self._view = ScopeView(model, self._theme)
            self.put(self._view)
        else:
            self._view.set_model(model)

    def take(self, turn: Turn) -> None:
        """Keep the samples, seen or not."""
        if self._model is not None:
            self._model.take(turn.batch)

    def refresh(self) -> None:
        """Draw."""
        if self._view is not None:
            self._view.refresh()

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        self._theme = theme
        if self._view is not None:
            self._view.set_theme(theme)
