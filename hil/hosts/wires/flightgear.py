"""FlightGear's native FDM packet, version 24: 408 bytes, big-endian, without stamp or number.

Source: `net_fdm.hxx` of FlightGear (public domain); JSBSim sends the same. Rates are those of the
Euler angles; the pilot's accelerations are his specific force.
"""

from __future__ import annotations

import struct
from typing import Final, Literal

from hil.hosts.kind import HostKind, Packet, Refused
from hil.hosts.maps import MapSettings
from hil.hosts.wires.quantities import FOOT_M, LocalFrame, fault_of_numbers
from platform6dof.cueing.attitude import body_rates, from_euler, to_body
from platform6dof.cueing.vehicle import VehicleState

LENGTH: Final = 408
VERSION: Final = 24
_HEAD: Final = struct.Struct(">2I3d22f")
"""Version, pad; longitude, latitude, altitude; from height over ground to the slip ball."""
_NAN: Final = float("nan")


class FlightGearSettings(MapSettings):
    """Map of the native FDM packet."""

    kind: Literal["flightgear"] = "flightgear"  # pyright: ignore[reportIncompatibleVariableOverride]
    """Which wire it is for."""


class FlightGearCodec:
    """Understands the native FDM packet."""

    def __init__(self) -> None:
        self._place = LocalFrame()

    def decode(self, datagram: bytes) -> Packet | Refused:
        """What a packet tells, or why it is none."""
        if len(datagram) < 4:
            return Refused.LENGTH
        if int.from_bytes(datagram[:4], "big") != VERSION:
            return Refused.VERSION
        if len(datagram) != LENGTH:
            return Refused.LENGTH
        values = _HEAD.unpack_from(datagram)
        longitude_rad, latitude_rad, height_m = values[2:5]
        phi, theta, psi = values[6:9]
        wrong = fault_of_numbers((*values[2:5], *values[6:9], *values[11:14], *values[16:25]))
        if wrong is not None:
            return wrong
        if abs(latitude_rad) > 1.6 or abs(longitude_rad) > 6.3 or max(map(abs, values[6:9])) > 13.0:
            return Refused.RANGE
        attitude = from_euler(phi, theta, psi)
        north, east, down = (FOOT_M * one for one in values[16:19])
        f_x, f_y, f_z = (FOOT_M * one for one in values[22:25])
        return Packet(
            VehicleState(
                t_s=_NAN,
                f_m_s2=(f_x, f_y, f_z),
                omega_rad_s=body_rates(phi, theta, (values[11], values[12], values[13])),
                attitude=attitude,
                v_m_s=to_body(attitude, (north, east, down)),
                position_m=self._place.position(latitude_rad, longitude_rad, height_m),
                speed_factor=_NAN,
            )
        )

    def requests(self, now_s: float) -> tuple[bytes, ...]:
        """Nothing: FlightGear sends by itself."""
        del now_s
        return ()


KIND: Final = HostKind(
    name="flightgear",
    title="FlightGear 2020.3 and later, JSBSim: native FDM, version 24",
    port=5501,
    fields=frozenset({"f_m_s2", "omega_rad_s", "attitude", "v_m_s", "position_m"}),
    settings=lambda: FlightGearSettings,
    codec=lambda settings: FlightGearCodec(),
)
