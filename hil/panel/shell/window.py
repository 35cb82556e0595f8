"""The main window: a strip that is always seen, docks around nothing, and what they show.

A fault of the panel's own gives the motion back: pictures that may be wrong steer nothing. Those
of a panel that owns nothing steer nothing anyway: it stops nobody else.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QEvent, QSettings, Qt, QTimer
from PySide6.QtGui import QCloseEvent, QGuiApplication, QShowEvent
from PySide6.QtWidgets import QMainWindow

from hil.desk.client import DeskClient, DeskRefusedError
from hil.desk.messages import ClientMessage, Take
from hil.panel.lead.screen_lock import ScreenLock
from hil.panel.live.models.page import has_controls, pages_of
from hil.panel.live.session import LiveSession, Session
from hil.panel.shell.dock_layout import Docks
from hil.panel.shell.models.start_view import StartView
from hil.panel.shell.window_appearance import Appearance
from hil.panel.shell.window_distance import Distance
from hil.panel.shell.window_leave_question import QUIT, may_leave, stays
from hil.panel.shell.window_menus import Menus
from hil.panel.shell.window_reader import BackgroundReader
from hil.panel.shell.window_start import open_view
from hil.panel.shell.window_strip import Strip, bar_of
from hil.panel.shell.window_turns import TURN_MS, Turns
from hil.panel.study.session import ReplaySession
from hil.panel.widgets.text_space import MessageBar
from hil.panel.widgets.theme import Theme

if TYPE_CHECKING:
    from hil.panel.study.models.replay import FileFeed
    from hil.run.lead import Steered
    from hil.run.preview import Preview

PAINTED_MS: Final = 3 * TURN_MS
"""Time from when the last view was made until all of them were painted once [ms]."""
TOLD_MS: Final = 8000
"""Time for which a message stays in the status bar [ms]."""


class MainWindow(QMainWindow):
    """The operator's window.

    Args:
        name: under which other panels see this one.
    """

    def __init__(self, settings: QSettings, now_s: Callable[[], float], name: str) -> None:
        super().__init__()
        self.now_s = now_s
        self._name = name
        self._session: Session | None = None
        self.appearance = Appearance(self, settings)
        """Its colours and the size of its text."""
        self.strip = Strip(self.theme, now_s)
        self.strip.message_asked.connect(self.send)
        self.strip.bench_wanted.connect(lambda: self.menus.choose_bench())
        self.addToolBar(Qt.ToolBarArea.TopToolBarArea, bar_of(self.strip, self))
        self._take_due: Take | None = None
        self._replay_agreed = False
        self.turns = Turns(self)
        """What is done thirty times a second."""
        self.views = self.turns.views
        """By the names of their docks; they are made in the first turns, or when asked for."""
        screen = QGuiApplication.primaryScreen()
        self.resize(self.sizeHint() if screen is None else screen.availableSize())
        self.messages = MessageBar()
        self.setStatusBar(self.messages)
        self.docks = Docks(self, settings)
        self.distance = Distance(self, self.views)
        """What is read from afar, over the docks."""
        self.menus = Menus(self)
        self.docks.restore()
        self.screen_lock = ScreenLock(self)
        """Hears that the screen is being locked."""
        self.screen_lock.locked.connect(self.strip.let_go)
        self.reading = BackgroundReader(self.statusBar(), now_s, self._replayed, self.show_message)
        """The recording that is on its way to be shown."""
        self.appearance.use(self.appearance.name)
        self._show_session()
        self.turns.begin()

    def completed(self) -> None:
        """All views were made: divide the room, and take what was wanted, once they are painted."""
        if not self.docks.placed:
            QTimer.singleShot(0, self._settle)
        QTimer.singleShot(PAINTED_MS, self._complete)

    def _complete(self) -> None:
        self._settle()
        message, self._take_due = self._take_due, None
        if message is not None:
            self.send(message)

    def fail(self, error: BaseException) -> None:
        """A fault of the panel's own: let go, stop what is led from here, and say so for good."""
        self.strip.let_go()
        self._take_due = None
        if isinstance(self._session, LiveSession):
            self._session.give_up()
        why = self.strip.show_fault(error)
        self.show_message(
            self.tr("The panel has a fault of its own and lets go: {why}").format(why=why)
        )

    # --- what it is connected to ----------------------------------------------------------------

    @property
    def session(self) -> Session | None:
        """The shown session: a bench, a recording, or nothing."""
        return self._session

    def open(self, opening: StartView) -> None:
        """Show what the command line means."""
        open_view(self, self.menus, self.turns, opening)

    def connect_to(self, path: Path, *, take: bool = False) -> bool:
        """Watch a bench that runs.

        Args:
            take: whether to ask for its motion at once, for a run that was begun here and is ready.

        Returns:
            Whether it is shown; if not, it was not to be, or the status bar says why.
        """
        shown = self._session
        if take and isinstance(shown, LiveSession) and shown.shows(path):
            return shown.owns or self.send(shown.bench.toggle_ownership())
        if self._stays(path.name) if take else not self._may_leave("Benches that run …"):
            return False
        self.reading.give_up()
        try:
            client = DeskClient.connect(path, self._name)
        except DeskRefusedError as error:
            self.show_message(self.tr("Refused: {why}").format(why=str(error)))
            return False
        session = LiveSession(client, self.now_s, QGuiApplication.queryKeyboardModifiers)
        self._take_on(session)
        self.show_message(self.tr("Connected to {name}").format(name=session.facts.name))
        if take:
            self.send(session.bench.toggle_ownership())
        return True

    def replay(self, path: Path) -> None:
        """Show a recording as soon as a thread has looked through it.

        If it cannot be read, the status bar says why, and what is shown stays.
        """
        if not self._may_leave("Open a recording …"):
            return
        self._replay_agreed = self._session is not None and self._session.owns
        self.show_message(self.tr("Looking through {path}").format(path=path), for_good=True)
        self.reading.begin(path)

    def _replayed(self, feed: "FileFeed") -> None:
        if not self._replay_agreed and self._stays(feed.facts.name):
            return
        self.statusBar().clearMessage()
        self._take_on(ReplaySession(feed, self.now_s))

    def steer(self, run: "Steered") -> None:
        """Steer a run that was started here by the handles on the screen."""
        from hil.panel.lead.dock_controls import HandlesDock

        handles = self.views["handles"]
        if isinstance(handles, HandlesDock):
            handles.steer(run)
        self.docks.show("handles")

    def preview(self, preview: "Preview | str") -> None:
        """Show what a scenario will look like, or why that cannot be shown."""
        self.views["scene"].preview(preview)

    def _settle(self, *, anew: bool = False) -> None:
        self.docks.arrange(run=self._session is not None, anew=anew)

    def seek(self, t_s: float) -> None:
        """Show another time of a recording [s]; a bench that runs has none to choose from."""
        if isinstance(self._session, ReplaySession):
            self._session.feed.seek(t_s)

    def leave(self) -> None:
        """Leave what is shown; a bench's motion that is owned here stops, and is free."""
        if self._may_leave("Leave this run"):
            self._leave()

    def _may_leave(self, what: str) -> bool:
        return may_leave(self, self._session, what)

    def _stays(self, what: str) -> bool:
        return stays(self._session, what, lambda words: self.show_message(words, for_good=True))

    def _leave(self) -> None:
        self.reading.give_up()
        self._take_on(None)

    def _take_on(self, session: Session | None) -> None:
        self.strip.let_go()
        if self._session is not None:
            self._session.close()
        self._session = session
        self.turns.forget()
        self._take_due = None
        self._show_session()

    def _show_session(self) -> None:
        session = self._session
        self.strip.set_session(session)
        for view in self.views.made.values():
            view.set_session(session)
            self.appearance.colour(view)
        changed = self.docks.set_shown("replay", isinstance(session, ReplaySession))
        paged = session is not None and bool(pages_of(session.facts))
        self.docks.set_shown("page", paged)
        if paged and isinstance(session, LiveSession) and not has_controls(session.facts):
            self.docks.show("page")  # there is nothing else to lead it by
        QTimer.singleShot(0, self, lambda: self._settle(anew=changed))
        name = "" if session is None else session.facts.name
        self.setWindowTitle(
            self.tr("{name} - HIL bench").format(name=name) if name else self.tr("HIL bench")
        )

    def send(self, message: ClientMessage) -> bool:
        """Send a request to the bench; false if there is none or it is not taken.

        Who owns the motion gives signs of life without a gap, and making a view may take longer
        than the gap that is allowed: the motion is asked for when none is left to be made.
        """
        if isinstance(message, Take) and self._session is not None and not self.views.complete:
            self._take_due = message
            return True
        return self._session is not None and self._session.send(message)

    def next_id(self) -> int:
        """A number for the next question."""
        return 0 if self._session is None else self._session.next_id()

    def stop(self) -> None:
        """Stop all motion, no matter who owns it."""
        self.strip.let_go()
        if self._session is not None:
            self._session.stop()

    def show_message(self, words: str, *, for_good: bool = False) -> None:
        """Write words into the status bar, for a while or until others follow."""
        self.statusBar().showMessage(words, 0 if for_good else TOLD_MS)

    @property
    def main(self) -> QMainWindow:
        """Itself, as what holds widgets."""
        return self

    def show_losses(self, missed: int, left_out: Sequence[str]) -> None:
        """Show what can be done now, how many frames were not shown, and what is drawn seldom."""
        self.menus.refresh(self._session, missed, left_out)

    # --- how it looks ---------------------------------------------------------------------------

    @property
    def theme(self) -> Theme:
        """The colours it has now."""
        return self.appearance.theme

    def show_appearance(self) -> None:
        """Take on the colours and the size of text that were just chosen."""
        self.docks.write()
        self.messages.fit()
        self.strip.set_theme(self.theme)
        for view in self.views.made.values():
            self.appearance.colour(view)
        self.menus.show_appearance(self.appearance)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802 - Qt's name
        """Divide the room when its size is known, unless a layout was remembered."""
        super().showEvent(event)
        QTimer.singleShot(0, self._settle)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """A window that is minimised or not active lets go."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.WindowStateChange, QEvent.Type.ActivationChange):
            self.strip.let_go()

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802 - Qt's name
        """Ask before the motion is let go; remember the layout."""
        if not self._may_leave(QUIT):
            event.ignore()
            return
        self.shut()
        event.accept()

    def shut(self) -> None:
        """Remember the layout and leave everything; harmless when repeated."""
        if not self.turns.timer.isActive():
            return
        self.turns.timer.stop()
        self.docks.save()
        self._leave()
        self.reading.close()
        for view in self.views.made.values():
            view.close()
