"""Set one CANopen drive up over SDO: identity, units, parameters and PDOs.

A type of drive may lack parts that something else replaces; the line of the leg names the
replacement.
"""

from dataclasses import dataclass, field

from drives.axes.cia402 import OperationMode
from drives.axes.count_circle import WHOLE_RANGE
from drives.axes.scaling import LegScale
from drives.bank import DriveSetupError
from drives.canopen.node import NodeAccess
from drives.canopen.objects import MotionParameters, Parameter
from drives.canopen.pdo import (
    ALL_PDOS,
    INPUTS_PARAMETER,
    INVALID,
    NO_REMOTE,
    PdoLayout,
    inputs_every,
    layouts,
    usable_stamp,
)
from drives.canopen.service import ServiceNode
from drives.canopen.settings import CanopenSettings
from drives.canopen.units import COUNTS, SCALE_TOLERANCE, LegUnits, UnitSetup
from drives.canopen.watchdogs import Watchdogs
from drives.types.drive_type import place_of

PROFILE = 402
"""Device profile in the low word of 1000h."""
METHODS_LIST = 0x60E3
"""Supported homing methods (CiA 402-2), an array of 8-bit numbers."""
EMULATED_NAME = "HIL emulated drive"
"""Beginning of 1008h of the bench's own emulated drives, whose vendor id 1018h:1 is 0."""


@dataclass(slots=True)
class NodeIdentity:
    """Identity that a drive reports, and results of its set-up."""

    node: int
    """Its id."""
    name: str = ""
    """1008h, empty if it has none."""
    vendor: int = 0
    """1018h:1."""
    product: int = 0
    """1018h:2."""
    serial: int = 0
    """1018h:4."""
    inputs: int | None = None
    """State of its digital inputs, read before it is started; None if it reports none."""
    units: LegUnits = COUNTS
    """Units in which it counts speeds and accelerations."""
    scale_proved: bool = False
    """Whether its own scale is the rig's, or a person vouches for that of the rig."""
    guarded: bool = False
    """Whether it must be polled for its sign of life (node guarding)."""
    watchdogs: list[str] = field(default_factory=list[str])
    """Watchdogs that stop it without the bench, in words."""
    lacking: list[str] = field(default_factory=list[str])
    """Parts that it lacks, and what replaces them, in words."""
    differing: list[str] = field(default_factory=list[str])
    """Parameters whose values differ from the requested ones, in words."""

    @property
    def who(self) -> str:
        """Vendor, product and serial number, as the drive reports them."""
        return f"vendor {self.vendor}, product {self.product}, serial {self.serial}"

    @property
    def simulated(self) -> bool:
        """Whether the device itself reports that it is emulated."""
        return self.vendor == 0 and self.name.startswith(EMULATED_NAME)


