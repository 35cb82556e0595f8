"""The panel's process: one application, one window."""

import gc
import getpass
import os
import signal
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Final

from PySide6.QtCore import QObject, QSettings, QTimer
from PySide6.QtWidgets import QApplication

from hil.panel.shell.models.start_view import StartView
from hil.panel.shell.window import MainWindow
from hil.timing.realtime import RealClock

FIRST_PAINT_MS: Final = 50
"""The empty window is painted before what it opens is loaded [ms]."""
COLLECT_EVERY_MS: Final = 100
"""Time between two collections; what is made meanwhile is collected within a few milliseconds."""


def stored_settings() -> QSettings:
    """Settings with the remembered layout and colours: a file in the user's folder of settings.

    A file that cannot be read is taken for an empty one.
    """
    form, scope = QSettings.Format.IniFormat, QSettings.Scope.UserScope
    return QSettings(form, scope, "hil-bench", "panel")


def client_name() -> str:
    """Under which name others see this panel."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):
        user = str(os.geteuid())
    return f"{user[:40]} (panel {os.getpid()})"


def run_panel(opening: StartView) -> int:
    """Open the window and stay until it is closed.

    Returns:
        The process's exit status.
    """
    app = QApplication.instance()
    if not isinstance(app, QApplication):
        app = QApplication(["hil panel"])
    app.setApplicationName("hil-bench panel")
    app.setDesktopFileName("hil-bench-panel")
    window = MainWindow(stored_settings(), RealClock().now_s, client_name())
    _watch_faults(window)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: app.exit(0))
    window.show()
    QTimer.singleShot(FIRST_PAINT_MS, lambda: window.open(opening))
    try:
        with collect_garbage_here(window):
            return app.exec()
    finally:
        window.shut()
        sys.excepthook = sys.__excepthook__


@contextmanager
def collect_garbage_here(owner: QObject) -> Iterator[None]:
    """Collect garbage in this thread and no other, young objects only, as long as it lasts.

    Python collects cycles in whatever thread happens to make an object. A recording that is looked
    through in a thread of its own would then end wrappers of dead widgets, and with them the
    process.

    Old ones are left to `gc.collect` at a moment when nobody minds a tenth of a second: whoever
    holds a motion gives signs of life without a gap.

    Args:
        owner: in whose thread it is done; it must have an event loop.
    """
    young, middle, _ = gc.get_threshold()

    def poll() -> None:
        made, collected, _ = gc.get_count()
        if collected > middle:
            gc.collect(1)
        elif made > young:
            gc.collect(0)

    gc.disable()
    timer = QTimer(owner)
    timer.timeout.connect(poll)
    timer.start(COLLECT_EVERY_MS)
    try:
        yield
    finally:
        timer.stop()
        gc.enable()


def _watch_faults(window: MainWindow) -> None:
    """A fault that reaches nobody stops the motion that is owned here; a new one is printed.

    One that lasts comes back in every turn.
    """
    printed = ""

    def report_fault(
        kind: type[BaseException], fault: BaseException, at: TracebackType | None
    ) -> None:
        nonlocal printed
        if (words := f"{kind.__name__}: {fault}") != printed:
            traceback.print_exception(kind, fault, at)
            printed = words
        window.fail(fault)

    sys.excepthook = report_fault
