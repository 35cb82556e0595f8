"""The docks of a recording: its controls, and two runs beside each other."""

from hil.panel.live.session import ReplaySession, Session
from hil.panel.shell.dock_views import Plain
from hil.panel.shell.theme import Theme
from hil.panel.study.compare_view import CompareView
from hil.panel.study.replay_view import ReplayView


class ReplayDock(Plain):
    """Controls of the recording that is shown.

    Args:
        theme: colours.
    """

    def __init__(self, theme: Theme) -> None:
        self.widget = ReplayView(None, theme)

    def set_session(self, session: Session | None) -> None:
        """Control another recording, or none."""
        self.widget.set_feed(session.feed if isinstance(session, ReplaySession) else None)

    def refresh(self) -> None:
        """Show where it is."""
        self.widget.refresh()

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        self.widget.set_theme(theme)


class CompareDock(Plain):
    """Two runs; they have nothing to do with the one that is shown.

    Args:
        theme: colours.
    """

    in_scenes = True

    def __init__(self, theme: Theme) -> None:
        self.widget = CompareView(theme)

    def refresh(self) -> None:
        """Draw."""
        self.widget.refresh()

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        self.widget.set_theme(theme)

    def close(self) -> None:
        """End what is read or compared."""
        self.widget.close_all()
