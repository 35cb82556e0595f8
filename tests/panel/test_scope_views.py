"""Scope, replay and comparison on real windows, driven by keys and clicks."""

import csv

import numpy as np
import pytest

pytest.importorskip("PySide6.QtWidgets")

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QImage, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from row_samples import ARM
from scope_samples import FORCE1, LEG1, LEG2, MODES, batch, event, facts, rows
from test_replay_models import write

from hil.panel.scope.models.export import ExportError
from hil.panel.scope.models.scope import ScopeModel
from hil.panel.scope.models.trigger import Sweep, TriggerPhase
from hil.panel.scope.view import ScopeView
from hil.panel.study.compare_view import CompareView
from hil.panel.study.models.compare_align import Align
from hil.panel.study.models.compared_run import ComparedRun
from hil.panel.study.models.replay import FileFeed
from hil.panel.study.replay_view import ReplayView
from hil.panel.widgets.theme import DARK, LIGHT
from hil.recording.events import EventKind

KEY = Qt.Key


@pytest.fixture(scope="module")
def app():
    return QApplication.instance() or QApplication([])


@pytest.fixture
def view(app):
    model = ScopeModel(facts())
    model.show(LEG1)
    made = ScopeView(model, LIGHT)
    shown(made)
    model.take(batch(rows(5000, **wave(0, 5000)), event(4.5)))
    made.refresh()
    yield made
    made.close()


def shown(widget, width=700, height=380):
    widget.resize(width, height)
    widget.show()
    for _ in range(100):
        QApplication.processEvents()
        if widget.isVisible():
            break
    return widget


def wave(start, count):
    t_s = np.arange(start, start + count) * 1e-3
    return {LEG1: 0.6 + 0.05 * np.sin(2.0 * t_s), FORCE1: 500.0}


def coloured(widget, colour: str) -> int:
    """How many pixels have about a colour."""
    QApplication.processEvents()
    image = widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB888)
    lines = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), -1)
    picture = lines[:, : 3 * image.width()].reshape(-1, 3).astype(int)
    wanted = np.array(list(bytes.fromhex(colour.removeprefix("#"))))
    return int((np.abs(picture - wanted).max(axis=1) < 40).sum())


def press(widget, key, modifier=Qt.KeyboardModifier.NoModifier):
    QTest.keyClick(widget, key, modifier)


def test_a_trace_is_drawn_in_its_colour_and_a_fault_as_a_line(view):
    assert coloured(view.plots, LIGHT.traces[0]) > 300
    assert coloured(view.plots, LIGHT.fault) > 100
    view.model.hide(LEG1)
    view.model.show(FORCE1)
    view.plots.draw()
    view.model.hide(FORCE1)
    view.signals.changed.emit()
    assert not view.plots.isVisible()


def test_dark_and_light(view):
    light = coloured(view.plots, LIGHT.base)
    view.set_theme(DARK)
    view.refresh()
    assert coloured(view.plots, LIGHT.base) < 0.2 * light
    assert coloured(view.plots, DARK.traces[0]) > 300


def test_nothing_is_drawn_again_that_did_not_change(view, monkeypatch):
    calls, real = [], view.model.lines
    monkeypatch.setattr(view.model, "lines", lambda *a: calls.append(a) or real(*a))
    press(view.plots, KEY.Key_P)
    calls.clear()
    for _ in range(5):
        view.refresh()
    assert calls == []
    press(view.plots, KEY.Key_Plus)
    assert len(calls) == 1
    calls.clear()
    view.hide()
    view.model.set_paused(False)
    view.refresh()
    assert calls == []


def test_pause_by_key_keeps_the_picture(view):
    press(view.plots, KEY.Key_P)
    assert view.model.paused
    assert view.tools.pause.isChecked()
    before = view.model.view().to_s
    view.model.take(batch(rows(1000, 5000, **wave(5000, 1000))))
    view.refresh()
    assert view.model.view().to_s == before
    assert "PAUSED" in view.tools.state.text()
    press(view.plots, KEY.Key_P)
    assert view.model.view().to_s == pytest.approx(5.999)


def test_zoom_and_move_by_keys_and_wheel(view):
    press(view.plots, KEY.Key_Plus)
    assert view.model.span_s == pytest.approx(10.0 / 1.5)
    press(view.plots, KEY.Key_Minus)
    assert view.model.span_s == pytest.approx(10.0)
    place = QPointF(300.0, 150.0)
    wheel = QWheelEvent(
        place, view.plots.viewport().mapToGlobal(place), QPoint(), QPoint(0, 120),
        Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase,
        False,
    )  # fmt: skip
    QApplication.sendEvent(view.plots.viewport(), wheel)
    assert view.model.span_s == pytest.approx(10.0 / 1.2)
    view.model.set_span(2.0)
    press(view.plots, KEY.Key_Left)
    assert view.model.paused
    assert view.model.view().to_s == pytest.approx(4.999 - 0.2)
    press(view.plots, KEY.Key_Home)
    assert view.model.view().from_s < 0.0
    press(view.plots, KEY.Key_End)
    assert view.model.view().to_s > 4.999


