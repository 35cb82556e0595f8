"""Live runs as they are used: the program in a terminal, the robot on a line, another writer."""

import contextlib
import json
import os
import pty
import re
import select
import socket
import subprocess
import sys
import termios
from pathlib import Path

import numpy as np
import pytest
from live_bench import TOKEN, live_plan, live_toml, prove, set_point, speeds_m_s

from hil.stations.arm.cycle.dead_man import RELEASED_S
from hil.stations.arm.report.recording import ArmRecording
from hil.stations.arm.run.bench import prepare_plan
from hil.stations.arm.run.wire import emulated_robot
from hil.stations.arm.signals import ArmFlag
from hil.timing.realtime import RealClock

now_s = RealClock().now_s
pytestmark = pytest.mark.real_time
WITHIN_S = 60.0
COLUMNS = 100


@pytest.fixture
def robot():
    """An emulated robot on a pseudo-terminal, in a process of its own."""
    with emulated_robot(prepare_plan(live_plan({"kind": "keyboard"}))) as url:
        yield url


class Run:
    """`hil run` in a process of its own, all three streams of it on a terminal.

    Args:
        arguments: after `hil run`.
        verb: in place of that.
    """

    def __init__(self, *arguments, verb=("run",)):
        self.near, self.far = pty.openpty()
        termios.tcsetwinsize(self.far, (30, COLUMNS))
        self.before = termios.tcgetattr(self.far)
        self.shown = b""
        self.process = subprocess.Popen(
            [sys.executable, "-m", "hil.cli", *verb, *map(str, arguments)],
            stdin=self.far, stdout=self.far, stderr=self.far, start_new_session=True,
            env=os.environ | {"TERM": "xterm", "NO_COLOR": "1"},
        )  # fmt: skip

    def read(self, timeout_s):
        if select.select([self.near], [], [], timeout_s)[0]:
            self.shown += os.read(self.near, 65_536)

    def until(self, text):
        """Read until a text was shown."""
        end_s = now_s() + WITHIN_S
        while text not in self.shown.decode(errors="replace"):
            assert now_s() < end_s, self.text()
            assert self.process.poll() is None or select.select([self.near], [], [], 0.2)[0], (
                self.text()
            )
            self.read(0.05)

    def hold(self, key, for_s):
        """A key that repeats as a keyboard's does, while what is shown is read."""
        end_s = now_s() + for_s
        while now_s() < end_s:
            os.write(self.near, key)
            self.read(0.03)

    def ended(self):
        """Read to the end; the exit status."""
        end_s = now_s() + WITHIN_S
        while self.process.poll() is None:
            assert now_s() < end_s, self.text()
            self.read(0.05)
        while select.select([self.near], [], [], 0.1)[0]:
            self.read(0.0)
        return self.process.returncode

    def text(self):
        """What was shown, without the means of moving about."""
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", self.shown.decode(errors="replace"))

    def close(self):
        self.process.kill()
        self.process.wait()
        for fd in (self.near, self.far):
            os.close(fd)


@pytest.fixture
def started():
    runs = []

    def start(*arguments, **options):
        runs.append(Run(*arguments, **options))
        return runs[-1]

    yield start
    for run in runs:
        run.close()


def recording_in(folder):
    return next(folder.glob("*/recording.mcap"))


def test_keys_in_a_terminal_move_a_robot_on_a_line(robot, started, tmp_path):
    """Let go for longer than a released handle may take: the robot rests while the arm swings."""
    source = 'kind = "keyboard"\nframe = "base"'
    scenario = live_toml(tmp_path / "live.toml", source, model="e")
    run = started(scenario, "--arm-link", robot, "--out", tmp_path / "runs")
    run.until("the stream begins")
    assert not termios.tcgetattr(run.far)[3] & (termios.ECHO | termios.ICANON)
    run.hold(b"r", 1.2)
    run.hold(b"", RELEASED_S + 0.6)
    run.hold(b"r", 0.8)
    os.write(run.near, b"q")
    assert run.ended() == 0, run.text()
    text = run.text()
    assert "r / f  up / down" in text, "the keys are told"
    assert text.index("space  stop at once") < text.index("the stream begins")
    assert re.search(r"wanted +[1-9]\d* mm/s .*, moves +[1-9]\d* mm/s", text)
    assert "ended with the key q; both arms come to rest along the path" in text
    assert "completed: ended with the key q" in text
    assert "0 with nothing ready, 0 late" in text
    assert "rrr" not in text, "no key is echoed"
    assert termios.tcgetattr(run.far) == run.before, "the terminal is given back"
    told = recording_in(tmp_path / "runs")
    wanted, gripper = speeds_m_s(told)
    resting = ArmRecording.open(told).column("flags") & ArmFlag.RESTING != 0
    rested = np.flatnonzero(resting)[0]
    assert wanted[:rested].max() > 0.02
    assert wanted[rested:].max() > 0.005, "and it goes on"
    assert gripper[resting].min() == 0.0
    assert max(wanted) > 0.02
    assert wanted[-1] == 0.0
    assert gripper[-1] < 1e-3 < max(gripper)