class NodeSetup:
    """Sets one drive up.

    Args:
        leg: Index of the leg, from 0.
        scale: Scale of the leg.
    """

    def __init__(
        self,
        node: ServiceNode,
        leg: int,
        settings: CanopenSettings,
        scale: LegScale,
        period_s: float,
    ) -> None:
        self._access = NodeAccess(node, leg, settings.type)
        self._watchdogs = Watchdogs(self._access, settings, period_s)
        self._leg, self._settings = leg, settings
        self._scale, self._period_s = scale, period_s
        self.identity: NodeIdentity = NodeIdentity(
            node.number,
            watchdogs=self._watchdogs.used,
            lacking=self._access.lacking,
            differing=self._access.differing,
        )

    def identify(self) -> NodeIdentity:
        """Read the identity of the device, and refuse a wrong one.

        Raises:
            DriveSetupError: If it is not a drive, or not the one that the rig names.
        """
        access, identity = self._access, self.identity
        settings, leg = self._settings, self._leg
        profile = access.needed(0x1000) & 0xFFFF
        if profile != PROFILE:
            raise access.refuse(f"device profile (1000h) is {profile}, a drive's is {PROFILE}")
        identity.vendor = access.needed(0x1018, 1)
        identity.product = access.number(0x1018, 2) or 0
        identity.serial = access.number(0x1018, 4) or 0
        name = access.bytes_of(0x1008) or b""
        identity.name = name.rstrip(b"\0").decode("ascii", "replace")
        for what, found, wanted in (
            ("vendor id (1018h:1)", identity.vendor, settings.vendor_ids[leg]),
            ("product code (1018h:2)", identity.product, settings.product_codes[leg]),
            ("serial number (1018h:4)", identity.serial, settings.serial_numbers[leg]),
        ):
            if wanted is not None and found != wanted:
                raise access.refuse(f"{what} is {found}, the rig has {wanted} at this leg")
        self._check_modes()
        return identity

    def release(self) -> None:
        """Switch off watchdogs that an earlier session may have left on."""
        self._watchdogs.release()

    def parameters(self) -> None:
        """Set units, parameters and PDOs, read them and the inputs; it must be pre-operational.

        Raises:
            DriveSetupError: If a value reads back wrong, or is refused.
        """
        access, identity, settings = self._access, self.identity, self._settings
        self._find_units()
        if not settings.absolute:
            self._check_homing_method()
        for parameter in MotionParameters(
            settings, self._scale, identity.units, self._leg, self._period_s
        ):
            access.write(parameter)
        if self._counts_go_round and settings.type.has(0x607D, 1):
            access.lacking.append(
                "software limits (607Dh), off: its count goes round in the travel; the gate's "
                "soft limits, moved in"
            )
        inputs = place_of(settings.type.inputs.object)
        if not (has_inputs := access.number(*inputs) is not None):
            self._refuse_deaf_to_estop()
            access.lacking.append(f"digital inputs ({settings.type.inputs.object}): not read")
        used = [
            pdo
            for pdo in layouts(settings, self._period_s)
            if has_inputs or pdo.parameter != INPUTS_PARAMETER
        ]
        for name, index in ALL_PDOS:
            if index not in [pdo.parameter for pdo in used]:
                self._silence(name, index)
        for pdo in used:
            self._map(pdo)
        self._watchdogs.set()
        identity.guarded = self._watchdogs.guarded
        for reading in settings.type.readings:
            if access.number(*place_of(reading.object)) is None:
                access.lacking.append(f"{reading.name} ({reading.object}): not read")
        # An emergency stop that is wired to an input must be known in the very first cycle; the
        # TPDO of the inputs comes on change, or later.
        identity.inputs = access.number(*inputs)

    @property
    def _counts_go_round(self) -> bool:
        """Whether the count wraps around between the ends of the leg."""
        low_m, high_m = (
            ends_m[self._leg]
            for ends_m in (self._settings.length_min_m, self._settings.length_max_m)
        )
        return self._scale.range_counts(low_m, high_m) == WHOLE_RANGE

    def _refuse_deaf_to_estop(self) -> None:
        if self._settings.estop_inputs[self._leg]:
            raise self._access.refuse(
                f"it tells no digital inputs ({self._settings.type.inputs.object}), and a channel "
                "of the emergency stop is wired to them (supervision.estop_fitted = true): name "
                "the object and the bit that do in [inputs] of its drive file"
            )

    def describe(self) -> str:
        """Return a line of text about the drive and the values that it now holds."""
        it, scale, units = self.identity, self._scale, self.identity.units
        parts = [
            f"leg {self._leg + 1}: node {it.node} {it.name or 'drive'}, {it.who}",
            f"{scale.counts_per_m:g} counts/m",
            f"sign {scale.sign:+d}",
            f"mode {self._settings.mode}",
        ]
        parts += [units.words] if units.words else []
        parts += [self._age_in_words()] if self._settings.type.stamp is not None else []
        parts.append(f"stops by itself by {' and '.join(it.watchdogs)}")
        parts += [f"holds {'; '.join(it.differing)}"] if it.differing else []
        parts += [f"without {'; '.join(it.lacking)}"] if it.lacking else []
        repeated = self._access.node.repeated
        parts += [f"busy {repeated} times, and asked again"] if repeated else []
        return ", ".join(parts)

    def _age_in_words(self) -> str:
        stamp = usable_stamp(self._settings, self._period_s)
        if stamp is None:
            return "age of its feedback by the lag of its path: the bus cannot carry its time stamp"
        return f"age of its feedback by its time stamp {stamp.object}"

    def _check_modes(self) -> None:
        word = self._access.number(0x6502)
        if word is None:
            has = list(self._settings.type.modes)
            what = "a list of its modes (6502h)"
            text = "its drive file" if has else "6061h has to show each mode"
            self._access.lacking.append(f"{what}: {text}")
        else:
            has = [number for number in range(1, 33) if word >> (number - 1) & 1]
        homing = () if self._settings.absolute else (OperationMode.HOMING.value,)
        for mode in (*homing, self._settings.mode):
            if has and mode not in has:
                raise self._access.refuse(f"mode {mode} is not among its modes {has} (6502h)")

    def _check_homing_method(self) -> None:
        """Refuse a homing method that is not in the drive's own list (60E3h), if it has one."""
        wanted, known = self._settings.homing_method, list[int]()
        for sub in range(1, (self._access.number(METHODS_LIST) or 0) + 1):
            raw = self._access.bytes_of(METHODS_LIST, sub)
            if not raw:
                break
            known.append(int.from_bytes(raw, "little", signed=True))
            if known[-1] == wanted:
                return
        if known:
            raise self._access.refuse(
                f"it does not know homing method (6098h) {wanted}, "
                f"its own list (60E3h) has {', '.join(map(str, known))}"
            )

    def _find_units(self) -> None:
        """Read the units of the drive, and compare its own scale with the rig's."""
        access, settings, wanted = self._access, self._settings, self._scale.counts_per_m
        travels_m = settings.way_per_turn_m
        travel_m = None if travels_m is None else travels_m[self._leg]
        try:
            units = UnitSetup(access.number, access.holds, settings.type, wanted, travel_m).run()
        except DriveSetupError as error:
            raise access.refuse(str(error)) from error
        self.identity.units = units
        counts_per_m = units.reported_counts_per_m
        if counts_per_m is None:
            access.lacking.append("a scale of its own (608Fh, 6092h): slow moves until measured")
        elif abs(counts_per_m - wanted) <= SCALE_TOLERANCE * wanted:
            self.identity.scale_proved = True
        elif settings.scale_told:
            raise access.refuse(
                f"its own scale (608Fh, 6091h, 6092h) is {counts_per_m:g} counts/m, "
                f"the rig has {wanted:g} counts/m: drives.counts_per_m, the drive's factors, or "
                "the unit of its feed ([units] feed of its drive file) is wrong"
            )

    def _map(self, pdo: PdoLayout) -> None:
        """Map a PDO by the procedure of CiA 301: off, empty, entries, count, type, on.

        A TPDO of the inputs without an event timer comes with every nth SYNC instead.
        """
        access, name = self._access, pdo.name
        flags = 0 if pdo.received else NO_REMOTE
        cob_id = flags | pdo.cob_base + access.node.number
        self._write_cob_id(pdo.parameter, INVALID | cob_id, f"{name} off")
        access.write(Parameter(pdo.mapping, 0, "u8", 0, f"{name} emptied"))
        for sub, entry in enumerate(pdo.entries, start=1):
            access.write(Parameter(pdo.mapping, sub, "u32", entry.word, f"{name} entry {sub}"))
        access.write(Parameter(pdo.mapping, 0, "u8", len(pdo.entries), f"{name} entries"))
        access.write(Parameter(pdo.parameter, 2, "u8", pdo.transmission, f"{name} transmission"))
        if pdo.event_ms and not self._event_timer(pdo) and not pdo.received:
            every = inputs_every(self._period_s)
            access.write(Parameter(pdo.parameter, 2, "u8", every, f"{name} every nth SYNC"))
        self._write_cob_id(pdo.parameter, cob_id, f"{name} on")

    def _event_timer(self, pdo: PdoLayout) -> bool:
        """Set the event timer of a PDO; return whether it has one. For an RPDO it is a watchdog."""
        timer = Parameter(
            pdo.parameter, 5, "u16", pdo.event_ms, f"{pdo.name} event timer [ms]",
            stand_in="the other watchdogs" if pdo.received else "SYNC", less=pdo.event_ms // 2,
        )  # fmt: skip
        held = self._access.write(timer)
        if pdo.received:
            self._watchdogs.take_event_timer(held)
        return held is not None

    def _silence(self, name: str, index: int) -> None:
        cob_id = self._access.number(index, 1)
        if cob_id is not None and not cob_id & INVALID:
            self._write_cob_id(index, cob_id | INVALID, f"{name} off")

    def _write_cob_id(self, index: int, cob_id: int, what: str) -> None:
        """Write the COB-ID of a PDO; bit 30 (RTR not allowed) keeps the drive's own value."""
        self._access.write(Parameter(index, 1, "u32", cob_id, what, others=(cob_id ^ NO_REMOTE,)))
