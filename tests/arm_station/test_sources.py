"""Sources of gripper velocity: never above the limits, and zero without fresh input."""

import contextlib
import errno
import json
import math
import os
import pty
import socket
import termios
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from live_bench import prove
from pydantic import TypeAdapter

from hil.config.settings import ConfigError, Settings
from hil.desk.velocity import gamepad
from hil.desk.velocity.gamepad import (
    EvdevHandles,
    GamepadSource,
    HandleShape,
    HandleState,
    open_handles,
)
from hil.desk.velocity.keyboard import KEYS, KeyboardSource, Terminal
from hil.desk.velocity.listener import listen, read_token
from hil.desk.velocity.remote import RemoteSource
from hil.desk.velocity.remote_wire import LINE_MAX, parse_order
from hil.desk.velocity.source import SourceError, SourceUnavailableError, Twist, rest
from hil.stations.arm.sources.profile import ProfileSource, Segment
from hil.stations.arm.sources.recorded_velocity import RecordedSource
from hil.stations.arm.sources.settings import ArmSourceSettings, make_source
from hil.stations.arm.sources.slew import SlewedSource
from hil.stations.arm.sources.source import SourceLimits
from hil.stations.arm.sources.spiral import SpiralSource

LIMITS = SourceLimits(0.05, 0.2, 0.04, 0.15)
TOKEN = "0123456789abcdef-secret"
finite = st.floats(-1e6, 1e6)
vectors = st.tuples(finite, finite, finite)


class Now:
    """A clock turned by hand."""

    def __init__(self, now_s=100.0):
        self.now_s = now_s

    def __call__(self):
        return self.now_s


def numbers(twist):
    return (*twist.linear_m_s.tolist(), *twist.angular_rad_s.tolist())


def size(vector):
    return float(np.sqrt(np.dot(vector, vector)))


# --- twist, limits, slew ---


def test_a_twist_keeps_its_own_read_only_numbers():
    given_m_s = np.array([1.0, 2.0, 3.0])
    twist = Twist(given_m_s, np.zeros(3), "base")
    given_m_s[:] = 9.0
    assert numbers(twist) == (1.0, 2.0, 3.0, 0.0, 0.0, 0.0)
    with pytest.raises(ValueError, match="read-only"):
        twist.linear_m_s[0] = 1.0
    for bad in ([1.0, 2.0], [1.0, 2.0, math.nan], [[1.0, 2.0, 3.0]]):
        with pytest.raises(SourceError, match="linear_m_s"):
            Twist(bad, np.zeros(3), "base")
    with pytest.raises(SourceError, match="need one of gripper, base, world"):
        Twist(np.zeros(3), np.zeros(3), "tool")


@pytest.mark.parametrize("bad", [0.0, -0.01, 0.1001, math.nan, math.inf])
def test_no_limit_is_above_100_mm_s(bad):
    assert SourceLimits(0.1, 1.0, 1.0, 1.0).linear_m_s == 0.1
    with pytest.raises(SourceError, match=r"linear_m_s = .* at most 0\.1 m/s"):
        SourceLimits(bad, 0.2, 0.05, 0.2)


@given(vectors, vectors)
def test_scaling_bounds_both_speeds_and_keeps_the_motion(linear, angular):
    asked = Twist(linear, angular, "world")
    got = LIMITS.bounded(asked)
    assert size(got.linear_m_s) <= 0.05 * (1 + 1e-15)
    assert size(got.angular_rad_s) <= 0.2 * (1 + 1e-15)
    ratio = max(size(asked.linear_m_s) / 0.05, size(asked.angular_rad_s) / 0.2, 1.0)
    np.testing.assert_allclose(
        np.array(numbers(got)) * ratio, numbers(asked), rtol=1e-12, atol=1e-300
    )


class Scripted:
    """A live source that says what it is told to."""

    duration_s = None
    end_reason = "told to"

    def __init__(self, script):
        self.script, self.closed = list(script), 0

    def sample(self, t_s):
        return self.script.pop(0) if self.script else None

    def close(self):
        self.closed += 1


@given(
    st.lists(st.tuples(vectors, vectors, st.sampled_from(["base", "gripper"])), max_size=30),
    st.lists(st.floats(0.0, 0.6), min_size=80, max_size=80),
)
def test_slew_bounds_velocity_and_acceleration_and_ends_at_rest(script, gaps_s):
    source = SlewedSource(Scripted(Twist(*each) for each in script), LIMITS)
    t_s, last = 0.0, None
    for gap_s in gaps_s:
        t_s += gap_s
        twist = source.sample(t_s)
        if twist is None:
            break
        assert size(twist.linear_m_s) <= 0.05 * (1 + 1e-12)
        assert size(twist.angular_rad_s) <= 0.2 * (1 + 1e-12)
        before = np.zeros(6) if last is None else np.array(numbers(last))
        change = np.array(numbers(twist)) - before
        assert size(change[:3]) <= 0.04 * min(gap_s, 0.35) + 1e-12
        assert size(change[3:]) <= 0.15 * min(gap_s, 0.35) + 1e-12
        if last is not None and not last.at_rest and not twist.at_rest:
            assert twist.frame == last.frame
        last = twist
    if twist is None:
        assert last is None or last.at_rest


