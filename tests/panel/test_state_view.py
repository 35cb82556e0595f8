"""The strip with lamps, buttons, hold-to-run and stop, driven by keys and mouse."""

from itertools import count

import pytest
from feed_samples import arm_facts, batch, mode, platform_facts
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QLineEdit, QTableWidget, QVBoxLayout, QWidget
from view_samples import application, colours, gone, pump, shown

from hil.desk import messages as m
from hil.desk.operation import Operation, Refusal
from hil.desk.order import Button
from hil.desk.run_end import EndCause, EndStep, RunEnd
from hil.panel.lead.state_keys import BUTTON_KEYS, SHORTCUTS
from hil.panel.lead.state_view import ORDER, StateView
from hil.panel.live.models.bench import BenchModel
from hil.panel.live.models.bench_alarm import BUTTONS
from hil.panel.live.models.bench_link import Source
from hil.panel.widgets.theme import DARK, LIGHT
from hil.stations.platform.cycle.journal import violation_data
from safety.modes import Severity
from safety.verdict import Action, Check, Violation

HOLDING = list(Action).index(Action.HOLDING)
OWN = m.State(owner="desk", you_own=True, clients=("desk",), bench=True)
OTHERS = m.State(owner="other", you_own=False, clients=("desk", "other"), bench=True)
MOUSE = Qt.MouseButton.LeftButton
SPACE = Qt.Key.Key_Space


class Desk:
    """A window with the strip, a table that eats keys and a field to write in."""

    def __init__(self, in_mode="STANDBY", said=OWN, source=Source.LIVE, facts=None):
        application()
        self.facts = facts or platform_facts()
        self.model = BenchModel(self.facts, source, count(1).__next__)
        if said is not None:
            self.model.take_message(said)
        self.window = QWidget()
        self.view = StateView(self.model, LIGHT)
        self.table, self.field = QTableWidget(3, 3), QLineEdit()
        layout = QVBoxLayout(self.window)
        for widget in (self.view, self.table, self.field):
            layout.addWidget(widget)
        self.asked = []
        self.view.asked.connect(self.asked.append)
        if self.facts.station == "platform":
            self.be_in(in_mode)
        shown(self.window, 1366, 400)
        self.refresh()
        self.table.setFocus()

    def be_in(self, name, operation=None, **fields):
        fields = {"action": HOLDING} | fields
        self.model.take(
            batch(self.facts, operation=operation, mode=mode(self.facts, name), **fields), 10.0
        )

    def refresh(self, now_s=10.1):
        self.view.refresh(now_s)
        pump()

    def key(self, kind, key=SPACE, repeat=False, to=None):
        event = QKeyEvent(kind, key, Qt.KeyboardModifier.NoModifier, " ", repeat)
        QApplication.sendEvent(to or self.table, event)

    def close(self):
        gone(self.window)


@pytest.fixture
def desks():
    made = []

    def make(*args, **kwargs):
        made.append(Desk(*args, **kwargs))
        return made[-1]

    yield make
    for desk in made:
        desk.close()


DOWN, UP = QEvent.Type.KeyPress, QEvent.Type.KeyRelease


# --- stop --------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", [Qt.Key.Key_Escape, Qt.Key.Key_F12])
@pytest.mark.parametrize("said", [OWN, OTHERS, None])
def test_stop_goes_out_by_key_from_anywhere_for_anyone(desks, key, said):
    desk = desks(said=said)
    for widget in (desk.table, desk.field, desk.view):
        desk.asked.clear()
        QTest.keyClick(widget, key)
        assert [type(one) for one in desk.asked] == [m.Stop]


@pytest.mark.parametrize("in_mode", ["OFF", "ENGAGED", "FAULT"])
def test_stop_goes_out_by_mouse_when_it_is_pressed_not_when_it_is_let_go(desks, in_mode):
    desk = desks(in_mode, said=OTHERS)
    assert desk.view.stop_button.isEnabled()
    QTest.mousePress(desk.view.stop_button, MOUSE)
    assert [type(one) for one in desk.asked] == [m.Stop]
    QTest.mouseRelease(desk.view.stop_button, MOUSE)
    assert len(desk.asked) == 1


def test_a_recording_shows_no_stop_that_stops_nothing(desks):
    desk = desks(source=Source.REPLAY, said=None)
    stop = desk.view.stop_button
    assert not stop.isEnabled()
    assert "recording" in stop.text()
    assert LIGHT.fault.upper() not in colours(stop)
    QTest.mousePress(stop, MOUSE)
    QTest.keyClick(desk.table, Qt.Key.Key_Escape)
    assert desk.asked == []
    desk.view.set_model(BenchModel(desk.facts))  # before the next picture
    assert stop.isEnabled()
    desk.refresh()
    assert "recording" not in stop.text()
    assert LIGHT.fault.upper() in colours(stop)
    QTest.mousePress(stop, MOUSE)
    assert [type(one) for one in desk.asked] == [m.Stop]


