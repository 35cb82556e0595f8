"""FlightGear's generic output: the packet or line that a protocol file asks for.

The shipped files ask for all that moves a platform, with stamp, pause and replay. Another one must
hold the pilot's three accelerations and the attitude's three angles; what it holds besides is used.

=================================================  =================================================
property                                           sign, unit, source
=================================================  =================================================
/accelerations/pilot/x-, y-, z-accel-fps_sec       specific force forward, right, down [ft/s²] (1-3)
/orientation/roll-, pitch-, heading-deg            + right wing down, nose up, true [deg] (1)
/orientation/roll-, pitch-, yaw-rate-degps         derivatives of the three angles [deg/s] (1)
/orientation/p-, q-, r-body                        body's rates forward, right, down [rad/s] (1-3)
/velocities/uBody-, vBody-, wBody-fps              over ground, forward, right, down [ft/s] (1-3)
/velocities/speed-north-, -east-, -down-fps        over ground [ft/s] (1)
/position/latitude-, longitude-deg, altitude-ft    geodetic, above the sea [deg, ft] (1)
/sim/time/elapsed-sec, /sim/speed-up               simulated time [s]; its speed (4)
/sim/freeze/master, clock, replay-state            not 0: paused, in replay (4)
/gear/gear[n]/wow                                  not 0: this wheel is on the ground (2)
=================================================  =================================================

Sources, in FlightGear: 1 `src/FDM/flight.cxx`, what each property is tied to; 2 `src/FDM/YASim`,
`Airplane::getPilotAccel` and `copyFromYASim`; 3 `src/FDM/JSBSim/JSBSim.cxx`, `GetPilotAccel`,
`GetPQR`; 4 `README.properties` and `src/Main/main.cxx`.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Literal

from hil.config.errors import ConfigError, about
from hil.config.file_search import find_file
from hil.hosts.kind import HostKind, Packet, Refused
from hil.hosts.maps import MapSettings
from hil.hosts.wires.generic_protocol import Protocol, read_protocol
from hil.hosts.wires.quantities import FOOT_M, MOST_LINE_BYTES, LocalFrame, fault_of_numbers
from hil.hosts.wires.xml_file import xml_text
from platform6dof.cueing.attitude import body_rates, from_euler, to_body
from platform6dof.cueing.vehicle import UNKNOWN, Quaternion, Vector3, VehicleFlags, VehicleState

_DEG: Final = math.pi / 180.0
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
_RANGES: Final = {
    _FORCE: (0.5, 400.0), _ANGLES: (0.25, 360.0), _EULER_RATES: (0.5, 720.0),
    _BODY_RATES: (0.01, 12.0), _BODY_SPEED: (2.0, 3e3), _EARTH_SPEED: (2.0, 3e3),
    _PLACE[:2]: (2e-5, 180.0), _PLACE[2:]: (5.0, 6e4), (_TIME,): (0.02, 1e5),
}  # fmt: skip
"""Largest step between two values that still tells a motion, and the largest value that must be
told, in each property's unit."""
_MOTION: Final = tuple(node for nodes in _RANGES for node in nodes)
"""What is judged; other chunks, such as an engine's speed, may be any finite number."""


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
        _check_ranges(protocol, source)
        self._protocol, self._place = protocol, LocalFrame()
        codes = "".join(chunk.code for chunk in protocol.chunks)
        self._packed = struct.Struct(protocol.order + codes)
        length = struct.pack(protocol.order + "i", self._packed.size)
        self._footer = length if protocol.footer is None else protocol.footer
        size = f"{self._packed.size + len(self._footer)} bytes" if protocol.binary else "a line"
        self.wanted: str = f"{size} of {len(protocol.chunks)} chunks, as {source} says"
        """What a packet is, in words."""

    def decode(self, datagram: bytes) -> Packet | Refused:
        """What a packet tells, or why it is none."""
        raw = self._numbers(datagram)
        if isinstance(raw, Refused):
            return raw
        if not all(map(math.isfinite, raw)):
            return Refused.NOT_FINITE
        values = {
            chunk.node: (number - chunk.offset) / chunk.factor
            for chunk, number in zip(self._protocol.chunks, raw, strict=True)
        }
        wrong = fault_of_numbers(values[node] for node in _MOTION if node in values)
        if wrong is not None:
            return wrong
        if any(abs(values[node]) > 720.0 for node in _ANGLES):
            return Refused.RANGE
        return Packet(self._state(values))

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
        if len(datagram) > MOST_LINE_BYTES:
            return Refused.LENGTH
        found = self._protocol.line.fullmatch(datagram.decode("latin-1"))
        return Refused.TEXT if found is None else tuple(map(float, found.groups()))

    def _state(self, values: Mapping[str, float]) -> VehicleState:
        roll, pitch, yaw = (math.radians(values[node]) for node in _ANGLES)
        attitude = from_euler(roll, pitch, yaw)
        flags = VehicleFlags(0)
        if any(values.get(node, 0.0) != 0.0 for node in _PAUSED):
            flags |= VehicleFlags.PAUSED
        if any(values.get(node, 0.0) != 0.0 for node in _REPLAY):
            flags |= VehicleFlags.REPLAY
        if any(number != 0.0 for node, number in values.items() if node.endswith("/wow")):
            flags |= VehicleFlags.GROUND
        return VehicleState(
            t_s=values.get(_TIME, math.nan),
            f_m_s2=_vector(values, _FORCE, FOOT_M),
            omega_rad_s=_rates(values, roll, pitch),
            attitude=attitude,
            v_m_s=self._speed(values, attitude),
            position_m=self._position(values),
            flags=flags,
            speed_factor=values.get(_SPEED, math.nan),
        )

    def _speed(self, values: Mapping[str, float], attitude: Quaternion) -> Vector3:
        if all(node in values for node in _EARTH_SPEED):
            return to_body(attitude, _vector(values, _EARTH_SPEED, FOOT_M))
        return _vector(values, _BODY_SPEED, FOOT_M)

    def _position(self, values: Mapping[str, float]) -> Vector3:
        if not all(node in values for node in _PLACE):
            return UNKNOWN
        latitude, longitude, height_ft = (values[node] for node in _PLACE)
        if abs(latitude) > 90.0 or abs(longitude) > 360.0:
            return UNKNOWN
        latitude_rad, longitude_rad = math.radians(latitude), math.radians(longitude)
        return self._place.position(latitude_rad, longitude_rad, FOOT_M * height_ft)


