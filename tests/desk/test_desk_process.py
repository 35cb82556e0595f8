"""The desk in its process: clients that freeze, die, do not read; a desk that dies; the end."""

import math
import os
import signal
import socket
import stat
from contextlib import ExitStack, closing

import pytest
from desk_samples import ARM_HEADER, Button, child, now_s, pause, platform_header, poll, until

from hil.desk import messages as m
from hil.desk.client import DeskClient, DeskRefusedError
from hil.desk.endpoints import benches, token
from hil.desk.operation import OPERATION_KIND, Operation, Refusal
from hil.desk.order import DEAD_MAN_S
from hil.desk.process import DeskError, DeskProcess
from hil.desk.respawner import SILENT_MAX_S
from hil.stations.platform.lead.assembly import PROVER_PROGRAM as PROGRAM

pytestmark = pytest.mark.real_time


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("desk") / "hil-bench"


@pytest.fixture(scope="module")
def process(place):
    with DeskProcess(ARM_HEADER, 0.004, station="arm", dead_man="presence", place=place) as desk:
        yield desk


class Control:
    """Reads the slot as control does: the newest order that could be read.

    The first may have to be asked for again: the desk may be writing just then.
    """

    def __init__(self, process):
        self.slot = process.slot
        self._last = None

    @property
    def order(self):
        def readable():
            self._last = self.slot.read() or self._last
            return self._last

        return until(readable)

    def pressed(self, button):
        return self.order.pressed(button)


@pytest.fixture
def control(process):
    return Control(process)


@pytest.fixture
def connect():
    """Connect to a desk as a client that is closed with the test, however it ends."""
    with ExitStack() as clients:
        yield lambda path, name: clients.enter_context(closing(DeskClient.connect(path, name)))


@pytest.fixture
def panel(process, connect):
    return connect(process.path, "panel")


def answer(client, message):
    """Say something and wait for its answer."""
    number = client.next_id()
    assert client.send(message.model_copy(update={"id": number}))

    def found():
        client.wait(0.1)
        said = [each for each in client.poll() if isinstance(each, m.Answer)]
        assert all(each.id == number for each in said)
        return said

    return until(found)[0]


def own(client):
    client.send(m.Alive(held=False, stamp_s=now_s()))
    # The owner of the test before is gone, but the desk may not have seen it yet.
    until(lambda: answer(client, m.Take()).ok)


def test_a_client_is_told_of_the_run_and_reads_what_control_tells(process, panel):
    said = panel.welcome
    assert (said.bench, said.station, said.period_s) == ("handles", "arm", 0.004)
    assert said.dead_man == "presence"
    assert said.header == ARM_HEADER
    operation = Operation(0.5, True, "play", 3, 1.25, Refusal("no", "home"), (1,) * 8)
    panel.telemetry.read()
    process.telemetry.push(OPERATION_KIND, operation.to_bytes())
    ((kind, payload),) = panel.telemetry.read()
    assert kind == OPERATION_KIND
    assert Operation.from_bytes(payload) == operation


def test_the_socket_is_the_users_own(process, place):
    assert stat.S_IMODE(process.path.stat().st_mode) == 0o600
    (found,) = benches(place)
    assert (found.path, found.pid) == (process.path, os.getpid())


def test_the_desk_is_no_part_of_real_time(process):
    assert os.sched_getscheduler(process.pid) == os.SCHED_OTHER
    assert os.getsid(process.pid) == process.pid


def test_wishes_reach_control(panel, control):
    own(panel)
    before = control.pressed(Button.HOME)
    for _ in range(5):
        panel.send(m.Alive(held=True, stamp_s=now_s()))
        assert answer(panel, m.Press(button="home")).ok
    assert answer(panel, m.Override(value=0.25)).ok
    assert control.pressed(Button.HOME) == before + 5
    assert control.order.override == 0.25
    assert not answer(panel, m.Target(pose=(0.0,) * 6)).ok


