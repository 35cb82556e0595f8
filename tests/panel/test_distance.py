"""Distance mode: what is read from three metres, how large it is, and that its stop stops."""

import math
from dataclasses import replace
from types import SimpleNamespace

import pytest

pytest.importorskip("PySide6.QtWidgets")

import numpy as np
from feed_samples import batch, mode, platform_facts, soft_ranges
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetricsF
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from test_replay_models import write

from hil.desk import messages as m
from hil.desk.operation import Operation
from hil.desk.run_end import EndCause, EndStep, RunEnd
from hil.panel.live.models.bench import BenchModel
from hil.panel.live.models.margins import MarginsModel
from hil.panel.live.session import Turn
from hil.panel.shell.models.far_display import CAPITAL_MM, NO_RUN, far_of, px_per_mm, time_left_s
from hil.panel.shell.window_distance import font_of, px_per_mm_of
from hil.panel.study.models.replay import FileFeed
from hil.panel.study.session import ReplaySession
from hil.panel.widgets.theme import DARK, LIGHT

LOW, HIGH = soft_ranges().T
MIDDLE = 0.5 * (LOW + HIGH)
SINES = {"kind": "multi_sine", "duration_s": 20.0, "fade_s": 2.0}


def bench(in_mode="ENGAGED", motion=None, **operation):
    """A session whose control has told this, and the margins of a leg 9 mm from its upper end."""
    facts = platform_facts()
    header = replace(facts.header, scenario={**facts.header.scenario,
                                             "scenario": {"motion": motion or SINES}})  # fmt: skip
    facts = replace(facts, header=header)
    model, margins = BenchModel(facts), MarginsModel(facts)
    lengths = MIDDLE.copy()
    lengths[2] = HIGH[2] - 0.009
    told = batch(facts, operation=Operation(**operation), mode=mode(facts, in_mode),
                 measured_length_m=lengths)  # fmt: skip
    model.take(told, 10.0)
    margins.take(told, 10.0)
    return SimpleNamespace(bench=model, facts=facts, ended=False), margins.rows


def far(*args, **kwargs):
    return far_of(*bench(*args, **kwargs), 10.1)


def test_a_capital_is_seen_at_20_minutes_of_arc():
    assert pytest.approx(17.45, abs=0.005) == CAPITAL_MM
    assert math.degrees(math.atan(CAPITAL_MM / 3000.0)) * 60.0 == pytest.approx(20.0)


@pytest.mark.parametrize(("pixels", "size_mm", "logical", "wanted"), [
    (768, 203.2, 96.0, 96 / 25.4),
    (2160, 340.0, 96.0, 2160 / 340.0),
    (1080, 0.0, 96.0, 96 / 25.4),  # tells nothing
    (1080, 10.0, 120.0, 120 / 25.4),  # nonsense
    (1080, 4000.0, 96.0, 96 / 25.4),  # a projector on a wall, read from afar anyway
])  # fmt: skip
def test_pixels_in_a_millimetre_are_those_of_the_screen_if_it_tells_of_itself(
    pixels, size_mm, logical, wanted
):
    assert px_per_mm(pixels, size_mm, logical) == pytest.approx(wanted)


def test_mode_worst_margin_and_time_left():
    told = far(playing="play", motion_t_s=4.0)
    assert (told.mode, told.mode_role) == ("ENGAGED", "ok")
    assert (told.margin, told.margin_role) == ("✖ Leg 3: 9.0 mm", "fault")
    assert told.left == "20 s left"
    assert far_of(None, (), 0.0) is NO_RUN
    assert far("IDLE").margin == "not homed"


@pytest.mark.parametrize(("operation", "left_s"), [
    ({"playing": "play", "motion_t_s": 4.0}, 20.0),
    ({"playing": "play", "motion_t_s": 4.0, "override": 0.5}, 40.0),
    ({"playing": "play", "motion_t_s": 30.0}, 0.0),
    ({"playing": "play", "motion_t_s": 4.0, "override": 0.0}, None),
    ({"playing": "pose", "motion_t_s": 4.0}, None),
    ({"playing": ""}, None),
    ({"playing": "play", "motion_serial": 3}, None),
])  # fmt: skip
def test_the_time_left_is_that_of_the_motion_at_its_tempo(operation, left_s):
    session, _ = bench(**operation)
    assert time_left_s(session) == left_s


