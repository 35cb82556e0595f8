"""Every fault of the emulated arm does what it says; console, scripts and both kinds of wire."""

from __future__ import annotations

import math
import os
import select
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from queue import Queue

import numpy as np
import pytest
from arm_scripted_host import PERIOD_S, ScriptedHost, ahead, waypoint_line
from hypothesis import given
from hypothesis import strategies as st

from hil.timing.realtime import RealClock
from sim.devices.arm.console import ARM_COMMANDS, ArmConsole
from sim.devices.arm.faults import (
    ARM_FAULTS,
    ArmFault,
    arm_fault_from,
    parse_arm_script,
    parse_arm_words,
)
from sim.devices.arm.program import ArmState
from sim.devices.arm.server import run_arm_controller
from sim.devices.arm.settings import ArmControllerSettings
from sim.devices.fault_text import FaultError


def streaming(**more: object) -> ScriptedHost:
    host = ScriptedHost(ArmControllerSettings(**more), seed=7)  # type: ignore[arg-type]
    host.follow(ahead, 1000)
    return host


def have(host: ScriptedHost, kind: str, **more: float) -> None:
    host.robot.inject(ArmFault(kind, **more), host.now_s)


def test_estop_stops_at_once_and_needs_a_start_at_the_controller():
    host = streaming()
    host.run(3.0)
    have(host, "estop", duration_s=1.0)
    before = host.robot.gripper[0]
    host.run(0.9)
    assert np.linalg.norm(host.robot.gripper[0] - before) < 2e-3
    assert max(abs(host.robot.motion.rate_rad_s)) == 0.0
    assert set(host.statuses[-2:]) == {3}
    host.robot.start(host.now_s)  # still pressed
    host.run(0.05)
    assert host.robot.state is ArmState.HELD
    stood = host.robot.gripper[0]
    host.run(2.0)  # released, and nothing moves by itself
    np.testing.assert_array_equal(host.robot.gripper[0], stood)
    assert set(host.statuses[-5:]) == {3}
    count = len(host.requests)
    host.answers = lambda seq: None
    host.robot.start(host.now_s)
    host.run(0.5)
    assert set(host.statuses[count:]) == {0}
    np.testing.assert_allclose(host.robot.gripper[0], stood, atol=1e-9)


@pytest.mark.parametrize(("kind", "status"), [("power_off", 3), ("uncalibrated", 5)])
def test_power_and_calibration_stop_it_too(kind: str, status: int):
    host = streaming()
    host.run(3.0)
    have(host, kind)
    host.run(1.0)
    assert host.statuses[-1] == status
    assert max(abs(host.robot.motion.rate_rad_s)) == 0.0
    host.robot.start(host.now_s)
    host.run(0.5)
    assert host.statuses[-1] == status


def test_silence_is_heard_as_nothing_and_runs_dry():
    host = streaming()
    host.run(3.0)
    count = len(host.requests)
    have(host, "silence", duration_s=3.0)
    host.run(3.0)
    assert len(host.requests) <= count + 1  # one may have been on the wire
    assert host.robot.state is ArmState.DRY
    host.run(1.0)
    assert host.statuses[-1] == 2


@pytest.mark.parametrize("kind", ["drop_request", "drop_answer"])
def test_lost_lines_are_made_good_once(kind: str):
    host = streaming()
    host.run(3.0)
    have(host, kind, duration_s=0.2)
    host.run(3.0)
    assert host.robot.state is ArmState.RUNNING
    assert host.robot.counts.repeats <= 1
    have(host, kind)
    host.run(2.0)
    assert host.robot.state is ArmState.DRY


@pytest.mark.parametrize("kind", ["repeat_request", "repeat_answer"])
def test_repeated_lines_change_nothing(kind: str):
    host, plain = streaming(), streaming()
    have(host, kind)
    host.run(4.0)
    plain.run(4.0)
    np.testing.assert_array_equal(np.array(host.track), np.array(plain.track))
    assert host.robot.counts.unasked > 5
    if kind == "repeat_request":
        assert [w[1] for _, w in host.requests[1:5]] == ["1", "1", "2", "2"]


def test_echo_comes_back_byte_for_byte():
    host = ScriptedHost(seed=1)
    host.run(0.1)
    line = waypoint_line(0, host.location((0.0, 0.0, 0.0)))
    have(host, "echo")
    host.robot.receive(line, host.now_s)
    assert host.robot.advance(host.now_s + 0.15) == line
    assert streaming(echo=True).robot._line._echo


@pytest.mark.parametrize("kind", ["noise", "parity"])
def test_spoiled_bytes_never_move_it_elsewhere(kind: str):
    host = streaming()
    host.run(2.0)
    have(host, kind, value=0.01)
    host.run(20.0)
    assert host.noise + host.robot.counts.garbled > 3
    track = np.array(host.track)
    assert np.abs(track[:, 0] - host.start_m[0]).max() < 0.2e-3
    assert np.diff(track[:, 1]).min() > -5e-5  # never back
    assert host.robot.counts.refused == 0


