"""Every frame that the bank sends or reads, as bytes worked out from CiA 301 and CiA 402-2."""

import dataclasses

import pytest
from canopen_bench import SETTINGS
from scripted_bench import Scripted

from drives.axes.scaling import LegScale
from drives.bank import DriveModelError, DriveState, LegCommand
from drives.can.frames import Frame
from drives.canopen.pdo import Emergency, emergency, heartbeat, layouts, nmt
from drives.types.drive_type import DriveType

pytestmark = pytest.mark.usefixtures("link")


def frame(text):
    """`200#0F00` as candump writes it."""
    can_id, data = text.split("#")
    return Frame(int(can_id, 16), bytes.fromhex(data))


def after(bus, sent_before):
    return bus.sent[sent_before:]


def subsequence(wanted, sent):
    position = iter(sent)
    return [each for each in wanted if each not in position]


def test_nmt_and_heartbeat():
    assert nmt(0x01, 3) == frame("000#0103")
    assert nmt(0x80, 6) == frame("000#8006")
    assert heartbeat(127) == frame("77F#05")


def test_an_idle_cycle_byte_for_byte():
    """RPDO1: controlword 0006h shutdown, mode 8, actual position; then SYNC, then heartbeat."""
    scripted = Scripted()
    scripted.bank.configure()
    scripted.run(5)
    scripted.time.now += 0.1
    before = len(scripted.bus.sent)
    scripted.run(1)
    assert after(scripted.bus, before) == [
        frame("201#060008E8030000"),  # 1000 counts
        frame("202#060008D0070000"),
        frame("203#060008B80B0000"),
        frame("204#060008A00F0000"),
        frame("205#06000888130000"),
        frame("206#06000870170000"),
        frame("080#"),
        frame("77F#05"),
    ]


def test_a_commanded_cycle_byte_for_byte():
    """0.7 m is count 0 of leg 1; a leg's reference lies 0.01 m further each."""
    scripted = Scripted()
    scripted.enabled()
    before = len(scripted.bus.sent)
    feedback = scripted.run(1, LegCommand((0.701, 0.709, 0.72, 0.73, 0.7400005, 1.0), (0.0,) * 6))
    sent = [each for each in after(scripted.bus, before) if each.can_id != 0x77F]
    assert sent == [
        frame("201#0F0008E8030000"),
        frame("202#0F000818FCFFFF"),  # -1000 counts
        frame("203#0F000800000000"),
        frame("204#0F000800000000"),
        frame("205#0F000800000000"),  # half a count is rounded to the even one
        frame("206#0F000890D00300"),  # 250000 counts
        frame("080#"),
    ]
    assert feedback.accepted.length_m == pytest.approx((0.701, 0.709, 0.72, 0.73, 0.74, 1.0))
    assert feedback.accepted.speed_m_s == (0.0,) * 6


def test_the_speed_offset_is_a_second_rpdo():
    scripted = Scripted(dataclasses.replace(SETTINGS, speed_feed_forward=True), period_s=0.005)
    scripted.enabled()
    scripted.run(1)
    before = len(scripted.bus.sent)
    speeds = (0.1, -0.1, 0.0, 0.0, 0.0, 0.0)
    command = LegCommand((0.7, 0.71, 0.72, 0.73, 0.74, 0.75), speeds)
    feedback = scripted.run(1, command)
    sent = after(scripted.bus, before)
    assert frame("301#A0860100") in sent  # 100000 counts/s
    assert frame("302#6079FEFF") in sent
    assert [each.can_id for each in sent if each.can_id != 0x77F][-1] == 0x080
    assert feedback.accepted.speed_m_s == pytest.approx(speeds)
    before = len(scripted.bus.sent)
    scripted.run(1)
    assert frame("301#00000000") in after(scripted.bus, before)  # no command, no speed


def test_a_falling_scale_turns_counts_and_force_round():
    scales = tuple(LegScale(1e6, -1, 0.7) for _ in range(6))
    scripted = Scripted(scales=scales)
    scripted.enabled()
    before = len(scripted.bus.sent)
    scripted.run(1, LegCommand((0.701,) * 6, (0.0,) * 6))
    assert frame("201#0F000818FCFFFF") in after(scripted.bus, before)
    scripted.bus.put(0x281, "F0D8FFFF 6400")  # -10000 counts/s, 100 per mille
    feedback = scripted.run(1)
    assert feedback.speed_m_s[0] == pytest.approx(0.01)
    assert feedback.force_n[0] == pytest.approx(-400.0)


def test_what_the_drives_send_byte_for_byte():
    scripted = Scripted()
    scripted.bank.configure()
    scripted.node(2).no_pdo = True
    scripted.run(1)
    scripted.bus.put(0x182, "3712 08 40420F00")  # 1000000 counts, operation enabled, csp
    scripted.bus.put(0x282, "50C30000 38FF")  # 50000 counts/s, -200 per mille of 4000 N
    for node in range(1, 7):
        scripted.bus.put(0x380 + node, "0D000000")  # negative switch, home switch, interlock
    feedback = scripted.run(1)
    assert feedback.length_m[1] == pytest.approx(1.71)
    assert feedback.speed_m_s[1] == pytest.approx(0.05)
    assert feedback.force_n[1] == pytest.approx(-800.0)
    assert feedback.inputs == (13,) * 6
    assert feedback.fresh[1]
    assert feedback.state[1] is DriveState.ENABLED
    assert scripted.raw.link_report().late == 1


