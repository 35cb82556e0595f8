"""Racks with a world on their rods, on both wires and in virtual time, and who reads them besides.

The bench's own banks lead the drives; what these tell is read on the same wire by the libraries
`canopen` and `pymodbus`, which know nothing of the bench.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import canopen
from memory_bus import MemoryBus, PacedBank, VirtualTime
from modbus_bench import RackThread
from pymodbus.client import ModbusTcpClient

from drives.bank import DriveBank, DriveGoal, DriveState
from drives.canopen.bank import CanopenBank
from drives.canopen.settings import from_json as canopen_settings
from drives.links import parse_link
from drives.modbus.bank import ModbusBank
from drives.modbus.register_map import register_map_from
from drives.modbus.settings import ModbusSettings
from hil.config.file_search import find_file
from hil.machines.rig.machine import load_rig
from hil.stations.platform.bench import bench
from hil.stations.platform.cycle.world import RigWorld, platform_plant
from hil.stations.platform.drives.rack_setup import rack_settings, with_servo
from hil.stations.platform.drives.setup import bank_spec
from hil.stations.platform.plan.scenario import plan_from_table
from sim.devices.can.rack import CanRack
from sim.devices.faults import Injection
from sim.devices.modbus.injection import ModbusInjection
from sim.devices.modbus.rack import ModbusRackSettings

RIG = load_rig(find_file("paper", folder="rigs", key="rig"))
WIRES = ("canopen", "modbus")
PERIOD_S = {"canopen": 0.004, "modbus": 0.01}
STANDS = {"kind": "legs", "to": [{"offsets_m": 0.0, "dwell_s": 0.5}]}
ERROR, POSITION, FORCE, INPUTS = 0x603F, 0x6064, 0x6077, 0x60FD
"""Objects of CiA 402."""


@dataclass
class Tapped:
    """A rack in virtual time."""

    bank: DriveBank
    rods: tuple[Any, ...]
    """As they truly are."""
    plant: Any
    read: Any
    """Objects of the six drives as a foreign master reads them: number to six values."""
    lose_supply: Any
    """Takes the supply of all six away."""
    open_sto: Any
    """Opens the interlock of all six."""
    pass_time: Any
    """Lets some seconds pass in which no master says anything."""

    def until(self, condition, limit=4000):
        for _ in range(limit):
            feedback = self.bank.exchange(None)
            if condition(feedback):
                return feedback
        raise AssertionError(f"not reached: {feedback}")

    def enable(self):
        """Configure, home, enable; the last feedback."""
        self.bank.configure()
        self.bank.request(DriveGoal.HOMED)
        self.until(lambda f: all(f.homed))
        self.bank.request(DriveGoal.ENABLED)
        return self.until(lambda f: f.state == (DriveState.ENABLED,) * 6)


def tapped(wire: str, world: RigWorld | None, rig=RIG) -> Tapped:
    """A rack with a world on its rods; without one each by itself."""
    settings, plant = rack_settings(rig, paced=False), None
    if world is not None:
        settings, plant = with_servo(settings, world.servo), platform_plant(rig, world, 1)
    return (_on_canopen if wire == "canopen" else _on_modbus)(settings, plant, rig)


def whole_run(one: Tapped, wire, rig, motion, out, monkeypatch):
    """A run from power-up to parked on a rack, on the virtual clock."""
    table = {"name": "tap", "rig": "paper", "motion": motion, "rate_hz": 1.0 / PERIOD_S[wire]}
    plan = plan_from_table(table, Path("test")).model_copy(update={"rig": rig})
    monkeypatch.setattr(bench, "bank_of", lambda *_: one.bank)
    return bench.run(plan, out)


def _spec(rig, url, period_s):
    table = {
        "name": "tap", "rig": "paper", "motion": STANDS, "clock": "real",
        "rate_hz": 1.0 / period_s, "devices": {"drives": url},
    }  # fmt: skip
    plan = plan_from_table(table, Path("test"))
    return bank_spec(plan.model_copy(update={"rig": rig}))


class SharedBus(MemoryBus):
    """A bus on which frames that another master has taken still arrive."""

    taken = ()

    def receive_frames(self, timeout_s):
        if self.taken:
            frames, self.taken = list(self.taken), ()
            return frames
        return super().receive_frames(timeout_s)


class VirtualNetwork(canopen.Network):
    """The library's network on the rack: an answer is there as soon as a request is sent."""

    def __init__(self, bus: SharedBus):
        super().__init__()
        self._shared = bus

    def send_message(self, can_id, data, remote=False):
        bus, answered = self._shared, False
        assert not remote
        super_frames = []
        bus.rack.receive((can_id, bytes(data)), bus.time.now, bus.bus)
        end_s = bus.time.now + 0.05
        while not answered and bus.time.now < end_s:
            for frame in MemoryBus.receive_frames(bus, 0.0):
                if frame.can_id == can_id - 0x600 + 0x580:
                    answered = True
                    self.notify(frame.can_id, bytearray(frame.data), bus.time.now)
                else:
                    super_frames.append(frame)
            if not answered:
                bus.time.move_to(bus.time.now + 1e-4)
        bus.taken = (*bus.taken, *super_frames)