def test_stall_makes_requests_late():
    host = streaming()
    host.run(3.0)
    have(host, "stall", value=0.15, duration_s=1.0)
    last_s = host.requests[-1][0]
    host.run(1.0)
    assert host.requests[-2][0] - last_s > PERIOD_S
    host.run(2.0)
    assert host.robot.state is ArmState.RUNNING
    have(host, "stall", value=5.0, duration_s=1.0)
    host.run(3.0)
    assert host.robot.state is ArmState.DRY


def test_elsewhere_moves_the_resting_arm_and_not_the_moving_one():
    host = ScriptedHost()
    host.run(1.0)
    have(host, "elsewhere", value=0.02)
    host.run(0.1)
    assert host.robot.gripper[0] - host.start_m == pytest.approx([0.0, 0.0, 0.02], abs=1e-8)
    host = streaming()
    host.run(2.0)
    have(host, "elsewhere", value=0.02)
    host.run(1.0)
    assert host.robot.gripper[0][2] == pytest.approx(host.start_m[2], abs=1e-4)
    host.answers = lambda seq: None
    host.run(2.0)
    assert host.robot.gripper[0][2] - host.start_m[2] == pytest.approx(0.02, abs=1e-4)


def test_an_arm_that_was_slow_begins_the_next_stream_where_it_stands():
    """Its path is ahead of it: it must not make good in one period what it had left undone."""
    host = streaming()
    host.run(2.0)
    have(host, "slow", value=0.3, duration_s=4.0)
    host.run(1.0)
    host.answers = lambda seq: None
    host.run(4.0)
    assert host.robot.state is ArmState.DRY
    stood = host.robot.gripper[0]
    host.robot.start(host.now_s)
    host.arm()
    here = host.location(tuple(stood - host.start_m))
    host.answers = lambda seq: waypoint_line(seq, here)
    host.run(2.0)
    assert host.robot.state is ArmState.RUNNING
    assert max(np.linalg.norm(place - stood) for place in host.track[-390:]) < 2e-4


def test_noise_is_the_same_for_the_same_seed():
    def run(seed: int) -> bytes:
        host = ScriptedHost(seed=seed)
        have(host, "noise", value=0.3)
        return b"".join(host.robot.advance(0.1 * k) for k in range(30))

    assert run(4) == run(4)
    assert run(4) != run(5)


# Words and scripts.


@pytest.mark.parametrize("kind", list(ARM_FAULTS))
def test_every_fault_can_be_said_and_ended(kind: str):
    host = ScriptedHost()
    console = ArmConsole(host.robot)
    momentary = ARM_FAULTS[kind].momentary
    assert console.execute(f"{kind} at_s=1", 0.0) == f"ok: {kind} at_s=1"
    assert console.execute("list", 0.5) == f"in 0.500 s: {kind} at_s=1"
    host.run(1.5)
    listed = "no faults" if momentary else f"on: {kind} at_s=1"
    assert console.execute("list", 1.5) == listed
    assert console.execute(f"clear {kind}", 1.5) == f"ok: {0 if momentary else 1} cleared"
    assert console.execute("list", 1.5) == "no faults"
    assert kind in console.execute("help", 1.5)


@pytest.mark.parametrize(
    ("line", "right"),
    [
        ("smoke", "noise"),
        ("noise value=2", "0 to 1"),
        ("noise value=nan", "0 to 1"),
        ("noise value=x", "a number"),
        ("noise 0.1", "key=value"),
        ("noise value=0.1 value=0.2", "twice"),
        ("estop value=1", "leave it out"),
        ("estop at_s=-1", ">= 0 s"),
        ("estop duration_s=0", "above 0 s"),
        ("elsewhere duration_s=1", "once"),
        ("clear smoke", "one kind"),
        ("start now", "stands alone"),
    ],
)
def test_wrong_lines_are_told_what_would_be_right(line: str, right: str):
    answer = ArmConsole(ScriptedHost().robot).execute(line, 0.0)
    assert answer.startswith("error: ")
    assert right in answer


def test_console_operates_the_controller():
    host = ScriptedHost(ArmControllerSettings(calibrated=False, autostart=False))
    console = ArmConsole(host.robot)
    assert console.execute("status", 0.0).startswith("OFF")
    assert console.execute("start", 0.0).startswith("NOT_CALIBRATED")
    assert console.execute("calibrate", 0.0).startswith("HELD")
    assert console.execute("start", 0.0).startswith("WAITING")
    assert console.execute("stop", 0.0).startswith("OFF")
    assert console.execute("", 0.0) == ""
    assert all(word in console.execute("help", 0.0) for word in ARM_COMMANDS if word != "help")


@given(st.text(max_size=40))
def test_arbitrary_lines_get_an_answer(line: str):
    assert bool(ArmConsole(HOST.robot).execute(line, 0.0)) is bool(line.split())