def test_slew_reaches_what_is_wanted_and_both_parts_at_once():
    wanted = Twist((0.04, 0.0, 0.0), (0.0, 0.06, 0.0), "base")
    source = SlewedSource(Scripted([wanted] * 9), LIMITS)
    seen = [numbers(source.sample(0.25 * k)) for k in range(6)]
    assert seen[0] == (0.0,) * 6
    np.testing.assert_allclose(seen[2], np.array(numbers(wanted)) / 2, rtol=1e-12)
    assert seen[4] == seen[5] == numbers(wanted)


# --- profile ---


@pytest.mark.parametrize(("edge", "steepest"), [("trapezoid", 1.0), ("smoothstep", 1.5)])
def test_profile_keeps_way_speed_and_acceleration(edge, steepest):
    segments = (
        Segment(4.0, (0.03, -0.04, 0.0), (0.0, 0.0, 0.1), "gripper"),
        Segment(1.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), "base"),
        Segment(5.0, (0.0, 0.0, 0.02), (0.2, 0.0, 0.0), "world"),
    )
    source = ProfileSource(segments, LIMITS, edge)
    assert source.duration_s == 10.0
    step_s = 0.0005
    twists = [source.sample((k + 0.5) * step_s) for k in range(20_000)]
    rows = np.array([numbers(twist) for twist in twists])
    assert [twists[k].frame for k in (0, 9_000, 11_000)] == ["gripper", "base", "world"]
    edge_s = steepest * max(0.05 / 0.04, 0.1 / 0.15)
    np.testing.assert_allclose(
        rows[:8000, :3].sum(axis=0) * step_s,
        np.array([0.03, -0.04, 0.0]) * (4.0 - edge_s),
        atol=1e-7,
    )
    slopes = np.diff(rows, axis=0) / step_s
    linear = np.sqrt((slopes[:, :3] ** 2).sum(axis=1)).max()
    angular = np.sqrt((slopes[:, 3:] ** 2).sum(axis=1)).max()
    assert 0.999 * 0.04 <= linear <= 0.04 * (1 + 1e-9)
    assert 0.999 * 0.15 <= angular <= 0.15 * (1 + 1e-9)
    for border_s in (0.0, 4.0, 5.0, math.nextafter(10.0, 0.0)):
        assert max(map(abs, numbers(source.sample(border_s)))) < 1e-12
    assert source.end_reason == ""
    assert source.sample(10.0) is None
    assert source.end_reason == "completed"


def test_profile_refuses_what_it_cannot_do():
    ok = Segment(9.0, (0.05, 0.0, 0.0), (0.0, 0.0, 0.0))
    ProfileSource((ok,), LIMITS)
    for segment, words in (
        (Segment(9.0, (0.05, 0.001, 0.0), (0.0, 0.0, 0.0)), "segment 1: speed 0.05001"),
        (Segment(9.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.21)), "segment 1: turn rate 0.21 rad/s"),
        (Segment(3.7, (0.0, 0.05, 0.0), (0.0, 0.0, 0.0)), "less than the 3.75 s"),
    ):
        with pytest.raises(SourceError, match=words):
            ProfileSource((ok, segment), LIMITS)
    with pytest.raises(SourceError, match="at least one"):
        ProfileSource((), LIMITS)
    with pytest.raises(SourceError, match="duration_s"):
        Segment(math.nan, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    with pytest.raises(SourceError, match="finite number"):
        ProfileSource((ok,), LIMITS).sample(math.nan)


# --- recorded ---

HEADER = "t_s,vx_m_s,vy_m_s,vz_m_s,wx_rad_s,wy_rad_s,wz_rad_s"
GOOD = ("10.0,0,0,0,0,0,0", "10.5,0.01,-0.008,0,0,0.06,0", "11.0,0,0,0,0,0,0")


def recording(tmp_path, *rows, header=HEADER):
    path = tmp_path / "handles.csv"
    path.write_text("\n".join((header, *rows)) + "\n", encoding="utf-8")
    return path


def test_recorded_goes_straight_between_rows(tmp_path):
    source = RecordedSource(recording(tmp_path, *GOOD), LIMITS, "base")
    assert source.duration_s == 1.0
    twist = source.sample(0.25)
    np.testing.assert_allclose(numbers(twist), (0.005, -0.004, 0, 0, 0.03, 0), atol=1e-15)
    assert twist.frame == "base"
    np.testing.assert_allclose(
        numbers(source.sample(0.875)), (0.0025, -0.002, 0, 0, 0.015, 0), atol=1e-15
    )
    assert source.sample(-1.0).at_rest
    assert source.sample(1.0) is None
    assert source.end_reason == "completed"


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ((GOOD[0], "10.5,0.051,0,0,0,0,0", GOOD[2]), "line 3: speed 0.051 m/s, more than 0.05"),
        ((GOOD[0], "10.5,0,0,0,0,0,0.3", GOOD[2]), "line 3: turn rate 0.3 rad/s"),
        (
            (GOOD[0], "10.4,0.018,0,0,0,0,0", "10.8,0,0,0,0,0,0"),
            "line 3: speed changes by 0.045 m/s",
        ),
        ((GOOD[0], GOOD[1], "10.9,0,0,0,0,0,0.07"), "line 4: turn rate .* at rest"),
        (("10,0.01,0,0,0,0,0", GOOD[1], GOOD[2]), "line 2: speed .* at rest"),
        ((GOOD[0], "10.0,0,0,0,0,0,0"), "times must rise"),
        ((GOOD[0], "10.6,0,0,0,0,0,0"), "more than 0.5 s"),
        ((GOOD[0], "10.5,nan,0,0,0,0,0", GOOD[2]), "line 3, column 'vx_m_s': holds 'nan'"),
        ((GOOD[0],), "at least two"),
        ((), "no rows"),
    ],
)
def test_recorded_refuses_with_file_and_line(tmp_path, rows, words):
    with pytest.raises(SourceError, match=words):
        RecordedSource(recording(tmp_path, *rows), LIMITS)