def _on_canopen(settings, plant, rig) -> Tapped:
    period_s, time = PERIOD_S["canopen"], VirtualTime(100.0)
    rack = CanRack(settings, seed=5, plant=plant)
    bus = SharedBus(rack, time)
    spec = _spec(rig, "slcan:/dev/none", period_s)
    drives = canopen_settings(spec.settings["drives"])
    bank = CanopenBank([bus], drives, spec.scales, period_s, now_s=time.now_s, url="memory:")
    network = VirtualNetwork(bus)
    dictionary = Path(__file__).parents[2] / "configs" / "eds" / "hil_emulated_drive.eds"
    nodes = [network.add_node(number, str(dictionary)) for number in range(1, 7)]

    def lose():
        rack.faults.start(Injection("absent"), time.now)

    def open_sto():
        rack.faults.start(Injection("estop"), time.now)

    def pass_time(seconds):
        time.move_to(time.now + seconds)
        rack.advance(time.now)

    def read(number):
        return [node.sdo[number].raw for node in nodes]

    return Tapped(
        PacedBank(bank, time, period_s), rack.rods, plant, read, lose, open_sto, pass_time
    )


class ThreadBank(ModbusBank):
    """Cycles move the clock of the rack on; the end of the bank is the rack's."""

    rack: RackThread
    step_s: float

    def exchange(self, command):
        self.rack.clock.t_s += self.step_s
        return super().exchange(command)

    def close(self):
        end = super().close()
        self.rack.close()
        return end


def _on_modbus(settings, plant, rig) -> Tapped:
    period_s = PERIOD_S["modbus"]
    rack = RackThread("tcp", ModbusRackSettings(rack=settings, paced=False), plant=plant)
    spec = _spec(rig, rack.url, period_s)
    words = ModbusSettings.from_json(spec.settings["drives"])
    bank = ThreadBank(
        parse_link(rack.url),
        register_map_from(spec.settings["map"], spec.settings["map_file"]),
        spec.scales,
        period_s,
        settings=replace(words, answer_timeout_s=2.0),
        now_s=rack.now_s,
    )
    bank.rack, bank.step_s = rack, period_s
    port = int(rack.url.rpartition(":")[2])

    def lose():
        rack.faults.start(ModbusInjection("reboot"), rack.now_s())

    def open_sto():
        for axis in range(1, 7):
            rack.faults.start(ModbusInjection("estop", axis), rack.now_s())

    def pass_time(seconds):
        rack.clock.t_s += seconds
        read(ERROR)  # a device looks at its clock when it is asked something

    def read(number):
        """By the addresses of configs/drives/hil_rack.toml."""
        offset, count = {ERROR: (2, 1), INPUTS: (3, 1), POSITION: (4, 2), FORCE: (8, 1)}[number]
        client = ModbusTcpClient("127.0.0.1", port=port)
        assert client.connect()
        try:
            words = [
                client.read_holding_registers(102 + 10 * axis + offset, count=count).registers
                for axis in range(6)
            ]
        finally:
            client.close()
        kinds = {ERROR: "UINT16", INPUTS: "UINT16", POSITION: "INT32", FORCE: "INT16"}
        kind = getattr(client.DATATYPE, kinds[number])
        return [client.convert_from_registers(each, kind) for each in words]

    return Tapped(bank, rack.core.rods, plant, read, lose, open_sto, pass_time)