HOST = ScriptedHost()


def test_scripts_are_read_strictly():
    text = '[[fault]]\nkind = "estop"\nat_s = 2\n[[fault]]\nkind = "noise"\nvalue = 0.1\n'
    assert parse_arm_script(text) == (ArmFault("estop", at_s=2), ArmFault("noise", value=0.1))
    for wrong, message in [
        ("x", "not valid TOML"),
        ("[other]", "nothing else"),
        ('[[fault]]\nkind = "estop"\nnode = 1', "fault 1: unknown key 'node'"),
        ("[[fault]]\nat_s = 1", "fault 1: kind = None"),
        ('[[fault]]\nkind = "noise"\nvalue = "1"', "a number is needed"),
    ]:
        with pytest.raises(FaultError, match=message):
            parse_arm_script(wrong)
    with pytest.raises(FaultError):
        arm_fault_from({"kind": "noise", "value": True})
    fault = ArmFault("stall", value=0.3, at_s=1.5, duration_s=2.0)
    assert parse_arm_words(fault.words.split()) == fault
    assert not math.isnan(fault.strength)


# On the wire, by the real clock.


@contextmanager
def running(
    *, pty: bool = False, script: tuple[ArmFault, ...] = (), console_fd: int | None = None
) -> Iterator[tuple[Queue[str], list[str]]]:
    urls: Queue[str] = Queue()
    said: list[str] = []
    over = threading.Event()
    failures: list[BaseException] = []
    console = None if console_fd is None else open(console_fd, closefd=False)  # noqa: SIM115

    def run() -> None:
        try:
            run_arm_controller(
                ArmControllerSettings(baud=115_200),
                now_s=RealClock().now_s,
                ready=urls.put,
                stop=over.is_set,
                pty=pty,
                script=script,
                console=console,
                say=said.append,
            )
        except BaseException as error:
            failures.append(error)
            urls.put("failed")
            raise

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield urls, said
    finally:
        over.set()
        thread.join(5.0)
        if console is not None:
            console.close()
    assert not thread.is_alive()
    assert not failures


def read_line(fd: int) -> bytes:
    line = b""
    while not line.endswith(b"\r"):
        assert select.select([fd], [], [], 3.0)[0], line
        line += os.read(fd, 1)
    return line


def request_line(fd: int) -> bytes:
    """The next whole request: who comes in the middle of a line hears its end first."""
    lines = (read_line(fd) for _ in range(4))
    return next(line for line in lines if line.startswith(b"R,"))


def exchange(fd: int) -> None:
    """Answer two requests where the arm stands."""
    host = ScriptedHost()
    for _ in range(2):
        words = request_line(fd).decode().split(",")
        os.write(fd, waypoint_line(int(words[1]), host.location((0.0, 0.0, 0.0))))
    assert int(request_line(fd).decode().split(",")[1]) == int(words[1]) + 1


def hangs_up(fd: int) -> bool:
    """Read until the terminal is gone: an error or the end, as the system likes."""
    try:
        while select.select([fd], [], [], 3.0)[0]:
            if not os.read(fd, 100):
                return True
    except OSError:
        return True
    return False


@pytest.mark.real_time
def test_over_tcp_one_host_at_a_time():
    with running() as (urls, _):
        url = urls.get(timeout=60.0)
        address = ("127.0.0.1", int(url.removeprefix("socket://127.0.0.1:")))
        with socket.create_connection(address) as link:
            exchange(link.fileno())
            with socket.create_connection(address) as second:
                second.settimeout(3.0)
                assert second.recv(1) == b""
        with socket.create_connection(address) as link:
            assert request_line(link.fileno()).startswith(b"R,")


@pytest.mark.real_time
def test_over_a_pty_unplugged_and_plugged_again_with_a_console():
    reader, writer = os.pipe()
    try:
        with running(pty=True, console_fd=reader) as (urls, said):
            url = urls.get(timeout=60.0)
            path, baud = url.removeprefix("serial:").split("?")
            assert baud == "baud=115200"
            fd = os.open(path, os.O_RDWR | os.O_NOCTTY)
            exchange(fd)
            os.write(writer, b"unplug duration_s=0.2\n")
            assert hangs_up(fd)
            os.close(fd)
            os.write(writer, b"status\n")
            # The terminal may come back under its old name; a master of it hears the robot.
            while not any("request" in line for line in said):
                select.select([], [], [], 0.01)
            assert said[0] == "ok: unplug duration_s=0.2"
    finally:
        os.close(reader)
        os.close(writer)


@pytest.mark.real_time
def test_a_script_counts_from_the_start():
    with running(script=(ArmFault("estop"),)) as (urls, _):
        port = int(urls.get(timeout=60.0).rsplit(":", 1)[1])
        with socket.create_connection(("127.0.0.1", port)) as link:
            lines = [read_line(link.fileno()) for _ in range(3)]
            assert lines[2].split(b",")[2] == b"3"
