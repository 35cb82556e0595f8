"""A station's own page: what its widgets show of a row, and what a press asks of the desk."""

import math
from dataclasses import replace
from types import SimpleNamespace

import pytest
from feed_samples import batch
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QCheckBox, QLabel, QPushButton, QSlider
from view_samples import application, colours, gone, pump, shown

from hil.desk import messages as m
from hil.desk.operation import DONE, Operation, Refusal
from hil.panel.live import dock_page
from hil.panel.live.dock_page import PageDock
from hil.panel.live.models.feed import RunFacts
from hil.panel.live.models.page import PageModel
from hil.panel.live.page_view import BarLine, PageView
from hil.panel.live.session import Turn
from hil.panel.widgets.theme import DARK, LIGHT
from hil.recording.header import RunHeader
from hil.recording.signals import CODE, Signal, Signals
from hil.run.pages import (
    Page,
    PageBar,
    PageButton,
    PageFlag,
    PageLamp,
    PageNumber,
    PageSlider,
    PageSwitch,
    PageTable,
    PageText,
    Shape,
)

SIGNALS = Signals(
    "pump",
    (
        Signal("index", "u8"),
        Signal("t_s", "f8", unit="s"),
        Signal("flow", "u1", unit=CODE, codes=("STILL", "RUNS_DRY")),
        Signal("flags", "u2", unit="bits"),
        Signal("why", "u1", unit=CODE, codes=("NONE", "NO_WATER")),
        Signal("head_m", "f8", 2, "m", parts=("in", "out")),
    ),
)
FACTS = RunFacts(RunHeader(SIGNALS), 0.01, "a pump")
PAGE = Page(
    title="Pump",
    asks={"kind": "pump"},
    widgets=(
        PageLamp(
            label="Flow", signal="flow", states={"RUNS_DRY": ("fault", Shape.FAULT)}, why="why",
            reasons={"NO_WATER": "no water comes"},
        ),
        PageBar(label="Head", bars=(("in", "head_in_m"), ("out", "head_out_m")), low=-2.0,
                high=2.0, unit="m"),
        PageNumber(label="Outlet", column="head_out_m", unit="m", digits=1),
        PageTable(label="All", rows=(PageNumber(label="inlet", column="head_in_m"),)),
        PageText(words="Words that stay"),
        PageButton(label="Rinse", asks={"rinse": True}),
        PageSwitch(label="Closed", key="closed"),
        PageSlider(label="Speed", key="speed", low=0.0, high=2.0, step=0.05, value=1.0),
    ),
)  # fmt: skip


@pytest.fixture
def model():
    numbers = iter(range(1, 100))
    return PageModel(FACTS, PAGE, lambda: next(numbers))


@pytest.fixture
def view(model):
    application()
    made = shown(PageView(model, LIGHT), 420, 480)
    yield made
    gone(made)


def feed(view, **values):
    view._model.take(batch(FACTS, **values))
    view.refresh()
    pump()


def texts(view):
    return [one.text() for one in view.findChildren(QLabel)]


def test_before_the_first_row_nothing_is_said_to_be_known(view):
    assert any("not known" in one for one in texts(view))
    assert "- m" in texts(view)


def test_a_lamp_has_name_colour_sign_and_reason_of_its_state(view):
    feed(view, flow=1, why=1, head_m=(0.5, -1.5))
    lamp = next(one for one in texts(view) if one.startswith("Flow"))
    assert "runs dry" in lamp
    assert lamp.endswith(": no water comes")
    assert LIGHT.fault in lamp
    assert "▲" in lamp
    view.set_theme(DARK)
    assert any(DARK.fault in one for one in texts(view))
    feed(view, flow=0, why=0, head_m=(0.5, -1.5))
    lamp = next(one for one in texts(view) if one.startswith("Flow"))
    assert "still" in lamp
    assert LIGHT.fault not in lamp


def test_numbers_have_their_digits_and_unit(view):
    feed(view, head_m=(0.25, -1.5))
    assert {"-1.5 m", "0.25", "Words that stay"} <= set(texts(view))


@pytest.mark.parametrize(("value", "role"), [(1.0, "accent"), (-1.0, "accent"), (3.0, "warn")])
def test_a_bar_is_as_long_as_its_number_and_warns_beyond_its_scale(view, value, role):
    line = view.findChildren(BarLine)[0]
    feed(view, head_m=(0.0, 0.0))
    empty = colours(line).get(getattr(LIGHT, role), 0)
    feed(view, head_m=(value, 0.0))
    one = colours(line).get(getattr(LIGHT, role), 0) - empty
    assert one > 50
    feed(view, head_m=(value / 2.0 if abs(value) < 2.0 else value, 0.0))
    half = colours(line).get(getattr(LIGHT, role), 0) - empty
    assert half / one == pytest.approx(0.5 if abs(value) < 2.0 else 1.0, abs=0.05)


def test_presses_ask_for_one_table_that_keeps_what_was_asked_before(view):
    asked = []
    view.requested.connect(asked.append)
    QTest.mouseClick(view.findChildren(QPushButton)[0], Qt.MouseButton.LeftButton)
    view.findChildren(QCheckBox)[0].click()
    slider = view.findChildren(QSlider)[0]
    slider.setFocus()
    QTest.keyClick(slider, Qt.Key.Key_Right)
    first = {"kind": "pump", "closed": False, "speed": 1.0, "rinse": True}
    assert [one.table for one in asked] == [
        first, first | {"closed": True}, first | {"closed": True, "speed": 1.05},
    ]  # fmt: skip
    assert all(isinstance(one, m.Motion) for one in asked)
    assert [one.id for one in asked] == [1, 2, 3]