def test_a_second_panel_owns_nothing_but_may_stop(process, panel, control, connect):
    own(panel)
    other = connect(process.path, "other")
    refusal = answer(other, m.Take())
    assert "panel owns" in refusal.error
    before = control.pressed(Button.HOLD)
    assert answer(other, m.Stop()).ok
    assert control.pressed(Button.HOLD) == before + 1
    panel.send(m.Alive(held=True, stamp_s=now_s()))
    until(lambda: control.order.held)
    panel.close()
    until(lambda: not control.order.held)
    assert control.order.stamp_s == float("-inf")
    until(lambda: answer(other, m.Take()).ok)
    other.close()


def raw(process):
    """A connection that has said nothing yet."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    connection.settimeout(5.0)
    connection.connect(str(process.path))
    return connection, m.from_desk(connection.recv(65536))


@pytest.mark.parametrize("first", [b"\x00garbage", b"x" * (m.MAX_PACKET_BYTES + 9), None])
def test_who_is_not_let_in_gets_nothing(process, panel, first):
    connection, nonce = raw(process)
    with connection:
        hello = m.Hello(name="thief", proof=m.proof_of("0" * 64, nonce.nonce)).to_bytes()
        connection.send(hello if first is None else first)
        packet, ancillary, _, _ = connection.recvmsg(65536, 1024)
        assert isinstance(m.from_desk(packet), m.SessionRefused)
        assert ancillary == []
        assert connection.recv(65536) == b""
    assert answer(panel, m.Stop()).ok  # the desk goes on


def test_a_wrong_token_is_told_to_the_client(process, place):
    path = place / "token"
    right = token(place)
    path.write_text("0" * 64)
    try:
        with pytest.raises(DeskRefusedError, match="proof does not match"):
            DeskClient.connect(process.path, "thief")
    finally:
        path.write_text(right)
    with pytest.raises(DeskRefusedError, match="1 to 60 characters"):
        DeskClient.connect(process.path, "")


def test_a_client_that_never_reads_is_dropped_and_the_others_go_on(process, place, panel):
    connection, nonce = raw(process)
    hello = m.Hello(name="deaf", proof=m.proof_of(token(place), nonce.nonce))
    connection.send(hello.to_bytes())
    until(lambda: "deaf" in names(panel))
    with connection:
        for number in range(20_000):
            try:
                connection.send(m.Stop(id=number).to_bytes())
            except (BrokenPipeError, ConnectionResetError):
                break
        else:
            pytest.fail("it was never dropped")
    until(lambda: names(panel) == ("panel",))
    assert answer(panel, m.Stop()).ok


def names(client):
    """Who is there, once there is news of it."""
    client.wait(0.1)
    told = [each.clients for each in client.poll() if isinstance(each, m.State)]
    return told[-1] if told else ()


PANEL = """
import sys, select
from hil.desk import messages as m
from hil.desk.client import DeskClient
from hil.timing.realtime import RealClock
now_s = RealClock().now_s
client = DeskClient.connect(sys.argv[1], "frozen")
client.send(m.Alive(held=False, stamp_s=now_s()))
client.send(m.Take())
while True:
    client.send(m.Alive(held=True, stamp_s=now_s()))
    client.poll()
    select.poll().poll(20)
