"""Byte transcripts of every kind of frame, written down from the text of CiA 301."""

from __future__ import annotations

import pytest
from virtual_master import CSP, VirtualMaster

from sim.devices.can.bus_timing import frame_bits
from sim.devices.drive.parameters import RackSettings


def hexes(frames: list[tuple[int, bytes]]) -> list[str]:
    return [f"{can_id:03X}#{data.hex().upper()}" for can_id, data in frames]


def master() -> VirtualMaster:
    return VirtualMaster()


def ask(m: VirtualMaster, line: str, dt_s: float = 0.003) -> list[str]:
    can_id, _, data = line.partition("#")
    return hexes(m.ask(int(can_id, 16), bytes.fromhex(data), dt_s))


def test_boot_up_after_power_and_after_both_resets():
    m = master()
    assert hexes(m.seen) == [f"70{k}#00" for k in range(1, 7)]
    assert ask(m, "000#8102", 0.06) == ["702#00"]  # reset node
    assert ask(m, "000#8203", 0.06) == ["703#00"]  # reset communication
    assert ask(m, "000#8100", 0.06) == [f"70{k}#00" for k in range(1, 7)]


def test_boot_up_comes_after_the_boot_time():
    m = VirtualMaster(RackSettings(boot_time_s=0.5))
    assert m.seen == []
    m.wait(0.43)
    assert m.seen == []
    m.wait(0.02)
    assert len(m.seen) == 6


def test_heartbeat_carries_the_nmt_state():
    m = master()
    assert ask(m, "603#2B17100064000000")[0] == "583#6017100000000000"
    assert hexes(m.wait(0.1)) == ["703#7F"]
    m.nmt(1, 3)
    assert "703#05" in hexes(m.wait(0.1))
    m.nmt(2, 3)
    assert hexes(m.wait(0.1)) == ["703#04"]
    m.nmt(128, 3)
    assert hexes(m.wait(0.1)) == ["703#7F"]


def test_heartbeat_period_is_that_of_1017():
    m = master()
    ask(m, "603#2B17100014000000")
    m.seen.clear()
    m.wait(1.0)
    assert len(m.seen) == 50


@pytest.mark.parametrize(
    ("request_", "answer"),
    [
        ("601#4000100000000000", "581#4300100092010200"),  # device type
        ("601#4018100100000000", "581#4318100100000000"),  # vendor id 0
        ("605#4018100400000000", "585#43181004ED030000"),  # serial number 1005
        ("601#4017100000000000", "581#4B17100000000000"),  # two bytes
        ("601#4001100000000000", "581#4F01100000000000"),  # one byte
        ("601#4002650000000000", "581#43026500E5000000"),  # supported drive modes
        ("601#2B40600006000000", "581#6040600000000000"),  # expedited download of two bytes
        ("601#2F60600008000000", "581#6060600000000000"),
        ("601#2200000000000000", "581#8000000000000206"),  # no object
        ("601#4018100700000000", "581#8018100711000906"),  # no sub-index
        ("601#2341600000000000", "581#8041600002000106"),  # read-only
        ("601#2B60600008000000", "581#8060600010000706"),  # wrong length
        ("601#2F60600009000000", "581#8060600030000906"),  # mode 9 is not supported
        ("601#2F98600021000000", "581#8098600030000906"),  # method 33 is not supported
        ("601#E018100100000000", "581#8018100101000405"),  # no such command
        ("601#2310100173617665", "581#8010100120000008"),  # nothing can be stored
        ("601#231110016C6F6164", "581#6011100100000000"),  # defaults can be restored
    ],
)
def test_sdo_expedited_and_abort(request_: str, answer: str):
    assert ask(master(), request_) == [answer]


def test_sdo_segmented_upload_of_the_device_name():
    m = master()
    transcript = [
        ("601#4008100000000000", "581#4108100012000000"),  # 18 bytes will follow
        ("601#6000000000000000", "581#0048494C20656D75"),  # "HIL emu"
        ("601#7000000000000000", "581#106C617465642064"),  # "lated d", toggled
        ("601#6000000000000000", "581#0772697665000000"),  # "rive", 3 bytes unused, the last one
    ]
    for request, answer in transcript:
        assert ask(m, request) == [answer]


