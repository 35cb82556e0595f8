"""Setting drives up: what is checked, what is refused, and that the text says what and where."""

import dataclasses
import math
import struct

import pytest
from canopen_bench import SCALES, SETTINGS
from hypothesis import given
from hypothesis import strategies as st
from memory_bus import VirtualTime
from scripted_bench import Scripted
from scripted_nodes import ScriptedBus

from drives.bank import DriveModelError, DriveSequenceError, DriveSetupError, LinkLostError
from drives.canopen.bank import CanopenBank
from drives.canopen.objects import Parameter, interpolation_period
from drives.canopen.scan import scan
from drives.canopen.settings import CanopenSettings, from_json


def changed(**values):
    return dataclasses.replace(SETTINGS, **values)


def u32(value):
    return struct.pack("<I", value)


def test_the_report_tells_who_the_drives_are():
    scripted = Scripted()
    scripted.node(2).lacks = {(0x605D, 0)}
    report = scripted.bank.configure()
    assert not report.simulated
    assert report.url == "scripted:"
    assert report.identities[5] == "vendor 666, product 7, serial 506"
    assert "leg 1: node 1 Drive" in report.axes[0]
    assert "halt option (605Dh:0)" in report.axes[1]
    assert "halt option" not in report.axes[0]


def test_a_drive_that_says_it_is_emulated_is_reported_so():
    scripted = Scripted()
    for node in scripted.bus.nodes:
        node.objects[0x1008, 0] = b"HIL emulated drive"
        node.objects[0x1018, 1] = bytes(4)
    assert scripted.bank.configure().simulated


def test_one_real_drive_makes_the_bank_real():
    scripted = Scripted()
    for node in scripted.bus.nodes[1:]:
        node.objects[0x1008, 0] = b"HIL emulated drive"
        node.objects[0x1018, 1] = bytes(4)
    assert not scripted.bank.configure().simulated


@pytest.mark.parametrize(
    ("place", "value", "text"),
    [
        ((0x1000, 0), u32(0x00020191), r"leg 3 \(node 3\): device profile .* is 401, .* 402"),
        ((0x6502, 0), u32(0x00000021), r"leg 3 .*mode 8 is not among its modes \[1, 6\]"),
        ((0x6502, 0), u32(0x00000080), r"leg 3 .*mode 6 is not among its modes \[8\]"),
    ],
)
def test_a_stranger_is_refused(place, value, text):
    scripted = Scripted()
    scripted.node(3).objects[place] = value
    with pytest.raises(DriveSetupError, match=text):
        scripted.bank.configure()
    assert not [each for each in scripted.bus.sent if each.can_id & 0x780 == 0x200]


@pytest.mark.parametrize(
    ("values", "text"),
    [
        (
            {"vendor_ids": (666, 666, 666, 9, 666, 666)},
            r"leg 4 .*vendor id .* is 666, the rig has 9",
        ),
        ({"product_codes": (8, None, None, None, None, None)}, r"leg 1 .*product code .* is 7"),
        (
            {"serial_numbers": (501, 502, 503, 504, 506, 505)},
            r"leg 5 .*serial number .* is 505, the rig has 506",
        ),
    ],
)
def test_a_drive_in_the_place_of_another_is_refused(values, text):
    scripted = Scripted(changed(**values))
    with pytest.raises(DriveSetupError, match=text):
        scripted.bank.configure()


def with_scale(node, increments, gear, feed):
    for index, ratio in ((0x608F, increments), (0x6091, gear), (0x6092, feed)):
        if ratio is not None:
            node.objects[index, 1], node.objects[index, 2] = map(u32, ratio)


@pytest.mark.parametrize("gear", [None, (2, 1)])
def test_row_26_a_drive_with_another_scale_is_refused_with_both_values(gear):
    scripted = Scripted()
    # 10 mm of feed for each turn of the spindle, 1e6 counts/m: 10000 increments a turn.
    with_scale(scripted.node(6), (20_000, 1), gear, (10_000, 1))
    told = "4" if gear else "2"
    with pytest.raises(
        DriveSetupError, match=rf"leg 6.* is {told}e\+06 counts/m, the rig has 1e\+06"
    ):
        scripted.bank.configure()


