"""Operators who let go, fall silent or come second, in virtual time against the emulated robot."""

import contextlib
import os
import socket
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from live_bench import (
    TOKEN,
    judge_flip,
    live_plan,
    prove,
    set_point,
    source_maker,
    speeds_m_s,
    typed,
    winding_plan,
)

from arm_driver.link_states import StreamResult
from hil.config.errors import RefusedError
from hil.desk.velocity import gamepad
from hil.desk.velocity.keyboard import KeyboardSource, Terminal
from hil.stations.arm.cycle.stream import REST_SPEED_M_S
from hil.stations.arm.report.recording import ArmRecording
from hil.stations.arm.report.view import ArmView
from hil.stations.arm.run.bench import prepare_plan, run_arm, source_of
from hil.stations.arm.sources import settings
from hil.timing.clock import VirtualClock
from sim.world.space_arm.simulator import TICK_S, SpaceArm

KEYBOARD = {"kind": "keyboard", "frame": "base"}
REST_AFTER_S = 1.05
"""From 0.05 m/s the wish goes to zero at 0.05 m/s²: a second, rounded up to whole periods."""


def run(monkeypatch, tmp_path, source, acts, **options):
    monkeypatch.setattr("hil.stations.arm.run.bench.source_of", source_maker(acts, **options))
    result = run_arm(prepare_plan(live_plan(source)), tmp_path)
    return result, *speeds_m_s(result.recorder.path)


def held(board, key, begin_s, end_s, period_s=0.03):
    """A key that repeats while it is held."""
    times = np.arange(begin_s, end_s, period_s)
    return [(float(t_s), typed(*board, key)) for t_s in times]


def at(t_s):
    """Index of the waypoint that is computed at a time: they go out one period apart."""
    return int(t_s / 0.35)


def test_a_key_let_go_brings_both_arms_to_rest(board, monkeypatch, tmp_path):
    acts = [*held(board, b"r", 1.0, 4.0), (8.0, typed(*board, b"q"))]
    result, wanted, robot = run(
        monkeypatch, tmp_path, KEYBOARD, lambda *_: acts, keyboard_fd=board[1]
    )
    assert result.end.result is StreamResult.COMPLETED
    assert result.end.reason == "ended with the key q"
    moving = np.flatnonzero(wanted)
    assert max(wanted) == pytest.approx(0.05)
    assert at(1.0) <= moving[0] <= at(1.0) + 2
    # Let go at 4.0 s: 0.2 s for which a key counts as held, a period, and a bounded slowing down.
    assert moving[-1] <= at(4.0 + 0.2 + 0.35 + REST_AFTER_S) + 1
    assert max(robot) > 0.04
    assert max(robot[moving[-1] + 8 :]) < 1e-3
    assert result.end.report.counts.empty_slot == 0


@pytest.mark.parametrize("payload", ["", "light"])
def test_the_robot_of_a_live_run_ends_at_rest_though_the_arm_swings(
    board, monkeypatch, tmp_path, payload
):
    """Whenever this arm is looked at, it is where it turns back: for a moment it does not move."""
    advance = SpaceArm.advance

    def turning(self, *arguments, **options):
        still = {"velocity_BG_m_s": np.zeros(3), "angular_velocity_BG_rad_s": np.zeros(3)}
        return replace(advance(self, *arguments, **options), **still)

    monkeypatch.setattr(SpaceArm, "advance", turning)
    acts = [*held(board, b"r", 1.0, 4.0), (4.0, typed(*board, b"q"))]
    made = source_maker(lambda *_: acts, keyboard_fd=board[1])
    monkeypatch.setattr("hil.stations.arm.run.bench.source_of", made)
    arm = {"model": "e", "payload": payload}
    result = run_arm(prepare_plan(live_plan(KEYBOARD, space_arm=arm)), tmp_path)
    robot_m = np.diff(ArmRecording.open(result.recorder.path).column("target_pose")[:, :3], axis=0)
    assert result.end.result is StreamResult.COMPLETED
    assert np.linalg.norm(robot_m, axis=1).max() > 0.01
    assert np.linalg.norm(robot_m[-1]) < REST_SPEED_M_S * TICK_S


