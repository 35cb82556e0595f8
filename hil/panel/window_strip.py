"""The strip at the top, always seen: what runs, how it stands, who moves it, and the stop."""

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from hil.panel.session import Session
from hil.panel.texts import text
from hil.panel.theme import Theme


class Strip(QWidget):
    """Lamps, ownership and stop.

    Args:
        theme: colours.
    """

    wish = Signal(object)
    stop = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._session: Session | None = None
        self._now_s: Callable[[], float] = lambda: 0.0
        self._text = QLabel()
        self._take = QPushButton()
        self._stop = QPushButton(text("state.stop"))
        row = QHBoxLayout(self)
        row.addWidget(self._text, 1)
        row.addWidget(self._take)
        row.addWidget(self._stop)
        self._take.clicked.connect(self._take_or_release)
        self._stop.clicked.connect(self.stop)
        self.set_theme(theme)

    @property
    def held(self) -> bool:
        """Whether hold-to-run is pressed with the mouse."""
        return False

    def let_go(self) -> None:
        """Count the button as released until it is pressed anew."""

    def set_session(self, session: Session | None, now_s: Callable[[], float]) -> None:
        """Show another run, or none."""
        self._session, self._now_s = session, now_s
        self.refresh()

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        self._stop.setStyleSheet(
            f"background: {theme.fault}; color: {theme.on_strong}; font-weight: bold;"
        )

    def refresh(self) -> None:
        """Show how it stands now."""
        if self._session is None:
            self._text.setText(text("window.none"))
            return
        bench = self._session.bench
        self._text.setText(
            "  ".join(
                (self._session.facts.name, bench.mode or "", bench.link_text(self._now_s()),
                 bench.owner_text, bench.dead_man_text, *bench.banners)
            )
        )  # fmt: skip
        self._take.setText(text("state.release" if bench.you_own else "state.take"))

    def _take_or_release(self) -> None:
        if self._session is not None:
            self.wish.emit(self._session.bench.take_or_release())