def test_a_drive_with_the_same_scale_is_taken():
    scripted = Scripted()
    with_scale(scripted.node(6), (20_000, 1), (1, 2), (10_000, 1))
    scripted.bank.configure()


NO_SCALE = ((1, 1), (1, 1), (1, 1))


def test_row_26_a_drive_that_tells_no_scale_proves_none():
    scripted = Scripted()
    with_scale(scripted.node(6), *NO_SCALE)
    report = scripted.bank.configure()
    assert report.scale_proved[5] is False
    assert "a scale of its own (608Fh, 6092h): slow moves until measured" in report.axes[5]


def test_a_value_that_reads_back_differently_is_refused_with_both():
    scripted = Scripted()
    scripted.node(5).keeps = {(0x6065, 0): u32(65_535)}
    text = (
        r"leg 5 \(node 5\): following window \(6065h:0\) was written as 20000 \(0x4E20\) "
        r"and reads back as 65535 \(0xFFFF\)"
    )
    with pytest.raises(DriveSetupError, match=text):
        scripted.bank.configure()


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ((0x1016, 1), u32(0)),
        ((0x1400, 5), b"\0\0"),
        ((0x607D, 2), u32(0x7FFFFFFF)),
        ((0x605A, 0), b"\0\0"),
        ((0x1600, 2), u32(0x60600010)),
        ((0x1800, 2), b"\xff"),
        ((0x60C2, 1), b"\x01"),
    ],
)
def test_no_drive_moves_that_does_not_hold_its_watchdogs_limits_and_pdos(place, value):
    scripted = Scripted()
    scripted.node(1).keeps = {place: value}
    with pytest.raises(DriveSetupError, match=f"{place[0]:04X}h:{place[1]}"):
        scripted.bank.configure()
    with pytest.raises(DriveSequenceError, match="configure"):
        scripted.bank.exchange(None)


@pytest.mark.parametrize("place", [(0x1000, 0), (0x1018, 1), (0x1017, 0), (0x1600, 0)])
def test_a_drive_without_a_mandatory_object_is_refused(place):
    scripted = Scripted()
    scripted.node(4).lacks = {place}
    with pytest.raises(DriveSetupError, match=rf"leg 4 .* has no .*{place[0]:04X}h"):
        scripted.bank.configure()


def test_row_19_an_absent_drive_is_named_with_those_that_answer():
    scripted = Scripted()
    scripted.node(2).silent = True
    scripted.node(5).silent = True
    start_s = scripted.time.now
    text = r"leg 2 \(node 2\), leg 5 \(node 5\) did not answer within 15 s; .*: 1, 3, 4, 6$"
    with pytest.raises(DriveSetupError, match=text):
        scripted.bank.configure()
    assert scripted.time.now - start_s < 16.5


def test_row_19_a_drive_with_another_node_id_is_among_those_that_answer():
    scripted = Scripted(changed(node_ids=(11, 2, 3, 4, 5, 6)))
    with pytest.raises(DriveSetupError, match=r"leg 1 \(node 11\).*: 1, 2, 3, 4, 5, 6$"):
        scripted.bank.configure()


@pytest.mark.parametrize(
    ("can_id", "data", "text"),
    [
        (0x080, "", "SYNC"),
        (0x77F, "05", "heartbeat"),
        (0x000, "0100", "NMT"),
        (0x203, "06000800000000", "setpoints of node 3"),
    ],
)
def test_row_35_nothing_is_sent_where_somebody_else_is_master(can_id, data, text):
    scripted = Scripted()
    scripted.bus.put(can_id, data)
    with pytest.raises(DriveSetupError, match=rf"{text}.*another master.*one master"):
        scripted.bank.configure()
    assert scripted.bus.sent == []