def test_a_live_run_is_nearer_to_its_motion_than_with_waypoints_on_it(board, monkeypatch, tmp_path):
    """Without waiting: the same keys make the same simulated motion, a waypoint a period."""
    acts = [*held(board, b"r", 1.0, 3.5), *held(board, b"a", 3.5, 6.0), (9.0, typed(*board, b"q"))]
    monkeypatch.setattr("hil.stations.arm.run.bench.source_of", source_maker(lambda *_: acts,
                                                                keyboard_fd=board[1]))  # fmt: skip
    found, motions, nodes = [], [], []
    for corrected in ("true", "false"):
        plan = live_plan(
            KEYBOARD, f"mapping.corrected={corrected}", 'space_arm.payload="light"'
        )  # fmt: skip
        result = run_arm(prepare_plan(plan), tmp_path / corrected)
        assert result.end.result is StreamResult.COMPLETED
        run_of = ArmRecording.open(result.recorder.path)
        found.append(ArmView.of(run_of).accuracy)
        motions.append(run_of.column("space_way"))
        nodes.append(run_of.column("target_pose")[:, :3])
    np.testing.assert_array_equal(motions[0], motions[1])
    assert 2e-4 < np.abs(nodes[0] - nodes[1]).max() < 1.5e-3
    assert np.abs(nodes[0] - nodes[1])[-1].max() < 1e-4, "at rest it is where the motion is"
    assert found[0].in_time.largest_m < 0.9 * found[1].in_time.largest_m


def test_a_key_counts_from_when_it_was_typed_and_not_from_when_it_was_asked_for(board):
    """A waypoint is made every 0.35 s, a key counts for 0.2 s: a tap long ago moves nothing."""
    now_s = [10.0]
    source = KeyboardSource(Terminal(board[1]), 0.05, 0.2, now_s=lambda: now_s[0])
    assert source.sample(0.0).at_rest
    typed(*board, b"r")()
    for _ in range(35):
        source.listen()
        now_s[0] += 0.01
    assert source.sample(0.35).at_rest
    typed(*board, b"r")()
    source.listen()
    now_s[0] += 0.19
    assert not source.sample(0.7).at_rest, "the control: within 0.2 s it counts"
    source.close()


def test_keys_typed_before_the_run_move_nothing(board, monkeypatch, tmp_path):
    typed(*board, b"rrrr\n")()  # the terminal still hands over whole lines
    acts = [(3.0, typed(*board, b"q"))]
    result, wanted, _ = run(monkeypatch, tmp_path, KEYBOARD, lambda *_: acts, keyboard_fd=board[1])
    assert result.end.reason == "ended with the key q"
    assert not wanted.any()


def test_a_terminal_that_hangs_up_ends_the_motion_at_rest(board, monkeypatch, tmp_path):
    acts = [*held(board, b"r", 1.0, 3.0), (3.0, lambda: os.close(board[0]))]
    result, _, robot = run(monkeypatch, tmp_path, KEYBOARD, lambda *_: acts, keyboard_fd=board[1])
    assert result.end.result is StreamResult.COMPLETED
    assert result.end.reason == "the terminal is gone"
    assert any("the terminal is gone" in event.message for event in result.events)
    assert robot[-1] < 1e-3 < max(robot)


def writer_of(inner):
    return socket.create_connection(("127.0.0.1", inner._inner.port), timeout=2.0)


class Writers:
    """Two processes that write to a remote source."""

    def __init__(self, clock, inner):
        self._now_s, self._inner, self._sockets, self._seq = clock.now_s, inner, {}, 0
        self.refused = []

    def comes(self, name, token=TOKEN):
        def act():
            connection = writer_of(self._inner)
            self._inner.listen()
            prove(connection, token)
            self._sockets[name] = connection

        return act

    def writes(self, name):
        def act():
            self._seq += 1
            with contextlib.suppress(OSError):  # it was refused
                self._sockets[name].sendall(set_point(self._seq, self._now_s()))

        return act

    def looks(self, name):
        """Note whether its connection was closed."""

        def act():
            with contextlib.suppress(ConnectionError):
                self._sockets[name].settimeout(0.01)
                try:
                    closed = self._sockets[name].recv(1) == b""
                except TimeoutError:
                    closed = False
                self.refused.append((name, closed))
                return
            self.refused.append((name, True))

        return act

    def ends(self, name):
        return lambda: self._sockets[name].sendall(b'{"seq": 100000, "end": true}\n')

    def stream(self, name, begin_s, end_s, period_s=0.05):
        times = np.arange(begin_s, end_s, period_s)
        return [(float(t_s), self.writes(name)) for t_s in times]

    def close(self):
        for each in self._sockets.values():
            each.close()


@pytest.fixture
def remote(tmp_path):
    token = tmp_path / "token"
    token.write_text(TOKEN)
    token.chmod(0o600)
    made = []
    source = {"kind": "remote", "listen": "127.0.0.1:0", "token_file": str(token), "frame": "base"}

    def acting(script):
        def acts(clock, inner):
            made.append(Writers(clock, inner))
            return sorted(script(made[-1]), key=lambda pair: pair[0])

        return acts

    yield SimpleNamespace(source=source, acting=acting, made=made)
    for each in made:
        each.close()


