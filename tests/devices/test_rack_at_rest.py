"""A rack at rest looks at nothing for a while, and is to the last bit what it is when it looks."""

from __future__ import annotations

import math
import struct

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from properties import dear
from virtual_master import NODES, VirtualMaster

from sim.devices.can.rack import CanRack
from sim.devices.drive.group import DriveGroup
from sim.devices.drive.parameters import NodeSettings, RackSettings
from sim.devices.drive.rods import RodSettings
from sim.devices.faults import Injection
from sim.devices.modbus.faults import ModbusFaults
from sim.devices.modbus.injection import parse_fault
from sim.devices.modbus.rack import ModbusRackCore, ModbusRackSettings

SETTINGS = {
    "paced": RackSettings(),
    "unpaced": RackSettings(bitrate=None),
    "two buses": RackSettings(buses=(0, 0, 0, 1, 1, 1)),
}
FAULTS = {
    "absent": Injection("absent", node=2, duration_s=0.3),
    "emcy": Injection("emcy", node=3, value=0x3210, duration_s=0.05),
    "jump": Injection("jump", node=1, value=0.002, at_s=0.011, duration_s=0.1),
    "reboot": Injection("reboot", node=4, at_s=0.0205),
    "second_master": Injection("second_master", value=0.01, duration_s=0.05),
    "bus_off": Injection("bus_off", duration_s=0.02),
    "scale": Injection("scale", node=5, value=2.0, duration_s=0.05),
}

FRAMES = {
    "start": [(0x000, b"\x01\x00")],
    "stop": [(0x000, b"\x02\x00")],
    "pre-operational": [(0x000, b"\x80\x00")],
    "reset": [(0x000, b"\x81\x03")],
    "sync": [(0x080, b"")],
    "many": [(0x080, b"")] * 20,
    "heartbeat of node 2": [(0x602, struct.pack("<BHBI", 0x2B, 0x1017, 0, 7))],
    "heartbeat awaited": [(0x601, struct.pack("<BHBI", 0x23, 0x1016, 1, 127 << 16 | 20))],
    "heartbeat": [(0x77F, b"\x05")],
    "ready": [(0x200 + node, struct.pack("<Hbi", 0x06, 8, 0)) for node in NODES],
    "on": [(0x200 + node, struct.pack("<Hbi", 0x07, 8, 0)) for node in NODES],
    "enabled": [(0x200 + node, struct.pack("<Hbi", 0x0F, 8, 0)) for node in NODES],
    "off": [(0x200 + node, struct.pack("<Hbi", 0, 8, 0)) for node in NODES],
}
DEEDS = st.one_of(
    st.floats(1e-5, 0.2).map(lambda dt_s: ("wait", dt_s)),
    st.sampled_from(sorted(FRAMES)).map(lambda name: ("frames", name)),
    st.sampled_from(sorted(FAULTS)).map(lambda name: ("fault", name)),
    st.just(("clear", "")),
)


EXAMPLES = [
    *(("wait", 0.1), ("frames", "heartbeat of node 2"), ("wait", 0.1003)),
    *(("frames", "many"), ("wait", 0.05)),
    *(("fault", "emcy"), ("clear", ""), ("wait", 0.1)),
]
"""Frames one after another while nothing moves; a fault that is over before it is told."""


class Looking(CanRack):
    """A rack that looks at everything in each tick."""

    def _quiet_until_s(self) -> float:
        return -math.inf


def meet(rack: CanRack, kind, what, now_s):
    """Send the frames of a deed, or begin or end a fault."""
    if kind == "frames":
        for frame in FRAMES[what]:
            rack.receive(frame, now_s)
    elif kind == "fault":
        rack.faults.start(FAULTS[what], now_s)
    elif kind == "clear":
        rack.faults.clear(now_s)


