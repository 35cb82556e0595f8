"""One application for all tests of windows, and how they wait: on events, never for a time."""

import gc
import os
import sys

import pytest

from hil.timing.realtime import RealClock

if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

TURNS_MAX = 20_000
PATIENCE_S = 10.0
"""Qt moves docks in a time of its own, however many rounds a machine makes in it."""
HERE = os.path.dirname(__file__)


def pytest_itemcollected(item):
    """One worker has all of them: windows on one screen take the keyboard from each other.

    Those in real time run one at a time anyway.
    """
    if str(item.path).startswith(HERE) and item.get_closest_marker("real_time") is None:
        item.add_marker(pytest.mark.xdist_group("panel"), append=False)


@pytest.fixture(scope="session")
def app():
    """The application of the whole session; Qt allows one in a process."""
    widgets = pytest.importorskip("PySide6.QtWidgets")
    return widgets.QApplication.instance() or widgets.QApplication([])


@pytest.fixture(autouse=True, scope="module")
def collect_garbage_here():
    """Cycles of widgets are collected in the thread that runs the tests, as in the panel's own."""
    gc.disable()
    yield
    gc.collect()
    gc.enable()


@pytest.fixture(autouse=True)
def deleted():
    """Widgets that a test deleted are gone after it; without an event loop Qt keeps them all.

    Every one that stays is polished again with each change of colours, and hears each event. What
    the test before has left is collected, which is all that is young: plots of it are 70 MB.
    """
    gc.collect(0)
    yield
    core = sys.modules.get("PySide6.QtCore")
    if core is not None and core.QCoreApplication.instance() is not None:
        core.QCoreApplication.sendPostedEvents(None, core.QEvent.Type.DeferredDelete.value)


@pytest.fixture
def pump(app):
    """Let Qt work until a condition holds; give up after many rounds and a while."""

    def until(condition):
        clock, rounds = RealClock(), 0
        end_s = clock.now_s() + PATIENCE_S
        while rounds < TURNS_MAX or clock.now_s() < end_s:
            app.processEvents()
            if condition():
                return
            rounds += 1
        raise AssertionError("not within the rounds allowed")

    return until


@pytest.fixture
def still_window(app, tmp_path):
    """A window that turns when its test says so, in the time that its test says (`passed_s`)."""
    from PySide6.QtCore import QSettings

    from hil.panel.shell.window import MainWindow

    settings = QSettings(str(tmp_path / "panel.ini"), QSettings.Format.IniFormat)
    made = MainWindow(settings, lambda: made.passed_s, "panel")
    made.passed_s = 0.0
    made.turns.timer.setInterval(1_000_000)
    made.show()
    yield made
    made.shut()
    app.processEvents()  # what it had in mind to do next
    made.deleteLater()
