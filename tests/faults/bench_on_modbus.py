"""The bench on six emulated drives behind a Modbus gateway, over TCP on this machine.

The rack serves in a thread, on the same virtual clock, which moves between the cycles only; a cycle
waits for its answer, so that the outcome does not depend on the machine.
"""

import dataclasses

from fault_bench import FaultBench, emulated, plan_of
from memory_bus import VirtualTime
from modbus_bench import RackThread

from drives.links import parse_link
from drives.modbus.bank import ModbusBank
from drives.modbus.register_map import register_map_from
from drives.modbus.settings import ModbusSettings
from hil.stations.platform.drives.setup import bank_spec
from sim.devices.modbus.device import ModbusRackSettings
from sim.devices.modbus.injection import ModbusInjection
from sim.devices.modbus.types import MODBUS_TYPES

PERIOD_S = 0.01
PATIENCE_S = 5.0
"""How long an answer is waited for on this machine, however busy it is [s]."""


class BenchOnModbus(FaultBench):
    """A bench whose drives are an emulated Modbus rack.

    Args:
        name: type of its drives.
        overrides: what else the rig says.
        plant: what hangs on all six rods.
    """

    def __init__(self, name="hil_rack", *overrides, plant=None):
        time, kind = VirtualTime(100.0), MODBUS_TYPES[name]
        types = {leg: {"type": kind.drives} for leg in range(1, 7)}
        settings = ModbusRackSettings(
            rack=emulated(types), units=kind.units, paced=False, cycle_s=PERIOD_S
        )
        self.rack = RackThread("tcp", settings, now_s=time.now_s, kind=kind.device, plant=plant)
        self.plan = plan_of(
            f"rig_settings.drives.type={name}",
            *overrides,
            rate_hz=1.0 / PERIOD_S,
            url=self.rack.url,
        )
        spec = bank_spec(self.plan)
        drives = ModbusSettings.from_json(spec.settings["drives"])
        bank = ModbusBank(
            parse_link(self.rack.url),
            register_map_from(spec.settings["map"], spec.settings["map_file"]),
            spec.scales,
            PERIOD_S,
            settings=dataclasses.replace(
                drives, answer_timeout_s=PATIENCE_S, setup_timeout_s=PATIENCE_S
            ),
            now_s=time.now_s,
        )
        super().__init__(bank, time, PERIOD_S)

    @property
    def rods(self):
        return self.rack.core.rods

    @property
    def emulated_drives(self):
        return self.rack.core.drives

    def advance_rack(self):
        self.rack.core.advance(self.time.now)

    def strike(self, kind, leg, value=0.0):
        """Bring a fault of the rack about from now on; marks the cause."""
        self.mark()
        self.rack.faults.start(ModbusInjection(kind, leg, value), self.time.now)
        return self

    def disappear(self):
        """The bench is gone: nobody calls it, and its connection is cut."""
        self.rack.close()
        return self

    def close(self):
        """Leave the gateway, and end the rack's thread."""
        self.gated.close()
        self.rack.close()
