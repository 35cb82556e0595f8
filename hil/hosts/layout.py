"""A wire of one's own: its map says which byte or column is what, and nothing is known otherwise.

Binary packets have their fields at byte offsets, in one byte order; a packet of text is a line of
columns. A field is multiplied by its factor and brought from its unit to SI. A packet that has not
the length, or not a value that every packet of the wire has, is none; one of another sort than the
map is about is set aside.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping
from typing import Any, Final

from hil.hosts.kind import HostKind, Packet, Refused
from hil.hosts.layout_map import CODES, LayoutSettings, Mark, fields_of, told_by
from hil.hosts.wires import numbers_of_line, refused_numbers
from platform6dof.cueing.attitude import from_euler, to_body
from platform6dof.cueing.vehicle import (
    GRAVITY_M_S2,
    UNKNOWN,
    Quaternion,
    Vector3,
    VehicleFlags,
    VehicleState,
)

_NAN: Final = math.nan
_NO_ATTITUDE: Final[Quaternion] = (_NAN, _NAN, _NAN, _NAN)
_SLACK: Final = 0.02
"""So far may a length be from 1, or a cosine from 0, in what shall be a rotation [1]."""
_FLAGS: Final = (
    ("paused", VehicleFlags.PAUSED), ("replay", VehicleFlags.REPLAY), ("reset", VehicleFlags.RESET),
    ("end", VehicleFlags.END), ("ground", VehicleFlags.GROUND),
)  # fmt: skip


class LayoutCodec:
    """Understands packets of one layout."""

    def __init__(self, settings: LayoutSettings) -> None:
        self._settings = settings
        self._raw = _text(settings) if settings.separator is not None else _binary(settings)
        fields = fields_of(settings)
        self._names = tuple(fields)
        self._scales = tuple(one.scale for one in fields.values())

    def decode(self, datagram: bytes) -> Packet | Refused:
        """What a packet tells, or why it is none; any bytes are taken."""
        raw = self._raw(datagram)
        if isinstance(raw, Refused):
            return raw
        values = tuple(a * b for a, b in zip(raw, self._scales, strict=True))
        wrong = refused_numbers(values)
        if wrong is not None:
            return wrong
        told = dict(zip(self._names, values, strict=True))
        sequence = told.get("sequence")
        state = _state(told)
        if state is None:
            return Refused.RANGE
        return Packet(state, None if sequence is None else int(sequence))

    def requests(self, now_s: float) -> tuple[bytes, ...]:
        """Nothing: whoever has such a wire sends by itself."""
        del now_s
        return ()


# --- the numbers of a packet ----------------------------------------------------------------------

Reading = Callable[[bytes], "tuple[float, ...] | Refused"]


def _text(settings: LayoutSettings) -> Reading:
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


def _binary(settings: LayoutSettings) -> Reading:
    """Reads the fields of a packet of bytes, each where it stands."""
    order = ">" if settings.endian == "big" else "<"
    magic, only = _marks(settings.magic, order), _marks(settings.only, order)
    length, record = settings.length, settings.record
    readers = [
        (struct.Struct(order + CODES[one.type]).unpack_from, one.at, one.record)
        for one in fields_of(settings).values() if one.type is not None
    ]  # fmt: skip

    def read(datagram: bytes) -> tuple[float, ...] | Refused:
        size = len(datagram)
        for wrong, marks in ((Refused.MAGIC, magic), (Refused.NO_MOTION, only)):
            for unpack, at, end, value in marks:
                if size < end:
                    return Refused.LENGTH
                if unpack(datagram, at)[0] != value:
                    return wrong
        if size != length:
            return Refused.LENGTH
        start = 0
        if record is not None:
            number = datagram[record.index_at]
            if number >= record.count:
                return Refused.RANGE
            start = record.start + number * record.bytes
        return tuple(float(unpack(datagram, at + start * of)[0]) for unpack, at, of in readers)

    return read


def _marks(marks: tuple[Mark, ...], order: str) -> list[tuple[Callable[..., Any], int, int, float]]:
    found: list[tuple[Callable[..., Any], int, int, float]] = []
    for one in marks:
        if one.type is not None:
            code = struct.Struct(order + CODES[one.type])
            found.append((code.unpack_from, one.at, one.at + code.size, one.value))
    return found


# --- what they say --------------------------------------------------------------------------------


def _state(told: Mapping[str, float]) -> VehicleState | None:
    """The state of values in SI units by their names; None if a rotation in it is none."""
    attitude = _attitude(told)
    if attitude is None:
        return None
    flags = VehicleFlags(0)
    for name, flag in _FLAGS:
        if told.get(name):
            flags |= flag
    if told.get("running") == 0.0:
        flags |= VehicleFlags.PAUSED
    position = _vector(told, "position_", ("north", "east", "down"))
    if "pose_forward" in told:
        position = _vector(told, "pose_", ("forward", "right", "down"))
        flags |= VehicleFlags.POSE
    return VehicleState(
        t_s=told.get("time", _NAN),
        f_m_s2=_force(told, attitude),
        omega_rad_s=_vector(told, "", ("roll_rate", "pitch_rate", "yaw_rate")),
        domega_rad_s2=_vector(
            told, "", ("roll_acceleration", "pitch_acceleration", "yaw_acceleration")
        ),
        attitude=attitude,
        v_m_s=_velocity(told, attitude),
        position_m=position,
        flags=flags,
        speed_factor=_NAN,
    )


def _vector(told: Mapping[str, float], group: str, names: tuple[str, str, str]) -> Vector3:
    a, b, c = (told.get(group + name, _NAN) for name in names)
    return a, b, c


def _force(told: Mapping[str, float], attitude: Quaternion) -> Vector3:
    """Specific force; of an acceleration without gravity f = a - g, in body axes [m/s²]."""
    body, world = ("forward", "right", "down"), ("north", "east", "down")
    if any(f"force_{name}" in told for name in body):
        return _vector(told, "force_", body)
    if "world_acceleration_north" in told:
        north, east, down = _vector(told, "world_acceleration_", world)
        return to_body(attitude, (north, east, down - GRAVITY_M_S2))
    if any(f"acceleration_{name}" in told for name in body):
        acceleration = _vector(told, "acceleration_", body)
        x, y, z = to_body(attitude, (0.0, 0.0, -GRAVITY_M_S2))
        return acceleration[0] + x, acceleration[1] + y, acceleration[2] + z
    return UNKNOWN


def _velocity(told: Mapping[str, float], attitude: Quaternion) -> Vector3:
    if "world_velocity_north" in told:
        return to_body(attitude, _vector(told, "world_velocity_", ("north", "east", "down")))
    return _vector(told, "velocity_", ("forward", "right", "down"))


def _attitude(told: Mapping[str, float]) -> Quaternion | None:
    """Rotation from body axes to north, east, down; None for numbers that are no rotation."""
    if "heading" in told:
        return from_euler(told["roll"], told["pitch"], told["heading"])
    if "forward_north" not in told:
        return _NO_ATTITUDE
    f = _vector(told, "forward_", ("north", "east", "down"))
    r = _vector(told, "right_", ("north", "east", "down"))
    inner = f[0] * r[0] + f[1] * r[1] + f[2] * r[2]
    sizes = math.hypot(*f), math.hypot(*r)
    if abs(inner) > _SLACK or any(abs(size - 1.0) > _SLACK for size in sizes):
        return None
    pitch_rad = math.atan2(-f[2], math.hypot(f[0], f[1]))
    heading_rad = math.atan2(f[1], f[0])
    sine, cosine = math.sin(heading_rad), math.cos(heading_rad)
    level = cosine * r[1] - sine * r[0]  # of right, along what is right and level: cos(roll)
    below = (cosine * r[0] + sine * r[1]) * math.sin(pitch_rad) + r[2] * math.cos(pitch_rad)
    return from_euler(math.atan2(below, level), pitch_rad, heading_rad)


KIND: Final = HostKind(
    name="layout",
    title="a wire of one's own: bytes or columns, as its map says",
    port=20777,
    tells=frozenset({"attitude", "f_m_s2", "omega_rad_s", "position_m", "t_s", "v_m_s"}),
    settings=lambda: LayoutSettings,
    codec=LayoutCodec,
    told_by=told_by,
)
