"""X-Plane's data output (DATA): rows of eight floats, little-endian, as its settings choose them.

Source of all fields, signs and units: ArduPilot, `libraries/SITL/SIM_XPlane.cpp`, flown by it.

======  ==========================  ================================================================
row     value, from 0               what it is
======  ==========================  ================================================================
1       2                           total running time [s]
4       4                           normal load, + up: f_down = -value [g]
4       5                           axial load, + forward: f_forward = value [g]; the data reference
                                    `g_axil` has the other sign
4       6                           side load, + right: f_right = value [g]
16      0, 1, 2                     version 11: q, p, r [rad/s]; version 12: p, q, r [deg/s]
17      0, 1, 2                     pitch + nose up, roll + right wing down, true heading [deg]
21      0, 1, 2                     place east, up, south [m]
21      3, 4, 5                     velocity east, up, south [m/s]
======  ==========================  ================================================================

Many rows come in several datagrams.
"""

from __future__ import annotations

import math
import struct
from typing import Final, Literal

from hil.hosts.kind import HostKind, Packet, Refused
from hil.hosts.maps import MapSettings
from hil.hosts.wires.instant_parts import InstantParts
from hil.hosts.wires.quantities import Asking, fault_of_numbers
from hil.hosts.wires.xplane import state_of

ROWS: Final = (1, 4, 16, 17, 21)
"""Rows that are asked for; 4, 16 and 17 must be there."""
_ROW: Final = struct.Struct("<i8f")
_NONE: Final = (math.nan,) * 8
_MOST_BYTES: Final = 5 + 200 * _ROW.size
_NEEDED: Final = (4, 16, 17)
_WITHIN_S: Final = 0.004
"""X-Plane sends rows at most 99 times a second; those of one moment at once [s]."""

Version = Literal["11", "12"]


class DataSettings(MapSettings):
    """Map of X-Plane's data output."""

    kind: Literal["xplane_data"] = "xplane_data"  # pyright: ignore[reportIncompatibleVariableOverride]
    """Kind of the wire."""
    version: Version
    """Version of X-Plane: 11 and 12 differ in order and unit of the rates; no packet shows it."""


class DataCodec:
    """Decodes rows of the data output, and requests them.

    Args:
        version: of X-Plane.
    """

    def __init__(self, version: Version) -> None:
        self._twelve = version == "12"
        self._asking = Asking()
        self._parts = InstantParts[tuple[float, ...]](_NEEDED, _WITHIN_S)

    def decode(self, datagram: bytes) -> Packet | Refused:
        """Decode a packet, or return why it is none."""
        return self.decode_at(datagram, math.nan)

    def decode_at(self, datagram: bytes, kernel_s: float) -> Packet | Refused:
        """Decode rows that come in several packets: those of one moment come at once.

        Args:
            kernel_s: when it came [s].
        """
        if datagram[:4] != b"DATA":
            return Refused.MAGIC
        size = len(datagram) - 5
        if size < _ROW.size or size % _ROW.size or len(datagram) > _MOST_BYTES:
            return Refused.LENGTH
        part = {row: tuple(values) for row, *values in _ROW.iter_unpack(datagram[5:])}
        if part.keys().isdisjoint(ROWS):
            return Refused.NO_MOTION
        rows = self._parts.add(part, kernel_s)
        if rows is None:
            return Refused.PART
        wrong = fault_of_numbers(value for row in ROWS for value in rows.get(row, ()))
        if wrong is not None:
            return wrong
        self._asking.received()
        loads, rates, angles = rows[4], rows[16], rows[17]
        place = rows.get(21, _NONE)
        if self._twelve:
            turns = math.radians(rates[0]), math.radians(rates[1]), math.radians(rates[2])
        else:
            turns = rates[1], rates[0], rates[2]
        return state_of(
            t_s=rows.get(1, _NONE)[2], force_g=(loads[5], loads[6], -loads[4]), rates_rad_s=turns,
            angles_deg=(angles[1], angles[0], angles[2]), local_m=(place[0], place[1], place[2]),
            local_m_s=(place[3], place[4], place[5]),
        )  # fmt: skip

    def requests(self, now_s: float) -> tuple[bytes, ...]:
        """Request a choice of rows until they come; the address is set in X-Plane itself."""
        if not self._asking.due(now_s):
            return ()
        return (b"DSEL0" + struct.pack(f"<{len(ROWS)}i", *ROWS),)


KIND: Final = HostKind(
    name="xplane_data",
    title="X-Plane 11 and 12: data output (DATA)",
    port=49_005,
    fields=frozenset({"t_s", "f_m_s2", "omega_rad_s", "attitude", "v_m_s", "position_m"}),
    settings=lambda: DataSettings,
    codec=lambda settings: DataCodec(settings.version),
    asks_port=49_000,
)
