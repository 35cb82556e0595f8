"""The dock of a station's own pages; a run whose station has none leaves it empty."""

from __future__ import annotations

from PySide6.QtWidgets import QTabWidget, QVBoxLayout, QWidget

from hil.panel.live.dock_views import OfRun
from hil.panel.live.models.page import PageModel, pages_of
from hil.panel.live.page_view import PageView
from hil.panel.live.session import Session, Turn
from hil.panel.widgets.theme import Theme
from hil.run.pages import Page


class Pages(QWidget):
    """All pages of a run; one by itself has no tabs."""

    def __init__(self, session: Session, pages: tuple[Page, ...], theme: Theme) -> None:
        super().__init__()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        tabs = QTabWidget(self)
        tabs.tabBar().setAutoHide(True)
        layout.addWidget(tabs)
        self.models: list[PageModel] = []
        """Of each page."""
        self.views: list[PageView] = []
        """Of each page."""
        for page in pages:
            model = PageModel(session.facts, page, session.next_id)
            view = PageView(model, theme)
            view.requested.connect(session.send)
            tabs.addTab(view, page.title)
            self.models.append(model)
            self.views.append(view)

    def refresh(self) -> None:
        """Draw the newest rows."""
        for view in self.views:
            view.refresh()

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        for view in self.views:
            view.set_theme(theme)


class PageDock(OfRun[Pages]):
    """The pages of the run that is shown."""

    of_run = True

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self._session: Session | None = None

    def set_session(self, session: Session | None) -> None:
        """Show another run; the last one stays when there is none."""
        if session is None:
            return
        if self.view is not None:
            self.take_away(self.view)
            self.view = None
        self._session = session
        pages = pages_of(session.facts)
        if pages:
            self.view = Pages(session, pages, self._theme)
            self.put(self.view)

    def take(self, turn: Turn) -> None:
        """Learn what came, seen or not."""
        pages, session = self.view, self._session
        if pages is None or session is None:
            return
        for model, view in zip(pages.models, pages.views, strict=True):
            model.take(turn.batch)
            back = [model.take_message(message) for message in turn.messages]
            if turn.batch.operation is not None:
                back.append(model.refused(turn.batch.operation.refused))
            if any(back):
                view.put_back()
            view.set_owner(session.owns)
