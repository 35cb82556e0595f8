"""The docks of a recording: its controls, and two runs beside each other."""

from hil.panel.live.dock_views import Plain
from hil.panel.live.session import Session
from hil.panel.study.compare_view import CompareView
from hil.panel.study.replay_view import ReplayView
from hil.panel.study.session import ReplaySession
from hil.panel.widgets.theme import Theme


class ReplayDock(Plain[ReplayView]):
    """Controls of the recording that is shown."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(ReplayView(None, theme))

    def set_session(self, session: Session | None) -> None:
        """Control another recording, or none."""
        self.widget.set_feed(session.feed if isinstance(session, ReplaySession) else None)


class CompareDock(Plain[CompareView]):
    """Two runs; they have nothing to do with the one that is shown."""

    in_scenes = True

    def __init__(self, theme: Theme) -> None:
        super().__init__(CompareView(theme))

    def close(self) -> None:
        """End what is read or compared."""
        self.widget.close_all()
