"""Garbage of widgets ends in the thread of the windows, whoever made it necessary."""

import gc
import threading

import pytest

pytest.importorskip("PySide6.QtWidgets")

from PySide6.QtCore import QObject

from hil.panel.shell import app as panel_app
from hil.panel.shell.app import collect_garbage_here


class Cycle:
    """Garbage as soon as nobody knows it; notes in which thread it ends."""

    def __init__(self, ended):
        self.itself, self.ended = self, ended

    def __del__(self):
        self.ended.append(threading.get_ident())


def make_much(ended):
    """Objects enough for several collections, and a cycle that is garbage at once."""
    Cycle(ended)
    for _ in range(20):
        [[] for _ in range(2000)]


def in_a_thread(ended):
    thread = threading.Thread(target=make_much, args=(ended,))
    thread.start()
    thread.join()


@pytest.fixture
def automatic(monkeypatch):
    """Python's own collection, which other tests of windows do without; and quick looks."""
    monkeypatch.setattr(panel_app, "COLLECT_EVERY_MS", 1)
    gc.collect()
    gc.enable()
    yield
    gc.disable()


def test_cycles_end_in_the_thread_of_the_windows(app, pump, automatic):
    owner, ended = QObject(), []
    with collect_garbage_here(owner):
        in_a_thread(ended)
        assert ended == []
        kept = [[] for _ in range(2000)]
        pump(lambda: ended)
        assert ended == [threading.get_ident()]
        del kept
    assert gc.isenabled()


def test_positive_control_they_end_where_objects_are_made(app, automatic):
    ended = []
    in_a_thread(ended)
    assert len(ended) == 1
    assert ended != [threading.get_ident()]


def test_old_ones_are_left_alone(app, pump, automatic):
    """A full collection takes a tenth of a second, and signs of life come more often."""
    kept, owner = [], QObject()
    gc.collect()
    seen = []
    gc.callbacks.append(lambda phase, info: seen.append(info["generation"]))
    try:
        with collect_garbage_here(owner):
            for _ in range(30):
                kept.extend([] for _ in range(2000))
                count = len(seen)
                pump(lambda: len(seen) > count)  # noqa: B023
    finally:
        gc.callbacks.pop()
    assert set(seen) == {0, 1}
