"""The strip at the top, always seen: state of the run and the stop, or that there is no run."""

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QSizePolicy, QVBoxLayout, QWidget

from hil.panel.session import Session
from hil.panel.state_view import StateView
from hil.panel.texts import text
from hil.panel.theme import Theme


class Strip(QWidget):
    """State of the run that is shown.

    Args:
        theme: colours.
        now_s: monotonic time [s].
    """

    wish = Signal(object)
    """A message for the desk."""

    def __init__(self, theme: Theme, now_s: Callable[[], float]) -> None:
        super().__init__()
        self._theme, self._now_s = theme, now_s
        self.state: StateView | None = None
        """Lamps, buttons, hold-to-run and stop; None without a run."""
        self._none = QLabel(text("window.none"))
        self._none.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._room = QVBoxLayout(self)
        self._room.setContentsMargins(0, 0, 0, 0)
        self._room.addWidget(self._none)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_session(self, session: Session | None) -> None:
        """Show another run, or none."""
        self._none.setVisible(session is None)
        if session is None:
            if self.state is not None:
                self.state.keys.let_go()
                self.state.hide()
            return
        if self.state is None:
            self.state = StateView(session.bench, self._theme, self)
            self.state.asked.connect(self.wish)
            self._room.addWidget(self.state)
        else:
            self.state.set_model(session.bench)
        self.state.show()

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        self._theme = theme
        if self.state is not None:
            self.state.set_theme(theme)

    def refresh(self) -> None:
        """Show how it stands now."""
        if self.state is not None:
            self.state.refresh(self._now_s())

    def let_go(self) -> None:
        """Hold-to-run counts as released until it is pressed anew."""
        if self.state is not None:
            self.state.keys.let_go()