def test_recorded_names_a_missing_column(tmp_path):
    path = recording(tmp_path, *GOOD, header=HEADER.replace("vx_m_s", "vx_mm_s"))
    with pytest.raises(SourceError, match="the closest is 'vx_mm_s'"):
        RecordedSource(path, LIMITS)


# --- keyboard ---


@pytest.fixture
def board():
    operator, terminal = pty.openpty()
    before = termios.tcgetattr(terminal)
    now = Now()
    source = KeyboardSource(Terminal(terminal), 0.05, 0.2, now_s=now)
    assert source.sample(0.0).at_rest
    yield SimpleNamespace(operator=operator, fd=terminal, now=now, source=source, before=before)
    source.close()
    for fd in (operator, terminal):
        with contextlib.suppress(OSError):  # a test has closed it
            os.close(fd)


@pytest.mark.parametrize("key", sorted(KEYS))
def test_each_key_moves_its_axis_while_it_is_held(board, key):
    axis, sign = KEYS[key]
    expected = [0.0] * 6
    expected[axis] = sign * (0.05 if axis < 3 else 0.2)
    os.write(board.operator, key.encode())
    assert numbers(board.source.sample(0.1)) == tuple(expected)
    board.now.now_s += 0.199
    assert numbers(board.source.sample(0.2)) == tuple(expected)
    board.now.now_s += 0.001
    assert board.source.sample(0.3).at_rest


def test_keys_add_up_and_space_lets_all_go(board):
    os.write(board.operator, b"wdW")
    assert numbers(board.source.sample(0.1))[:3] == (0.05, -0.05, 0.0)
    os.write(board.operator, b"s")
    assert numbers(board.source.sample(0.2))[:3] == (0.0, -0.05, 0.0)
    os.write(board.operator, b"j ")
    assert board.source.sample(0.3).at_rest


@pytest.mark.parametrize("parts", [[b"\x1b[a"], [b"\x1b", b"[a"], [b"\x1b[1;", b"5d"], [b"\x1bw"]])
def test_cursor_keys_are_no_letters(board, parts):
    for part in parts:
        os.write(board.operator, part)
        assert board.source.sample(0.1).at_rest
    os.write(board.operator, b"w")
    assert numbers(board.source.sample(0.2))[0] == 0.05


def test_what_was_typed_while_nobody_sampled_is_thrown_away(board):
    os.write(board.operator, b"www")
    board.now.now_s += 1.5
    assert board.source.sample(0.1).at_rest
    os.write(board.operator, b"w")
    assert not board.source.sample(0.2).at_rest


def test_what_was_typed_before_the_first_sample_is_thrown_away(board):
    os.write(board.operator, b"w")
    fresh = KeyboardSource(Terminal(board.fd), 0.05, 0.2, now_s=board.now)
    assert fresh.sample(0.0).at_rest


def test_the_end_key_ends_and_the_terminal_is_given_back(board):
    os.write(board.operator, b"wq")
    assert board.source.sample(0.1) is None
    assert board.source.sample(0.2) is None
    assert board.source.end_reason == "ended with the key q"
    assert termios.tcgetattr(board.fd)[3] != board.before[3]
    board.source.close()
    board.source.close()
    assert termios.tcgetattr(board.fd) == board.before


