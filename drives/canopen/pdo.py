"""What goes over a CANopen bus in a cycle: identifiers, layouts and bytes.

Identifiers are those of the predefined connection set (CiA 301, "Predefined connection set"),
layouts are written into the drives by `drives.canopen.setup`. All numbers are little endian.
"""

import math
from dataclasses import dataclass
from struct import Struct
from typing import NamedTuple

from drives.bus_budget import BusBudget, CyclicFrames
from drives.can.frames import REMOTE, Frame
from drives.canopen.settings import CanopenSettings
from drives.types.drive_type import Stamp, place_of
from hil_common.legs import LEG_COUNT

NMT_ID = 0x000
SYNC_ID = 0x080
EMCY_ID = 0x080
TPDO_IDS = (0x180, 0x280, 0x380, 0x480)
RPDO_IDS = (0x200, 0x300, 0x400, 0x500)
SDO_ANSWER_ID = 0x580
SDO_REQUEST_ID = 0x600
HEARTBEAT_ID = 0x700

NMT_START, NMT_STOP, NMT_PRE_OPERATIONAL = 0x01, 0x02, 0x80
"""Commands of CiA 301, NMT node control: start, stop, enter pre-operational."""
BOOT_UP, STOPPED, OPERATIONAL, PRE_OPERATIONAL = 0x00, 0x04, 0x05, 0x7F
"""States that a heartbeat tells (CiA 301, heartbeat protocol)."""

INVALID = 1 << 31
"""Bit of a PDO's COB-ID: the PDO does not exist."""
NO_REMOTE = 1 << 30
"""Bit of a TPDO's COB-ID: it is not sent on request."""

SETPOINT = Struct("<Hbi")
"""RPDO1: controlword 6040h, mode 6060h, target 607Ah or 60C1h:1."""
ACTUAL = Struct("<Hbi")
"""TPDO1: statusword 6041h, mode display 6061h, position 6064h."""
STATUS = Struct("<Hb")
"""TPDO1 of a drive with a time stamp: statusword 6041h, mode display 6061h."""
EFFORT = Struct("<ih")
"""TPDO2: velocity 606Ch, torque 6077h."""
INPUTS_PARAMETER = 0x1802
"""Communication parameter of TPDO3: digital inputs 60FDh."""
STAMPED_PARAMETER = 0x1803
"""Communication parameter of TPDO4: position 6064h and the time stamp beside it."""
ALL_PDOS = (
    ("RPDO1", 0x1400), ("RPDO2", 0x1401), ("RPDO3", 0x1402), ("RPDO4", 0x1403),
    ("TPDO1", 0x1800), ("TPDO2", 0x1801), ("TPDO3", 0x1802), ("TPDO4", 0x1803),
)  # fmt: skip
"""Name and communication parameter; those that the bench does not use must be silent."""

INPUTS_EVENT_MS = 100
"""Longest time between two TPDO3 [ms]."""
INPUTS_SYNC_MS = 20
"""The same for a drive that does not send at a change: a switch that closes for less, or an
emergency stop that opens, would be seen late or not at all."""

SYNCHRONOUS_MAX = 240
"""Largest transmission type that counts SYNCs (CiA 301, PDO communication parameter)."""

SYNC = Frame(SYNC_ID, b"")


@dataclass(frozen=True, slots=True)
class PdoEntry:
    """One object of a PDO."""

    index: int
    sub: int
    bits: int

    @property
    def word(self) -> int:
        """The entry as the mapping holds it (CiA 301, PDO mapping parameter)."""
        return self.index << 16 | self.sub << 8 | self.bits


@dataclass(frozen=True, slots=True)
class PdoLayout:
    """One PDO of a drive."""

    name: str
    """Name for texts, such as RPDO1."""
    parameter: int
    """Index of its communication parameter; its mapping is 200h further."""
    cob_base: int
    """Identifier without the node."""
    transmission: int
    """Transmission type: 1 to 240 every nth SYNC, 255 on change."""
    entries: tuple[PdoEntry, ...]
    """What it holds, in order."""
    event_ms: int = 0
    """Event timer; of an RPDO the longest silence [ms]. 0 for none."""

    @property
    def mapping(self) -> int:
        """Index of the mapping parameter."""
        return self.parameter + 0x200

    @property
    def received(self) -> bool:
        """Whether the drive receives it."""
        return self.parameter < 0x1800

    @property
    def data_bytes(self) -> int:
        """Bytes of data."""
        return sum(entry.bits for entry in self.entries) // 8


def layouts(settings: CanopenSettings, period_s: float) -> tuple[PdoLayout, ...]:
    """Return the PDOs that the bench uses of each drive.

    A position and the time stamp that tells its age come in one frame, TPDO4, if they can.
    """
    return _layouts(settings, period_s, usable_stamp(settings, period_s))


def usable_stamp(settings: CanopenSettings, period_s: float) -> Stamp | None:
    """Return the time stamp of the drives; None if they have none, or the bus cannot carry it."""
    stamp = settings.type.stamp
    if stamp is None or not settings.type.has(STAMPED_PARAMETER, 1):
        return None
    full = _budget(settings, period_s, stamp)
    return stamp if 1.0 / period_s <= full.highest_rate_hz(settings.bus_load_max) else None