def test_sdo_segmented_download_and_toggle():
    m = master()
    assert ask(m, "601#217A600004000000") == ["581#607A600000000000"]
    assert ask(m, "601#0778563412000000") == ["581#2000000000000000"]
    assert ask(m, "601#407A600000000000") == ["581#437A600078563412"]
    ask(m, "601#4008100000000000")
    assert ask(m, "601#7000000000000000") == ["581#8008100000000305"]  # toggle not alternated
    assert ask(m, "601#6000000000000000") == ["581#8008100001000405"]  # nothing under way
    assert ask(m, "601#2140100004000000") == ["581#8040100000000206"]


def test_sdo_is_silent_after_an_abort_of_the_client_and_for_short_frames():
    m = master()
    assert ask(m, "601#8000100000000000") == []
    assert ask(m, "601#40001000") == []
    assert ask(m, "607#4000100000000000") == []


def test_process_data_with_sync():
    m = master()
    m.configure()
    assert ask(m, "201#060008D2040000") == []  # type 1: nothing before SYNC
    frames = ask(m, "080#")
    assert [f[:4] for f in frames] == [f"18{k}#" for k in range(1, 7)]
    position = m.rack.nodes[0].drive.position_counts.to_bytes(4, "little", signed=True)
    # The TPDO carries the state at SYNC, after the RPDO has acted: ready to switch on, mode 8.
    assert frames[0] == "181#" + "310208" + position.hex().upper()
    assert m.read(1, 0x607A, 0, "i") == 1234


def test_emergency_on_a_fault_and_on_its_reset():
    m = master()
    m.rack.nodes[3].drive.trip(0x8611)
    assert hexes(m.wait(0.003)) == ["084#1186210000000000"]
    assert m.read(4, 0x1003, 0, "B") == 1
    assert m.read(4, 0x1003, 1, "I") == 0x8611
    assert m.read(4, 0x1001, 0, "B") == 0x21
    assert m.read(4, 0x603F, 0, "H") == 0x8611
    frames = ask(m, "604#2B40600080000000")
    assert "084#0000000000000000" in frames
    assert m.read(4, 0x1001, 0, "B") == 0


def test_nmt_gates_every_service():
    m = master()
    m.configure()
    m.nmt(128, 1)
    assert "181#" not in [f[:4] for f in ask(m, "080#")]
    assert ask(m, "601#4000100000000000") == ["581#4300100092010200"]
    m.nmt(2, 1)
    assert ask(m, "601#4000100000000000") == []
    m.nmt(1, 1)
    assert "181#" in [f[:4] for f in ask(m, "080#")]
    m.nmt(77, 1)  # no such command
    assert "181#" in [f[:4] for f in ask(m, "080#")]


@pytest.mark.parametrize(("size", "bits"), [(0, 55), (6, 115), (7, 125), (8, 135)])
def test_bit_times_of_the_classic_frame(size: int, bits: int):
    assert frame_bits(size) == bits


def test_a_cycle_takes_its_bit_time():
    m = master()
    m.configure()
    start_s = m.now_s
    for k in range(1, 7):
        m.send(0x200 + k, bytes.fromhex("00000800000000"))
    m.send(0x080)
    out_s = (6 * 125 + 55) * 1e-6
    assert m.wait(out_s + 124e-6) == []
    assert [i for i, _ in m.wait(2e-6)] == [0x181]
    assert len(m.wait(5 * 125e-6 - 1.5e-6)) == 4
    assert [i for i, _ in m.wait(1e-6)] == [0x186]
    assert m.now_s - start_s == pytest.approx((12 * 125 + 55) * 1e-6, abs=1e-6)


def test_without_a_bit_rate_frames_take_no_time():
    m = VirtualMaster(RackSettings(bitrate=None))
    m.configure()
    status = m.cycle(0, CSP, [0] * 6, period_s=0.0)
    assert sorted(status) == [1, 2, 3, 4, 5, 6]