def test_what_is_over_shows_nothing_that_can_be_pressed(desks):
    desk = desks("ENGAGED")
    desk.model.over("its desk is gone without a word, and so is the bench")
    desk.refresh()
    view = desk.view
    assert "it is over" in view.stop_button.text()
    assert LIGHT.fault.upper() not in colours(view.stop_button)
    pressed = (view.stop_button, view.hold_button, view.take, *view.buttons.values())
    assert not any(one.isEnabled() for one in pressed)
    desk.asked.clear()
    QTest.mousePress(view.stop_button, MOUSE)
    assert desk.asked == []
    view.set_model(BenchModel(desk.facts))  # another run, before its first picture
    assert view.stop_button.isEnabled()


def test_stop_goes_out_from_a_dialog_which_still_closes(desks):
    desk = desks()
    dialog = QDialog(desk.window)
    dialog.setModal(True)
    dialog.show()
    pump(lambda: QApplication.activeModalWidget() is dialog)
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    pump(lambda: not dialog.isVisible())
    assert [type(one) for one in desk.asked] == [m.Stop]


def test_a_held_stop_key_is_one_stop_and_lets_go_of_the_motion(desks):
    desk = desks("ENGAGED")
    desk.key(DOWN)
    assert desk.model.held
    desk.key(DOWN, Qt.Key.Key_Escape)
    desk.key(DOWN, Qt.Key.Key_Escape, repeat=True)
    assert len(desk.asked) == 1
    assert not desk.model.held
    desk.key(DOWN, repeat=True)  # the finger is still on Space
    assert not desk.model.held


# --- hold-to-run -------------------------------------------------------------------------------


def test_space_holds_while_it_is_down_whatever_has_the_focus(desks):
    desk = desks()
    desk.key(DOWN)
    assert desk.model.held
    for _ in range(3):  # as the keyboard repeats
        desk.key(UP, repeat=True)
        desk.key(DOWN, repeat=True)
        assert desk.model.held
    desk.key(UP)
    assert not desk.model.held


def test_space_that_comes_up_as_another_character_is_let_go(desks):
    """With Shift, layouts with a no-break space make it one."""
    desk = desks("ENGAGED")
    plain, shift = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier
    QApplication.sendEvent(desk.table, QKeyEvent(DOWN, SPACE, plain, 65, 0, 0, " "))
    assert desk.model.held
    QApplication.sendEvent(desk.table, QKeyEvent(UP, Qt.Key.Key_W, plain, 25, 0, 0, "w"))
    assert desk.model.held, "another key is another key"
    no_break = Qt.Key.Key_nobreakspace
    QApplication.sendEvent(desk.table, QKeyEvent(UP, no_break, shift, 65, 0, 0, "\xa0"))
    assert not desk.model.held


def test_space_is_a_space_in_a_field_and_holds_nothing(desks):
    desk = desks()
    desk.field.setFocus()
    pump(desk.field.hasFocus)
    QTest.keyClick(desk.field, SPACE)
    assert desk.field.text() == " "
    assert not desk.model.held


def test_only_the_owner_holds(desks):
    desk = desks(said=OTHERS)
    desk.key(DOWN)
    assert not desk.model.held
    assert not desk.view.hold_button.isEnabled()


@pytest.mark.parametrize(
    "leave",
    [
        lambda desk: QApplication.sendEvent(desk.window, QEvent(QEvent.Type.WindowDeactivate)),
        lambda desk: application().applicationStateChanged.emit(
            Qt.ApplicationState.ApplicationInactive
        ),
        lambda desk: desk.view.hide(),
        lambda desk: desk.window.hide(),
        lambda desk: desk.model.take_message(OTHERS),
        lambda desk: desk.model.lost("gone"),
        lambda desk: desk.view.set_model(BenchModel(desk.facts)),
    ],
    ids=["window", "application", "hidden", "window hidden", "lost motion", "lost", "other run"],
)
@pytest.mark.parametrize("hand", ["key", "mouse"])
def test_it_is_let_go_and_stays_so_until_it_is_pressed_anew(desks, leave, hand):
    desk = desks("ENGAGED")
    if hand == "key":
        desk.key(DOWN)
    else:
        QTest.mousePress(desk.view.hold_button, MOUSE)
    assert desk.model.held
    leave(desk)
    assert not desk.model.held
    desk.key(DOWN, repeat=True)
    assert not desk.model.held