"""


def test_a_frozen_panel_lets_go_within_200_ms_and_does_not_go_on_by_itself(process, control):
    panel = child(PANEL, process.path)
    try:
        until(lambda: control.order.held)
        pause(0.3)
        assert control.order.held
        os.kill(panel.pid, signal.SIGSTOP)
        frozen_s = now_s()
        # As control sees it, from the stamp alone, whatever the desk is doing.
        until(lambda: now_s() - control.order.stamp_s > DEAD_MAN_S, step_s=0.001)
        assert now_s() - frozen_s < 0.2
        # And the desk notices as well.
        until(lambda: not control.order.held, step_s=0.001)
        assert now_s() - frozen_s < 0.5
        os.kill(panel.pid, signal.SIGCONT)
        until(lambda: now_s() - control.order.stamp_s < DEAD_MAN_S)
        pause(0.2)
        assert not control.order.held  # it lives again, but nobody has pressed anew
    finally:
        panel.kill()
        panel.communicate()
    until(lambda: control.order.stamp_s == float("-inf"))


def test_a_killed_desk_is_a_released_dead_man_and_another_one_takes_its_place(place, connect):
    with DeskProcess(ARM_HEADER, 0.004, station="arm", name="doomed", place=place) as process:
        client, control = connect(process.path, "panel"), Control(process)
        own(client)
        client.send(m.Alive(held=True, stamp_s=now_s()))
        assert answer(client, m.Press(button="home")).ok
        until(lambda: control.order.held)
        assert process.news() == ""
        first = process.pid
        os.kill(first, signal.SIGKILL)
        until(lambda: not process.running)
        assert process.news() == "the desk has died (exit status -9)"
        process.telemetry.push(1, b"control goes on")
        stamp_s = control.order.stamp_s
        client.send(m.Alive(held=True, stamp_s=now_s()))
        pause(DEAD_MAN_S)
        assert control.order.stamp_s in (stamp_s, -math.inf)
        assert now_s() - stamp_s > DEAD_MAN_S
        client.poll()
        assert not client.open
        assert client.telemetry.read()[-1] == (1, b"control goes on")
        client.close()
        until(lambda: process.running)
        assert process.news() == "a new desk has begun: panels can connect again"
        assert process.news() == ""
        assert process.pid != first
        again = connect(process.path, "panel")
        assert (control.order.owner, control.order.held) == ("", False)
        assert (control.pressed(Button.HOME), control.pressed(Button.HOLD)) == (1, 0)
        assert answer(again, m.Stop()).ok
        assert (control.pressed(Button.HOME), control.pressed(Button.HOLD)) == (1, 1)
        own(again)
        again.send(m.Alive(held=True, stamp_s=now_s()))
        until(lambda: control.order.held)
        assert again.telemetry.read()[-1] == (1, b"control goes on")
        again.close()
    assert not process.path.exists()


def test_a_desk_that_hangs_is_killed_and_another_one_takes_its_place(place, connect):
    with DeskProcess(ARM_HEADER, 0.004, station="arm", name="hung", place=place) as process:
        first = process.pid
        client = connect(process.path, "panel")
        pause(SILENT_MAX_S + 0.5)
        assert process.pid == first  # one that lives beats, with a client or without
        os.kill(first, signal.SIGSTOP)
        assert until(process.news) == "the desk has died (exit status -9)"
        assert "a new desk" in until(process.news)
        client.poll()
        assert not client.open
        client.close()
        assert process.pid not in (0, first)


def test_a_keeper_that_dies_takes_the_desk_with_it_and_control_is_told(place, connect):
    with DeskProcess(ARM_HEADER, 0.004, station="arm", name="orphan", place=place) as process:
        client, desk = connect(process.path, "panel"), process.pid
        (keeper,) = [int(pid) for pid in parents(desk)]
        os.kill(keeper, signal.SIGKILL)
        assert "no panel can be heard" in until(process.news)
        assert not process.running
        assert process.news() == ""
        assert last_word(client) == m.CutOff()  # of the run's end it knows nothing
        assert not client.open
        process.telemetry.push(1, b"control goes on")
        assert client.telemetry.read()[-1] == (1, b"control goes on")
        client.close()
        until(lambda: not poll_command(desk))


def parents(pid):
    """The process that started another one (proc(5), stat)."""
    with open(f"/proc/{pid}/stat", "rb") as stream:
        return stream.read().rsplit(b")", 1)[1].split()[1:2]


def test_to_hear_of_the_desk_costs_control_next_to_nothing(process):
    begun_s = now_s()
    for _ in range(2000):
        assert process.news() == ""
    assert (now_s() - begun_s) / 2000 < 200e-6  # measured: a few microseconds


def last_word(client):
    """What a desk says before it is gone."""
    told = []

    def closed():
        client.wait(0.1)
        told.extend(client.poll())
        return not client.open

    until(closed)
    return told[-1]


def test_the_end_of_the_run_is_told_and_leaves_nothing(place, connect):
    with DeskProcess(ARM_HEADER, 0.004, station="arm", name="short", place=place) as process:
        pid = process.pid
        client = connect(process.path, "panel")
        assert process.path.exists()
    assert last_word(client) == m.State(owner="", you_own=False, clients=("panel",), bench=False)
    assert not client.send(m.Stop())
    client.close()
    assert not process.path.exists()
    assert not os.path.exists(f"/proc/{pid}")
    process.close()


BENCH = """
import sys
from pathlib import Path
from hil.desk.process import DeskProcess
from hil.recording.header import RunHeader
from hil.stations.arm.signals import SIGNALS
header = RunHeader(SIGNALS)
with DeskProcess(header, 0.004, station="arm", name="killed", place=Path(sys.argv[1])) as desk:
    print(desk.path, desk.pid, flush=True)
    sys.stdin.readline()