def test_a_writer_that_falls_silent_is_worth_nothing_after_its_age(remote, monkeypatch, tmp_path):
    acts = remote.acting(
        lambda w: [(0.5, w.comes("one")), *w.stream("one", 1.0, 4.0), (9.0, w.ends("one"))]
    )
    result, wanted, robot = run(monkeypatch, tmp_path, remote.source, acts)
    assert result.end.reason == "ended by the writer"
    moving = np.flatnonzero(wanted)
    assert max(wanted) == pytest.approx(0.03)
    assert moving[-1] <= at(4.0 + 0.2 + 0.35 + 0.6) + 1
    assert max(robot[moving[-1] + 8 :]) < 1e-3 < max(robot)


def test_without_the_token_nothing_moves_and_the_right_one_may_come_later(
    remote, monkeypatch, tmp_path
):
    def script(w):
        return [
            (0.5, w.comes("stranger", "not the token, but as long")),
            *w.stream("stranger", 1.0, 3.0),
            (3.0, w.looks("stranger")),
            (4.0, w.comes("one")),
            *w.stream("one", 5.0, 6.0),
            (8.0, w.ends("one")),
        ]

    result, wanted, _ = run(monkeypatch, tmp_path, remote.source, remote.acting(script))
    assert remote.made[0].refused == [("stranger", True)]
    assert np.flatnonzero(wanted)[0] >= at(5.0)
    assert result.end.reason == "ended by the writer"


def test_a_second_writer_is_refused_at_once_while_one_owns(remote, monkeypatch, tmp_path):
    def script(w):
        return [
            (0.5, w.comes("one")),
            (1.0, w.comes("two")),
            (1.02, w.looks("two")),  # two looks later, and not only at the next waypoint
            *w.stream("two", 1.1, 3.0),
            (3.0, w.looks("one")),
            (4.0, w.ends("one")),
        ]

    _, wanted, _ = run(monkeypatch, tmp_path, remote.source, remote.acting(script))
    assert remote.made[0].refused == [("two", True), ("one", False)]
    assert not wanted.any()


class Handles:
    """A made-up input device with six absolute axes and a button: what evdev would be asked for."""

    name = "Two Handles"
    AXES = ("ABS_X", "ABS_Y", "ABS_Z", "ABS_RX", "ABS_RY", "ABS_RZ")
    CODES = {"EV_KEY": 1, "EV_REL": 2, "EV_ABS": 3, "BTN_TL": 310} | {
        name: code for code, name in enumerate(AXES)
    }

    def __init__(self):
        self.pushed, self.keys, self.gone = 128, [], False

    def capabilities(self, absinfo):
        return {1: [310], 3: list(range(6))}

    def absinfo(self, code):
        if self.gone:
            raise OSError(19, "No such device")
        value = self.pushed if code == 2 else 128
        return SimpleNamespace(value=value, min=0, max=256)

    def active_keys(self):
        return self.keys

    def read(self):
        raise BlockingIOError

    def close(self):
        pass

    def does(self, **what):
        return lambda: [setattr(self, name, value) for name, value in what.items()]


@pytest.fixture
def handles(monkeypatch):
    device = Handles()

    def opened(path, axes, hold_button, *, now_s):
        return gamepad.EvdevHandles(device, Handles.CODES, axes, hold_button, now_s=now_s)

    monkeypatch.setattr(settings, "open_handles", opened)
    return device


PAD = {
    "kind": "gamepad", "device": "made up", "axes": Handles.AXES, "signs": (1,) * 6,
    "frame": "base",
}  # fmt: skip


def test_the_hold_button_let_go_stops_a_handle_that_is_still_pushed(handles, monkeypatch, tmp_path):
    acts = [
        (1.0, handles.does(pushed=256)),
        (2.0, handles.does(keys=[310])),
        (5.0, handles.does(keys=[])),
        (9.0, handles.does(gone=True)),
    ]
    result, wanted, robot = run(monkeypatch, tmp_path, PAD, lambda *_: acts)
    moving = np.flatnonzero(wanted)
    assert max(wanted) == pytest.approx(0.05)
    assert at(2.0) <= moving[0]
    assert moving[-1] <= at(5.0 + 0.35 + REST_AFTER_S) + 1
    assert max(robot[moving[-1] + 8 :]) < 1e-3 < max(robot)
    assert result.end.reason == "the handles are gone: No such device"


def test_a_button_pressed_from_the_start_moves_nothing(handles, monkeypatch, tmp_path):
    handles.does(pushed=256, keys=[310])()
    acts = [(6.0, handles.does(gone=True))]
    _, wanted, _ = run(monkeypatch, tmp_path, PAD, lambda *_: acts)
    assert not wanted.any()


def test_a_wrist_wound_up_ends_the_stream_and_joint_6_is_named(monkeypatch, tmp_path):
    judge_flip(run_arm(prepare_plan(winding_plan(monkeypatch)), tmp_path).end)


@pytest.mark.parametrize("source", [KEYBOARD, PAD])
def test_an_operator_cannot_run_in_virtual_time(source):
    with pytest.raises(RefusedError, match="--clock real"):
        source_of(live_plan(source), VirtualClock())
