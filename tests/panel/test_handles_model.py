"""Handles against the station's own listener, in time that does not pass by itself."""

import itertools
import stat

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hil.desk.velocity import handles
from hil.desk.velocity.gamepad import HandleShape, HandleState
from hil.desk.velocity.listener import read_token
from hil.desk.velocity.remote import RemoteSource
from hil.desk.velocity.remote_writer import RemoteWriter, ScreenPlace
from hil.desk.velocity.source import rest
from hil.panel.lead.models.handles import KEYS, HandlesModel
from hil.run.lead import Handles

SHAPE = HandleShape(0.05, 0.2, dead_zone=0.1)
REST = rest("gripper")
HANDLES = Handles(
    velocity=lambda deflections: SHAPE.twist(deflections, "gripper"),
    gamepad=handles.screen_handles(0.05, 0.2, lambda scenario: None).gamepad,
    place=lambda scenario: None,
)


class Pad:
    """A gamepad."""

    def __init__(self):
        self.state = HandleState((0.0,) * 6, held=False)
        self.closed = False

    def read(self):
        if self.closed:
            raise OSError(19, "gone")
        return self.state

    def close(self):
        self.closed = True


@pytest.fixture
def place():
    made = ScreenPlace({})
    yield made
    made.remove()


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def link(place):
    clock = Clock()
    source = RemoteSource(str(place.socket), read_token(place.token_file), now_s=clock)
    writer = RemoteWriter(place.socket, place.token, clock)
    assert not writer.send(REST)  # nothing before the proof
    source.listen()
    yield clock, source, writer
    writer.close()
    source.close()


def test_what_is_said_is_what_the_station_hears(link):
    _clock, source, writer = link
    model = HandlesModel(HANDLES)
    model.press(87, "W")
    model.press(76, "l")
    assert writer.send(model.velocity())
    heard = source.sample(0.0)
    assert heard.linear_m_s == pytest.approx([0.05, 0, 0])
    assert heard.angular_rad_s == pytest.approx([0, 0, -0.2])
    model.release()
    assert writer.send(model.velocity())
    assert source.sample(0.0).at_rest
    assert source.counts["taken"] == 2
    assert source.counts["malformed"] == source.counts["refused"] == 0


def test_silence_is_zero(link):
    clock, source, writer = link
    model = HandlesModel(HANDLES)
    model.press(87, "W")
    writer.send(model.velocity())
    assert not source.sample(0.0).at_rest
    clock.now += 0.21
    assert source.sample(0.2).at_rest


def test_the_end_is_said_and_a_closed_writer_is_zero(link):
    _clock, source, writer = link
    model = HandlesModel(HANDLES)
    model.press(87, "W")
    writer.send(model.velocity())
    assert not source.sample(0.0).at_rest
    writer.close()
    assert source.sample(0.0).at_rest
    assert not writer.connected
    _clock.now += 1.0
    assert not writer.end()
    source.listen()
    assert writer.connected is False
    assert writer.end()
    assert writer.connected
    assert source.sample(0.0) is None
    assert source.end_reason == "ended by the writer"


def test_a_listener_that_comes_late_is_found_and_asked_for_seldom(place):
    clock = Clock()
    writer = RemoteWriter(place.socket, place.token, clock)
    twist = HandlesModel(HANDLES).velocity()
    assert not writer.send(twist)
    source = RemoteSource(str(place.socket), place.token, now_s=clock)
    assert not writer.send(twist)  # not before its time
    clock.now += 0.25
    assert not writer.send(twist)
    source.listen()
    assert writer.send(twist)
    source.close()
    writer.close()


def test_a_listener_that_does_not_read_never_makes_the_writer_wait(link):
    clock, source, writer = link
    twist = HandlesModel(HANDLES).velocity()
    sent = list(itertools.takewhile(bool, (writer.send(twist) for _ in range(100_000))))
    assert len(sent) < 100_000
    assert not writer.send(twist)
    clock.now += 60.0
    assert source.sample(0.0).at_rest  # what waited is old


