"""The bench on six emulated CANopen drives, all in one thread: gate, bank, bus, rack, rods."""

import dataclasses
from pathlib import Path

from bench_copies import copied
from fault_bench import RIG, RIG_FILE, SEED, Cycle, FaultBench, emulated, plan_of
from memory_bus import MemoryBus, PacedBank, VirtualTime

from drives.can.frames import BusHealth, BusState
from drives.canopen.bank import CanopenBank
from drives.canopen.settings import from_json
from drives.waits import Wait
from hil.stations.platform.drives.leg_test import leg_test_motion
from hil.stations.platform.drives.setup import bank_spec
from hil.stations.platform.plan.scenario import plan_from_table
from sim.devices.can.object_entry import DictionaryEntry, Group
from sim.devices.can.rack import CanRack
from sim.devices.faults import Injection

PERIOD_S = 0.004
RATE_HZ = 250.0
URL = "socketcan:can0"
TPDO1 = 0x180


class WireBus(MemoryBus):
    """A bus in memory on which a test can stand between the drives and the bench.

    It tells the rack's adapter flags as an SLCAN adapter does.
    """

    def __init__(self, rack, time, bus=0):
        super().__init__(rack, time, bus)
        self.alter = None
        """Takes each frame from the drives; returns what the bench gets, or None for nothing."""
        self.forged = []
        """Frames that the bench gets next although no drive has sent them."""
        self.heard = set()
        self.looks = 0
        """How often somebody has asked how the adapter is."""

    def receive_frames(self, timeout_s):
        forged, self.forged = self.forged, []
        frames = forged + super().receive_frames(0.0 if forged else timeout_s)
        if self.alter is not None:
            frames = [kept for frame in frames if (kept := self.alter(frame)) is not None]
        self.heard.update(f.can_id & 0x7F for f in frames if f.can_id & 0x780 == TPDO1)
        return frames

    def health(self):
        self.looks += 1
        faults = self.rack.faults
        if faults.bus_is_off:
            return BusHealth(BusState.BUS_OFF, note="bus off")
        passive = faults.value("error_passive") is not None
        return BusHealth(BusState.PASSIVE if passive else BusState.ACTIVE)


def emulated_bank(plan, rack, time, period_s=PERIOD_S, **changes):
    """The bank that the bench builds for the plan, on the bus of an emulated rack."""
    spec = bank_spec(plan)
    settings = dataclasses.replace(from_json(spec.settings["drives"]), **changes)
    bus = WireBus(rack, time)
    bank = CanopenBank(
        [bus], settings, spec.scales, period_s, now_s=time.now_s, name="rack", url="memory:"
    )
    return bank, bus


class BenchOnRack(FaultBench):
    """A bench whose drives are an emulated CANopen rack.

    Args:
        overrides: of the plan.
        nodes: changes of single emulated drives by leg, 1 to 6.
        rack: changes of the rack.
        limits: changes of the gate's limits.
        plant: what hangs on all six rods.
        settings: changes of the bank's settings.
    """

    def __init__(self, *overrides, nodes=None, rack=None, limits=None, plant=None, **settings):
        self.plan = plan_of(*overrides, rate_hz=RATE_HZ, url=URL)
        time = VirtualTime(100.0)
        self.rack = CanRack(emulated(nodes, **rack or {}), seed=SEED, plant=plant)
        bank, self.bus = emulated_bank(self.plan, self.rack, time, **settings)
        super().__init__(bank, time, PERIOD_S, limits)

    @property
    def rods(self):
        return self.rack.rods

    @property
    def emulated_drives(self):
        return tuple(node.drive for node in self.rack.nodes)

    def heard(self):
        heard = frozenset(self.bus.heard)
        self.bus.heard.clear()
        return heard

    def advance_rack(self):
        self.rack.advance(self.time.now)

    def strike(self, kind, leg=0, value=None, cycles=None):
        """Bring a fault of the rack about, from now on or for some cycles; marks the cause."""
        duration_s = None if cycles is None else cycles * self.period_s
        self.mark()
        # Now, after the answers of this cycle and before those of the next one.
        self.rack.faults.start(Injection(kind, leg, value, duration_s=duration_s), self.time.now)
        return self

    def node_of(self, leg):
        return self.plan.rig.drives.canopen.node_ids[leg - 1]


def set_in_motion(*overrides, **changes):
    """A bench in motion, all legs well under way; arguments as of `BenchOnRack`."""
    return BenchOnRack(*overrides, **changes).moving()


in_motion = copied(Cycle, Wait, DictionaryEntry, Group)(set_in_motion)
"""The same, set in motion once; not for tests that first patch what a bench is made of."""


def leg_test(leg, nodes=None, *overrides, **settings):
    """The slow test move of a leg, as a plan of the bench, on emulated drives.

    Args:
        leg: leg to be led, 1 to 6.
        nodes: changes of single emulated drives by leg.
        overrides: of the plan that the bank is built from.
        settings: changes of the bank's settings.

    Returns:
        The plan, its bank, and the rack.
    """
    period_s = 0.01
    motion = leg_test_motion(RIG, (leg,))
    time = VirtualTime(100.0)
    rack = CanRack(emulated(nodes), seed=SEED)
    wired = plan_of(*overrides, rate_hz=1.0 / period_s, url=URL, motion=motion)
    bank, _ = emulated_bank(wired, rack, time, period_s, **settings)
    return _dry(1.0 / period_s, motion), PacedBank(bank, time, period_s), rack


def _dry(rate_hz, motion):
    """A plan in virtual time, which the bench runs with the gate in its own thread."""
    table = {"name": "leg_test", "rig": str(RIG_FILE), "rate_hz": rate_hz, "motion": motion}
    return plan_from_table(table, Path("test"))