def test_emergency_messages():
    assert emergency(bytes.fromhex("1186 21 0102030405")) == Emergency(
        0x8611, 0x21, b"\x01\x02\x03\x04\x05"
    )
    assert emergency(bytes.fromhex("1186 21")) is None


def test_the_pdo_mapping_procedure_byte_for_byte():
    """CiA 301, PDO mapping: COB-ID invalid, no entries, entries, their number, type, valid."""
    scripted = Scripted()
    scripted.bank.configure()
    requests = [each for each in scripted.bus.sent if each.can_id == 0x603 and each.data[0] != 0x40]
    rpdo1 = [
        frame("603#2300140103020080"),  # 1400h:1 = 80000203h, off
        frame("603#2F00160000000000"),  # 1600h:0 = 0
        frame("603#2300160110004060"),  # 6040h, 16 bits
        frame("603#2300160208006060"),  # 6060h, 8 bits
        frame("603#2300160320007A60"),  # 607Ah, 32 bits
        frame("603#2F00160003000000"),  # three entries
        frame("603#2F00140201000000"),  # with every SYNC
        frame("603#2B00140532000000"),  # event timer 50 ms: the watchdog
        frame("603#2300140103020000"),  # on
    ]
    tpdo2 = [
        frame("603#23011801830200C0"),
        frame("603#2F011A0000000000"),
        frame("603#23011A0120006C60"),
        frame("603#23011A0210007760"),
        frame("603#2F011A0002000000"),
        frame("603#2F01180204000000"),  # with every fourth SYNC
        frame("603#2301180183020040"),
    ]
    tpdo1 = [
        frame("603#23001801830100C0"),
        frame("603#23001A0110004160"),
        frame("603#23001A0208006160"),
        frame("603#23001A0320006460"),
        frame("603#2F001A0003000000"),
        frame("603#2F00180201000000"),
        frame("603#2300180183010040"),
    ]
    tpdo3 = [
        frame("603#23021A012000FD60"),
        frame("603#2F021802FF000000"),  # on change
        frame("603#2B02180564000000"),  # and every 100 ms
        frame("603#2302180183030040"),
    ]
    for wanted in (rpdo1, tpdo1, tpdo2, tpdo3):
        assert subsequence(wanted, requests) == []


def test_the_watchdogs_and_limits_byte_for_byte():
    scripted = Scripted()
    scripted.bank.configure()
    requests = [each for each in scripted.bus.sent if each.can_id == 0x601]
    wanted = [
        frame("601#2B07600001000000"),  # 6007h = 1: fault when the connection is lost
        frame("601#2B5A600006000000"),  # 605Ah = 6: quick stop ramp, stay
        frame("601#23656000204E0000"),  # 6065h = 20000
        frame("601#2B66600014000000"),  # 6066h = 20 ms
        frame("601#237D6001589EFFFF"),  # 607Dh:1 = -25000: 0.675 m
        frame("601#237D6002E8C10A00"),  # 607Dh:2 = 705000: 1.405 m
        frame("601#23856000808D5B00"),  # 6085h = 6000000
        frame("601#2F98600015000000"),  # 6098h = 21
        frame("601#2FC2600104000000"),  # 60C2h: 4
        frame("601#2FC26002FD000000"),  # times 10^-3 s
        frame("601#2B17100014000000"),  # 1017h = 20 ms
        frame("601#2316100132007F00"),  # 1016h:1 = node 127, 50 ms
    ]
    assert subsequence(wanted, requests) == []


@pytest.mark.parametrize(
    ("mode", "feed", "said", "first", "second"),
    [
        (8, False, {"target_also": "60C1h:1"}, 0x607A0020, [0x60C10120]),
        (8, True, {"target_also": "60C1h:1"}, 0x607A0020, [0x60B10020, 0x60C10120]),
        (7, False, {"target_also": "607Ah:0"}, 0x60C10120, [0x607A0020]),
        (8, False, {"instead": (("607Ah:0", "60C1h:1"),)}, 0x60C10120, None),
        (7, False, {"instead": (("60C1h:1", "607Ah:0"),)}, 0x607A0020, None),
        (7, True, {"target_also": "2062h:3"}, 0x60C10120, [0x60B10020, 0x20620320]),
    ],
)
def test_a_drive_file_says_where_the_target_goes(mode, feed, said, first, second):
    chosen = dataclasses.replace(
        SETTINGS, mode=mode, speed_feed_forward=feed, type=DriveType(**said)
    )
    found = {pdo.name: [entry.word for entry in pdo.entries] for pdo in layouts(chosen, 0.004)}
    assert found["RPDO1"] == [0x60400010, 0x60600008, first]
    assert found.get("RPDO2") == second


@pytest.mark.parametrize(("mode", "also"), [(8, "607Ah:0"), (7, "60C1h:1")])
def test_a_second_place_that_is_the_first_is_refused(mode, also):
    with pytest.raises(DriveModelError, match=f"target_also = '{also}', where the target goes in"):
        dataclasses.replace(SETTINGS, mode=mode, type=DriveType(target_also=also))


def test_interpolated_position_maps_its_own_target():
    entries = layouts(dataclasses.replace(SETTINGS, mode=7), 0.004)[0].entries
    assert [entry.word for entry in entries] == [0x60400010, 0x60600008, 0x60C10120]
