"""X-Plane's data output (DATA): rows of eight floats, little-endian, as its settings choose them.

Row 1 holds the time, 4 the loads, 16 the rates (in another order and unit since version 12), 17 the
attitude, 21 place and velocity.
"""

from __future__ import annotations

import math
import struct
from typing import Final, Literal

from hil.hosts.kind import HostKind, Packet, Refused
from hil.hosts.maps import MapSettings
from hil.hosts.wires import Asking, refused_numbers
from hil.hosts.xplane import state_of

ROWS: Final = (1, 4, 16, 17, 21)
"""Rows that are asked for; 4, 16 and 17 must be there."""
_ROW: Final = struct.Struct("<i8f")
_NONE: Final = (math.nan,) * 8
_MOST_BYTES: Final = 5 + 200 * _ROW.size

Version = Literal["11", "12"]


class DataSettings(MapSettings):
    """Map of X-Plane's data output."""

    kind: Literal["xplane_data"] = "xplane_data"  # pyright: ignore[reportIncompatibleVariableOverride]
    """Which wire it is for."""
    version: Version
    """Of X-Plane: 11 and 12 say the rates in another order and unit, and nothing tells which."""


class DataCodec:
    """Understands rows of the data output, and asks for them.

    Args:
        version: of X-Plane.
    """

    def __init__(self, version: Version) -> None:
        self._twelve = version == "12"
        self._asking = Asking()

    def decode(self, datagram: bytes) -> Packet | Refused:
        """What a packet tells, or why it is none."""
        if datagram[:4] != b"DATA":
            return Refused.MAGIC
        size = len(datagram) - 5
        if size < _ROW.size or size % _ROW.size or len(datagram) > _MOST_BYTES:
            return Refused.LENGTH
        rows = {row: values for row, *values in _ROW.iter_unpack(datagram[5:])}
        if not (4 in rows and 16 in rows and 17 in rows):
            return Refused.NO_MOTION
        wrong = refused_numbers(value for row in ROWS for value in rows.get(row, ()))
        if wrong is not None:
            return wrong
        self._asking.heard()
        loads, rates, angles = rows[4], rows[16], rows[17]
        place = rows.get(21, _NONE)
        if self._twelve:
            turns = math.radians(rates[0]), math.radians(rates[1]), math.radians(rates[2])
        else:
            turns = rates[1], rates[0], rates[2]
        return state_of(
            t_s=rows.get(1, _NONE)[2], loads_g=(loads[5], loads[6], loads[4]), rates_rad_s=turns,
            angles_deg=(angles[1], angles[0], angles[2]), local_m=(place[0], place[1], place[2]),
            local_m_s=(place[3], place[4], place[5]),
        )  # fmt: skip

    def requests(self, now_s: float) -> tuple[bytes, ...]:
        """A choice of rows, until they come; where to, is said in X-Plane's own settings."""
        if not self._asking.due(now_s):
            return ()
        return (b"DSEL0" + struct.pack(f"<{len(ROWS)}i", *ROWS),)


KIND: Final = HostKind(
    name="xplane_data",
    title="X-Plane 11 and 12: data output (DATA)",
    port=49_005,
    tells=frozenset({"t_s", "f_m_s2", "omega_rad_s", "attitude", "v_m_s", "position_m"}),
    settings=lambda: DataSettings,
    codec=lambda settings: DataCodec(settings.version),
    asks_port=49_000,
)