def test_cursors_by_keys_tell_the_values(view):
    press(view.plots, KEY.Key_C)
    assert view.model.paused
    before = view.model.cursors
    press(view.plots, KEY.Key_Right)
    assert view.model.cursors.a_s > before.a_s
    press(view.plots, KEY.Key_X)
    press(view.plots, KEY.Key_Left, Qt.KeyboardModifier.ShiftModifier)
    assert view.model.cursors.b_s < before.b_s
    (reading,) = view.model.readings(view.model.view())
    assert view.readout.table.item(1, 1).text() == f"{reading.a:.6g}"
    assert view.readout.table.item(1, 3).text() == f"{reading.difference:.6g}"
    press(view.plots, KEY.Key_C)
    assert view.model.cursors is None
    assert not view.readout.isVisible()


def test_signals_are_ticked_in_the_tree(view):
    press(view.plots, KEY.Key_S)
    assert view.signals.isVisible()
    view.signals.leaf(FORCE1).setCheckState(0, Qt.CheckState.Checked)
    assert [c.name for c in view.model.traces] == [LEG1, FORCE1]
    QTest.keyClicks(view.signals.search, "force leg2")
    assert view.signals.leaf(LEG2).isHidden()
    assert not view.signals.leaf("measured_force_leg2_n").isHidden()
    for name in [c.name for c in view.model.channels][14:33]:
        view.signals.leaf(name).setCheckState(0, Qt.CheckState.Checked)
    assert len(view.model.traces) == 16
    assert "16 traces" in view.tools.state.text()
    QApplication.processEvents()  # where the button is
    QTest.mouseClick(view.signals.none, Qt.MouseButton.LeftButton)
    assert view.model.traces == ()


def test_the_trigger_is_set_in_its_bar_and_armed_by_key(view):
    press(view.plots, KEY.Key_G)
    bar = view.trigger_bar
    assert bar.isVisible()
    bar.channel.setCurrentIndex(bar.channel.findData(LEG1))
    bar.level.setValue(0.62)
    bar.pre.setValue(25)
    press(view.plots, KEY.Key_T)
    assert view.model.trigger.sweep is Sweep.SINGLE
    assert (view.model.trigger.level, view.model.trigger.pre) == (0.62, 0.25)
    assert view.model.phase is TriggerPhase.ARMED
    view.model.set_span(1.0)
    for start in range(5000, 9000, 100):
        view.model.take(batch(rows(100, start, **wave(start, 100))))
        view.refresh()
    assert view.model.phase is TriggerPhase.HELD
    assert "held" in view.tools.state.text()
    edge_s = view.model.view().edge_s
    assert 0.6 + 0.05 * np.sin(2.0 * edge_s) == pytest.approx(0.62, abs=2e-4)


def test_what_is_seen_is_saved_and_nothing_overwritten(view, tmp_path):
    view.model.set_span(0.5)
    view.refresh()
    table, picture = view.save(tmp_path / "seen.csv")
    with table.open(newline="") as file:
        lines = list(csv.reader(file))
    assert lines[0] == ["t_s", LEG1]
    assert len(lines) == 1 + 501
    assert not QImage(str(picture)).isNull()
    again, other = view.save(tmp_path / "seen.csv")
    assert (again.name, other.name) == ("seen-2.csv", "seen-2.png")
    view.save_and_show(tmp_path / "nowhere" / "x.csv")
    assert "nowhere" in view.tools.state.text()
    view.model.hide(LEG1)
    with pytest.raises(ExportError):
        view.save(tmp_path / "seen.csv")


def test_another_run_takes_the_place(view):
    model = ScopeModel(facts(ARM, 0.016))
    model.show("space_q_joint1_rad")
    view.set_model(model)
    view.refresh()
    assert view.signals.leaf("space_q_joint1_rad").checkState(0) is Qt.CheckState.Checked


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    return write(tmp_path_factory.mktemp("run") / "recording.mcap")