"""


def test_a_desk_does_not_outlive_a_bench_that_is_killed(place, connect):
    bench = child(BENCH, place)
    path, pid = bench.stdout.readline().split()
    client = connect(path.decode(), "panel")
    bench.kill()
    bench.communicate()
    assert last_word(client) == m.CutOff()  # nobody has said that its drives are off
    client.close()
    until(lambda: not os.path.exists(path))
    # An orphan's end is seen by whoever takes orphans; until then it is at most a zombie.
    until(lambda: not poll_command(int(pid)))


def poll_command(pid):
    """The command line of a living process; empty for one that has ended."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as stream:
            return stream.read()
    except (FileNotFoundError, ProcessLookupError):
        return b""


def test_a_place_that_lets_others_in_is_refused_before_anything(tmp_path):
    tmp_path.chmod(0o755)
    with pytest.raises(DeskError, match="need 0700"):
        DeskProcess(ARM_HEADER, 0.004, station="arm", place=tmp_path).__enter__()
    assert not list(tmp_path.iterdir())


def test_a_target_and_a_motion_are_proved_before_control_gets_them(place, connect):
    header = platform_header()
    with DeskProcess(header, 0.02, station="platform", prover=PROGRAM, place=place) as process:
        client, control = connect(process.path, "panel"), Control(process)
        own(client)
        neutral = (0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
        table = dict(header.scenario["scenario"]["motion"])
        far = [table["terms"][0] | {"amplitude_m": 3.0}]
        for number, message in enumerate((
            m.Motion(table=table | {"terms": far}),
            m.Motion(table=table | {"duration_s": 0.4}),
            m.Motion(table={"kind": "hold", "duration_s": 1.0}),
            m.Target(pose=(0.0, 0.0, 9.0, 0.0, 0.0, 0.0)),
        )):  # fmt: skip
            client.send(message.model_copy(update={"id": number + 1}))
        answers = {}
        until(lambda: len(collect(client, answers)) == 4, timeout_s=60.0)
        assert "length 9" in answers[4].error
        assert "limit" in answers[4].error
        assert "limit" in answers[1].error
        assert answers[2].ok
        assert "multi_sine" in answers[3].error
        order = control.order
        assert (order.motion_serial, order.target) == (1, None)
        assert b'"duration_s":0.4' in order.motion_json
        client.send(m.Target(pose=neutral, id=9))
        until(lambda: 9 in collect(client, answers))
        assert control.order.target == neutral


def collect(client, answers):
    client.send(m.Alive(held=False, stamp_s=now_s()))  # who is silent for long owns nothing
    client.wait(0.1)
    answers |= {each.id: each for each in client.poll() if isinstance(each, m.Answer)}
    return answers


def test_polling_nothing_does_not_wait(panel):
    panel.poll()
    begun_s = now_s()
    assert panel.poll() == []
    assert now_s() - begun_s < 0.05
    assert not poll(panel.fileno(), 0.0)