def test_a_terminal_that_hangs_up_ends_the_source(board):
    os.close(board.operator)
    assert board.source.sample(0.1) is None
    assert board.source.end_reason == "the terminal is gone"


def test_a_file_is_no_terminal(tmp_path):
    with (
        (tmp_path / "f").open("w") as file,
        pytest.raises(SourceUnavailableError, match="start the run in a terminal"),
    ):
        Terminal(file.fileno())


@given(st.lists(st.text(st.characters(max_codepoint=255), max_size=20), max_size=8))
def test_no_typing_makes_more_than_full_speed(typed):
    script = list(typed)
    terminal = SimpleNamespace(read=lambda: script.pop(0), discard=lambda: None)
    source = KeyboardSource(terminal, 0.05, 0.2, now_s=Now())
    for number in range(len(typed)):
        twist = source.sample(0.1 * number)
        if twist is None:
            assert "q" in "".join(typed)
            return
        assert max(map(abs, numbers(twist)[:3])) <= 0.05
        assert max(map(abs, numbers(twist)[3:])) <= 0.2


# --- gamepad ---

SHAPE = HandleShape(0.05, 0.2, dead_zone=0.1, expo=0.5, signs=(1.0, -1.0, 1.0, 1.0, 1.0, -1.0))
STILL = (0.0,) * 6


def test_the_curve_is_odd_rising_and_zero_in_the_dead_zone():
    grid = np.linspace(-1.0, 1.0, 2001)
    values = np.array([SHAPE.curve(a) for a in grid.tolist()])
    assert not values[np.abs(grid) < 0.0999].any()
    np.testing.assert_allclose(values, -values[::-1], atol=1e-15)
    assert (np.diff(values) >= 0.0).all()
    assert np.diff(values).max() < 0.003  # no step at the dead zone's edge
    assert (SHAPE.curve(1.0), SHAPE.curve(-1.0), SHAPE.curve(5.0)) == (1.0, -1.0, 1.0)
    assert SHAPE.curve(0.55) == pytest.approx(0.5 * 0.5 + 0.5 * 0.125)
    assert SHAPE.curve(math.nan) == 0.0


def test_axes_become_a_twist_with_their_signs():
    twist = SHAPE.twist((1.0, 1.0, -1.0, 1.0, 0.0, 1.0), "base")
    assert numbers(twist) == (0.05, -0.05, -0.05, 0.2, 0.0, -0.2)
    with pytest.raises(SourceError, match="5 axes; need 6"):
        SHAPE.twist((0.0,) * 5, "base")


@pytest.mark.parametrize(
    "change",
    [{"dead_zone": 1.0}, {"expo": 1.1}, {"linear_m_s": math.nan}, {"signs": (1.0,) * 5}],
)
def test_a_shape_that_cannot_be_is_refused(change):
    with pytest.raises(SourceError, match=next(iter(change))):
        HandleShape(**{"linear_m_s": 0.05, "angular_rad_s": 0.2, **change})


def pad(*states):
    script = list(states)

    def read():
        state = script.pop(0)
        if isinstance(state, Exception):
            raise state
        return state

    return GamepadSource(SimpleNamespace(read=read, close=lambda: None), SHAPE)


PUSHED = (1.0, 0.0, 0.0, 0.0, 0.0, 0.0)


def test_only_a_held_button_moves_and_only_after_all_was_at_rest():
    states = [(PUSHED, True), (STILL, True), (PUSHED, True), (PUSHED, False), (PUSHED, True)]
    source = pad(
        *(HandleState(*s) for s in states),
        HandleState(STILL, False),
        HandleState(PUSHED, False),
        HandleState(PUSHED, True),
        HandleState(PUSHED, False),
    )
    moving = [not source.sample(0.1 * k).at_rest for k in range(9)]
    assert moving == [False] * 7 + [True, False]


def test_a_lost_device_ends_the_source():
    source = pad(HandleState(STILL, False), OSError(errno.ENODEV, "No such device"))
    assert source.sample(0.0).at_rest
    assert source.sample(0.1) is None
    assert source.sample(0.2) is None
    assert source.end_reason == "the handles are gone: No such device"


CODES = {
    **{"EV_KEY": 1, "EV_REL": 2, "EV_ABS": 3, "BTN_TL": 310, "BTN_0": 256},
    **{f"ABS_{name}": code for code, name in enumerate(("X", "Y", "Z", "RX", "RY", "RZ"))},
    **{f"REL_{name}": code for code, name in enumerate(("X", "Y", "Z", "RX", "RY", "RZ"))},
}
ABS = tuple(f"ABS_{name}" for name in ("X", "Y", "Z", "RX", "RY", "RZ"))
REL = tuple(f"REL_{name}" for name in ("X", "Y", "Z", "RX", "RY", "RZ"))


