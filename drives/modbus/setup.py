"""Setting up six drives behind a Modbus gateway: who they are, parameters written and read back.

Everything that is written is read back and compared; what a drive knows about itself (its scale,
its modes, its serial number, its rated force) is compared with what the rig says. A parameter that
the map lacks is listed, so that nobody takes it for set.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from drives.axes.cia402 import WITH_FORCE, State402, state_of
from drives.axes.scaling import LegScale
from drives.bank import DriveSetupError
from drives.modbus.codec import (
    AxisOrder,
    CycleCodec,
    UnitAnswer,
    from_registers,
    to_registers,
)
from drives.modbus.cycle import UnitExchange
from drives.modbus.errors import ModbusExceptionError
from drives.modbus.gateway import ModbusGateway
from drives.modbus.register_map import PARAMETERS, RegisterMap
from drives.modbus.register_table import FieldPlace
from drives.modbus.requests import WRITE_MAX
from drives.modbus.settings import ModbusSettings
from hil_common.legs import LEG_COUNT

EMULATED = ("HIL bench", "HIL emulated rack")
"""Identity of an emulated rack: vendor name and product code."""
QUICK_STOP_AND_STAY = 6
"""605Ah: slow down on the quick-stop ramp and stay in quick stop active."""
ABORT_IS_FAULT = 1
"""6007h: a lost connection is a fault, which stops the drive as 605Eh says."""
FAULT_ON_QUICK_STOP_RAMP = 2
"""605Eh: slow down on the quick-stop ramp."""
HALT_ON_RAMP = 1
"""605Dh: slow down on the slow-down ramp and stay enabled."""
SCALE_TOLERANCE = 1e-6
"""Relative difference of two scales that are the same."""


@dataclass(frozen=True, slots=True)
class DeviceReport:
    """Findings of the setup."""

    simulated: bool
    """Whether the gateway says that it is an emulated rack."""
    identities: tuple[str, ...]
    """Identity that each drive reports, 6; empty texts where it cannot say."""
    axes: tuple[str, ...]
    """One line of text per leg, 6."""
    scale_proved: tuple[bool, ...]
    """Whether each drive reports the scale of the rig, 6."""
    boot_counts: Mapping[int, int | None]
    """Restarts that each unit has counted; None where it counts none."""


class DeviceSetup:
    """Sets up all six drives of a gateway.

    Args:
        scales: Scale of each leg, 6.
    """

    def __init__(
        self,
        map_: RegisterMap,
        settings: ModbusSettings,
        scales: Sequence[LegScale],
        period_s: float,
    ) -> None:
        self._period_s = period_s
        self._map, self._settings, self._scales = map_, settings, tuple(scales)

    def run(self, gateway: ModbusGateway) -> DeviceReport:
        """Set the drives up; blocks for as long as the requests take.

        The device's watchdog is off while parameters are written, which takes longer than it, and
        is set last; the drives are disabled all the while.

        Raises:
            ModbusError: If a request is not answered.
            DriveSetupError: If a device is another one than expected, or reads back something else.
        """
        gateway.connect()
        identities = {unit: self._identify(gateway, unit) for unit in self._map.units}
        boot_counts: dict[int, int | None] = {}
        for unit in self._map.units:
            self._set_watchdog(gateway, unit, 0)
            boot_counts[unit] = self._disable(gateway, unit)
        lines, names = [], []
        for leg in range(LEG_COUNT):
            vendor, product, revision = identities[self._map.unit_of_leg(leg)]
            serial = self._check_own(gateway, leg)
            absent = self._write_all(gateway, leg)
            names.append(" ".join(part for part in (vendor, product, revision, serial) if part))
            lines.append(self._line(leg, names[-1], absent))
        for unit in self._map.units:
            self._set_watchdog(gateway, unit, round(self._settings.watchdog_s * 1e3))
        simulated = all(identity[:2] == EMULATED for identity in identities.values())
        proved = tuple(
            self._map.parameter(leg, "counts_per_m") is not None for leg in range(LEG_COUNT)
        )
        return DeviceReport(simulated, tuple(names), tuple(lines), proved, boot_counts)

    def sign_off(self, gateway: ModbusGateway, answers: Mapping[int, UnitAnswer]) -> None:
        """Let units go whose drives have no force, so that their watchdogs find nobody missing.

        A unit whose drives may have force, or that did not answer, is sent nothing: its watchdog
        finds us gone, and stops them.

        Args:
            answers: What the units answered to the last controlwords.

        Raises:
            ModbusError: If a unit does not take it.
        """
        for unit, answer in answers.items():
            if not any(has_force(axis.statusword) for axis in answer.axes):
                self._set_watchdog(gateway, unit, 0)

    def _disable(self, gateway: ModbusGateway, unit: int) -> int | None:
        """Take the force from drives that may have been left enabled; return the boot count."""
        codec = CycleCodec(self._map)
        orders = [AxisOrder(0, self._settings.mode, 0, 0)] * self._map.axes_per_unit
        exchange = UnitExchange(self._map, unit, codec.encode(0, orders))
        while not exchange.complete:
            exchange.ask(gateway)
        found = codec.decode(exchange.read)
        for axis, answer in enumerate(found.axes):
            if state_of(answer.statusword) is State402.OPERATION_ENABLED:
                leg = self._map.units.index(unit) * self._map.axes_per_unit + axis + 1
                text = f"{gateway.url}: leg {leg} stays enabled after controlword 0"
                raise DriveSetupError(f"{text} (statusword {answer.statusword:#06x})")
        return found.boot_count

    def _identify(self, gateway: ModbusGateway, unit: int) -> tuple[str, str, str]:
        expected = (self._map.vendor_name, self._map.product_code)
        try:
            found = gateway.identify(unit)
        except ModbusExceptionError:
            found = ("", "", "")  # function 43 is optional
        for name, want, have in zip(("vendor", "product"), expected, found, strict=False):
            if want and want != have:
                text = f"{gateway.url}: unit {unit} says that its {name} is {have!r}"
                raise DriveSetupError(f"{text}, {self._map.source} expects {want!r}")
        return found

    def _set_watchdog(self, gateway: ModbusGateway, unit: int, wanted_ms: int) -> None:
        address, kind, order = (
            self._map.watchdog_address,
            self._map.watchdog_type,
            self._map.word_order,
        )
        gateway.write(unit, address, to_registers(wanted_ms, kind, order))
        read_ms = from_registers(gateway.read(unit, address, kind.registers), kind, order)
        if read_ms != wanted_ms:
            text = f"{gateway.url}: unit {unit}, watchdog register {address}: written {wanted_ms}"
            raise DriveSetupError(f"{text} ms, read back {read_ms} ms")

    def _read_all(self, gateway: ModbusGateway, leg: int) -> dict[str, int]:
        """Read every parameter of a leg that the map has."""
        places = [place for name in PARAMETERS if (place := self._map.parameter(leg, name))]
        values: dict[str, int] = {}
        for run in self._runs(places):
            first, count = run[0].offset, _length(run)
            registers = gateway.read(self._map.unit_of_leg(leg), first, count)
            for place in run:
                at = place.offset - first
                words = registers[at : at + place.type.registers]
                values[place.name] = from_registers(words, place.type, self._map.word_order)
        return values

    def _check_own(self, gateway: ModbusGateway, leg: int) -> str:
        """Compare what the drive knows about itself; return its serial number as text."""
        place, settings = f"{gateway.url}: leg {leg + 1}", self._settings
        found = self._read_all(gateway, leg)
        scale, own = self._scales[leg].counts_per_m, found.get("counts_per_m")
        if own is not None and abs(own - scale) > SCALE_TOLERANCE * scale:
            text = f"{place}: the drive counts {own} per metre, the rig says {scale:g} counts_per_m"
            raise DriveSetupError(f"{text}: positions would be wrong by a factor {scale / own:g}"
                                  if own else f"{text}; it must be above 0")  # fmt: skip
        modes = found.get("supported_modes")
        for mode in (settings.mode,) if settings.absolute else (6, settings.mode):
            if modes is not None and not modes >> mode - 1 & 1:
                text = f"{place}: supported modes 6502h are {modes:#x}"
                raise DriveSetupError(f"{text}, mode {mode} (bit {mode - 1}) is needed")
        force = found.get("rated_force")
        if force is not None and force != round(settings.rated_force_n[leg]):
            text = f"{place}: the drive's rated force is {force} N"
            raise DriveSetupError(f"{text}, the rig says {settings.rated_force_n[leg]:g} N")
        serial, wanted = found.get("serial_number"), settings.serial_numbers[leg]
        if wanted is not None and serial != wanted:
            raise DriveSetupError(f"{place}: serial number {serial}, the rig expects {wanted}")
        return "" if serial is None else f"serial {serial}"

    def wanted(self, leg: int) -> dict[str, int]:
        """Return what is written to the drive of a leg, 0 to 5, in its own units."""
        settings, scale = self._settings, self._scales[leg]
        limits = scale.range_counts(settings.length_min_m[leg], settings.length_max_m[leg])
        homing = {
            "homing_method": settings.homing_method,
            "homing_speed_switch": scale.distance_counts(settings.homing_speed_m_s),
            "homing_speed_zero": scale.distance_counts(settings.homing_zero_speed_m_s),
            "homing_acceleration": scale.distance_counts(settings.homing_acceleration_m_s2),
            "home_offset": 0,
        }
        return ({} if settings.absolute else homing) | {
            "software_limit_min": limits[0],
            "software_limit_max": limits[1],
            "following_window": scale.distance_counts(settings.following_window_m),
            "following_time_ms": round(settings.following_time_s * 1e3),
            "quick_stop_deceleration": scale.distance_counts(settings.quick_stop_deceleration_m_s2),
            "max_speed": scale.distance_counts(settings.speed_max_m_s[leg]),
            "max_acceleration": scale.distance_counts(settings.acceleration_max_m_s2[leg]),
            "abort_option": ABORT_IS_FAULT,
            "quick_stop_option": QUICK_STOP_AND_STAY,
            "fault_reaction_option": FAULT_ON_QUICK_STOP_RAMP,
            "halt_option": HALT_ON_RAMP,
            "interpolation_period_us": round(self._period_s * 1e6),
        }

    def _write_all(self, gateway: ModbusGateway, leg: int) -> list[str]:
        """Write and read back every parameter; return the names of those that the map lacks."""
        wanted = self.wanted(leg)
        places = {name: self._map.parameter(leg, name) for name in wanted}
        for run in self._runs([place for place in places.values() if place]):
            try:
                self._write(gateway, leg, run, wanted)
            except ModbusExceptionError:
                for place in run:  # one by one, to name the one that is refused
                    self._write(gateway, leg, [place], wanted)
        read = self._read_all(gateway, leg)
        for name, place in places.items():
            if place and read[name] != wanted[name]:
                text = f"written {wanted[name]}, read back {read[name]}"
                raise DriveSetupError(f"{self._where(gateway, leg, place)}: {text}")
        return [name for name, place in places.items() if place is None]

    def _write(
        self, gateway: ModbusGateway, leg: int, run: Sequence[FieldPlace], wanted: dict[str, int]
    ) -> None:
        registers: list[int] = []
        for place in run:
            try:
                registers += to_registers(wanted[place.name], place.type, self._map.word_order)
            except ValueError as error:
                text = f"{self._where(gateway, leg, place)}: {error}"
                raise DriveSetupError(text) from error
        try:
            gateway.write(self._map.unit_of_leg(leg), run[0].offset, registers)
        except ModbusExceptionError as error:
            if len(run) > 1:
                raise
            text = f"{wanted[run[0].name]} was refused: {error}"
            raise DriveSetupError(f"{self._where(gateway, leg, run[0])}: {text}") from error

    def _where(self, gateway: ModbusGateway, leg: int, place: FieldPlace) -> str:
        unit = self._map.unit_of_leg(leg)
        return f"{gateway.url}: leg {leg + 1}, unit {unit}, {place.name} (register {place.offset})"

    def _line(self, leg: int, identity: str, absent: list[str]) -> str:
        unit, scale = self._map.unit_of_leg(leg), self._scales[leg]
        unchecked = absent + [
            name
            for name in ("counts_per_m", "rated_force", "supported_modes", "serial_number")
            if self._map.parameter(leg, name) is None
        ]
        text = f"leg {leg + 1}: unit {unit}, {identity or 'no identification'}"
        text += f", {scale.counts_per_m:g} counts/m, sign {scale.sign:+d}"
        text += f", {len(PARAMETERS) - len(unchecked)} parameters checked"
        return f"{text}; not in the map: {', '.join(unchecked)}" if unchecked else text

    def _runs(self, places: Sequence[FieldPlace]) -> list[list[FieldPlace]]:
        """Return the places in stretches without gaps, each short enough for one request."""
        most = min(self._map.registers_per_request or WRITE_MAX, WRITE_MAX)
        runs: list[list[FieldPlace]] = []
        for place in sorted(places, key=lambda each: each.offset):
            last = runs[-1] if runs else []
            adjacent = last and last[0].offset + _length(last) == place.offset
            if adjacent and _length([last[0], place]) <= most:
                last.append(place)
            else:
                runs.append([place])
        return runs


def has_force(statusword: int) -> bool:
    """Say whether a drive with this statusword has force, or may have."""
    state = state_of(statusword)
    return state is None or state in WITH_FORCE


def _length(run: Sequence[FieldPlace]) -> int:
    return run[-1].offset + run[-1].type.registers - run[0].offset