def test_token_and_folder_are_this_users_alone(place):
    assert stat.S_IMODE(place.token_file.stat().st_mode) == 0o600
    assert stat.S_IMODE(place.token_file.parent.stat().st_mode) == 0o700
    folder = place.token_file.parent
    place.remove()
    place.remove()
    assert not folder.exists()


@given(st.lists(st.tuples(st.integers(0, 5), st.floats()), max_size=8),
       st.sets(st.sampled_from(sorted(KEYS))))  # fmt: skip
def test_no_input_is_beyond_full_deflection_and_released_is_zero(pads, keys):
    model = HandlesModel(HANDLES)
    for axis, value in pads:
        model.pad(axis, value)
    for place, key in enumerate(keys):
        assert model.press(place, key)
    assert all(-1.0 <= one <= 1.0 for one in model.deflections)
    twist = model.velocity()
    assert np.abs(twist.linear_m_s).max() <= 0.05
    assert np.abs(twist.angular_rad_s).max() <= 0.2
    model.release()
    assert model.velocity().at_rest


def test_every_axis_has_a_key_for_each_way_and_other_keys_are_not_taken():
    assert sorted(KEYS.values()) == sorted((axis, sign) for axis in range(6) for sign in (-1, 1))
    model = HandlesModel(HANDLES)
    assert not model.press(1, "X")
    assert model.press(2, "w")
    model.let_go(2)
    assert model.velocity().at_rest


def test_a_key_that_comes_up_without_having_gone_down_lets_go_of_all_keys_but_not_of_the_mouse():
    model = HandlesModel(HANDLES)
    model.press(1, "W")
    model.press(2, "L")
    model.pad(1, 1.0)
    model.let_go(3)
    assert model.deflections == (0, 1, 0, 0, 0, 0)


def test_a_key_of_no_axis_lets_go_of_nothing():
    model = HandlesModel(HANDLES)
    model.press(1, "W")
    model.press(2, "")
    model.let_go(2)
    assert model.deflections == (1, 0, 0, 0, 0, 0)


@given(st.lists(st.tuples(st.integers(0, 4), st.sampled_from([*KEYS, "", "X"]), st.booleans())))
def test_when_every_key_is_up_nothing_moves_whatever_they_were_called(events):
    model, down = HandlesModel(HANDLES), set()
    for place, name, pressed in events:
        if pressed:
            model.press(place, name)
            down.add(place)
        else:
            model.let_go(place)
            down.discard(place)
    for place in down:
        model.let_go(place)
    assert model.velocity().at_rest


def test_two_keys_against_each_other_are_zero_however_often_one_of_them_is_there():
    model = HandlesModel(HANDLES)
    for place, name in enumerate("WWS"):
        model.press(place, name)
    assert model.velocity().at_rest


def test_a_gamepad_moves_only_while_held_after_rest_and_the_screen_comes_first(monkeypatch):
    pad = Pad()
    monkeypatch.setattr(handles, "open_handles", lambda *_, now_s: pad)
    model = HandlesModel(HANDLES)
    pad.state = HandleState((1.0, 0, 0, 0, 0, 0), held=True)
    assert model.open_gamepad("pad", lambda: 0.0)
    assert model.velocity().at_rest  # never seen at rest
    pad.state = HandleState((0.0,) * 6, held=False)
    model.velocity()
    pad.state = HandleState((1.0, 0, 0, 0, 0, 0), held=True)
    assert model.velocity().linear_m_s == pytest.approx([-0.05, 0, 0])
    model.press(65, "A")
    assert model.velocity().linear_m_s == pytest.approx([0, 0.05, 0])
    model.release()
    pad.closed = True
    assert model.velocity().at_rest
    assert "gone" in model.gamepad_error


def test_a_gamepad_that_is_not_there_is_told():
    model = HandlesModel(HANDLES)
    assert not model.open_gamepad("no such device", lambda: 0.0)
    assert "handles" in model.gamepad_error
    assert model.velocity().at_rest


def test_where_no_station_has_handles_nothing_is_wanted_and_none_is_opened():
    model = HandlesModel(None)
    model.press(1, "W")
    assert model.velocity() is None
    assert not model.open_gamepad("pad", lambda: 0.0)