def test_of_a_motion_whose_length_its_table_does_not_tell_no_time_is_told():
    assert far(motion={"kind": "recording", "path": "x.csv"}, playing="play").left == ""
    assert far(motion={"kind": "hold", "duration_s": 7.0}, playing="play").left == "7 s left"


def test_the_time_until_the_power_goes_off_comes_first():
    end = RunEnd(EndCause.TERMINAL, EndStep.AWAITING_PARK, left_s=23.4)
    assert far("HOLD", playing="play", end=end).left == "power off in 23 s"


def test_a_leg_beyond_its_limit_is_said_to_be():
    facts = platform_facts()
    margins = MarginsModel(facts)
    margins.take(batch(facts, measured_length_m=np.where(np.arange(6) == 4, LOW - 0.002, MIDDLE)),
                 0.0)  # fmt: skip
    session, _ = bench()
    assert far_of(session, margins.rows, 10.1).margin == "✖ Leg 5: BEYOND 2.0 mm"


# --- the window --------------------------------------------------------------------------------


@pytest.fixture
def window(still_window):
    before = QApplication.font()
    still_window.resize(1366, 768)
    yield still_window
    QApplication.setFont(before)


def show(window, session):
    window._take_on(session)
    assert window.views["margins"]


def live(window, *args, **kwargs):
    """A session as `LiveSession` is one, as far as the distance mode asks."""
    from hil.panel.live.session import LiveSession

    class Told(LiveSession):
        def __init__(self, session):
            self.bench, self._facts = session.bench, session.facts
            self.stopped = 0

        facts = property(lambda self: self._facts)
        ended, owns, stop_text = False, False, ""

        def turn(self):
            return Turn(batch(self.facts, count=0))

        def stop(self):
            self.stopped += 1

        def close(self):
            pass

    session, _ = bench(*args, **kwargs)
    session.bench.take_message(
        m.State(owner="other", you_own=False, clients=("other",), bench=True)
    )
    return Told(session)


@pytest.fixture
def seen(window, app):
    """The distance mode of a bench with one leg at its limit, in a window of 1366 x 768."""
    session = live(window, playing="play", motion_t_s=4.0)
    show(window, session)
    lengths = MIDDLE.copy()
    lengths[2] = HIGH[2] - 0.009
    window.views["margins"].take(Turn(batch(session.facts, mode=mode(session.facts, "ENGAGED"),
                                            measured_length_m=lengths)))  # fmt: skip
    window.distance.toggle()
    window.turns.turn()
    app.processEvents()
    return window


def capitals_mm(widget):
    return QFontMetricsF(widget.font()).capHeight() / px_per_mm_of(widget.screen())


def test_capitals_are_wanted_by_the_size_of_the_screen(seen):
    screen = seen.screen()
    mm = screen.physicalSize().height() / screen.geometry().height()
    assert seen.distance.wanted_px * mm == pytest.approx(17.453, abs=1e-3)


def test_words_fill_the_room_and_do_not_dance_with_every_figure(seen, app):
    far = seen.distance
    before = capitals_mm(far.mode)
    assert before > 1.03 * CAPITAL_MM  # 72 whole pixels or more, by the machine's hinting
    seen.session.bench.take(batch(seen.session.facts, mode=mode(seen.session.facts, "HOLD")), 0.1)
    seen.turns.turn()
    app.processEvents()
    assert far.mode.text() == "HOLD"
    assert capitals_mm(far.mode) == before
    seen.resize(1000, seen.height())
    app.processEvents()
    app.processEvents()
    assert CAPITAL_MM * 0.2 < capitals_mm(far.mode) < before