def test_what_the_desk_refuses_is_said_and_goes_back_to_what_is_granted(view, model):
    box = view.findChildren(QCheckBox)[0]
    box.click()
    assert not model.take_message(m.NewMotion(serial=4, table={"kind": "pump", "closed": True}))
    assert not model.take_message(m.Answer(id=1, ok=True))
    box.click()
    assert model.take_message(m.Answer(id=2, ok=False, error="the valve is stuck"))
    view.put_back()
    view.refresh()
    assert box.isChecked()
    assert "Nothing done. the valve is stuck" in texts(view)
    assert not model.take_message(m.Answer(id=77, ok=False, error="of somebody else"))
    assert model.said == "the valve is stuck"


def test_what_control_does_not_take_goes_back_too(view, model):
    slider = view.findChildren(QSlider)[0]
    for serial, key in enumerate((Qt.Key.Key_Right, Qt.Key.Key_PageUp), 1):
        slider.setFocus()
        QTest.keyClick(slider, key)
        assert not model.take_message(m.NewMotion(serial=serial, table=model.wanted))
        assert not model.take_message(m.Answer(id=serial, ok=True))
    assert model.wanted["speed"] > 1.1
    assert not model.refused(Refusal("of one before", serial=1))
    assert not model.refused(Refusal("of a press", "home"))
    jump = Refusal("flow jumps by 3", serial=2)
    assert model.refused(jump)
    assert not model.refused(jump)  # control tells it again and again
    view.put_back()
    view.refresh()
    assert (model.wanted["speed"], slider.value()) == (1.05, 21)
    assert "Nothing done. flow jumps by 3" in texts(view)


def test_who_owns_the_motion_next_goes_on_from_what_was_granted_to_others(view, model):
    other = {"kind": "pump", "closed": True, "speed": 0.5, "presses": {"start": 2}}
    assert not model.take_message(
        m.NewMotion(serial=1, table={"kind": "multi_sine", "closed": True})
    )
    assert model.take_message(m.NewMotion(serial=2, table=other))
    view.put_back()
    assert view.findChildren(QCheckBox)[0].isChecked()
    assert view.findChildren(QSlider)[0].value() == 10
    assert model.press(PageButton(label="Start", counts="presses.start")).table == {
        **other, "presses": {"start": 3},
    }  # fmt: skip


def test_the_dock_takes_what_the_desk_and_control_say_to_its_widgets(monkeypatch):
    application()
    monkeypatch.setattr(dock_page, "pages_of", lambda facts: (PAGE,))
    session = SimpleNamespace(facts=FACTS, next_id=lambda: 1, send=lambda message: True, owns=False)
    dock = PageDock(LIGHT)
    dock.set_session(session)

    def turn(*messages, refused=DONE):
        told = replace(batch(FACTS), operation=Operation(refused=refused))
        dock.take(Turn(told, messages))
        return dock.view.findChildren(QSlider)[0].value()

    assert turn() == 20
    assert turn(m.NewMotion(serial=1, table={"kind": "pump", "speed": 0.5})) == 10
    assert turn(m.NewMotion(serial=2, table={"kind": "pump", "speed": 2.0})) == 40
    assert turn(refused=Refusal("flow jumps", serial=2)) == 10
    assert not any(one.isEnabled() for one in dock.view.findChildren(QSlider))
    session.owns = True
    assert turn(refused=Refusal("flow jumps", serial=2)) == 10
    assert all(one.isEnabled() for one in dock.view.findChildren(QSlider))
    gone(dock.view)


def test_only_who_owns_the_motion_can_ask(view):
    asks = [*view.findChildren(QPushButton), *view.findChildren(QCheckBox)]
    view.set_owner(False)
    assert not any(one.isEnabled() for one in asks)
    view.set_owner(True)
    assert all(one.isEnabled() for one in asks)


def test_a_signal_that_is_not_there_is_not_known(model):
    model.take(batch(FACTS, head_m=(math.nan, 1.0)))
    assert math.isnan(model.value("head_in_m"))
    assert math.isnan(model.value("no_such_column"))


def test_a_button_that_counts_asks_for_one_more_each_time_and_a_flag_has_words():
    page = Page(
        title="Law", asks={"kind": "law"},
        widgets=(
            PageButton(label="Start", counts="presses.start"),
            PageFlag(label="Dry", column="head_in_m", on="runs dry", off="wet"),
        ),
    )  # fmt: skip
    numbers = iter(range(1, 100))
    application()
    made = shown(PageView(PageModel(FACTS, page, lambda: next(numbers)), LIGHT), 300, 200)
    asked = []
    made.requested.connect(asked.append)
    made.set_owner(True)
    (button,) = made.findChildren(QPushButton)
    for _ in range(3):
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert [one.table for one in asked] == [
        {"kind": "law", "presses": {"start": count}} for count in (1, 2, 3)
    ]
    assert "Dry: ● -" in texts(made)
    feed(made, head_m=[1.0, 0.0])
    assert "Dry: ▶ runs dry" in texts(made)
    feed(made, head_m=[0.0, 0.0])
    assert "Dry: ● wet" in texts(made)
    gone(made)