def test_a_node_that_does_not_become_operational_is_refused():
    scripted = Scripted()
    scripted.node(4).no_heartbeat = True
    with pytest.raises(DriveSetupError, match=r"node 4 tells NMT state .* and not 0x05"):
        scripted.bank.configure()


def test_a_lost_link_is_told_as_such():
    scripted = Scripted()
    scripted.bus.lost = "/dev/ttyACM0: gone"
    with pytest.raises(LinkLostError, match="/dev/ttyACM0"):
        scripted.bank.configure()


@pytest.mark.parametrize(
    ("period_s", "text"),
    [(0.002, r"500 Hz.*the limit is 70%; .* or 2 buses at 500 Hz"), (0.001, r"1000 Hz")],
)
def test_a_rate_that_the_bus_cannot_carry_is_refused_before_anything_is_sent(period_s, text):
    time = VirtualTime()
    bus = ScriptedBus(time)
    with pytest.raises(DriveSetupError, match=text):
        CanopenBank([bus], SETTINGS, SCALES, period_s, now_s=time.now_s, url="scripted:")
    assert bus.sent == []


def test_the_number_of_buses_and_scales_must_fit():
    time = VirtualTime()
    buses = [ScriptedBus(time), ScriptedBus(time)]
    with pytest.raises(DriveSetupError, match="2 buses are open"):
        CanopenBank(buses, SETTINGS, SCALES, 0.004, now_s=time.now_s)
    with pytest.raises(DriveSetupError, match="5 scales"):
        CanopenBank(buses[:1], SETTINGS, SCALES[:5], 0.004, now_s=time.now_s)


def test_a_scan_changes_nothing_and_finds_all():
    time = VirtualTime()
    bus = ScriptedBus(time)
    bus.nodes[1].objects[0x1003, 0] = b"\x02"
    bus.nodes[1].objects[0x1003, 1] = u32(0x8611)
    bus.nodes[1].objects[0x1003, 2] = u32(0x8130)
    bus.nodes[3].silent = True
    found = scan(bus, time.now_s)
    assert [each.node for each in found] == [1, 2, 3, 5, 6]
    assert found[1].errors == (0x8611, 0x8130)
    assert found[0].serial == 501
    assert found[0].modes == (1, 6, 7, 8, 9, 10)
    assert found[0].is_drive
    assert all(each.can_id > 0x600 for each in bus.sent)
    assert not [each for each in bus.sent if each.data[0] & 0xE0 == 0x20]  # no download


@pytest.mark.parametrize(
    ("period_s", "told"),
    [
        (0.004, (4, -3)),
        (0.0025, (25, -4)),
        (0.002, (2, -3)),
        (0.01, (10, -3)),
        (0.00125, (125, -5)),
    ],
)
def test_the_interpolation_period_is_told_exactly(period_s, told):
    assert interpolation_period(period_s) == told


def test_a_period_that_cannot_be_told_is_refused_with_the_nearest():
    with pytest.raises(DriveSetupError, match=r"3.33333 ms .* nearest one that it can is 3.3 ms"):
        interpolation_period(1 / 300)


@given(st.sampled_from(["u8", "i8", "u16", "i16", "u32", "i32"]), st.integers(-(2**33), 2**33))
def test_a_parameter_is_packed_or_refused_and_comes_back(kind, value):
    parameter = Parameter(0x6065, 0, kind, value, "window")
    bits = int(kind[1:])
    fits = -(2 ** (bits - 1)) <= value < 2 ** (bits - 1) if kind[0] == "i" else 0 <= value < 2**bits
    if fits:
        assert parameter.decode(parameter.encode()) == value
        assert parameter.decode(parameter.encode() + b"\0\0") == value
    else:
        with pytest.raises(DriveSetupError, match=r"6065h:0.* does not fit"):
            parameter.encode()