def test_the_mouse_holds_while_it_is_down_and_it_can_be_seen(desks):
    desk = desks()
    before = colours(desk.view.hold_button).get(LIGHT.ok, 0)
    QTest.mousePress(desk.view.hold_button, MOUSE)
    desk.refresh()
    assert desk.model.held
    assert colours(desk.view.hold_button)[LIGHT.ok] > 5 * (before + 1)
    QTest.mouseRelease(desk.view.hold_button, MOUSE)
    assert not desk.model.held


# --- buttons -----------------------------------------------------------------------------------


def test_buttons_are_enabled_as_the_model_says_and_tell_why_not(desks):
    desk = desks("STANDBY")
    for state in desk.model.buttons:
        assert desk.view.buttons[state.button].isEnabled() is state.allowed
    assert "hold Space" in desk.view.buttons[Button.ENGAGE].toolTip()
    desk.key(DOWN)
    desk.refresh()
    QTest.mouseClick(desk.view.buttons[Button.ENGAGE], MOUSE)
    assert desk.asked == [m.Press(button="engage", id=1)]
    desk.be_in("ENGAGING")
    desk.refresh()
    assert not desk.view.buttons[Button.ENGAGE].isEnabled()


@pytest.mark.parametrize(
    ("button", "in_mode"),
    [(Button.HOME, "IDLE"), (Button.ENGAGE, "STANDBY"), (Button.PLAY, "ENGAGED"),
     (Button.POSE, "ENGAGED"), (Button.PARK, "ENGAGED"), (Button.HOLD, "ENGAGED"),
     (Button.RESET, "FAULT"), (Button.SHUT_DOWN, "STANDBY")],
)  # fmt: skip
def test_each_button_has_a_key(desks, button, in_mode):
    desk = desks(in_mode)
    desk.key(DOWN)
    key, modifier = BUTTON_KEYS[button]
    QTest.keyClick(desk.table, key, modifier)
    assert [one.button for one in desk.asked] == [button.value]


def test_a_press_that_does_nothing_says_why_in_the_strip(desks):
    desk = desks("IDLE")
    QTest.keyClick(desk.table, *BUTTON_KEYS[Button.PARK])
    desk.refresh()
    assert desk.asked == []
    assert "IDLE" in desk.view.refused.text()


def test_take_and_give_back(desks):
    desk = desks(said=m.State(owner="", you_own=False, clients=("desk",), bench=True))
    QTest.mouseClick(desk.view.take, MOUSE)
    desk.model.take_message(OWN)
    desk.refresh()
    assert "You own the motion" in desk.view.owner.text()
    QTest.keyClick(desk.table, Qt.Key.Key_F9)
    assert [type(one) for one in desk.asked] == [m.Take, m.Release]
    desk.model.take_message(OTHERS)
    desk.refresh()
    assert not desk.view.take.isEnabled()
    assert "other owns the motion" in desk.view.owner.text()


def test_names_of_others_are_words_not_markup(desks):
    desk = desks(said=m.State(owner="<b>x</b>", you_own=False, clients=(), bench=True))
    assert "&lt;b&gt;" in desk.view.owner.text()


def test_no_two_keys_are_the_same_and_all_are_listed():
    every = [key for keys in SHORTCUTS.values() for key in keys]
    assert len(every) == len(set(every))
    assert set(BUTTON_KEYS) == set(Button) == set(ORDER)
    assert {BUTTONS[button.value] for button in Button} <= set(SHORTCUTS)


# --- looks -------------------------------------------------------------------------------------


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
@pytest.mark.parametrize(("in_mode", "role"), [("FAULT", "fault"), ("ENGAGED", "ok")])
def test_the_lit_lamp_has_its_colour_and_its_name_is_read_out(desks, theme, in_mode, role):
    desk = desks(in_mode)
    desk.view.set_theme(theme)
    desk.refresh()
    found = colours(desk.view.lamps)
    assert found[getattr(theme, role)] > 200
    assert desk.view.lamps.accessibleName() == f"mode: {in_mode}"
    assert colours(desk.view.banner)[theme.simulated] > 1000


def test_without_simulated_devices_there_is_no_banner(desks):
    desk = desks(facts=platform_facts(drives="real (slcan:x)"))
    assert not desk.view.banner.isVisible()


def test_the_arm_has_lamps_and_stop_but_no_such_buttons(desks):
    desk = desks(facts=arm_facts())
    assert not any(button.isVisible() for button in desk.view.buttons.values())
    assert desk.view.stop_button.isVisible()


def test_a_silent_and_an_ended_bench_say_so(desks):
    desk = desks()
    assert "Live" in desk.view.link.text()
    desk.refresh(12.1)
    assert "SILENT for 2.1 s" in desk.view.link.text()
    assert colours(desk.view.lamps).get(LIGHT.ok, 0) == 0
    desk.model.over("its desk is gone")
    desk.refresh(12.2)
    assert "its desk is gone" in desk.view.link.text()