def _layouts(
    settings: CanopenSettings, period_s: float, stamp: Stamp | None
) -> tuple[PdoLayout, ...]:
    type_ = settings.type

    def entry(index: int, sub: int, bits: int) -> PdoEntry:
        return PdoEntry(*type_.place(index, sub), bits)

    target, *also = (PdoEntry(*place, 32) for place in type_.targets(settings.mode))
    setpoint = (entry(0x6040, 0, 16), entry(0x6060, 0, 8), target)
    second = (*((entry(0x60B1, 0, 32),) if settings.speed_feed_forward else ()), *also)
    status, position = (entry(0x6041, 0, 16), entry(0x6061, 0, 8)), entry(0x6064, 0, 32)
    actual = (*status, position) if stamp is None else status
    effort = (entry(0x606C, 0, 32), entry(0x6077, 0, 16))
    timeout_ms = round(settings.rpdo_timeout_s * 1e3)
    used = [
        PdoLayout("RPDO1", 0x1400, RPDO_IDS[0], 1, setpoint, timeout_ms),
        PdoLayout("TPDO1", 0x1800, TPDO_IDS[0], 1, actual),
        PdoLayout("TPDO2", 0x1801, TPDO_IDS[1], settings.velocity_every, effort),
    ]
    inputs = place_of(type_.inputs.object)
    if type_.has(*inputs):
        # A drive without the event timer of a TPDO sends it with every so many SYNCs.
        on_change = type_.has(INPUTS_PARAMETER, 5)
        transmission, event_ms = (
            (255, INPUTS_EVENT_MS) if on_change else (inputs_every(period_s), 0)
        )
        entries = (entry(*inputs, 8 * type_.inputs.data_bytes),)
        used.append(
            PdoLayout("TPDO3", INPUTS_PARAMETER, TPDO_IDS[2], transmission, entries, event_ms)
        )
    if stamp is not None:
        stamped = (position, PdoEntry(*place_of(stamp.object), 8 * stamp.data_bytes))
        used.append(PdoLayout("TPDO4", STAMPED_PARAMETER, TPDO_IDS[3], 1, stamped))
    if second:
        used.insert(1, PdoLayout("RPDO2", 0x1401, RPDO_IDS[1], 1, second))
    return tuple(used)


def second_setpoint(settings: CanopenSettings) -> Struct | None:
    """Return the layout of RPDO2: velocity offset 60B1h, second place of the target, or both.

    Returns:
        None if neither is sent.
    """
    also = len(settings.type.targets(settings.mode)) - 1
    words = settings.speed_feed_forward + also
    return Struct(f"<{'i' * words}") if words else None


def inputs_every(period_s: float) -> int:
    """Return with which SYNC the inputs of a drive come that has no event timer for them."""
    return min(max(1, int(INPUTS_SYNC_MS * 1e-3 / period_s)), SYNCHRONOUS_MAX)


def budget(settings: CanopenSettings, period_s: float) -> BusBudget:
    """Return what a cycle puts on each bus, at worst."""
    return _budget(settings, period_s, usable_stamp(settings, period_s))


def _budget(settings: CanopenSettings, period_s: float, stamp: Stamp | None) -> BusBudget:
    kinds = [
        CyclicFrames("SYNC", 1, 0, on_each_bus=True),
        _spread("heartbeat", 1, settings.heartbeat_producer_s / period_s),
    ]
    for pdo in _layouts(settings, period_s, stamp):
        if pdo.transmission > SYNCHRONOUS_MAX:
            kinds.append(_spread(pdo.name, pdo.data_bytes, INPUTS_EVENT_MS * 1e-3 / period_s))
        else:
            kinds.append(CyclicFrames(pdo.name, LEG_COUNT, pdo.data_bytes, pdo.transmission))
    beat = max(1, int(settings.master_heartbeat_every_s / period_s))
    kinds.append(CyclicFrames("our heartbeat", 1, 1, beat, on_each_bus=True))
    return BusBudget(tuple(kinds), settings.bitrate, settings.buses)


def _spread(name: str, data_bytes: int, cycles: float) -> CyclicFrames:
    """Return what six nodes send by their own timers: no two need the bus in the same cycle.

    Args:
        cycles: Cycles between two frames of one node.
    """
    return CyclicFrames(
        name, math.ceil(LEG_COUNT / max(cycles, 1.0)), data_bytes, max(1, int(cycles / LEG_COUNT))
    )


def nmt(command: int, node: int) -> Frame:
    """Return an NMT node control frame (CiA 301): command and node, node 0 meaning all."""
    return Frame(NMT_ID, bytes((command, node)))


def heartbeat(node: int, state: int = OPERATIONAL) -> Frame:
    """Return a heartbeat (CiA 301, error control): the state of a node."""
    return Frame(HEARTBEAT_ID + node, bytes((state,)))


def guard_request(node: int) -> Frame:
    """Return the request of node guarding (CiA 301, error control): a remote frame of one byte."""
    return Frame(REMOTE | HEARTBEAT_ID + node, b"\0")


class Emergency(NamedTuple):
    """An EMCY message (CiA 301, emergency object)."""

    code: int
    """Error code; 00xxh tells that all errors are gone."""
    register: int
    """Error register 1001h."""
    vendor: bytes
    """Five bytes of the manufacturer."""


def emergency(data: bytes) -> Emergency | None:
    """Return the EMCY message in 8 bytes of data; None if there are not 8."""
    if len(data) != 8:
        return None
    return Emergency(int.from_bytes(data[:2], "little"), data[2], data[3:])