def test_settings_travel_as_json():
    odd = changed(serial_numbers=(1, None, 3, 4, 5, 6), velocity_every=7, scale_told=False)
    assert from_json(odd.to_json()) == odd


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("nonsense", "no JSON"),
        ("[1]", "no table"),
        ('{"speed": 1}', r"hold \['speed'\], known are"),
        ("{}", "length_min_m"),
        (SETTINGS.to_json().replace('"bitrate": 1000000', '"bitrate": "fast"'), "bitrate"),
    ],
)
def test_json_that_is_no_settings_is_refused(text, why):
    with pytest.raises(DriveModelError, match=why):
        from_json(text)


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({"node_ids": (1, 2, 3, 4, 5, 5)}, "node of its own"),
        ({"node_ids": (0, 2, 3, 4, 5, 6)}, "leg 1: node id 0"),
        ({"node_ids": (1, 2, 3, 4, 5, 127)}, "leg 6: node id 127"),
        ({"bus_of_leg": (0, 0, 0, 2, 2, 2)}, "counted from 0"),
        ({"mode": 9}, "mode is 9"),
        ({"bitrate": 999}, "bitrate is 999 bit/s"),
        ({"consumer_heartbeat_s": 0.051}, "within 0.05 s"),
        ({"rpdo_timeout_s": 0.2}, "within 0.05 s"),
        ({"master_heartbeat_every_s": 0.03}, "at most 0.025 s"),
        ({"velocity_every": 0}, "1 to 240"),
        ({"answer_share": 1.0}, "below 1"),
        ({"following_window_m": math.nan}, "following_window_m is nan"),
        ({"speed_max_m_s": (1.0, 1.0, 0.0, 1.0, 1.0, 1.0)}, "leg 3: speed_max_m_s is 0.0"),
        ({"rated_force_n": (1.0,) * 5}, "rated_force_n holds 5"),
        ({"length_max_m": (0.5,) * 6}, "leg 1: length_min_m 0.675 m is not below"),
        ({"master_id": 200}, "master_id is 200"),
    ],
)
def test_settings_that_make_no_sense_are_refused(values, text):
    with pytest.raises(DriveModelError, match=text):
        changed(**values)


def test_settings_are_values():
    with pytest.raises(dataclasses.FrozenInstanceError):
        SETTINGS.mode = 7
    assert isinstance(SETTINGS, CanopenSettings)


@pytest.mark.parametrize("leg", [1, 2])
def test_an_emergency_stop_wired_to_a_drive_without_inputs_is_refused(leg):
    scripted = Scripted(settings=changed(estop_inputs=(True, True, False, False, False, False)))
    scripted.node(leg).lacks = {(0x60FD, 0)}
    with pytest.raises(DriveSetupError, match=rf"leg {leg} .*60FDh.*estop_fitted"):
        scripted.bank.configure()


def test_drives_that_carry_no_channel_of_the_emergency_stop_need_no_inputs():
    scripted = Scripted(settings=changed(estop_inputs=(True, True, False, False, False, False)))
    scripted.node(3).lacks = {(0x60FD, 0)}
    report = scripted.bank.configure()
    assert "60FDh" in report.axes[2]


def with_methods(node, methods):
    node.objects |= {(0x60E3, sub): struct.pack("<b", m) for sub, m in enumerate(methods, start=1)}
    node.objects[0x60E3, 0] = bytes((len(methods),))


def test_a_homing_method_that_is_not_in_the_drives_own_list_is_refused_before_it_is_written():
    scripted = Scripted()
    for node in scripted.bus.nodes:
        with_methods(node, (-2, 17, 18, 21))
    with_methods(scripted.node(4), (-2, 17, 18, 33))
    text = r"leg 4 \(node 4\): .*homing method \(6098h\) 21, .*\(60E3h\) has -2, 17, 18, 33"
    with pytest.raises(DriveSetupError, match=text):
        scripted.bank.configure()
    assert (0x6098, 0) not in scripted.node(4).objects
    assert scripted.node(1).objects[0x6098, 0] == b"\x15"


def test_a_list_of_homing_methods_without_entries_says_nothing():
    scripted = Scripted()
    scripted.node(4).objects[0x60E3, 0] = b"\x10"
    scripted.bank.configure()
