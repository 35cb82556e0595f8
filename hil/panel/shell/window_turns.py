"""The window's turn, thirty a second: a sign of life, news, pictures; and views, one by one.

A turn gives the sign of life first, then takes what came, then draws what there is time for, and
paints it at once: else Qt would paint between the turns, where nobody knows what took so long.
Views are made in every second turn at first; between them what is there is painted. A run that is
about to be shown comes before the views that it can be shown without.
"""

from __future__ import annotations

import gc
from collections import deque
from typing import Final

from PySide6.QtCore import QCoreApplication, QEvent, Qt, QTimer
from PySide6.QtWidgets import QGraphicsView, QWidget

from hil.desk.messages import Answer
from hil.desk.order import DEAD_MAN_S
from hil.panel.live.dock_views import View
from hil.panel.live.session import Session, Turn
from hil.panel.shell.dock_layout import DOCKS, NOTHING_VISIBLE
from hil.panel.shell.docks import LazyViews, makers_of
from hil.panel.shell.models.pace import ViewScheduler
from hil.panel.shell.window_bench_search import BenchSearch
from hil.panel.shell.window_host import WindowHost

TURN_MS: Final = 33
DRAWING_S: Final = 0.028
"""Time of a turn [s] for drawing and painting; the rest is for the sign of life, and for Qt."""
PAINT_TURNS: Final = 2
"""Turns in which a run that was just opened is drawn and painted before the next view is made."""
READING_S: Final = 1.5
"""Longest time that views wait for a recording being opened [s]; a long one takes longer."""
ANSWERS_KEPT: Final = 50


class Turns:
    """The turns of a window, and its views."""

    def __init__(self, window: WindowHost) -> None:
        self._window = window
        self._pace = ViewScheduler(DRAWING_S, 1e-3 * TURN_MS, window.now_s)
        self._missed = 0
        self._shown: list[Turn] = []
        """By this run so far, for the views that are still to be made."""
        self._paint_turns = 0
        """Left until the next view is made."""
        self.answers: deque[Answer] = deque(maxlen=ANSWERS_KEPT)
        """Answers of the desk to the latest requests."""
        self.views = LazyViews(makers_of(window), self._place)
        """By the names of their docks; they are made in the first turns, or when asked for."""
        self.waiting = BenchSearch(window)
        """For benches that begin later."""
        self.timer = QTimer(window.main)
        self.timer.setTimerType(Qt.TimerType.PreciseTimer)
        self.timer.timeout.connect(self.turn)

    def begin(self) -> None:
        """Turn from now on."""
        self.timer.start(TURN_MS)

    def forget(self) -> None:
        """Forget the reports of the last run: another one is shown."""
        self._missed = 0
        self._shown.clear()
        if self.views.complete:
            gc.collect()  # nothing is owned now; see `hil.panel.shell.app.collect_garbage_here`
        self._paint_turns = PAINT_TURNS

    def turn(self) -> None:
        """One turn; a fault in it lets go of the motion, as pictures that may be wrong steer it."""
        try:
            self._turn()
        except Exception as error:
            self._window.fail(error)
            raise

    def _turn(self) -> None:
        window = self._window
        self._pace.begin()
        if window.session is not None:
            self._update_session(window.session)
        for view in self.views.made.values():
            view.tick()
        self._draw()
        window.reading.poll()
        self.waiting.poll()
        if not self.views.complete:
            self._make_one()

    def _update_session(self, session: Session) -> None:
        before = session.ended
        if session.owns and session.bench.held and self._pace.gap_s > DEAD_MAN_S:
            silent_ms = round(1e3 * self._pace.gap_s)
            self._window.show_message(
                f"This panel was busy for {silent_ms} ms: its sign of life was late, "
                "and hold-to-run was let go. Let go of it and press it anew; a smaller "
                "window or fewer parts draw faster."
            )
        turn = session.turn()
        self.take_turn(turn)
        if turn.news:
            self._window.strip.let_go()
            self._window.show_message(turn.news, for_good=True)
        if session.ended and not before:
            for view in self.views.made.values():
                self._window.appearance.colour(view)
            self._window.show_message(
                (
                    f"{session.facts.name} has ended; its pictures stay. Open its recording "
                    "(Ctrl+O) to look closer, choose another bench (Ctrl+B), or run it "
                    "again from Scenarios (Ctrl+5)."
                ),
                for_good=True,
            )

    def take_turn(self, turn: Turn) -> None:
        """Let the views learn what came."""
        self._missed += turn.batch.missed
        for message in turn.messages:
            if isinstance(message, Answer):
                self.answers.append(message)
        for view in self.views.made.values():
            view.take(turn)
        if turn.batch.restart:
            self._shown.clear()
        if not self.views.complete:
            self._shown.append(turn)

    def _draw(self) -> None:
        window = self._window
        window.strip.refresh()
        window.distance.refresh()
        seldom = self._pace.turn(
            {
                name: lambda view=view: _drawn(view)
                for name, view in self.views.made.items()
                if window.docks.visible(name)
            }
        )
        titles = [DOCKS[name].title for name in seldom]
        window.show_losses(self._missed, titles)

    def _make_one(self) -> None:
        """Make a view in every second turn; between them what is there is painted."""
        if self._paint_turns:
            self._paint_turns -= 1
        elif not self.views.made or self._window.reading.elapsed_s >= READING_S:
            self.views.make_next()
            self._paint_turns = 1
        if self.views.complete:
            self._shown.clear()
            self._window.completed()

    def _place(self, name: str, view: View) -> None:
        """Put a view that was just made into its dock, and give it what it has missed."""
        if belongs := DOCKS[name].belongs:
            view.say(NOTHING_VISIBLE.format(belongs=belongs))
        view.set_session(self._window.session)
        self._window.appearance.colour(view)
        for turn in self._shown:
            view.take(turn)
        self._window.docks.fill(name, view.widget)
        QTimer.singleShot(0, self._window.docks.tidy)


def _drawn(view: View) -> None:
    """Draw a view and paint it, so that its whole cost is known."""
    view.refresh()
    paint(view.widget, in_scenes=view.in_scenes)


def paint(widget: QWidget, *, in_scenes: bool) -> None:
    """Paint now whatever of a widget has changed; nothing else is done that waits to be done.

    Args:
        in_scenes: whether to look for scenes in it.
    """
    send = QCoreApplication.sendPostedEvents
    for picture in widget.findChildren(QGraphicsView) if in_scenes else ():
        send(picture.scene(), QEvent.Type.MetaCall.value)  # tells the widget what has changed
    send(widget.window(), QEvent.Type.UpdateRequest.value)
