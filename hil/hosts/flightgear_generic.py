"""FlightGear's generic output: the packet or line that a protocol file asks for.

The shipped files ask for all that moves a platform, with stamp, pause and replay. Another one must
hold the pilot's three accelerations and the attitude's three angles; what it holds besides is used.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Literal

from hil.config.errors import ConfigError, about
from hil.config.shipped import find_file
from hil.hosts.generic_protocol import Protocol, read_protocol
from hil.hosts.kind import HostKind, Packet, Refused
from hil.hosts.maps import MapSettings
from hil.hosts.wires import FOOT_M, LocalFrame, numbers_of_line, refused_numbers
from platform6dof.cueing.attitude import body_rates, from_euler, to_body
from platform6dof.cueing.vehicle import UNKNOWN, Quaternion, Vector3, VehicleFlags, VehicleState

_FORCE: Final = tuple(f"/accelerations/pilot/{axis}-accel-fps_sec" for axis in "xyz")
_ANGLES: Final = tuple(f"/orientation/{name}-deg" for name in ("roll", "pitch", "heading"))
_EULER_RATES: Final = tuple(f"/orientation/{name}-rate-degps" for name in ("roll", "pitch", "yaw"))
_BODY_RATES: Final = tuple(f"/orientation/{name}-body" for name in "pqr")
_BODY_SPEED: Final = tuple(f"/velocities/{name}Body-fps" for name in "uvw")
_EARTH_SPEED: Final = tuple(f"/velocities/speed-{name}-fps" for name in ("north", "east", "down"))
_PLACE: Final = ("/position/latitude-deg", "/position/longitude-deg", "/position/altitude-ft")
_TIME: Final = "/sim/time/elapsed-sec"
_PAUSED: Final = ("/sim/freeze/master", "/sim/freeze/clock")
_REPLAY: Final = ("/sim/freeze/replay-state", "/sim/replay/replay-state")
_SPEED: Final = "/sim/speed-up"


class GenericSettings(MapSettings):
    """Map of a generic output."""

    kind: Literal["flightgear_generic"] = "flightgear_generic"  # pyright: ignore[reportIncompatibleVariableOverride]
    """Which wire it is for."""
    protocol: str
    """The protocol file that FlightGear was started with: one that is shipped in
    ``configs/hosts``, or a path."""


class GenericCodec:
    """Understands what one protocol file asks for.

    Args:
        protocol: what it says.
        source: the file, for error texts.

    Raises:
        ConfigError: if it holds no force, or no attitude.
    """

    def __init__(self, protocol: Protocol, source: str) -> None:
        nodes = [chunk.node for chunk in protocol.chunks]
        for wanted, what in ((_FORCE, "force"), (_ANGLES, "attitude")):
            absent = [node for node in wanted if node not in nodes]
            if absent:
                line = f"gives no {what}: it needs chunks of {', '.join(absent)}"
                raise ConfigError(source, [about("protocol", line)])
        self._protocol, self._nodes, self._place = protocol, nodes, LocalFrame()
        self._packed = struct.Struct(">" + "".join(chunk.code for chunk in protocol.chunks))
        footer = protocol.footer
        self._footer = struct.pack(">i", self._packed.size) if footer is None else footer

    def decode(self, datagram: bytes) -> Packet | Refused:
        """What a packet tells, or why it is none."""
        raw = self._numbers(datagram)
        if isinstance(raw, Refused):
            return raw
        wrong = refused_numbers(raw)
        if wrong is not None:
            return wrong
        told = {
            chunk.node: (number - chunk.offset) / chunk.factor
            for chunk, number in zip(self._protocol.chunks, raw, strict=True)
        }
        if any(abs(told[node]) > 720.0 for node in _ANGLES):
            return Refused.RANGE
        return Packet(self._state(told))

    def requests(self, now_s: float) -> tuple[bytes, ...]:
        """Nothing: FlightGear sends by itself."""
        del now_s
        return ()

    def _numbers(self, datagram: bytes) -> tuple[float, ...] | Refused:
        if self._protocol.binary:
            size = self._packed.size
            if len(datagram) != size + len(self._footer):
                return Refused.LENGTH
            if datagram[size:] != self._footer:
                return Refused.MAGIC
            return self._packed.unpack_from(datagram)
        line = datagram.removesuffix(self._protocol.after.encode())
        return numbers_of_line(line, self._protocol.between, len(self._nodes))

    def _state(self, told: Mapping[str, float]) -> VehicleState:
        roll, pitch, yaw = (math.radians(told[node]) for node in _ANGLES)
        attitude = from_euler(roll, pitch, yaw)
        flags = VehicleFlags(0)
        if any(told.get(node, 0.0) != 0.0 for node in _PAUSED):
            flags |= VehicleFlags.PAUSED
        if any(told.get(node, 0.0) != 0.0 for node in _REPLAY):
            flags |= VehicleFlags.REPLAY
        if any(number != 0.0 for node, number in told.items() if node.endswith("/wow")):
            flags |= VehicleFlags.GROUND
        return VehicleState(
            t_s=told.get(_TIME, math.nan),
            f_m_s2=_vector(told, _FORCE, FOOT_M),
            omega_rad_s=_rates(told, roll, pitch),
            attitude=attitude,
            v_m_s=self._speed(told, attitude),
            position_m=self._position(told),
            flags=flags,
            speed_factor=told.get(_SPEED, math.nan),
        )

    def _speed(self, told: Mapping[str, float], attitude: Quaternion) -> Vector3:
        if all(node in told for node in _EARTH_SPEED):
            return to_body(attitude, _vector(told, _EARTH_SPEED, FOOT_M))
        return _vector(told, _BODY_SPEED, FOOT_M)

    def _position(self, told: Mapping[str, float]) -> Vector3:
        if not all(node in told for node in _PLACE):
            return UNKNOWN
        latitude, longitude, height_ft = (told[node] for node in _PLACE)
        if abs(latitude) > 90.0 or abs(longitude) > 360.0:
            return UNKNOWN
        latitude_rad, longitude_rad = math.radians(latitude), math.radians(longitude)
        return self._place.position(latitude_rad, longitude_rad, FOOT_M * height_ft)


def _vector(told: Mapping[str, float], nodes: tuple[str, ...], unit: float) -> Vector3:
    x, y, z = (unit * told.get(node, math.nan) for node in nodes)
    return x, y, z


def _rates(told: Mapping[str, float], roll_rad: float, pitch_rad: float) -> Vector3:
    if all(node in told for node in _BODY_RATES):
        return _vector(told, _BODY_RATES, math.pi / 180.0)
    return body_rates(roll_rad, pitch_rad, _vector(told, _EULER_RATES, math.pi / 180.0))


def _codec(settings: GenericSettings) -> GenericCodec:
    path = find_file(settings.protocol, folder="hosts", key="protocol")
    return GenericCodec(read_protocol(Path(path)), str(path))


KIND: Final = HostKind(
    name="flightgear_generic",
    title="FlightGear 2020.3 and later: generic output, binary or text",
    port=5502,
    tells=frozenset(
        {
            "t_s", "f_m_s2", "omega_rad_s", "attitude", "v_m_s", "position_m", "flags.PAUSED",
            "flags.REPLAY", "flags.GROUND", "speed_factor",
        }
    ),
    settings=lambda: GenericSettings,
    codec=_codec,
    files=("protocol",),
)  # fmt: skip