def lived(rack: CanRack, deeds) -> list[object]:
    """What a rack has said and become, step by step."""
    now_s, told = 100.0, []
    rack.advance(now_s)
    for kind, what in [*deeds, ("wait", 0.1)]:
        meet(rack, kind, what, now_s)
        if kind == "wait":
            now_s += what
            told += [rack.take(now_s, bus) for bus in range(rack.settings.bus_count)]
        told += [(rod.x_m, rod.v_m_s, rod.force_n) for rod in rack.rods]
        for node in rack.nodes:
            told.append((node.state, node.drive.state, node.drive.u_m, node.drive.statusword))
    return told


@pytest.mark.parametrize("kind", SETTINGS)
@example(deeds=EXAMPLES)
@given(deeds=st.lists(DEEDS, max_size=25))
@dear
def test_a_rack_that_rests_is_what_one_is_that_looks_all_the_time(kind: str, deeds):
    resting, looking = (make(SETTINGS[kind], seed=3) for make in (CanRack, Looking))
    assert lived(resting, deeds) == lived(looking, deeds)


def test_a_rack_at_rest_is_not_due_until_a_timer_runs_out():
    master = VirtualMaster()
    rack = master.rack
    assert rack.next_due_s() == math.inf
    assert master.write(2, 0x1017, 0, "H", 50) == 0
    now_s = master.now_s + 0.051
    beaten_s = [when for when, *_ in rack.take(now_s)]
    assert len(beaten_s) == 1
    due_s = rack.next_due_s()
    assert due_s is not None
    assert due_s == pytest.approx(beaten_s[0] + 0.05, abs=0.002)
    rack.faults.start(Injection("reboot", node=1, at_s=0.01), now_s)
    assert rack.next_due_s() == now_s + 0.01


def test_a_rack_that_moves_or_is_operational_is_due_in_every_tick():
    master = VirtualMaster()
    master.configure()
    for _ in range(3):
        due_s = master.rack.next_due_s()
        assert due_s is not None
        assert due_s <= master.now_s + 0.001
        master.enable()


def group() -> DriveGroup:
    return DriveGroup(RackSettings(), seed=1)


@pytest.mark.parametrize("how", ["powered", "moving", "under force", "being enabled", "displaced"])
def test_a_group_that_can_change_is_not_still(how: str):
    here = group()
    assert here.still
    rod, drive = here.rods[5], here.drives[5]
    if how == "powered":
        rod.powered = True
    elif how == "moving":
        rod.v_m_s = 1e-9
    elif how == "under force":
        rod.force_n = 1.0
    elif how == "displaced":
        rod.x_m += 1e-9
    else:
        for word in (0x06, 0x07, 0x0F):
            drive.write_controlword(word)
    assert not here.still
    here.advance(1.0)
    assert here.still is (how not in ("powered", "being enabled"))


def test_a_drive_that_lost_its_power_in_motion_comes_to_rest_and_is_still():
    rod = RodSettings(brake_release_s=0.0, start_m=0.3)
    nodes = tuple(NodeSettings(k + 1, k + 1, motor=k, encoder=k, rod=rod) for k in range(6))
    here = DriveGroup(RackSettings(nodes=nodes), seed=1)
    for word in (0x06, 0x07, 0x0F):
        here.drives[0].write_controlword(word)
    here.rods[0].v_m_s = 0.2
    here.drives[0].write_controlword(0x00)
    here.advance(0.005)
    assert not here.still
    here.advance(0.1)
    assert here.still
    assert here.rods[0].v_m_s == 0.0


def test_a_gateway_rests_until_its_watchdog_or_a_fault_is_due():
    core = ModbusRackCore(ModbusRackSettings(), seed=1)
    faults = ModbusFaults(core, [(0.5, parse_fault("mute"))])
    assert faults.due_s() == -math.inf, "its time has not begun"
    faults.advance(10.0)
    core.advance(10.0)
    assert faults.due_s() == 10.5
    assert core.resting_until_s() == math.inf
    assert core.write(1, 0, [1], 10.0) is None
    assert core.resting_until_s() == 10.1
    faults.start(parse_fault("mute for 0.2"), 10.0)
    assert faults.due_s() == 10.2
    faults.advance(10.6)
    assert faults.due_s() == math.inf
    core.drives[0].motor.powered = True
    assert core.resting_until_s() == -math.inf
