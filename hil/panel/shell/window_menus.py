"""Menus, the status bar's standing words, and the small dialogs of the window."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QInputDialog,
    QLabel,
    QMenu,
    QMessageBox,
    QTextBrowser,
    QVBoxLayout,
)

from hil.desk.endpoints import Endpoint, PlaceError, benches
from hil.desk.unattended_runs import list_unattended_runs
from hil.panel.live.session import LiveSession, Session
from hil.panel.shell.dock_layout import DOCKS
from hil.panel.shell.shortcuts import ACTIONS, help_html
from hil.panel.shell.window_appearance import TEXT_PT, Appearance
from hil.panel.shell.window_bench_search import unattended_words
from hil.panel.shell.window_host import WindowHost

_THEMES: Final = {"system": "As the system", "light": "Light", "dark": "Dark"}


class Menus:
    """Menus of a window."""

    def __init__(self, window: WindowHost) -> None:
        self._window, self._main = window, window.main
        self._losses = QLabel()
        self._main.statusBar().addPermanentWidget(self._losses)
        self._themes: dict[str, QAction] = {}
        self._sizes: dict[int, QAction] = {}
        appearance = window.appearance
        self._larger = self._action("larger", lambda: appearance.resize_text(1), "Larger")
        self._smaller = self._action("smaller", lambda: appearance.resize_text(-1), "Smaller")
        self._take = self._action("", self._take_or_release, "Take the motion")
        self._leave = self._action("leave", window.leave, "Leave this run")
        self._release = self._action("", self._take_or_release, "Give the motion back")
        self._file(self._main.menuBar().addMenu("&File"))
        self._bench(self._main.menuBar().addMenu("&Bench"))
        self._view(self._main.menuBar().addMenu("&View"))
        self._help(self._main.menuBar().addMenu("&Help"))

    def _action(
        self, name: str, does: Callable[[], object], words: str, *, shown: bool = True
    ) -> QAction:
        """An action of the window with its key from the table of keys, if it has one there."""
        action = QAction(words, self._main)
        if name in ACTIONS:
            action.setShortcuts(list(ACTIONS[name].sequences))
        action.triggered.connect(lambda *_: does())
        if not shown:
            self._main.addAction(action)
        return action

    def _file(self, menu: QMenu) -> None:
        menu.addAction(self._action("open", self.open_recording, "Open a recording …"))
        menu.addAction(self._leave)
        menu.addSeparator()
        menu.addAction(self._action("quit", self._main.close, "Quit"))

    def _bench(self, menu: QMenu) -> None:
        menu.addAction(self._action("benches", self.choose_bench, "Benches that run …"))
        menu.addSeparator()
        menu.addAction(self._take)
        menu.addAction(self._release)

    def _view(self, menu: QMenu) -> None:
        for name, dock in self._window.docks.of.items():
            menu.addAction(dock.toggleViewAction())
            if name in ACTIONS:
                show = self._action(
                    name, lambda name=name: self._window.docks.show(name), DOCKS[name].title,
                    shown=False,
                )  # fmt: skip
                show.setObjectName(f"show.{name}")
        menu.addSeparator()
        menu.addAction(
            self._action("", self._window.docks.reset, "Put everything back in its place")
        )
        menu.addAction(self._action("full", self._full_screen, "Full screen"))
        menu.addAction(
            self._action("distance", lambda: self._window.distance.toggle(), "Distance mode")
        )
        self._text(menu.addMenu("Text size"))
        self._colours(menu.addMenu("Colours"))

    def _text(self, menu: QMenu) -> None:
        appearance, group = self._window.appearance, QActionGroup(self._main)
        for size_pt in TEXT_PT:
            action = self._action(
                "", lambda size_pt=size_pt: appearance.use_text(size_pt), f"{size_pt} pt"
            )
            action.setCheckable(True)
            group.addAction(action)
            self._sizes[size_pt] = action
        menu.addActions([self._larger, self._smaller])
        menu.addSeparator()
        menu.addActions(group.actions())

    def _colours(self, menu: QMenu) -> None:
        group = QActionGroup(self._main)
        for name in ("system", "light", "dark"):
            action = self._action(
                "", lambda name=name: self._window.appearance.use(name), _THEMES[name]
            )
            action.setCheckable(True)
            group.addAction(action)
            self._themes[name] = action
        menu.addActions(group.actions())
        menu.addSeparator()
        menu.addAction(self._action("theme", self._window.appearance.next, "Next colours"))

    def _help(self, menu: QMenu) -> None:
        menu.addAction(self._action("help", self.show_keys, "Keys"))
        menu.addAction(self._action("", self._about, "Ownership, hold-to-run and stop"))

    # --- as things stand ------------------------------------------------------------------------

    def refresh(self, session: Session | None, missed: int, left_out: Sequence[str]) -> None:
        """Show what can be done now, and what could not be shown."""
        live = session is not None and session.bench.may_take
        self._take.setEnabled(live)
        self._leave.setEnabled(session is not None)
        self._release.setEnabled(session is not None and session.owns)
        words: list[str] = []
        if missed:
            words.append(f"{missed} frames not shown")
        if left_out:
            words.append(
                "Drawn seldom, for want of time: {names}".format(names=", ".join(left_out))
            )
        shown = "  ".join(words)
        if shown != self._losses.text():
            self._losses.setText(shown)

    def show_appearance(self, appearance: Appearance) -> None:
        """Tick the colours and the size of text that were chosen."""
        self._themes[appearance.name].setChecked(True)
        self._sizes[appearance.text_pt].setChecked(True)
        self._larger.setEnabled(appearance.text_pt < TEXT_PT[-1])
        self._smaller.setEnabled(appearance.text_pt > TEXT_PT[0])

    # --- what they do ---------------------------------------------------------------------------

    def _take_or_release(self) -> None:
        session = self._window.session
        if session is not None:
            self._window.send(session.bench.toggle_ownership())

    def _full_screen(self) -> None:
        window = self._main
        window.showNormal() if window.isFullScreen() else window.showFullScreen()

    def open_recording(self) -> None:
        """Ask for a recording, and show it."""
        name, _ = QFileDialog.getOpenFileName(
            self._main, "Open a recording …", "", "Recordings (*.mcap)"
        )
        if name:
            self._window.replay(Path(name))

    def choose_bench(self) -> None:
        """Ask which of the benches that run is to be shown."""
        try:
            found, unled = benches(), list_unattended_runs()
        except PlaceError as error:
            self._window.show_message(str(error))
            return
        if not found:
            none = "No bench runs with --operator at present."
            self._window.show_message(unattended_words(unled) or none)
            return
        chosen = found[0] if len(found) == 1 else self._chosen(found)
        if chosen is not None and not self._shown(chosen):
            self._window.connect_to(chosen.path)

    def _shown(self, bench: Endpoint) -> bool:
        """Whether a bench is what the window shows, and still runs."""
        session = self._window.session
        if not isinstance(session, LiveSession) or not session.shows(bench.path):
            return False
        self._window.show_message(
            f"{session.facts.name} is shown already, and no other bench was chosen"
        )
        return True

    def _chosen(self, found: Sequence[Endpoint]) -> Endpoint | None:
        names = [f"{one.name} (process {one.pid})" for one in found]
        name, taken = QInputDialog.getItem(
            self._main, "Benches that run …", "Which bench?", names, 0, False
        )
        return found[names.index(name)] if taken else None

    def show_keys(self) -> None:
        """All keys in a window of their own."""
        dialog = QDialog(self._main)
        dialog.setWindowTitle("Keys")
        browser = QTextBrowser(dialog)
        browser.setHtml(help_html())
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(dialog.reject)
        layout = QVBoxLayout(dialog)
        layout.addWidget(browser)
        layout.addWidget(buttons)
        line = dialog.fontMetrics().height()
        dialog.resize(34 * line, 36 * line)
        dialog.show()

    def _about(self) -> None:
        QMessageBox.information(
            self._main,
            "Ownership, hold-to-run and stop",
            (
                "<p>One panel at a time <b>owns</b> the motion; the others watch. Any panel may "
                "stop.</p><p>The legs move only while the owner <b>holds</b> the space bar or the "
                "button. Let go, look at another window, or lose this one: the stop begins within "
                "0.2 s. After a stop nothing moves until Park is pressed.</p><p><b>Esc</b> or "
                "<b>F12</b> stops, wherever the focus is.</p><p>This stop is software. It does not "
                "take the place of the emergency stop that is wired to the power.</p>"
            ),
        )
