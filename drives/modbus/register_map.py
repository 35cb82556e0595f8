"""The register map: where a gateway keeps the words of six CiA 402 drives, and its checks.

A map says two blocks of holding registers that are written and read in each cycle, with one request
or with several (`drives.modbus.requests`), one register with the time after which the device stops
its drives when nobody speaks to it, and the parameters of each axis. What the words mean is CiA
402's affair, where they lie is the map's. Maps are files; this module gets them as the tables that
the file's reader made of them.
"""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from drives.modbus.register_table import FieldPlace, RegisterType, StrictTable
from hil_common.legs import LEG_COUNT

WRITE_REGISTERS_MAX = 121
"""Registers that one function-23 request can write (Modbus Application Protocol V1.1b3, 6.17)."""
READ_REGISTERS_MAX = 125
"""Registers that one function-23 request can read (Modbus Application Protocol V1.1b3, 6.17)."""
REGISTERS_PER_REQUEST_MIN = 2
"""Least registers of a request: a value of two registers is never torn."""
BLOCK_REGISTERS_MAX = 512
"""Registers of a block that is shared out among several requests."""
LAST_ADDRESS = 0xFFFF
UNIT_MAX = 247
"""Largest unit address on a serial line (Modbus over Serial Line V1.02, 2.2)."""


class WordOrder(Enum):
    """Word order: which half of a 32-bit value lies at the lower address."""

    BIG = "big"
    LITTLE = "little"


_U16, _I16, _U32, _I32 = RegisterType.U16, RegisterType.I16, RegisterType.U32, RegisterType.I32

WRITE_FIELDS: dict[str, RegisterType] = {
    "controlword": _U16,
    "mode": _I16,
    "target_position": _I32,
    "target_speed": _I32,
}
"""Words of one axis that go out in each cycle: objects 6040h, 6060h, 607Ah, 60B1h of CiA 402-2."""
READ_FIELDS: dict[str, RegisterType] = {
    "statusword": _U16,
    "mode_display": _I16,
    "error_code": _U16,
    "inputs": _U16,
    "position": _I32,
    "speed": _I32,
    "force": _I16,
}
"""Words of one axis that come back: 6041h, 6061h, 603Fh, 60FDh (low), 6064h, 606Ch, 6077h."""
OPTIONAL_FIELDS = frozenset({"target_speed", "inputs", "speed", "force"})
"""Words that a gateway may lack."""
PARAMETERS: dict[str, RegisterType] = {
    "counts_per_m": _U32,
    "software_limit_min": _I32,
    "software_limit_max": _I32,
    "following_window": _U32,
    "following_time_ms": _U16,
    "homing_method": _I16,
    "homing_speed_switch": _U32,
    "homing_speed_zero": _U32,
    "homing_acceleration": _U32,
    "home_offset": _I32,
    "quick_stop_deceleration": _U32,
    "max_speed": _U32,
    "max_acceleration": _U32,
    "abort_option": _I16,
    "quick_stop_option": _I16,
    "fault_reaction_option": _I16,
    "halt_option": _I16,
    "rated_force": _U32,
    "supported_modes": _U32,
    "serial_number": _U32,
    "interpolation_period_us": _U32,
}
"""Parameters of one axis, in counts, counts/s and counts/s2: 607Dh, 6065h, 6066h, 6098h, 6099h,
609Ah, 607Ch, 6085h, 607Fh, 60C5h, 6007h, 605Ah, 605Eh, 605Dh; rated force [N], 6502h,
1018h:4, 60C2h [us]."""


@dataclass(frozen=True, slots=True)
class CycleBlock:
    """Registers that one request writes or reads."""

    address: int
    """First register."""
    count: int
    """Registers of the block."""
    counter: int | None
    """Place of the sequence counter (when written) or of its echo (when read), in registers after
    the first; None if the gateway has none."""
    boot_count: int | None
    """Place of the counter of power-ups, in a read block; None if there is none."""
    first_axis: int
    """Place of the first axis of the unit, in registers after the first."""
    stride: int
    """Registers from one axis to the next."""
    fields: tuple[FieldPlace, ...]
    """Fields of an axis, by offset."""
    zeros: tuple[int, ...] = ()
    """Places that are written as 0, in registers after the first."""

    def has(self, name: str) -> bool:
        """Say whether an axis has this value."""
        return any(field.name == name for field in self.fields)


