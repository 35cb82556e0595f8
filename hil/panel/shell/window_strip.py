"""The strip at the top, always seen: state of the run and the stop, or that there is no run.

A stop that nobody answers, and a fault of the panel's own, are told below all that can be pressed,
so that no button moves from under a hand when the words come and go.
"""

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QToolBar,
    QVBoxLayout,
    QWidget,
)

from hil.panel.lead.state_view import StateView
from hil.panel.live.models.session_end import WHY_SHOWN
from hil.panel.live.session import Session
from hil.panel.widgets.theme import Theme


class Strip(QWidget):
    """State of the run that is shown."""

    message_asked = Signal(object)
    """A message for the desk."""
    bench_wanted = Signal()
    """A bench that runs is to be shown."""

    def __init__(self, theme: Theme, now_s: Callable[[], float]) -> None:
        super().__init__()
        self._theme, self._now_s = theme, now_s
        self.state: StateView | None = None
        """Lamps, buttons, hold-to-run and stop; None without a run."""
        self._session: Session | None = None
        self.stop_words = _warning()
        """What people must know of a stop that no desk has answered; hidden if there is none."""
        self.fault_words = _warning()
        """That the panel has had a fault of its own; it stays until the panel is closed."""
        self._none = QWidget()
        self.waiting_words = QLabel()
        """What is waited for while there is no run."""
        self.waiting_words.setTextFormat(Qt.TextFormat.PlainText)
        self.waiting_words.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.show_bench = QPushButton(self.tr("Show it …"))
        """Seen while a bench runs that is not shown."""
        self.show_bench.clicked.connect(lambda *_: self.bench_wanted.emit())
        self.show_bench.hide()
        waiting = QHBoxLayout(self._none)
        waiting.addWidget(self.waiting_words, 1)
        waiting.addWidget(self.show_bench)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.addWidget(self._none)
        self._layout.addWidget(self.stop_words)
        self._layout.addWidget(self.fault_words)
        self._colour()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_session(self, session: Session | None) -> None:
        """Show another run, or none."""
        self._session = session
        self._none.setVisible(session is None)
        self._show_stop()
        if session is None:
            if self.state is not None:
                self.state.keys.let_go()
                self.state.hide()
            return
        if self.state is None:
            self.state = StateView(session.bench, self._theme, self)
            self.state.asked.connect(self.message_asked)
            self._layout.insertWidget(0, self.state)
        else:
            self.state.set_model(session.bench)
        self.state.show()

    def offer(self, words: str, *, bench: bool) -> None:
        """Say what is waited for while there is no run; offer a bench that runs."""
        if words != self.waiting_words.text():
            self.waiting_words.setText(words)
            self.waiting_words.setToolTip(words)
        self.show_bench.setVisible(bench)

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        self._theme = theme
        self._colour()
        if self.state is not None:
            self.state.set_theme(theme)

    def refresh(self) -> None:
        """Show the present state."""
        self._show_stop()
        if self.state is not None:
            self.state.refresh(self._now_s())

    def show_fault(self, error: BaseException) -> str:
        """Say for good that the panel has a fault of its own; return which, in words."""
        why = f"{type(error).__name__}: {error}"
        shown = why if len(why) <= WHY_SHOWN else f"{why[:WHY_SHOWN]}…"
        self.fault_words.setText(
            self.tr(
                "This panel has a fault of its own: what it shows may be wrong. It stopped the "
                "motion that it owned, if any, and gave it back. Close it and open it anew. {why}"
            ).format(why=shown)
        )
        self.fault_words.setToolTip(why)
        self.fault_words.show()
        return why

    def let_go(self) -> None:
        """Hold-to-run counts as released until it is pressed anew."""
        if self.state is not None:
            self.state.keys.let_go()

    def _show_stop(self) -> None:
        words = "" if self._session is None else self._session.stop_text
        if words != self.stop_words.text():
            self.stop_words.setText(words)
        self.stop_words.setVisible(bool(words))

    def _colour(self) -> None:
        style = (
            f"background: {self._theme.fault}; color: {self._theme.on_strong}; font-weight: bold; "
            "padding: 0.4em;"
        )
        for words in (self.stop_words, self.fault_words):
            words.setStyleSheet(style)


def bar_of(strip: Strip, window: QWidget) -> QToolBar:
    """A tool bar of a window that holds the strip in its place, and that nobody can hide."""
    bar = QToolBar(window)
    bar.setObjectName("strip")
    bar.setMovable(False)
    bar.toggleViewAction().setEnabled(False)
    bar.addWidget(strip)
    return bar


def _warning() -> QLabel:
    """Words in the colour of a fault, hidden as yet."""
    label = QLabel()
    label.setAlignment(Qt.AlignmentFlag.AlignCenter)
    label.setWordWrap(True)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.hide()
    return label
