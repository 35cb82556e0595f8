"""The SLCAN bus over a pty and over TCP: opening, batches, garbage, refusals, flags, loss."""

import os
import threading

import can
import canopen
import pytest
from slcan_peer import Adapter, now_s, until_lost

from drives.bank import LinkError, LinkLostError
from drives.can.frames import BusState, Frame
from drives.can.slcan_bus import FLAGS_PERIOD_S, SlcanBus

SYNC = Frame(0x080, b"")
CYCLE = [*(Frame(0x200 + node, bytes(range(7))) for node in range(1, 7)), SYNC]
CYCLE_LINES = b"".join(b"t20%d700010203040506\r" % node for node in range(1, 7)) + b"t0800\r"


class SetClock:
    """Time that the test sets."""

    def __init__(self):
        self.s = 0.0

    def __call__(self):
        return self.s


def heard(adapter, size):
    data = b""
    while len(data) < size:
        more = adapter.hear()
        assert more, f"only {data!r} came"
        data += more
    return data


def received(bus, count):
    frames = []
    while len(frames) < count:
        more = bus.receive_frames(1.0)
        assert more, f"only {frames} came"
        frames += more
    return frames


def test_the_channel_is_opened_step_by_step(adapter):
    with adapter.open() as bus:
        assert bus.adapter.version == "1013"
        assert bus.adapter.serial_number == "A123"
    opening = [line for line in adapter.heard if line != b"V"]
    assert opening == [b"Z0", b"C", b"Z0", b"C", b"N", b"S8", b"O"]
    assert heard(adapter, 2) == b"C\r"


@pytest.mark.parametrize(
    "options",
    [
        {"ack": b""},
        {"ack": b"", "version": b"1a2b3c4 github.com/example/firmware\r"},
        {"refused": (b"Z0", b"C", b"N")},
        {"clutter": b"\x07\xff\xfe12AA\x07garbage\rt1818001122334455\rV0000\r"},
        {"after_open": b"t1812AABB\r"},
    ],
    ids=["silent", "other firmware", "refuses what is optional", "clutter", "busy bus"],
)
def test_adapters_of_many_kinds_are_opened(options):
    adapter = Adapter(**options)
    bus = adapter.open()
    adapter.say(b"t1812AABB\r")
    assert received(bus, 1) == [Frame(0x181, b"\xaa\xbb")]
    assert bus.health().bad_lines == 0
    bus.shutdown()
    adapter.close()


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"refused": (b"S8",)}, r"refused a bitrate of 1000000 bit/s \(BEL after S8\)"),
        ({"refused": (b"O",)}, r"refused to open its channel \(BEL after O\)"),
        ({"refused": (b"O",), "ack": b""}, r"refused to open its channel \(BEL after O\)"),
        ({"refused": (b"V",)}, r"no answer to V within 0\.5 s, only BEL"),
        ({"version": b"", "ack": b""}, r"no answer to V within 0\.5 s; an SLCAN adapter"),
    ],
)
def test_an_adapter_that_does_not_open_is_refused(adapter, options, text):
    for name, value in options.items():
        setattr(adapter, name, value)
    with pytest.raises(LinkError, match=text) as refusal:
        adapter.open(answer_timeout_s=0.5)
    assert adapter.url in str(refusal.value)
    again = adapter.port()  # whatever was opened and locked is free again
    again.close()


def test_what_an_adapter_had_still_to_say_is_not_taken_for_its_answers(adapter):
    adapter.clutter, adapter.refused = b"hello\rV9999\r" * 5, (b"O",)
    with pytest.raises(LinkError, match=r"refused to open its channel \(BEL after O\)"):
        adapter.open()


def test_a_bitrate_that_no_adapter_has_is_refused(adapter):
    port = adapter.port()
    with pytest.raises(LinkError, match=r"no bitrate of 200000 bit/s; it has 10000, .*1000000"):
        SlcanBus(port, bitrate=200_000, now_s=now_s)


def test_all_frames_of_a_cycle_are_one_write(adapter, bus, monkeypatch):
    writes = []
    real_write = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: writes.append(data) or real_write(fd, data))
    bus.send_frames(CYCLE)
    bus.send_frames(CYCLE)
    assert writes == [CYCLE_LINES + b"F\r", CYCLE_LINES]
    assert heard(adapter, 2 * len(CYCLE_LINES) + 2) == CYCLE_LINES + b"F\r" + CYCLE_LINES