@dataclass(frozen=True, slots=True)
class RegisterMap:
    """The registers of a gateway with six drives."""

    name: str
    """Name of the map."""
    source: str
    """Origin of the map, for errors."""
    word_order: WordOrder
    """Word order: which half of a 32-bit value lies first."""
    units: tuple[int, ...]
    """Unit addresses; six axes are shared out among them in this order."""
    write: CycleBlock
    """Block that each cycle writes, of one unit."""
    read: CycleBlock
    """Block that each cycle reads, of one unit."""
    watchdog_address: int
    """Register of each unit: time without a valid request after which it stops its drives [ms]."""
    parameter_address: int
    """First register of the parameters of a unit's first axis."""
    parameter_stride: int
    """Registers from one axis' parameters to the next one's."""
    parameters: tuple[FieldPlace, ...]
    """Parameters of an axis, by offset."""
    vendor_name: str = ""
    """Expected identification, "" when any will do (function 43/14, object 0)."""
    product_code: str = ""
    """Expected identification, "" when any will do (object 1)."""
    watchdog_type: RegisterType = RegisterType.U16
    """Type of that time."""
    read_write: bool = True
    """Whether the device has function 23; else each cycle writes (16), then reads (3)."""
    registers_per_request: int | None = None
    """How many registers the device takes in a request, in the cycle and in its set-up; None for
    as many as the protocol has space for."""

    @property
    def axes_per_unit(self) -> int:
        """Return how many of the six axes one unit has."""
        return LEG_COUNT // len(self.units)

    @property
    def proves_answers(self) -> bool:
        """Say whether a sequence counter comes back, so that an answer belongs to its request.

        Without it, TCP relies on transaction identifiers and on dropping the connection after a
        request without an answer, RTU on waiting until the line is quiet.
        """
        return self.write.counter is not None and self.read.counter is not None

    def unit_of_leg(self, leg: int) -> int:
        """Return the unit address of a leg, 0 to 5."""
        return self.units[leg // self.axes_per_unit]

    def parameter(self, leg: int, name: str) -> FieldPlace | None:
        """Return name, address and type of a parameter of a leg, 0 to 5; None if there is none."""
        base = self.parameter_address + leg % self.axes_per_unit * self.parameter_stride
        for place in self.parameters:
            if place.name == name:
                return FieldPlace(name, base + place.offset, place.type)
        return None


def register_map_from(table: Mapping[str, object], source: str) -> RegisterMap:
    """Make a register map of the tables of its file, strictly.

    Args:
        table: What the file says.
        source: Name of the file, for errors.

    Returns:
        The map.

    Raises:
        RegisterMapError: With file, key, value and what would be right, at an unknown or missing
            key, an overlap, a gap in what is written, or a block longer than a request.
    """
    top = StrictTable(table, source, "")
    header = top.table("drive")  # the rest of it is the same for all kinds of drive files
    order = top.text("word_order")
    if order not in [each.value for each in WordOrder]:
        raise top.error("word_order", f'is {order!r}, "big" or "little" is needed')
    units = _units(top)
    axes = LEG_COUNT // len(units)
    most = top.optional_number(
        "registers_per_request", REGISTERS_PER_REQUEST_MIN, READ_REGISTERS_MAX
    )
    write_max, read_max = WRITE_REGISTERS_MAX, READ_REGISTERS_MAX
    if most is not None:
        write_max = read_max = BLOCK_REGISTERS_MAX
    write = _block(top.table("write"), WRITE_FIELDS, "sequence", axes, write_max)
    read = _block(top.table("read"), READ_FIELDS, "echo", axes, read_max)
    if read.counter is not None and write.counter is None:
        raise top.error("read.echo", "has nothing to echo; write.sequence is needed too")
    _refuse_gaps(top, write, axes)
    parameters = top.table("parameters")
    address = parameters.number("address", 0, LAST_ADDRESS)
    stride = parameters.number("stride", 1, READ_REGISTERS_MAX)
    places = parameters.table("offsets").places(PARAMETERS, stride)
    parameters.finish()
    identification = top.table("identification") if top.has("identification") else None
    result = RegisterMap(
        name=header.text("name"),
        source=source,
        word_order=WordOrder(order),
        units=units,
        write=write,
        read=read,
        watchdog_address=top.number("watchdog_address", 0, LAST_ADDRESS),
        parameter_address=address,
        parameter_stride=stride,
        parameters=places,
        vendor_name=identification.text("vendor_name", "") if identification else "",
        product_code=identification.text("product_code", "") if identification else "",
        watchdog_type=_U32 if top.flag("watchdog_wide", default=False) else _U16,
        read_write=top.flag("read_write", default=True),
        registers_per_request=most,
    )
    if identification:
        identification.finish()
    top.finish()
    _refuse_overlaps(top, result)
    return result


def _units(top: StrictTable) -> tuple[int, ...]:
    units = top.value("units")
    if not isinstance(units, Sequence) or isinstance(units, str) or len(units) not in (1, 2, 3, 6):
        raise top.error("units", f"is {units!r}, a list of 1, 2, 3 or {LEG_COUNT} units is needed")
    for unit in units:
        if type(unit) is not int or not 1 <= unit <= UNIT_MAX:
            raise top.error("units", f"holds {unit!r}, unit addresses 1 to {UNIT_MAX} are needed")
    if len(set(units)) != len(units):
        raise top.error("units", f"is {list(units)}, each unit may stand there once")
    return tuple(units)


def _block(
    table: StrictTable, types: Mapping[str, RegisterType], counter: str, axes: int, longest: int
) -> CycleBlock:
    address = table.number("address", 0, LAST_ADDRESS)
    stride = table.number("stride", 1, longest)
    first_axis = table.number("first_axis", 0, longest)
    place = table.optional_number(counter, 0, longest - 1)
    boots = table.optional_number("boot_count", 0, longest - 1) if counter == "echo" else None
    zeros = table.offsets("zeros", longest - 1) if counter == "sequence" else ()
    fields = table.table("axis").places(types, stride)
    table.finish()
    for name in types:
        if name not in OPTIONAL_FIELDS and not any(field.name == name for field in fields):
            raise table.error(f"axis.{name}", "is missing; a cycle cannot do without it")
    last = fields[-1]
    ends = [first_axis + (axes - 1) * stride + last.offset + last.type.registers]
    for key, single in ((counter, place), ("boot_count", boots), *(("zeros", z) for z in zeros)):
        if single is None:
            continue
        ends.append(single + 1)
        if first_axis <= single < ends[0]:
            text = f"is {single} and lies in the axes, {first_axis} to {ends[0] - 1}"
            raise table.error(key, text + "; a register outside is needed")
    if place is not None and place == boots:
        raise table.error("boot_count", f"is {boots}, the place of {counter}; another is needed")
    count = max(ends)
    if count > longest:
        text = f"makes a block of {count} registers, one request holds {longest} at most"
        raise table.error("stride", f"is {stride} and {text}")
    if address + count - 1 > LAST_ADDRESS:
        raise table.error("address", f"is {address}, {LAST_ADDRESS + 1 - count} at most is needed")
    return CycleBlock(address, count, place, boots, first_axis, stride, fields, zeros)


def _refuse_gaps(top: StrictTable, write: CycleBlock, axes: int) -> None:
    """Refuse a written register that the map gives no meaning: something would be written there."""
    meant = {*write.zeros} if write.counter is None else {*write.zeros, write.counter}
    for axis in range(axes):
        for field in write.fields:
            start = write.first_axis + axis * write.stride + field.offset
            meant.update(range(start, start + field.type.registers))
    gaps = sorted(set(range(write.count)) - meant)
    if gaps:
        text = f"leaves register {write.address + gaps[0]} without a meaning, and one request"
        raise top.error("write", f"{text} writes it too; a block without gaps is needed")


def _refuse_overlaps(top: StrictTable, made: RegisterMap) -> None:
    """Refuse areas of one unit that share a register."""
    last_axis = made.parameter_address + (made.axes_per_unit - 1) * made.parameter_stride
    width = max((p.offset + p.type.registers for p in made.parameters), default=0)
    if last_axis + width - 1 > LAST_ADDRESS:
        raise top.error("parameters.address", f"is {made.parameter_address}, the last axis ends "
                        f"beyond register {LAST_ADDRESS}")  # fmt: skip
    areas = [
        (made.write.address, made.write.count, "write"),
        (made.read.address, made.read.count, "read"),
        (made.watchdog_address, made.watchdog_type.registers, "watchdog_address"),
    ]
    if width:
        areas.append((made.parameter_address, last_axis + width - made.parameter_address,
                      "parameters"))  # fmt: skip
    areas.sort()
    for before, after in itertools.pairwise(areas):
        end = before[0] + before[1]
        if after[0] < end:
            text = f"begins at register {after[0]} and overlaps {before[2]}; {end} or more"
            raise top.error(after[2], f"{text} is needed")
