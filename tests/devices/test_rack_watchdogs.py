"""The drives' own watchdogs: the rods stop by themselves when the master falls silent."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st
from virtual_master import CSP, HOMING, NODES, VirtualMaster

from sim.devices.drive.cia402 import State
from sim.devices.drive.watchdogs import Deadline

SPEED_M_S = 0.2
PERIOD_S = 0.004


def running(rpdo_timeout_ms: int, heartbeat_ms: int, abort_option: int = 3) -> VirtualMaster:
    """Six homed drives at 0.2 m/s; the quick stop has 8 m/s^2 and stays under force."""
    m = VirtualMaster()
    m.configure(rpdo_timeout_ms, heartbeat_ms)
    for node in NODES:
        assert m.write(node, 0x6007, 0, "h", abort_option) == 0
        assert m.write(node, 0x605A, 0, "h", 6) == 0
        assert m.write(node, 0x6085, 0, "I", 8_000_000) == 0
    status = m.home()
    base = [status[node][2] for node in NODES]
    for k in range(1, 150):
        m.send(0x77F, b"\x05")
        m.cycle(0x0F, CSP, [x + round(k * SPEED_M_S * PERIOD_S * 1e6) for x in base], PERIOD_S)
    assert all(rod.v_m_s == pytest.approx(SPEED_M_S, rel=0.02) for rod in m.rack.rods)
    return m


def silence(m: VirtualMaster, beat: bool, sync: bool) -> tuple[list[float], list[float]]:
    """Let the master miss what is not asked for; returns first brake and rest of each rod [s]."""
    start_s = m.now_s
    slower, rest = [0.0] * 6, [0.0] * 6
    targets = [node.drive.target_raw for node in m.rack.nodes]
    for k in range(1, 201):
        if beat:
            m.send(0x77F, b"\x05")
        if sync and k % 4 == 1:
            targets = [x + round(SPEED_M_S * PERIOD_S * 1e6) for x in targets]
            for node in NODES:
                m.send(0x200 + node, struct.pack("<Hbi", 0x0F, CSP, targets[node - 1]))
            m.send(0x080)
        m.wait(1e-3)
        for k_rod, rod in enumerate(m.rack.rods):
            since_s = m.now_s - start_s
            if not slower[k_rod] and rod.v_m_s < 0.95 * SPEED_M_S:
                slower[k_rod] = since_s
            if not rest[k_rod] and abs(rod.v_m_s) < 0.02 * SPEED_M_S:
                rest[k_rod] = since_s
    return slower, rest


def test_49_without_sync_and_rpdo_all_rods_rest_within_50_ms():
    m = running(rpdo_timeout_ms=20, heartbeat_ms=0)
    _, rest = silence(m, beat=False, sync=False)
    # The last RPDO came one period before: 20 ms of waiting, 25 ms of ramp, and the servo's lag.
    assert all(t > 0.0 and t + PERIOD_S <= 0.055 for t in rest), rest
    assert all(node.drive.state is State.QUICK_STOP_ACTIVE for node in m.rack.nodes)
    codes = {i: struct.unpack_from("<H", d)[0] for i, d in m.seen if i & 0x780 == 0x080 and d}
    assert codes == {0x80 + node: 0x8250 for node in NODES}


def test_49_without_heartbeat_alone_all_rods_rest():
    m = running(rpdo_timeout_ms=0, heartbeat_ms=20)
    for node in NODES:
        assert m.write(node, 0x1029, 1, "B", 1) == 0  # stay operational
    m = running(rpdo_timeout_ms=0, heartbeat_ms=20)
    _, rest = silence(m, beat=False, sync=True)
    assert all(0.0 < t <= 0.060 for t in rest)
    codes = {i: struct.unpack_from("<H", d)[0] for i, d in m.seen if i & 0x780 == 0x080 and d}
    assert codes == {0x80 + node: 0x8130 for node in NODES}


def test_with_both_fed_nothing_stops():
    """The positive control: the same run with a living master."""
    m = running(rpdo_timeout_ms=20, heartbeat_ms=20)
    slower, _ = silence(m, beat=True, sync=True)
    assert slower == [0.0] * 6
    assert all(node.drive.state is State.OPERATION_ENABLED for node in m.rack.nodes)


def test_without_watchdogs_a_silent_master_leaves_the_drives_enabled():
    m = running(rpdo_timeout_ms=0, heartbeat_ms=0)
    silence(m, beat=False, sync=False)
    assert all(node.drive.state is State.OPERATION_ENABLED for node in m.rack.nodes)


@pytest.mark.parametrize("timeout_ms", [10, 20, 50])
def test_the_rpdo_watchdog_acts_at_its_time(timeout_ms: int):
    m = running(rpdo_timeout_ms=timeout_ms, heartbeat_ms=0)
    start_s = m.now_s - PERIOD_S  # the last cycle began one period ago
    while all(node.drive.state is State.OPERATION_ENABLED for node in m.rack.nodes):
        m.wait(0.25e-3)
        assert m.now_s - start_s < 0.1
    # It counts from the end of its RPDO; timers of the rack have a grid of 1 ms.
    assert timeout_ms * 1e-3 <= m.now_s - start_s <= timeout_ms * 1e-3 + 2.2e-3


def test_a_watchdog_that_nobody_has_fed_yet_is_silent():
    m = VirtualMaster()
    m.configure(20, 20)
    m.wait(1.0)
    assert not [i for i, _ in m.seen if i & 0x780 == 0x080]


def test_a_lost_heartbeat_leaves_operational_unless_1029_says_otherwise():
    for behaviour, byte in ((0, 0x7F), (1, 0x05), (2, 0x04)):
        m = VirtualMaster()
        m.configure(0, 30)
        for node in NODES:
            assert m.write(node, 0x1029, 1, "B", behaviour) == 0
        m.send(0x77F, b"\x05")
        m.wait(0.05)
        assert m.rack.nodes[0].state.value == byte
        assert m.rack.nodes[0].drive.errors == {0x8130: 0x11}


def test_recovery_is_told_by_an_emergency_without_error():
    m = VirtualMaster()
    m.configure(0, 30)
    for node in NODES:
        m.write(node, 0x6007, 0, "h", 0)
        m.write(node, 0x1029, 1, "B", 1)
    m.send(0x77F, b"\x05")
    m.wait(0.05)
    m.seen.clear()
    m.send(0x77F, b"\x05")
    m.wait(0.005)
    assert [(i, d.hex()) for i, d in m.seen] == [(0x80 + n, "0000000000000000") for n in NODES]
    m.seen.clear()
    m.wait(0.05)  # and the next loss is told again
    assert [d[:2].hex() for _, d in m.seen] == ["3081"] * 6


def test_only_the_master_s_heartbeat_counts():
    m = VirtualMaster()
    m.configure(0, 30)
    m.send(0x77F, b"\x05")
    for _ in range(10):
        m.send(0x77E, b"\x05")
        m.wait(0.01)
    assert m.rack.nodes[0].drive.errors


def test_two_consumer_entries_of_one_producer_are_refused():
    m = VirtualMaster()
    assert m.write(1, 0x1016, 1, "I", 127 << 16 | 50) == 0
    assert m.write(1, 0x1016, 2, "I", 127 << 16 | 60) == 0x0604_0043
    assert m.write(1, 0x1016, 2, "I", 126 << 16 | 60) == 0


@pytest.mark.parametrize("option", [1, 2])
def test_option_1_trips_and_2_lets_the_brake_stop(option: int):
    m = running(rpdo_timeout_ms=20, heartbeat_ms=0, abort_option=option)
    _, rest = silence(m, beat=False, sync=False)
    assert all(0.0 < t <= 0.060 for t in rest)
    state = State.FAULT if option == 1 else State.SWITCH_ON_DISABLED
    assert all(node.drive.state is state for node in m.rack.nodes)


@pytest.mark.parametrize("command", [2, 129, 130])
def test_stopping_or_resetting_a_node_stops_its_rod(command: int):
    m = running(rpdo_timeout_ms=0, heartbeat_ms=0)
    m.nmt(command)
    m.wait(0.2)
    assert all(abs(rod.v_m_s) < 1e-5 for rod in m.rack.rods)
    assert all(node.drive.state is not State.OPERATION_ENABLED for node in m.rack.nodes)


def test_homing_ends_too_when_the_master_falls_silent():
    m = VirtualMaster()
    m.configure(20, 0)
    for node in NODES:
        m.write(node, 0x6007, 0, "h", 3)
    m.enable(HOMING)
    m.cycles(20, 0x1F, HOMING, [0] * 6)
    assert any(abs(rod.v_m_s) > 0.005 for rod in m.rack.rods)
    m.wait(0.3)
    assert all(abs(rod.v_m_s) < 1e-5 for rod in m.rack.rods)
    assert all(node.drive.state is State.SWITCH_ON_DISABLED for node in m.rack.nodes)


@given(st.lists(st.floats(0.0, 0.1), max_size=30), st.floats(0.001, 0.05))
def test_a_deadline_expires_once_per_silence(gaps: list[float], time_s: float):
    deadline, now_s, losses = Deadline(time_s), 0.0, 0
    for gap in gaps:
        deadline.received(now_s)
        due_s = now_s + time_s
        now_s += gap
        late = now_s >= due_s
        assert deadline.expired(now_s) is late
        assert deadline.expired(now_s + 10.0) is not late
        losses += late
        if not late:
            deadline.received(now_s)
    assert losses <= len(gaps)


def test_a_deadline_of_no_time_never_expires():
    deadline = Deadline()
    deadline.received(0.0)
    assert deadline.due_s() is None
    assert not deadline.expired(1e9)
