"""A wire of one's own: its map assigns bytes or columns, and nothing is known otherwise.

Binary packets have their fields at byte offsets, in one byte order; a packet of text is a line of
columns. A field is multiplied by its factor and brought from its unit to SI. A packet that has not
the length, or not a value that every packet of the wire has, is none; one of another sort than the
map is about is set aside.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from dataclasses import dataclass, replace
from operator import mul
from typing import Any, Final, Self

from hil.hosts.kind import HostKind, Packet, Refused
from hil.hosts.wires.layout_fields import CODES, GROUPS, PacketMark
from hil.hosts.wires.layout_map import FieldPlace, LayoutSettings, fields_by_map, fields_of
from hil.hosts.wires.quantities import fault_of_numbers, numbers_of_line, with_gravity
from platform6dof.cueing.attitude import from_euler, to_body
from platform6dof.cueing.vehicle import (
    GRAVITY_M_S2,
    Quaternion,
    Vector3,
    VehicleFlags,
    VehicleState,
)

_NAN: Final = math.nan
_NO_ATTITUDE: Final[Quaternion] = (_NAN, _NAN, _NAN, _NAN)
_COUNTING: Final = ("time", "sequence")
"""Fields that may be larger than any quantity of a vehicle, such as seconds since 1970."""
_COUNT_MOST: Final = 1e13
_NOTHING: Final = 1e-30
"""A pose all of whose numbers are nearer to 0, and not 0, has the other order of bytes [m, rad]."""
_SLACK: Final = 0.02
"""Largest deviation of a length from 1, or a cosine from 0, in a rotation [1]."""
_FLAGS: Final = (
    ("paused", VehicleFlags.PAUSED), ("replay", VehicleFlags.REPLAY), ("reset", VehicleFlags.RESET),
    ("end", VehicleFlags.END), ("ground", VehicleFlags.GROUND),
)  # fmt: skip


class LayoutCodec:
    """Decodes packets of one layout."""

    def __init__(self, settings: LayoutSettings) -> None:
        fields = fields_of(settings)
        between = settings.separator
        self._raw = _bytes(settings) if between is None else _columns(settings)
        parts = "bytes" if between is None else f"columns apart by {between!r}"
        self.wanted: str = f"{settings.length} {parts} (length in its map), and its magic"
        """Description of a packet."""
        self._scales = tuple(one.scale for one in fields.values())
        self._places = LayoutPlaces.of(list(fields))
        self._judged = tuple(k for k, name in enumerate(fields) if name not in _COUNTING)
        self._counts = tuple(k for k, name in enumerate(fields) if name in _COUNTING)
        self._wrap = _wrap_of(fields.get("sequence"))
        self._sequence: int | None = None

    def decode(self, datagram: bytes) -> Packet | Refused:
        """Decode a packet, or return why it is none; any bytes are taken."""
        raw = self._raw(datagram)
        if isinstance(raw, Refused):
            return raw
        values = tuple(map(mul, raw, self._scales))
        wrong = fault_of_numbers(values[k] for k in self._judged)
        if self._places.always and 0.0 < max(map(abs, values)) < _NOTHING:
            wrong = Refused.RANGE
        for k in self._counts:
            if wrong is None and not abs(values[k]) <= _COUNT_MOST:
                wrong = Refused.RANGE if math.isfinite(values[k]) else Refused.NOT_FINITE
        if wrong is not None:
            return wrong
        packet = self._places.packet((*values, _NAN))
        return self._counted(packet) if self._wrap and isinstance(packet, Packet) else packet

    def _counted(self, packet: Packet) -> Packet:
        """Return the packet with a sequence that continues where that of a byte or two wraps."""
        half, number = self._wrap // 2, packet.sequence or 0
        newest = number if self._sequence is None else self._sequence
        self._sequence = newest + (number - newest + half) % self._wrap - half
        return replace(packet, sequence=self._sequence)

    def requests(self, now_s: float) -> tuple[bytes, ...]:
        """Return nothing: the sender of such a wire sends by itself."""
        del now_s
        return ()


def _wrap_of(sequence: FieldPlace | None) -> int:
    """After how many packets a sequence of fewer than 32 bits begins anew; 0 for others."""
    bits = int(sequence.type[1:]) if sequence and sequence.type and sequence.scale == 1.0 else 32
    return 1 << bits if bits < 32 else 0


# --- the numbers of a packet ----------------------------------------------------------------------

Values = tuple[float, ...]
Reading = Callable[[bytes], "tuple[float, ...] | Refused"]


def _columns(settings: LayoutSettings) -> Reading:
    """Reads the columns that are asked for of a line of text."""
    between, count = settings.separator or "", settings.length
    columns = [one.at for one in fields_of(settings).values()]

    def read(datagram: bytes) -> tuple[float, ...] | Refused:
        numbers = numbers_of_line(datagram.rstrip(b"\r\n\0"), between, count)
        if isinstance(numbers, Refused):
            return numbers
        if any(numbers[one.at] != one.value for one in settings.magic):
            return Refused.MAGIC
        if any(numbers[one.at] != one.value for one in settings.only):
            return Refused.NO_MOTION
        return tuple(numbers[column] for column in columns)

    return read


def _bytes(settings: LayoutSettings) -> Reading:
    """Reads the fields of a packet of bytes at their offsets."""
    order = ">" if settings.endian == "big" else "<"
    magic, only = _marks(settings.magic, order), _marks(settings.only, order)
    placed = fields_of(settings).values()
    unpack = _unpacker(order, [one for one in placed if not one.record])
    of_record = _unpacker(order, [one for one in placed if one.record])
    length, record = settings.length, settings.record

    def read(datagram: bytes) -> tuple[float, ...] | Refused:
        size = len(datagram)
        for wrong, marks in ((Refused.MAGIC, magic), (Refused.NO_MOTION, only)):
            for read_mark, at, end, value in marks:
                if size < end:
                    return Refused.LENGTH
                if read_mark(datagram, at)[0] != value:
                    return wrong
        if size != length:
            return Refused.LENGTH
        if record is None:
            return unpack(datagram, 0)
        number = datagram[record.index_at]
        if number >= record.count:
            return Refused.RANGE
        start = record.start + number * record.bytes
        return unpack(datagram, 0) + of_record(datagram, start)

    return read


def _unpacker(order: str, fields: list[FieldPlace]) -> Callable[[bytes, int], tuple[Any, ...]]:
    """Unpacks fields, which do not overlap and are in their order, at once."""
    form, end = order, 0
    for one in fields:
        code = CODES[one.type or "u8"]
        form += f"{one.at - end}x{code}"
        end = one.at + struct.calcsize(order + code)
    return struct.Struct(form).unpack_from


def _marks(
    marks: tuple[PacketMark, ...], order: str
) -> list[tuple[Callable[..., Any], int, int, float]]:
    found: list[tuple[Callable[..., Any], int, int, float]] = []
    for one in marks:
        if one.type is not None:
            code = struct.Struct(order + CODES[one.type])
            found.append((code.unpack_from, one.at, one.at + code.size, one.value))
    return found


# --- what they say --------------------------------------------------------------------------------

Index = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class LayoutPlaces:
    """Place of each quantity among the values of a packet; -1, the last one, is NaN."""

    force: Index
    acceleration: Index
    world_acceleration: Index
    rates: Index
    rates_derivatives: Index
    angles: Index
    forward: Index
    right: Index
    velocity: Index
    world_velocity: Index
    position: Index
    time: int
    sequence: int
    running: int
    flags: tuple[tuple[int, VehicleFlags], ...]
    always: VehicleFlags
    """Flags of every packet."""

    @classmethod
    def of(cls, names: list[str]) -> Self:
        """Make the places for values whose names are in this order."""
        where = {name: index for index, name in enumerate(names)}

        def three(group: str, start: int = 0) -> Index:
            a, b, c = (where.get(name, -1) for name in GROUPS[group][0][start : start + 3])
            return a, b, c

        pose = "pose_forward" in where
        return cls(
            three("force"), three("acceleration"), three("world acceleration"), three("rates"),
            three("rates' derivatives"), three("angles"), three("directions"),
            three("directions", 3), three("velocity"), three("world velocity"),
            three("pose" if pose else "position"), where.get("time", -1),
            where.get("sequence", -1), where.get("running", -1),
            tuple((where[name], flag) for name, flag in _FLAGS if name in where),
            VehicleFlags.POSE if pose else VehicleFlags(0),
        )  # fmt: skip

    def packet(self, values: Values) -> Packet | Refused:
        """Make a packet of values in SI units; RANGE if a rotation among them is none."""
        attitude = self._attitude(values)
        if attitude is None:
            return Refused.RANGE
        flags = self.always
        for index, flag in self.flags:
            if values[index]:
                flags |= flag
        if values[self.running] == 0.0:
            flags |= VehicleFlags.PAUSED
        state = VehicleState(
            t_s=values[self.time],
            f_m_s2=self._force(values, attitude),
            omega_rad_s=_vector(values, self.rates),
            domega_rad_s2=_vector(values, self.rates_derivatives),
            attitude=attitude,
            v_m_s=self._velocity(values, attitude),
            position_m=_vector(values, self.position),
            flags=flags,
            speed_factor=_NAN,
        )
        return Packet(state, None if self.sequence < 0 else int(values[self.sequence]))

    def _force(self, values: Values, attitude: Quaternion) -> Vector3:
        """Specific force; of an acceleration without gravity f = a - g, in body axes [m/s²]."""
        if self.world_acceleration[0] >= 0:
            north, east, down = _vector(values, self.world_acceleration)
            return to_body(attitude, (north, east, down - GRAVITY_M_S2))
        if max(self.acceleration) >= 0:
            return with_gravity(_vector(values, self.acceleration), attitude)
        return _vector(values, self.force)

    def _velocity(self, values: Values, attitude: Quaternion) -> Vector3:
        if self.world_velocity[0] >= 0:
            return to_body(attitude, _vector(values, self.world_velocity))
        return _vector(values, self.velocity)

    def _attitude(self, values: Values) -> Quaternion | None:
        """Find the rotation from body axes to north, east, down; None if the numbers are none."""
        if self.angles[0] >= 0:
            return from_euler(*_vector(values, self.angles))
        if self.forward[0] < 0:
            return _NO_ATTITUDE
        return _of_directions(_vector(values, self.forward), _vector(values, self.right))


def _vector(values: Values, index: Index) -> Vector3:
    return values[index[0]], values[index[1]], values[index[2]]


def _of_directions(f: Vector3, r: Vector3) -> Quaternion | None:
    """Return the rotation of a vehicle whose forward and right are known, north, east, down.

    Of what points right, the part that is level and right of the heading is cos(roll), and the part
    along what is down once the pitch is taken away is sin(roll).
    """
    inner = f[0] * r[0] + f[1] * r[1] + f[2] * r[2]
    sizes = math.hypot(*f), math.hypot(*r)
    if abs(inner) > _SLACK or any(abs(size - 1.0) > _SLACK for size in sizes):
        return None
    pitch_rad = math.atan2(-f[2], math.hypot(f[0], f[1]))
    heading_rad = math.atan2(f[1], f[0])
    sine, cosine = math.sin(heading_rad), math.cos(heading_rad)
    level = cosine * r[1] - sine * r[0]
    below = (cosine * r[0] + sine * r[1]) * math.sin(pitch_rad) + r[2] * math.cos(pitch_rad)
    return from_euler(math.atan2(below, level), pitch_rad, heading_rad)


KIND: Final = HostKind(
    name="layout",
    title="a wire of one's own: bytes or columns; port and fields are its map's",
    port=20777,
    fields=frozenset(),
    settings=lambda: LayoutSettings,
    codec=LayoutCodec,
    fields_by_map=fields_by_map,
    wire=lambda settings, version: (version, {"length": settings.length}),
)
