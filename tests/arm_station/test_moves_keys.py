"""Keys of a terminal that hold a move or jog, on the virtual clock; and who may do without one."""

from __future__ import annotations

import os

import numpy as np
import pytest
from live_bench import typed
from moves_bench import AWAY_DEG, READY_DEG, RM01, listen_to, standing

from arm_driver.link_states import StreamResult
from hil.config.errors import RefusedError
from hil.desk.velocity.keyboard import KEYS, QUIET_S, KeyHold, Terminal
from hil.stations.arm.moves.goto import GotoTarget, plan_goto, start_of
from hil.stations.arm.moves.move_operators import (
    HOLD_KEY,
    HeldKey,
    KeyJogOperator,
    open_jog_operator,
    open_operator,
)
from hil.timing.clock import VirtualClock


class Typing:
    """A hand whose operator types at times of the clock."""

    def __init__(self, inner, now_s, acts):
        self._inner, self._now_s, self._acts, self._begun_s = inner, now_s, list(acts), None

    def __getattr__(self, name):
        return getattr(self._inner, name)

    def listen(self):
        if self._begun_s is None:
            self._begun_s = self._now_s()
            self._inner.listen()
        while self._acts and self._now_s() - self._begun_s >= self._acts[0][0]:
            self._acts.pop(0)[1]()
        self._inner.listen()


def held(board, key, begin_s, end_s):
    return [(float(t_s), typed(*board, key)) for t_s in np.arange(begin_s, end_s, 0.05)]


def test_the_space_key_of_a_terminal_holds_the_robot(board, monkeypatch, tmp_path):
    truth = listen_to(monkeypatch)
    acts = [
        *held(board, b" ", 1.0, 4.0),
        *held(board, b"x", 4.0, 5.0),
        *held(board, b" ", 9.0, 19.0),
    ]
    with standing(READY_DEG) as session:
        target = GotoTarget.of_joints(RM01, AWAY_DEG, "away")
        start = start_of(session, target, None)
        move = plan_goto(RM01, start, target, 0.5, straight=False)
        keys = KeyHold(Terminal(board[1]), HOLD_KEY, now_s=session.clock.now_s)
        hand = Typing(HeldKey(keys), session.clock.now_s, acts)
        begun_s = session.clock.now_s()
        found = session.drive(move, start, hand, tmp_path, name="goto", moves=f"to {target.name}")
    assert found.end.result is StreamResult.COMPLETED, found.end.reason
    t_s, places = np.array(truth.t_s) - begun_s, np.array(truth.places_m)
    for begin_s, end_s in ((0.0, 1.0), (4.0 + 3.5, 9.0)):
        still = places[(t_s > begin_s) & (t_s < end_s)]
        assert np.ptp(still, axis=0).max() < 2e-5
    truth.settle()
    assert np.abs(np.degrees(truth.robot.motion.q_rad) - AWAY_DEG).max() < 0.1


class Clock:
    """Time by hand."""

    now = 100.0

    def now_s(self):
        return self.now


def jog_keys(board, *, stepping):
    clock = Clock()
    keys = KeyHold(Terminal(board[1]), "".join(KEYS) + HOLD_KEY, now_s=clock.now_s)
    hand = KeyJogOperator(keys, stepping=stepping)
    hand.listen()
    return clock, hand


def test_the_key_typed_last_is_the_direction_and_space_is_none(board):
    clock, hand = jog_keys(board, stepping=False)
    for key, direction in ((b"w", (0, 1.0)), (b"k", (4, -1.0)), (b" ", None)):
        typed(*board, key)()
        clock.now += 0.01
        hand.listen()
        assert hand.direction == direction
        assert hand.held is (direction is not None)
    clock.now += 0.05
    typed(*board, b"w")()
    hand.listen()
    assert hand.direction == (0, 1.0)
    clock.now += 0.21
    hand.listen()
    assert not hand.held


def test_a_key_that_repeats_is_one_press(board):
    """A terminal repeats a key first after half a second or more: no second step."""
    clock, hand = jog_keys(board, stepping=True)
    typed(*board, b"r")()
    hand.listen()
    assert hand.held
    assert hand.take_press() == (2, 1.0)
    for pause_s in (0.66, 0.03, 0.03, 0.03):
        clock.now += pause_s
        typed(*board, b"r")()
        hand.listen()
        assert hand.take_press() is None
    clock.now += QUIET_S + 0.01
    hand.listen()
    typed(*board, b"r")()
    hand.listen()
    assert hand.take_press() == (2, 1.0)


def test_any_press_stops_the_step_that_is_under_way(board):
    _, hand = jog_keys(board, stepping=True)
    hand.busy(True)
    typed(*board, b" ")()
    hand.listen()
    assert hand.stopped
    assert hand.take_press() is None
    hand.busy(False)
    assert not hand.stopped


def test_without_a_terminal_nothing_moves_in_real_time(tmp_path):
    file = os.open(tmp_path / "no terminal", os.O_CREAT)
    try:
        with pytest.raises(RefusedError, match="there is no terminal"):
            open_operator(Clock(), fd=file)
        with pytest.raises(RefusedError, match="there is no terminal"):
            open_jog_operator(Clock(), stepping=False, fd=file)
    finally:
        os.close(file)
    with pytest.raises(RefusedError, match="--clock real"):
        open_jog_operator(VirtualClock(), stepping=False)
    assert open_operator(VirtualClock()).held