def test_ctrl_c_in_the_terminal_brings_both_arms_to_rest(robot, started, tmp_path):
    """While a key is held, as an operator in a fright would."""
    scenario = live_toml(tmp_path / "live.toml", 'kind = "keyboard"\nframe = "base"')
    run = started(scenario, "--arm-link", robot, "--out", tmp_path / "runs")
    run.until("the stream begins")
    run.hold(b"a", 1.0)
    run.process.send_signal(2)
    run.hold(b"a", 0.3)  # no longer than the stop takes: later keys are echoed into what it tells
    assert run.ended() == 0, run.text()
    assert "cancelled: stopped by the operator" in run.text()
    assert termios.tcgetattr(run.far) == run.before
    told = ArmRecording.open(recording_in(tmp_path / "runs"))
    wanted, gripper = speeds_m_s(told.recording.path)
    sent = int(told.link_tally()["waypoints"])
    assert max(wanted) > 0.01
    assert max(gripper[:sent]) > 0.01
    assert 0 < sent < told.waypoints, "what comes after is the space arm's alone"
    assert not told.column("rate_command")[-1].any(), "the space arm rests"


def writer(path):
    """Another process of this machine: this one."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.settimeout(5.0)
    while True:
        try:
            connection.connect(str(path))
            break
        except ConnectionRefusedError:  # bound, and in a moment it listens
            select.select([], [], [], 0.02)
    return connection


def closed(connection):
    try:
        return connection.recv(200) == b"" or connection.recv(1) == b""  # a nonce may be first
    except ConnectionError:
        return True


def test_another_process_moves_the_robot_until_it_falls_silent(robot, started, tmp_path):
    token = tmp_path / "token"
    token.write_text(TOKEN)
    token.chmod(0o600)
    address = tmp_path / "velocity"
    source = f'kind = "remote"\nframe = "base"\nlisten = "{address}"\ntoken_file = "{token}"'
    run = started(
        live_toml(tmp_path / "live.toml", source),
        "--arm-link", robot, "--out", tmp_path / "runs", "--json",
    )  # fmt: skip
    while not address.exists():
        run.read(0.05)
        assert run.process.poll() is None, run.text()
    with contextlib.closing(writer(address)) as stranger:
        prove(stranger, "somebody else entirely")
        with contextlib.suppress(OSError):  # it may have been closed already
            stranger.sendall(set_point(1, now_s()))
        assert closed(stranger), "refused without the token"
    with contextlib.closing(writer(address)) as owner, contextlib.closing(writer(address)) as late:
        prove(owner)
        assert closed(late), "refused while another one owns"
        moved_s = now_s()
        seq = 0
        while now_s() < moved_s + 2.0:
            seq += 1
            owner.sendall(set_point(seq, now_s()))
            run.read(0.03)
        run.hold(b"", 1.8)  # silence
        owner.sendall(b'{"seq": 100000, "end": true}\n')
        assert run.ended() == 0, run.text()
    told = json.loads(run.text()[run.text().index("{") :])
    assert (told["result"], told["reason"]) == ("completed", "ended by the writer")
    assert (told["empty_slot"], told["late_answers"]) == (0, 0)
    assert not address.exists(), "its socket is taken away"
    wanted, gripper = speeds_m_s(Path(told["recording"]))
    moving = np.flatnonzero(wanted)
    assert max(wanted) > 0.015
    assert moving[-1] < len(wanted) - 2, "silent before it ended"
    assert gripper[-1] < 1e-3 < max(gripper)


def test_a_robot_on_a_line_goes_to_joints_while_space_is_held(robot, started, tmp_path):
    """The posture is asked for, answered by a person; let go, it rests; held again, it arrives."""
    verb = ("arm", "goto", "rm01")
    run = started(
        "--joints", "44.4,77.1,-218.3,53.8,63.8,-31.1", "--arm-link", robot,
        "--out", tmp_path / "runs", verb=verb,
    )  # fmt: skip
    run.until("Does its pendant show these?")
    os.write(run.near, b"y\n")
    run.until("the stream begins")
    run.hold(b" ", 1.0)
    run.hold(b"", 1.6)
    while run.process.poll() is None:
        run.hold(b" ", 0.3)
    assert run.ended() == 0, run.text()
    text = run.text()
    assert "held again; the robot goes on" in text
    assert "completed" in text
    joints = ArmRecording.open(recording_in(tmp_path / "runs")).column("robot_q")
    np.testing.assert_allclose(np.degrees(joints[-1])[:2], [44.4, 77.1], atol=1e-3)