def _vector(values: Mapping[str, float], nodes: tuple[str, ...], unit: float) -> Vector3:
    x, y, z = (unit * values.get(node, math.nan) for node in nodes)
    return x, y, z


def _rates(values: Mapping[str, float], roll_rad: float, pitch_rad: float) -> Vector3:
    if all(node in values for node in _BODY_RATES):
        return _vector(values, _BODY_RATES, 1.0)
    return body_rates(roll_rad, pitch_rad, _vector(values, _EULER_RATES, _DEG))


def _check_ranges(protocol: Protocol, source: str) -> None:
    """Raises `ConfigError` for a motion that is written too coarsely, or not as far as it goes."""
    for chunk in protocol.chunks:
        for nodes, (coarsest, most) in _RANGES.items():
            if chunk.node in nodes and not (chunk.step <= coarsest and chunk.most >= most):
                line = (
                    f"chunk {chunk.node} tells steps of {chunk.step:g} up to {chunk.most:g}; "
                    f"{coarsest:g} or finer up to {most:g} is needed: type double is right, and in "
                    "text the format %.9f"
                )
                raise ConfigError(source, [about("protocol", line)])


def _codec(settings: GenericSettings) -> GenericCodec:
    path = find_file(settings.protocol, folder="hosts", key="protocol")
    return GenericCodec(read_protocol(Path(path)), str(path))


def _wire(settings: GenericSettings, version: str) -> tuple[str, dict[str, str]]:
    path = find_file(settings.protocol, folder="hosts", key="protocol")
    return version, {"protocol": xml_text(path)}


KIND: Final = HostKind(
    name="flightgear_generic",
    title="FlightGear 2020.3 and later: generic output, binary or text",
    port=5502,
    fields=frozenset(
        {
            "t_s", "f_m_s2", "omega_rad_s", "attitude", "v_m_s", "position_m", "flags.PAUSED",
            "flags.REPLAY", "flags.GROUND", "speed_factor",
        }
    ),
    settings=lambda: GenericSettings,
    codec=_codec,
    files=("protocol",),
    wire=_wire,
)  # fmt: skip