def test_all_frames_that_have_come_are_one_answer(adapter, bus):
    frames = [Frame(0x180 + node, bytes([node] * 8)) for node in range(1, 7)]
    adapter.say(b"\r\r" + b"".join(b"t18%d8%s\r" % (n, b"%02X" % n * 8) for n in range(1, 7)))
    assert received(bus, 6) == frames
    assert bus.receive_frames(0.0) == []


def test_acknowledgements_alone_are_no_reason_to_return_early(adapter, bus):
    adapter.say(b"z\rz\r")
    timer = threading.Timer(0.02, adapter.say, (b"t1810\r",))
    timer.start()
    assert bus.receive_frames(2.0) == [Frame(0x181, b"")]
    timer.join()


def test_waiting_ends(adapter, bus):
    before_s = now_s()
    adapter.say(b"z\r")
    assert bus.receive_frames(0.03) == []
    assert 0.02 <= now_s() - before_s < 0.5


def test_a_line_that_comes_in_two_parts_is_one_frame(adapter, bus):
    adapter.say(b"t1818001122")
    assert bus.receive_frames(0.01) == []
    adapter.say(b"3344556677\rt18")
    assert received(bus, 1) == [Frame(0x181, bytes.fromhex("0011223344556677"))]
    assert bus.health().bad_lines == 0


def test_what_the_adapter_refuses_is_counted(adapter, bus):
    adapter.say(b"\x07z\r\x07t1810\r")
    received(bus, 1)
    health = bus.health()
    assert (health.rejected, health.bad_lines) == (2, 0)
    assert "BEL" in health.note


def test_frames_that_nobody_here_speaks_are_counted_and_not_delivered(adapter, bus):
    adapter.say(b"T0000010021133\rr1002\rt1810\r")
    assert received(bus, 1) == [Frame(0x181, b"")]
    assert bus.health().other_frames == 2
    assert bus.health().bad_lines == 0


def test_the_flags_are_asked_for_by_the_cycle_ten_times_a_second(adapter):
    clock = SetClock()
    bus = adapter.open(clock)
    asked = 0
    for cycle in range(250):
        clock.s = cycle * 0.004
        bus.send_frames([SYNC])
        asked += heard(adapter, 6).count(b"F")
    assert asked == pytest.approx(1.0 / FLAGS_PERIOD_S, abs=1)
    bus.send(can.Message(arbitration_id=0x601, data=bytes(8), is_extended_id=False))
    assert b"F" not in heard(adapter, 22)
    bus.shutdown()


@pytest.mark.parametrize(
    ("line", "state", "overruns", "note"),
    [
        (b"F00\r", BusState.ACTIVE, 0, ""),
        (b"F08\r", BusState.ACTIVE, 1, "flags 08h: data overrun"),
        (b"F01\r", BusState.ACTIVE, 1, "flags 01h: receive queue full"),
        (b"F20\r", BusState.PASSIVE, 0, "flags 20h: error passive"),
        (b"FA4\r", BusState.BUS_OFF, 0, "flags A4h: error warning, error passive, bus error"),
        (b"sp128010\r", BusState.PASSIVE, 0, "controller error passive, error counters 128 and 10"),
    ],
)
def test_the_flags_become_health(adapter, line, state, overruns, note):
    clock = SetClock()
    bus = adapter.open(clock)
    assert bus.health().state is BusState.UNKNOWN
    adapter.say(line + b"t1810\r")
    received(bus, 1)
    health = bus.health()
    assert (health.state, health.overruns, health.note) == (state, overruns, note)
    clock.s += 2.0
    faded = BusState.UNKNOWN if state is BusState.ACTIVE else state
    assert bus.health().state is faded, "a good state is not believed for ever, a bad one is"
    adapter.say(b"F00\rt1810\r")
    received(bus, 1)
    assert bus.health().state is BusState.ACTIVE
    bus.shutdown()


def test_python_can_reads_the_state(adapter, bus):
    assert bus.state is can.BusState.ACTIVE
    adapter.say(b"FA4\rt1810\r")
    received(bus, 1)
    assert bus.state is can.BusState.ERROR
    with pytest.raises(NotImplementedError):
        bus.state = can.BusState.ACTIVE