def test_a_replay_is_led_by_keys(app, recording):
    now = [0.0]
    feed = FileFeed.open(recording, lambda: now[0])
    view = shown(ReplayView(feed, LIGHT), 600, 110)
    press(view, KEY.Key_End)
    assert feed.t_s == feed.span_s[1]
    assert view.slider.value() == view.slider.maximum()
    press(view, KEY.Key_Home)
    press(view, KEY.Key_Right)
    assert feed.t_s == pytest.approx(0.001)
    press(view, KEY.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert feed.t_s == pytest.approx(1.001)
    press(view, KEY.Key_B)
    assert feed.t_s == pytest.approx(0.4)
    assert "at 400" in view.at_event.text()
    press(view, KEY.Key_BracketRight)
    press(view, KEY.Key_Space)
    assert feed.rate == 2.0
    now[0] = 0.25
    feed.poll()
    assert feed.t_s == pytest.approx(0.9)
    view.rate.setCurrentIndex(0)
    assert feed.rate == 0.1
    press(view, KEY.Key_Space)
    assert feed.rate == 0.0
    view.slider.setValue(view.slider.maximum() // 2)
    assert feed.t_s == pytest.approx(0.5 * feed.span_s[1], abs=1e-4)
    assert f"{3} entries are missing" in view.note.text()
    view.close()


def test_without_a_recording_there_is_nothing_to_press(app):
    view = shown(ReplayView(None, LIGHT), 600, 110)
    press(view, KEY.Key_Space)
    assert not view.play.isEnabled()
    assert view.time.text() == "No recording open"
    view.close()


def compared(shift, offset):
    t_s = np.arange(4000) * 1e-3
    values = 0.6 + 0.05 * np.exp(-((t_s - 2.0 - shift) ** 2) / 0.02) + offset
    mode = np.where(t_s >= 1.0 + shift, MODES.index("ENGAGED"), 0)
    return ComparedRun(facts(), rows(4000, **{LEG1: values, "mode": mode}))


def settled(view):
    """Wait for what is done in the background; a thread ends by itself."""
    for _ in range(10):
        for work in (*view._reading, view._comparing):
            if work is not None:
                work.wait()
        view.refresh()
        if not view.busy:
            return
    raise AssertionError("always something new to do")


def test_two_runs_are_compared(app, recording, tmp_path):
    view = shown(CompareView(LIGHT), 900, 600)
    view.set_run(0, compared(0.0, 0.0))
    assert view.status_label.text() == "Open two recordings of one station to compare them"
    view.set_run(1, compared(0.25, 0.004))
    assert view.busy
    assert view.progress.isVisible()
    assert view.channel.currentData() == LEG1
    for align in (Align.ENGAGED, Align.CORRELATION):
        view.align.setCurrentIndex(view.align.findData(align))
        settled(view)
        assert view.shift_s == pytest.approx(-0.25, abs=1e-4)
    assert not view.progress.isVisible()
    found = {
        view.figures.item(row, 0).text(): float(view.figures.item(row, 4).text())
        for row in range(view.figures.rowCount())
    }
    assert found[LEG1] == pytest.approx(0.004, abs=1e-5)
    assert coloured(view.plots, LIGHT.traces[1]) > 100
    assert "Rigs, scenarios and limits are the same" in view.status_label.text()
    view.open_file(1, recording)
    assert f"Reading {recording.name}…" in view.status_label.text()
    settled(view)
    assert view.settings.rowCount() > 0
    view.open_file(1, tmp_path / "none.mcap")
    settled(view)
    assert "none.mcap" in view.status_label.text()
    view.set_run(1, ComparedRun(facts(ARM), np.zeros((3, ARM.values))))
    assert (
        "one is of the {first}, the other of the {second}".format(first="platform", second="arm")
        in view.status_label.text()
    )
    view.close()


def test_a_comparison_can_be_given_up(app, recording):
    view = shown(CompareView(LIGHT), 900, 600)
    view.set_run(0, compared(0.0, 0.0))
    view.open_file(1, recording)
    work = view._reading[1]
    QTest.mouseClick(view.cancel, Qt.MouseButton.LeftButton)
    assert view.status_label.text() == "Given up; open a run or choose a signal to go on"
    assert not view.cancel.isVisible()
    work.wait()
    view.refresh()
    assert view._runs[1] is None
    view.close()


def test_words_of_marks_do_not_lie_over_each_other_and_the_rest_tell_at_the_mouse(app):
    model = ScopeModel(facts())
    model.show(LEG1)
    view = shown(ScopeView(model, LIGHT), 900, 400)
    changes = [
        (3.0, "STOP -> HOLD"), (3.1, "HOLD -> PARKING"), (3.2, "PARKING -> STANDBY"),
        (4.8, "STANDBY -> IDLE"),
    ]  # fmt: skip
    marks = [event(t_s, EventKind.MODE, message) for t_s, message in changes]
    model.take(batch(rows(5000, **wave(0, 5000)), *marks))
    view.refresh()
    QApplication.processEvents()
    words = [one for one in view.plots.labels.items if one.isVisible()]
    assert [one.toPlainText() for one in words] == ["IDLE", "STANDBY"]
    places = sorted((one.sceneBoundingRect() for one in words), key=lambda rect: rect.left())
    assert places[0].right() <= places[1].left()
    box = view.plots._plots[0].item.getViewBox()
    at = box.mapViewToScene(QPointF(3.1 - model.view().origin_s, 0.6))
    assert "HOLD -> PARKING" in view.plots.words_at(view.plots.mapFromScene(at))
    assert view.plots.words_at(QPoint(int(box.width()) // 5, 100)) == ""
    view.close()
