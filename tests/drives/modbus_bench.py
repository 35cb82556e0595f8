"""A Modbus bank and an emulated rack in a thread, on a clock that only the cycles move on."""

import dataclasses
import threading
import tomllib
from pathlib import Path

from drives.axes.scaling import LegScale
from drives.links import parse_link
from drives.modbus.bank import ModbusBank
from drives.modbus.register_map import register_map_from
from drives.modbus.settings import ModbusSettings
from sim.devices.drive.parameters import RackSettings, default_nodes
from sim.devices.drive.rods import RodSettings
from sim.devices.modbus.faults import ModbusFaults
from sim.devices.modbus.program import run_modbus_rack
from sim.devices.modbus.rack import ModbusRackCore, ModbusRackSettings

SHIPPED = Path(__file__).parents[2] / "configs" / "drives" / "hil_rack.toml"
CLOSED_M = (0.60, 0.61, 0.62, 0.63, 0.64, 0.65)
SIGNS = (1, 1, 1, 1, 1, 1)
STROKE_M = 0.74
READY_S = 10.0


def shipped_table():
    return tomllib.loads(SHIPPED.read_text())


def shipped_map(**changes):
    return register_map_from({**shipped_table(), **changes}, "hil_rack.toml")


def six(value):
    return (value,) * 6


def bank_settings(**changes):
    values = {
        "length_min_m": tuple(x + 0.002 for x in CLOSED_M),
        "length_max_m": tuple(x + STROKE_M - 0.002 for x in CLOSED_M),
        "speed_max_m_s": six(0.5),
        "acceleration_max_m_s2": six(6.0),
        "rated_force_n": six(4000.0),
        "homing_speed_m_s": 0.05,
        "homing_zero_speed_m_s": 0.02,
        "following_window_m": 0.5,
        "setup_timeout_s": 5.0,
        "answer_timeout_s": 2.0,
    }
    return ModbusSettings(**{**values, **changes})


def scales(signs=SIGNS, counts_per_m=1e6):
    return tuple(
        LegScale(counts_per_m, sign, closed + 0.03)
        for sign, closed in zip(signs, CLOSED_M, strict=True)
    )


def quick_rack(**changes):
    """A rack whose rods stand near their switches and whose brakes open soon."""
    rod = RodSettings(brake_release_s=0.02)
    nodes = tuple(dataclasses.replace(node, rod=rod) for node in default_nodes())
    rack = RackSettings(nodes=nodes, start_spread_m=0.003)
    return ModbusRackSettings(**{"rack": rack, "paced": False, **changes})


class VirtualClock:
    """Time that stands still until somebody moves it on [s]."""

    def __init__(self):
        self.t_s = 100.0

    def now_s(self):
        return self.t_s


class RackThread:
    """An emulated rack that serves in a thread."""

    def __init__(
        self, transport, settings=None, now_s=None, kind=ModbusRackCore, plant=None, **options
    ):
        self.settings = quick_rack() if settings is None else settings
        self.clock = VirtualClock()
        self.now_s = self.clock.now_s if now_s is None else now_s
        self.core = kind(self.settings, seed=7, plant=plant)
        self._stop, self._ready = threading.Event(), threading.Event()
        self.url, self.error = "", None
        self._thread = threading.Thread(target=self._run, args=(transport, options), daemon=True)
        self._thread.start()
        if not self._ready.wait(READY_S) or self.error:
            raise AssertionError(f"the rack did not start: {self.error}")

    @property
    def faults(self) -> ModbusFaults:
        return self._faults

    def _run(self, transport, options):
        try:
            run_modbus_rack(
                self.settings,
                transport=transport,
                now_s=self.now_s,
                ready=self._tell,
                stop=self._stop.is_set,
                core=self.core,
                faults=self._make_faults(),
                **options,
            )
        except Exception as error:
            self.error = error
            self._ready.set()

    def _make_faults(self):
        self._faults = ModbusFaults(self.core)
        return self._faults

    def _tell(self, url):
        self.url = url
        self._ready.set()

    def close(self):
        self._stop.set()
        self._thread.join(READY_S)
        assert not self._thread.is_alive()
        assert self.error is None, self.error


class BenchBank(ModbusBank):
    """A bank whose cycles move the clock of its rack on, and whose end is the rack's end."""

    def __init__(
        self, rack, period_s, map_=None, scales_=None, cut_m_s=None, place=None, **changes
    ):
        self.rack, self._step_s = rack, period_s
        super().__init__(
            parse_link(rack.url),
            shipped_map() if map_ is None else map_,
            scales() if scales_ is None else scales_,
            period_s,
            settings=bank_settings(**changes),
            now_s=rack.now_s,
            cut_m_s=cut_m_s,
            place=place,
        )

    def exchange(self, command):
        self.rack.clock.t_s += self._step_s
        return super().exchange(command)

    def close(self):
        super().close()
        self.rack.close()


def modbus_tcp(period_s=0.01, **changes):
    return BenchBank(RackThread("tcp"), period_s, **changes)


def modbus_rtu(period_s=0.01, **changes):
    return BenchBank(RackThread("rtu", quick_rack(baud=460800)), period_s, **changes)