class Device:
    """What evdev.InputDevice offers, as far as it is used."""

    name = "Two Handles"

    def __init__(self):
        self.values, self.keys, self.batches, self.closed = {}, [], [], 0

    def capabilities(self, absinfo):
        assert not absinfo
        return {1: [256, 310], 2: list(range(6)), 3: list(range(6))}

    def absinfo(self, code):
        return SimpleNamespace(value=self.values.get(code, 128), min=0, max=256)

    def active_keys(self):
        return self.keys

    def read(self):
        if not self.batches:
            raise BlockingIOError
        for code, value in self.batches.pop(0):
            yield SimpleNamespace(type=2, code=code, value=value)

    def close(self):
        self.closed += 1


def test_absolute_axes_are_asked_of_the_kernel():
    device = Device()
    handles = EvdevHandles(device, CODES, ABS, "BTN_TL", now_s=Now())
    assert handles.read() == HandleState(STILL, False)
    device.values, device.keys = {0: 256, 1: 0, 5: 192}, [310]
    assert handles.read() == HandleState((1.0, -1.0, 0.0, 0.0, 0.0, 0.5), True)


def test_relative_axes_count_while_they_are_fresh():
    device, now = Device(), Now()
    handles = EvdevHandles(device, CODES, REL, "BTN_0", now_s=now)
    assert handles.read() == HandleState(STILL, False)
    device.batches = [[(0, 20), (5, -175)], [(0, 900)]]
    axes = (1.0, 0.0, 0.0, 0.0, 0.0, -0.5)
    assert handles.read().axes == axes
    now.now_s += 0.09
    assert handles.read().axes == axes
    now.now_s += 0.01
    assert handles.read().axes == STILL


def test_a_device_without_the_axes_says_what_it_has():
    with pytest.raises(SourceUnavailableError, match=r"no ABS_HAT0X; it has ABS_RX, .*BTN_TL"):
        EvdevHandles(Device(), CODES, (*ABS[:5], "ABS_HAT0X"), "BTN_TL", now_s=Now())


def fake_evdev(monkeypatch, names):
    device = Device()

    def opened(path):
        if path not in names:
            raise OSError(errno.EACCES, "Permission denied")
        device.path, device.name = path, names[path]
        return device

    package = SimpleNamespace(
        list_devices=lambda: list(names),
        InputDevice=opened,
        ecodes=SimpleNamespace(ecodes=CODES),
    )
    monkeypatch.setattr(gamepad.importlib, "import_module", lambda name: package)
    return device


def test_a_device_is_found_by_a_part_of_its_name(monkeypatch):
    names = {"/dev/input/event3": "Keyboard", "/dev/input/event7": "3Dconnexion SpaceMouse"}
    device = fake_evdev(monkeypatch, names)
    handles = open_handles("spacemouse", ABS, "BTN_0", now_s=Now())
    assert device.path == "/dev/input/event7"
    handles.close()
    with pytest.raises(SourceUnavailableError, match=r"no input device .*event3 \(Keyboard\)"):
        open_handles("gamepad", ABS, "BTN_0", now_s=Now())
    with pytest.raises(SourceUnavailableError, match="more than one"):
        open_handles("e", ABS, "BTN_0", now_s=Now())
    with pytest.raises(SourceUnavailableError, match=r"Permission denied.*group input"):
        open_handles("/dev/input/event9", ABS, "BTN_0", now_s=Now())


def test_without_the_package_the_remedy_is_told(monkeypatch):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(gamepad.importlib, "import_module", missing)
    with pytest.raises(SourceUnavailableError, match="pip install evdev"):
        open_handles("SpaceMouse", ABS, "BTN_0", now_s=Now())


# --- remote ---


def order(sequence, written_s, linear=(0.01, 0.02, 0.03), frame="base"):
    return {
        "seq": sequence,
        "t_s": written_s,
        "linear_m_s": list(linear),
        "angular_rad_s": [0.1, 0.0, 0.0],
        "frame": frame,
    }


def line(said):
    return json.dumps(said).encode() + b"\n"


class Writer:
    """The other process' end."""

    def __init__(self, source, token=TOKEN):
        self.socket = socket.create_connection(("127.0.0.1", source.port), timeout=2.0)
        source.listen()
        if token is not None:
            prove(self.socket, token)

    def say(self, *said):
        self.raw(b"".join(line(each) for each in said))

    def raw(self, data):
        self.socket.sendall(data)

    def closed(self):
        try:
            return not self.socket.recv(200).strip() or self.socket.recv(10) == b""  # a nonce first
        except ConnectionResetError:
            return True


@pytest.fixture
def remote():
    now = Now()
    source = RemoteSource("127.0.0.1:0", TOKEN, now_s=now)
    writers = []

    def writer(token=TOKEN):
        writers.append(Writer(source, token))
        return writers[-1]

    yield SimpleNamespace(source=source, now=now, writer=writer)
    source.close()
    for each in writers:
        each.socket.close()