def test_python_can_sends_and_receives_through_it(adapter, bus):
    bus.send(can.Message(arbitration_id=0x601, data=b"\x40\x00\x10\x00", is_extended_id=False))
    assert heard(adapter, 14) == b"t601440001000\r"
    adapter.say(b"z\rt5814AABBCCDD\rt7011" + b"05\r")
    first, second = bus.recv(1.0), bus.recv(1.0)
    assert (first.arbitration_id, bytes(first.data)) == (0x581, b"\xaa\xbb\xcc\xdd")
    assert (second.arbitration_id, second.is_extended_id) == (0x701, False)
    assert bus.recv(0.01) is None
    bus.set_filters([{"can_id": 0x702, "can_mask": 0x7FF}])
    adapter.say(b"t7010\rt7020\r")
    assert bus.recv(1.0).arbitration_id == 0x702


@pytest.mark.parametrize(
    "message",
    [
        can.Message(arbitration_id=0x181, is_extended_id=True),
        can.Message(arbitration_id=0x181, is_extended_id=False, is_remote_frame=True),
        can.Message(arbitration_id=0x181, is_extended_id=False, is_fd=True),
    ],
)
def test_python_can_cannot_send_other_frames(bus, message):
    with pytest.raises(ValueError, match="only data frames with 11-bit identifiers"):
        bus.send(message)


def test_canopen_speaks_sdo_through_it(adapter, bus):
    network = canopen.Network(bus=bus)
    network.connect()
    node = network.add_node(canopen.RemoteNode(1, canopen.ObjectDictionary()))

    def serve():
        assert heard(adapter, 22) == b"t60184000100000000000\r"
        adapter.say(b"t58184300100092010200\r")

    server = threading.Thread(target=serve)
    server.start()
    assert node.sdo.upload(0x1000, 0) == bytes.fromhex("92010200")
    server.join()
    network.disconnect()


@pytest.mark.real_time
def test_batches_of_two_threads_never_mix(adapter, bus):
    bus._port._write_timeout_s = 2.0  # an adapter that is late by 5 ms is lost, rightly
    batches = {0x200: 80, 0x600: 80}
    frames = {can_id: [Frame(can_id + n, bytes([n] * 8)) for n in range(6)] for can_id in batches}

    def send(can_id):
        for _ in range(batches[can_id]):
            bus.send_frames(frames[can_id])

    threads = [threading.Thread(target=send, args=(can_id,)) for can_id in batches]
    expected = sum(batches.values()) * 6
    for thread in threads:
        thread.start()
    lines, data = [], b""
    while len(lines) < expected:
        data += adapter.hear()
        *whole, data = data.split(b"\r")
        lines += [line for line in whole if line != b"F"]
    for thread in threads:
        thread.join()
    starts = [lines[n][:4] for n in range(0, expected, 6)]
    assert set(starts) == {b"t200", b"t600"}
    for n in range(0, expected, 6):
        base = int(lines[n][1:4], 16)
        assert [int(line[1:4], 16) - base for line in lines[n : n + 6]] == list(range(6))


@pytest.mark.parametrize("call", ["send_frames", "receive_frames", "send", "recv"])
def test_a_lost_link_stays_lost(adapter, call):
    bus = adapter.open()
    adapter.vanish()
    calls = {
        "send_frames": lambda: bus.send_frames(CYCLE),
        "receive_frames": lambda: bus.receive_frames(1.0),
        "send": lambda: bus.send(can.Message(arbitration_id=1, is_extended_id=False)),
        "recv": lambda: bus.recv(1.0),
    }
    text, _ = until_lost(calls[call], tries=2)  # TCP takes one write before it knows
    assert text.startswith(f"{adapter.url}: {bus._port.device} ")
    assert text.endswith("the link is lost until a new start")
    for again in calls.values():
        with pytest.raises(LinkLostError) as later:
            again()
        assert str(later.value) == text
    bus.shutdown()


def test_what_came_before_the_end_is_still_delivered(adapter):
    bus = adapter.open()
    adapter.say(b"t1810\r")
    if adapter.listener is not None:
        adapter.vanish()
    assert received(bus, 1) == [Frame(0x181, b"")]
    bus.shutdown()


def test_a_bus_that_was_closed_says_so(bus):
    bus.shutdown()
    bus.shutdown()
    with pytest.raises(LinkLostError, match="was closed by this program"):
        bus.send_frames(CYCLE)
    assert bus.fileno() == -1


def test_closing_on_a_dead_adapter_is_quiet_and_frees_the_port(adapter):
    bus = adapter.open()
    adapter.vanish()
    bus.shutdown()
    assert bus.fileno() == -1
