"""The dock of the scope."""

from contextlib import suppress

from hil.panel.live.dock_views import OfRun
from hil.panel.live.session import Session, Turn
from hil.panel.scope.models.scope import ScopeModel, first_columns
from hil.panel.scope.view import ScopeView
from hil.panel.widgets.theme import Theme


class ScopeDock(OfRun[ScopeView]):
    """The scope of the run; signals that the next run has as well stay chosen."""

    in_scenes = True

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.model: ScopeModel | None = None
        """Of the run that is shown; None before the first."""

    def set_session(self, session: Session | None) -> None:
        """Show another run; the last one stays when there is none."""
        if session is None:
            return
        facts = session.facts
        before = [] if self.model is None else [trace.name for trace in self.model.traces]
        model = ScopeModel(facts)
        for name in before:
            with suppress(KeyError):
                model.show(name)
        if not model.traces:
            for name in first_columns(facts):
                model.show(name)
        self.model = model
        if self.view is None:
            self.view = ScopeView(model, self._theme)
            self.put(self.view)
        else:
            self.view.set_model(model)

    def take(self, turn: Turn) -> None:
        """Keep the samples, seen or not."""
        if self.model is not None:
            self.model.take(turn.batch)