def test_a_fresh_set_point_is_wanted_until_it_is_old(remote):
    assert remote.source.sample(0.0).at_rest
    remote.writer().say(order(1, 99.9))
    twist = remote.source.sample(0.1)
    assert (numbers(twist), twist.frame) == ((0.01, 0.02, 0.03, 0.1, 0.0, 0.0), "base")
    remote.now.now_s = 100.09
    assert not remote.source.sample(0.2).at_rest
    remote.now.now_s = 100.101
    assert remote.source.sample(0.3).at_rest


def test_what_waited_in_a_buffer_is_as_old_as_it_is(remote):
    remote.writer().say(*(order(k, 100.0 + 0.01 * k) for k in range(100)))
    remote.now.now_s = 103.0
    assert remote.source.sample(0.1).at_rest
    assert remote.source.counts["taken"] == 100


def test_numbers_must_rise_and_the_newest_wins(remote):
    remote.writer().say(
        order(5, 100.0), order(7, 100.0, (0.02, 0, 0)), order(7, 100.0), order(6, 100.0)
    )
    assert numbers(remote.source.sample(0.1))[:3] == (0.02, 0.0, 0.0)
    counts = remote.source.counts
    assert (counts["taken"], counts["repeated"], counts["malformed"]) == (2, 2, 0)


def test_a_stamp_from_the_future_is_no_stamp(remote):
    remote.writer().say(order(1, 100.06), order(2, 100.04, (0.04, 0, 0)))
    assert numbers(remote.source.sample(0.1))[0] == 0.04
    assert remote.source.counts["malformed"] == 1


@pytest.mark.parametrize(
    "first",
    [{"proof": "wrong"}, {"proof": 1}, {"proof": "é" * 20}, {"token": TOKEN}, order(1, 100.0), []],
)
def test_without_the_token_nothing_is_heard(remote, first):
    writer = remote.writer(None)
    writer.say(first, order(2, 100.0))
    assert remote.source.sample(0.1).at_rest
    assert writer.closed()
    assert (remote.source.counts["refused"], remote.source.counts["taken"]) == (1, 0)
    remote.writer().say(order(1, 100.0))
    assert not remote.source.sample(0.2).at_rest


def test_who_says_nothing_is_closed_after_a_second(remote):
    silent = remote.writer(None)
    remote.source.sample(0.0)
    remote.now.now_s += 1.01
    remote.source.sample(0.1)
    assert silent.closed()


def test_who_comes_second_is_closed(remote):
    first = remote.writer()
    assert remote.source.sample(0.0).at_rest
    second = remote.writer()
    second.say(order(9, 100.0, (0.05, 0, 0)))
    first.say(order(1, 100.0))
    assert numbers(remote.source.sample(0.1))[0] == 0.01
    assert second.closed()


def test_a_writer_that_goes_leaves_zero_and_another_may_come(remote):
    writer = remote.writer()
    writer.say(order(50, 100.0))
    assert not remote.source.sample(0.0).at_rest
    writer.socket.close()
    assert remote.source.sample(0.1).at_rest
    remote.writer().say(order(1, 100.0))
    assert not remote.source.sample(0.2).at_rest


@pytest.mark.parametrize("tail", [b"", b"\n"])
def test_a_line_too_long_closes_the_connection(remote, tail):
    writer = remote.writer()
    writer.raw(b"x" * (LINE_MAX + 1) + tail)
    assert remote.source.sample(0.0).at_rest
    assert writer.closed()
    assert remote.source.counts["refused"] == 1


def test_a_flood_is_taken_in_bounded_parts(remote):
    writer = remote.writer()
    writer.socket.settimeout(0.05)
    with contextlib.suppress(TimeoutError):
        for _ in range(1000):
            writer.raw(b"{}\n" * 10_000)
    remote.source.sample(0.0)
    assert 10_000 < remote.source.counts["malformed"] <= (65_536 + LINE_MAX) // 3


def test_the_writer_can_end_it_and_lines_may_come_in_pieces(remote):
    writer = remote.writer()
    whole = line(order(1, 100.0))
    writer.raw(whole[:20])
    assert remote.source.sample(0.0).at_rest
    writer.raw(whole[20:])
    assert not remote.source.sample(0.1).at_rest
    writer.say({"seq": 2, "end": True})
    assert remote.source.sample(0.2) is None
    assert remote.source.sample(0.3) is None
    assert remote.source.end_reason == "ended by the writer"


@pytest.mark.parametrize(
    "change",
    [
        {"seq": -1},
        {"seq": True},
        {"seq": 1.0},
        {"t_s": None},
        {"t_s": True},
        {"frame": "tool"},
        {"frame": ["base"]},
        {"linear_m_s": [0, 0]},
        {"linear_m_s": [0, 0, "1"]},
        {"linear_m_s": [0, 0, True]},
        {"linear_m_s": [0, 0, 1e300]},
        {"angular_rad_s": 3},
        {"extra": 1},
        {"end": True},
    ],
)
def test_only_whole_set_points_are_set_points(change):
    assert parse_order(line(order(1, 2.0))) is not None
    assert parse_order(line({**order(1, 2.0), **change})) is None


