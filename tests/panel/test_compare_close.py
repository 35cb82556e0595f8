"""A comparison that goes on while the window closes: nothing of it outlives the window."""

from threading import Event

import pytest

pytest.importorskip("PySide6.QtWidgets")

from test_compare_models import run

from hil.panel.study import compare_view
from hil.panel.study.dock_replay import CompareDock
from hil.panel.widgets.theme import LIGHT
from hil.recording.header import RecordingError


class Endless:
    """Work in the background that goes on until it is given up."""

    def __init__(self):
        self.begun, self.ended = Event(), Event()

    def __call__(self, *given):
        watch = given[-1]
        self.begun.set()
        try:
            while True:
                watch.at(0.5)
                self.ended.wait(0.002)
        finally:
            self.ended.set()


@pytest.mark.parametrize("what", ["read_run", "compare"])
def test_closing_ends_what_is_read_or_compared(app, monkeypatch, tmp_path, what):
    work = Endless()
    monkeypatch.setattr(compare_view, what, work)
    dock = CompareDock(LIGHT)
    if what == "read_run":
        dock.widget.open_file(0, tmp_path)
    else:
        for which in (0, 1):
            dock.widget.set_run(which, run())
    assert work.begun.wait(10.0)
    assert dock.widget.busy
    dock.close()
    assert work.ended.is_set()
    assert not dock.widget.busy
    dock.widget.refresh()
    dock.close()
    dock.widget.deleteLater()


@pytest.mark.parametrize("why", [RecordingError("it changed"), OSError(28, "No space left")])
@pytest.mark.parametrize("what", ["read_run", "compare"])
def test_what_cannot_be_read_any_more_is_told(app, monkeypatch, tmp_path, what, why):
    def refuse(*given):
        raise why

    monkeypatch.setattr(compare_view, what, refuse)
    view = compare_view.CompareView(LIGHT)
    if what == "read_run":
        view.open_file(0, tmp_path)
        view._reading[0].wait()
    else:
        for which in (0, 1):
            view.set_run(which, run())
        view._comparing.wait()
    view.refresh()
    assert view.status_label.text() == f"Cannot be compared: {why}"
    assert not view.busy
    view.deleteLater()