def test_all_capitals_are_high_enough_and_nothing_is_cut_off(seen):
    far = seen.distance
    assert (far.mode.text(), far.left.text()) == ("ENGAGED", "20 s left")
    assert far.margin.text() == "✖ Leg 3: 9.0 mm"
    assert far.stop_button.text() == "STOP"
    parts = (far.mode, far.margin, far.left, far.stop_button)
    for part in parts:
        assert part.isVisible()
        assert capitals_mm(part) >= CAPITAL_MM, part.text()
        metrics = QFontMetricsF(part.font())
        assert metrics.horizontalAdvance(part.text()) <= part.width()
        assert metrics.capHeight() <= part.height()
        place = part.rect().translated(part.mapTo(far, part.rect().topLeft()))
        assert far.rect().contains(place), part.text()
        others = [other for other in parts if other is not part]
        assert not any(place.intersects(other.rect().translated(
            other.mapTo(far, other.rect().topLeft()))) for other in others)  # fmt: skip
    assert not far.note.isVisible()


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_its_colours_are_those_of_the_theme(seen, app, theme):
    seen.appearance.use(theme.name)
    seen.turns.turn()
    app.processEvents()
    image = seen.distance.grab().toImage()
    for part, role in ((seen.distance.margin, "fault"), (seen.distance.mode, "ok"),
                       (seen.distance.stop_button, "fault")):  # fmt: skip
        corner = part.mapTo(seen.distance, part.rect().center())
        corner.setY(part.mapTo(seen.distance, part.rect().topLeft()).y() + 6)
        assert image.pixelColor(corner).name().upper() == getattr(theme, role)
    seen.appearance.use("system")


def test_the_strip_stays_and_docks_below_are_not_drawn(seen, app):
    far, strip = seen.distance, seen.strip
    assert strip.isVisible()
    assert strip.state.stop_button.isVisible()
    assert far.geometry().top() > strip.mapTo(seen, strip.rect().bottomLeft()).y()
    assert far.geometry().left() == 0
    assert far.width() == seen.width()
    assert not any(seen.docks.visible(name) for name in seen.docks.of)
    seen.resize(1200, 700)
    app.processEvents()
    app.processEvents()
    assert far.width() == 1200
    far.toggle()
    assert far.isHidden()
    assert seen.docks.visible("scene")


def test_its_stop_stops_when_it_is_pressed(seen):
    QTest.mousePress(seen.distance.stop_button, Qt.MouseButton.LeftButton)
    assert seen.session.stopped == 1
    QTest.mouseRelease(seen.distance.stop_button, Qt.MouseButton.LeftButton)
    assert seen.session.stopped == 1


def test_the_key_and_the_menu_switch_it(window, app):
    window.activateWindow()
    assert QTest.qWaitForWindowActive(window, 10_000)
    assert window.distance.isHidden()
    QTest.keyClick(window, Qt.Key.Key_F11, Qt.KeyboardModifier.ControlModifier)
    assert window.distance.isVisible()
    assert window.distance.mode.text() == "No run" or not window.turns.turn()
    menu = next(one for one in window.menus._main.findChildren(type(window.menus._larger))
                if one.text() == "Distance mode")  # fmt: skip
    menu.trigger()
    assert window.distance.isHidden()


def test_a_recording_has_time_left_and_no_stop(window, app, tmp_path):
    feed = FileFeed.open(write(tmp_path / "recording.mcap"), lambda: 0.0)
    show(window, ReplaySession(feed, lambda: 0.0))
    window.distance.toggle()
    feed.seek(feed.span_s[0])
    window.turns.turn()
    app.processEvents()
    left_s = math.ceil(feed.span_s[1] - feed.t_s)
    assert window.distance.left.text() == f"{left_s} s left"
    assert window.distance.stop_button.isHidden()


def test_where_there_is_no_room_it_says_how_high_its_capitals_are(seen, app):
    seen.appearance.use_text(20)
    seen.resize(1024, 480)
    app.processEvents()
    app.processEvents()
    far = seen.distance
    high_mm = capitals_mm(far.mode)
    assert 3.0 < high_mm < CAPITAL_MM
    assert far.note.isVisible()
    assert f"{high_mm:.1f} mm" in far.note.text()
    assert "17.5 mm" in far.note.text()


def test_in_a_narrow_window_words_become_smaller_rather_than_cut_off(seen, app):
    seen.resize(640, 768)
    app.processEvents()
    app.processEvents()
    for part in (seen.distance.mode, seen.distance.margin, seen.distance.left):
        assert QFontMetricsF(part.font()).horizontalAdvance(part.text()) <= part.width()


@pytest.mark.parametrize("capitals_px", [12.0, 66.0, 131.9])
def test_a_font_has_capitals_of_a_height(app, capitals_px):
    high = QFontMetricsF(font_of(capitals_px, QApplication.font())).capHeight()
    assert capitals_px <= high <= capitals_px + 1.5