@given(
    st.binary(max_size=200)
    | st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["seq", "t_s", "linear_m_s", "angular_rad_s", "frame", "end"]),
                inner,
            )
        ),
    ).map(lambda said: json.dumps(said).encode())
)
def test_no_line_raises(data):
    found = parse_order(data)
    assert found is None or math.isfinite(found.written_s)


def token_file(tmp_path, content=TOKEN + "\n", mode=0o600):
    path = tmp_path / "token"
    path.write_text(content)
    path.chmod(mode)
    return path


def test_a_token_file_is_its_owners_alone(tmp_path):
    assert read_token(token_file(tmp_path)) == TOKEN
    for mode in (0o640, 0o604, 0o644, 0o700, 0o400):
        os.chmod(tmp_path / "token", mode)
        if os.geteuid() == 0 or mode & 0o400:
            with pytest.raises(SourceUnavailableError, match="need 0600: chmod 600"):
                read_token(tmp_path / "token")
    os.chmod(tmp_path / "token", 0o600)
    (tmp_path / "link").symlink_to(tmp_path / "token")
    for path, words in ((tmp_path / "link", "token file"), (tmp_path / "no", "umask 077")):
        with pytest.raises(SourceUnavailableError, match=words):
            read_token(path)


@pytest.mark.parametrize("content", ["", "short", "x" * 257, "x" * 20 + "\x00", "é" * 20])
def test_a_token_is_long_enough_and_printable(tmp_path, content):
    with pytest.raises(SourceUnavailableError, match="16 to 256 printable"):
        read_token(token_file(tmp_path, content))


@pytest.mark.parametrize("address", ["0.0.0.0:9000", "bench.example:9000", "[::]:9000", ":9000"])
def test_other_machines_are_not_listened_to(address):
    with pytest.raises(SourceUnavailableError, match="other machines"):
        listen(address)


def test_a_unix_socket_is_private_left_over_ones_replaced_and_live_ones_left(tmp_path):
    path = tmp_path / "s"
    first = listen(str(path))
    assert path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(SourceUnavailableError, match="somebody listens"):
        listen(str(path))
    first.close()
    first.close()
    assert not path.exists()
    dead = socket.socket(socket.AF_UNIX)
    dead.bind(str(path))
    dead.close()
    listen(str(path)).close()
    path.write_text("mine")
    with pytest.raises(SourceUnavailableError, match="no socket"):
        listen(str(path))
    assert path.read_text() == "mine"


@pytest.mark.parametrize("address", ["127.0.0.1:99999", "/no/such/folder/s", "x" * 200])
def test_an_address_that_cannot_be_made_is_told(address):
    with pytest.raises(SourceUnavailableError, match="cannot listen on"):
        listen(address)


# --- settings ---


class Holder(Settings):
    source: ArmSourceSettings


def built(**source):
    return Holder.build({"source": source}, "test").source


def test_a_profile_from_settings(tmp_path):
    source = make_source(
        built(
            kind="profile",
            frame="world",
            segment=[{"duration_s": 4.0, "velocity_m_s": [0.04, 0.0, 0.0]}],
        ),
        now_s=Now(),
        scenario=tmp_path / "scenario.toml",
    )
    assert (numbers(source.sample(2.0))[0], source.sample(2.0).frame) == (0.04, "world")


def test_a_recording_is_found_from_the_base_folder(tmp_path):
    recording(tmp_path, *GOOD)
    settings_ = built(kind="recorded", file="handles.csv", frame="base")
    source = make_source(settings_, now_s=Now(), scenario=tmp_path / "scenario.toml")
    assert source.duration_s == 1.0


def test_live_sources_from_settings_are_slewed(tmp_path, monkeypatch):
    operator, terminal = pty.openpty()
    now = Now()
    keyboard = make_source(
        built(kind="keyboard"), now_s=now, scenario=tmp_path / "scenario.toml", keyboard_fd=terminal
    )
    assert keyboard.sample(0.0).at_rest
    os.write(operator, b"w")
    assert numbers(keyboard.sample(0.1))[0] == pytest.approx(0.05 * 0.1)
    keyboard.close()
    for fd in (operator, terminal):
        os.close(fd)
    device = fake_evdev(monkeypatch, {"/dev/input/event1": "Two Handles"})
    gamepad = make_source(
        built(kind="gamepad", device="Two", axes=list(ABS)),
        now_s=now,
        scenario=tmp_path / "scenario.toml",
    )
    assert gamepad.sample(0.0).at_rest
    device.values, device.keys = {1: 0}, [310]
    assert numbers(gamepad.sample(0.1))[1] == pytest.approx(0.05 * 0.1)
    gamepad.close()
    assert device.closed == 2  # once after its name was asked


