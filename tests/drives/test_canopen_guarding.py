"""Node guarding of drives that expect no heartbeat, by the frames of CiA 301.

The master asks with a remote frame of one byte on 700h + node; the node answers with its NMT state
and a bit 7 that toggles. Over an SLCAN adapter the request is `r7011` (CAN232 manual, `riiil`).
"""

import dataclasses

import pytest
import scripted_bench
from canopen_bench import SETTINGS
from scripted_bench import ENABLED, Scripted
from scripted_nodes import ScriptedNode

from drives.bank import DriveSetupError
from drives.can.frames import REMOTE, Frame
from drives.can.slcan_codec import encode_frames
from drives.can.socketcand_bus import SocketcandBus
from drives.canopen.watch import HEARTBEAT_LOST, Watch
from drives.types.drive_type import DriveType

GUARDED = dataclasses.replace(SETTINGS, type=DriveType(name="guarded", lacks=("1016h",)))


@pytest.fixture(params=["frames", "slcan"])
def link(request, monkeypatch):
    monkeypatch.setattr(scripted_bench, "LINK", request.param)


class GuardedNode(ScriptedNode):
    """Sends no heartbeat when 1017h is 0, and answers when it is asked."""

    def __init__(self, node):
        super().__init__(node)
        self.objects |= {(0x100C, 0): bytes(2), (0x100D, 0): bytes(1), (0x1017, 0): b"\x14\0"}
        self.lacks = {(0x1016, 1), (0x1400, 5)}
        self.toggle, self.asked, self.deaf, self.stuck = 0, 0, False, False

    def guard(self):
        self.asked += 1
        if self.deaf or self.silent:
            return None
        told = bytes((self.toggle | self.nmt,))
        self.toggle ^= 0 if self.stuck else 0x80
        return told


def guarded(settings=GUARDED):
    made = Scripted(settings)
    bus = made.bus
    bus.nodes = [GuardedNode(node) for node in range(1, 7)]
    arrive, beat = bus._arrive, bus._beat

    def with_guarding(frame):
        node = bus.nodes[(frame.can_id & 0x7F) - 1] if frame.can_id & REMOTE else None
        if node is None:
            arrive(frame)
            return
        assert frame == Frame(REMOTE | 0x700 + node.node, b"\0")
        if (told := node.guard()) is not None:
            bus._put(0.0001, 0x700 + node.node, told)

    def without_heartbeats():
        for node in bus.nodes:
            node.no_heartbeat = node.objects[0x1017, 0] == bytes(2)
        beat()

    bus._arrive, bus._beat = with_guarding, without_heartbeats
    return made


def test_a_request_as_a_line_of_text():
    lines = encode_frames((Frame(REMOTE | 0x701, b"\0"), Frame(0x77F, b"\x05")))
    assert lines == b"r7011\rt77F105\r"


def test_a_drive_without_a_consumer_heartbeat_is_guarded_and_sends_none(link):
    made = guarded()
    report = made.bank.configure()
    assert "stops by itself by life guarding 100Ch 2 x 25 ms" in report.axes[0]
    node = made.node(1)
    assert node.objects[0x1017, 0] == bytes(2)
    assert node.objects[0x100C, 0] == b"\x19\0"
    assert node.objects[0x100D, 0] == b"\x02"
    assert (0x1016, 1) not in node.objects
    assert node.asked == 0  # the life time begins with the first request, which a cycle sends


def test_it_homes_and_works_and_is_asked_with_every_heartbeat_of_the_bench(link):
    made = guarded()
    assert made.enabled().fault_code == (0,) * 6
    before = made.node(4).asked
    feedback = made.run(50)  # 0.2 s
    assert feedback.state == ENABLED
    assert 9 <= made.node(4).asked - before <= 11


@pytest.mark.parametrize("fault", ["deaf", "stuck"])
def test_one_that_answers_no_more_or_the_same_again_is_silent(link, fault):
    made = guarded()
    made.enabled()
    setattr(made.node(3), fault, True)
    begin_s = made.time.now
    made.until(lambda f: f.fault_code[2])
    assert 0.05 < made.time.now - begin_s < 0.11
    assert made.run(1).fault_code == (0, 0, HEARTBEAT_LOST, 0, 0, 0)


def test_one_lost_answer_is_forgiven():
    made = guarded()
    made.enabled()
    node = made.node(2)
    for _ in range(5):
        node.deaf = True
        made.run(5)
        node.deaf = False
        assert made.run(20).fault_code == (0,) * 6


def test_one_that_leaves_operational_is_told_at_its_next_answer():
    made = guarded()
    made.enabled()
    made.node(6).nmt = 0x7F
    made.until(lambda f: f.fault_code[5] == 0x8100, limit=8)


def test_leaving_ends_the_guarding():
    made = guarded()
    made.enabled()
    made.bank.close()
    assert [node.objects[0x100D, 0] for node in made.bus.nodes] == [b"\0"] * 6


def test_a_drive_that_lost_the_bench_and_left_operational_is_signed_off():
    """It is guarded again, so leaving without a word would be another fault (8130h)."""
    made = guarded()
    made.enabled()
    node = made.node(6)
    node.nmt, node.no_pdo = 0x7F, True
    node.objects[0x6041, 0] = (0x0218).to_bytes(2, "little")
    made.run(5)
    made.bank.close()
    assert [node.objects[0x100D, 0] for node in made.bus.nodes] == [b"\0"] * 6


def test_heartbeat_and_guarding_are_never_both():
    made = guarded(SETTINGS)
    for node in made.bus.nodes:
        node.lacks = {(0x1400, 5)}
    report = made.bank.configure()
    assert "stops by itself by heartbeat 1016h 50 ms," in report.axes[0] + ","
    made.run(50)
    assert [node.asked for node in made.bus.nodes] == [0] * 6
    assert made.node(1).objects[0x100D, 0] == b"\0"


def test_a_drive_that_nothing_would_stop_is_refused():
    made = guarded()
    for node in made.bus.nodes:
        node.lacks |= {(0x100C, 0)}
    with pytest.raises(DriveSetupError, match=r"leg 1 .*nothing would stop it without the bench"):
        made.bank.configure()


def test_a_link_without_remote_frames_is_refused_with_those_that_have_them(monkeypatch):
    made = guarded()
    monkeypatch.setattr("drives.canopen.service.SocketcandBus", type(made.bus))
    with pytest.raises(DriveSetupError, match=r"leg 1 .*remote frames.*slcan: or socketcan:"):
        made.bank.configure()
    assert SocketcandBus is not type(made.bus)


def test_an_answer_after_a_restart_is_no_sign_of_health():
    watch = Watch(range(1, 7), (0,) * 6, 127, 0.02)
    watch.guard(0)
    watch.begin_operation(0.0)
    watch.take(Frame(0x701, b"\0"), 0, 0.1)
    assert not watch.alive(0, 0.1)