def test_nothing_is_done_while_hidden(desks):
    desk = desks()
    desk.view.hide()
    words = desk.view.link.text()
    desk.refresh(99.0)
    assert desk.view.link.text() == words


def test_it_fits_a_small_screen(desks):
    desk = desks(operation_of := "ENGAGED")
    desk.be_in(
        operation_of, Operation(held=True, refused=Refusal("x" * 300, "home"), seen=(1,) * 8)
    )
    desk.refresh()
    assert desk.view.minimumSizeHint().width() <= 1366
    assert desk.view.height() <= 160


# --- the end of the run, and a desk that is gone -----------------------------------------------


@pytest.mark.parametrize("drives", ["SIMULATED paper (sim:)", "real (slcan:x)"])
def test_an_end_is_told_plainly_and_no_button_moves_from_under_a_hand(desks, drives):
    desk = desks("ENGAGED", facts=platform_facts(drives=drives))
    park = desk.view.buttons[Button.PARK]
    place, height = park.mapTo(desk.window, park.rect().topLeft()), desk.view.height()
    assert not desk.view.alarm.isVisible()
    end = RunEnd(EndCause.TERMINAL, EndStep.AWAITING_PARK, left_s=12.4)
    desk.be_in("HOLD", Operation(end=end))
    desk.refresh()
    assert desk.view.alarm.text() == (
        "THE RUN IS ENDING: Ctrl-C at the terminal, or a signal; hold to run and press Park, "
        "else the power goes off in 12 s"
    )
    assert colours(desk.view.alarm)[LIGHT.fault] > 1000
    metrics = desk.view.alarm.fontMetrics()
    assert metrics.horizontalAdvance(desk.view.alarm.text()) < desk.view.alarm.width()
    assert (park.mapTo(desk.window, park.rect().topLeft()), desk.view.height()) == (place, height)
    long = RunEnd(EndCause.FAULT, EndStep.POWER_OFF, "leg 3: " + "x" * 300)
    desk.be_in("FAULT", Operation(end=long))
    desk.refresh()
    assert desk.view.alarm.text().endswith("x…; power off")
    assert long.why in desk.view.alarm.toolTip()
    assert desk.view.minimumSizeHint().width() <= 1366
    desk.be_in("IDLE", Operation())
    desk.refresh()
    assert not desk.view.alarm.isVisible()


def test_a_stop_is_told_with_its_cause_and_the_next_act_and_no_button_moves(desks):
    desk = desks("ENGAGED")
    reset = desk.view.buttons[Button.RESET]
    place, height = reset.mapTo(desk.window, reset.rect().topLeft()), desk.view.height()
    found = Violation(Check.FOLLOWING, 3, 0.0123, 0.01, "m", Severity.STOP)
    cause = violation_data(found) | {"message": "leg 3: " + "far " * 60}
    desk.be_in("FAULT", Operation(held=True, cause=cause))
    desk.refresh()
    alarm, acts = desk.view.alarm, desk.view.acts
    assert alarm.text() == f"FAULT: {cause['message']}"
    assert "does not follow" in alarm.toolTip()
    assert acts.text() == "Next: Reset, then Home"
    assert acts.fontMetrics().horizontalAdvance(acts.text()) <= acts.width(), "never cut off"
    assert colours(alarm)[LIGHT.fault] > 1000
    assert (reset.mapTo(desk.window, reset.rect().topLeft()), desk.view.height()) == (place, height)
    desk.be_in("HOLD", Operation())
    desk.refresh()
    assert (alarm.text(), acts.text()) == ("HOLD", "Next: hold Space, then Park")
    desk.be_in("PARKING", Operation())
    desk.refresh()
    assert not alarm.isVisible()
    assert not acts.isVisible()


def test_a_grip_does_not_outlive_the_motion_it_was_for(desks):
    desk = desks("ENGAGED")
    desk.key(DOWN)
    desk.model.lost("looking for another")
    desk.refresh()
    assert "NO DESK: looking for another" in desk.view.link.text()
    desk.model.found()
    desk.model.take_message(OWN)
    desk.refresh()
    assert not desk.model.held
    QTest.mousePress(desk.view.hold_button, MOUSE)
    assert desk.model.held
    QTest.mouseRelease(desk.view.hold_button, MOUSE)
    assert not desk.model.held


def test_a_tempo_of_zero_is_told_in_the_strip(desks):
    desk = desks("ENGAGED")
    desk.be_in("ENGAGED", Operation(playing="play", override=0.0, held=True, seen=(1,) * 8))
    desk.refresh()
    assert desk.view.refused.text() == "The tempo is 0 %: nothing moves before it is raised"
    desk.be_in("ENGAGED", Operation(playing="play", override=0.2, held=True, seen=(1,) * 8))
    desk.refresh()
    assert desk.view.refused.text() == ""