def test_remote_from_settings_and_never_above_its_limits(tmp_path):
    token_file(tmp_path)
    now = Now()
    source = make_source(
        built(kind="remote", listen="arm.sock", token_file="token"),
        now_s=now,
        scenario=tmp_path / "scenario.toml",
    )
    with socket.socket(socket.AF_UNIX) as writer:
        writer.connect(str(tmp_path / "arm.sock"))
        source.listen()
        prove(writer, TOKEN)
        writer.sendall(line(order(1, 100.0, (9.0, 0, 0))))
        speeds = []
        for k in range(12):
            speeds.append(numbers(source.sample(0.19 * k))[0])
            writer.sendall(line(order(2 + k, 100.0, (9.0, 0, 0))))
    assert max(speeds) == pytest.approx(0.05, rel=1e-12)
    assert all(b - a <= 0.05 * 0.19 + 1e-15 for a, b in pairwise(speeds))
    source.close()
    assert not (tmp_path / "arm.sock").exists()


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ({"kind": "mouse"}, "kind"),
        ({"kind": "keyboard", "limits": {"linear_m_s": 0.11}}, "limits.linear_m_s = 0.11"),
        ({"kind": "keyboard", "hold_s": 2.0}, "hold_s = 2.0"),
        ({"kind": "profile", "segment": []}, "segment"),
        ({"kind": "remote", "listen": "127.0.0.1:1"}, "token_file is left out"),
        ({"kind": "keyboard", "holds_s": 0.1}, "did you mean hold_s"),
    ],
)
def test_settings_that_cannot_be_are_refused(source, words):
    with pytest.raises(ConfigError, match=words):
        built(**source)


def test_rest_is_rest_in_any_frame():
    assert rest("world").at_rest
    assert TypeAdapter(ArmSourceSettings).json_schema()["discriminator"]["propertyName"] == "kind"


# --- spirals -------------------------------------------------------------------------------------


def spiral(radius_m=(0.15, 0.15), turns=1.0, speed_m_s=0.06, plane="yz", most=0.1):
    limits = SourceLimits(0.1, 0.2, most, 0.2)
    return SpiralSource(radius_m, turns, speed_m_s, plane, limits, "base", 0.35)


@pytest.mark.parametrize("turns", [1.0, -0.6])
@pytest.mark.parametrize("radius_m", [(0.15, 0.15), (0.06, 0.18), (0.2, 0.1)])
def test_a_spiral_leads_along_its_curve(radius_m, turns):
    source = spiral(radius_m, turns)
    period_s, place, places = 0.35, np.zeros(3), [np.zeros(3)]
    for k in range(10_000):
        twist = source.sample(k * period_s)
        if twist is None:
            break
        assert twist.frame == "base"
        assert np.linalg.norm(twist.linear_m_s) <= 0.06 * (1.0 + 1e-12)
        assert not twist.angular_rad_s.any()
        place = place + period_s * twist.linear_m_s
        places.append(place)
    assert source.end_reason == "completed"
    places = np.array(places)
    assert not places[:, 0].any()
    y, z = places[:, 1] + radius_m[0], places[:, 2]
    angle = np.unwrap(np.arctan2(z, y))
    assert angle[-1] == pytest.approx(2.0 * math.pi * turns, abs=1e-9)
    share = angle / angle[-1]
    np.testing.assert_allclose(np.hypot(y, z), radius_m[0] + share * (radius_m[1] - radius_m[0]),
                               atol=1e-12)  # fmt: skip
    fine = np.array([source.place_m(t) for t in np.linspace(0.0, source.duration_s, 4001)])
    speed = np.linalg.norm(np.diff(fine, axis=0), axis=1) / (source.duration_s / 4000)
    assert speed.max() == pytest.approx(0.06, rel=1e-4)
    middle = speed[1500:2500]
    np.testing.assert_allclose(middle, 0.06, rtol=1e-4)
    change = np.linalg.norm(np.diff(fine, 2, axis=0), axis=1) / (source.duration_s / 4000) ** 2
    assert change.max() <= 0.1 * 1.001


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"speed_m_s": 0.11}, r"spiral: speed 0\.11 m/s, more than 0\.1 m/s"),
        ({"radius_m": (0.03, 0.03)}, r"0\.12 m/s² towards its centre, at most 0\.1 m/s²"),
        ({"turns": 0.05}, "its two edges: make it longer or slower"),
        ({"turns": 0.0}, "turns other than 0"),
        ({"radius_m": (0.0, 0.1)}, "radii above 0"),
    ],
)
def test_a_spiral_that_asks_too_much_is_refused(asked, told):
    with pytest.raises(SourceError, match=told):
        spiral(**asked)
