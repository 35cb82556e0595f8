"""X-Plane's data references (RREF): asked for one by one, answered together, little-endian.

An answer is "RREF", a byte that differs by version, then pairs of our index and a float; answers of
one moment may come in several datagrams.

===========================  =====================================================================
data reference               sign, unit, source
===========================  =====================================================================
forces/g_axil                + backward: f_forward = -g_axil [g] (1, 2, 4)
forces/g_side                + right: f_right = g_side [g] (1, 4)
forces/g_nrml                + up: f_down = -g_nrml [g] (1, 2)
position/Prad, Qrad, Rrad    + right wing down, nose up, nose right [rad/s] (2, 3)
position/phi, theta, psi     roll + right wing down, pitch + nose up, true heading [deg] (1)
position/local_x, _y, _z     east, up, south [m] (1)
position/local_vx, _vy, _vz  east, up, south [m/s] (1)
time/paused, is_in_replay    1 while it is so (3)
time/sim_speed               seconds of the simulation in one of ours (3)
time/total_running_time_sec  seconds that the simulation ran (3)
failures/onground_any        1 while a wheel is on the ground (3)
===========================  =====================================================================

Sources: 1 MatrixPilot, `Tools/HILSIM_XPlane/HILSIM.cpp`, where they are gravity less acceleration
along left wing, forward, down. 2 px4xplane, `MAVLinkManager.cpp`. 3 Laminar's `DataRefs.txt`, which
has "backward" for all axial forces, too. 4 Laminar's axes of an aircraft (X right, Y up, Z aft) as
published physics scripts use them: `fside_total` positive right, `faxil_total` positive aft.
"""

from __future__ import annotations

import math
import struct
from typing import Annotated, Final, Literal

from pydantic import Field

from hil.hosts.kind import HostKind, Packet, Refused
from hil.hosts.maps import MapSettings
from hil.hosts.wires.instant_parts import InstantParts
from hil.hosts.wires.quantities import Asking, fault_of_numbers
from hil.hosts.wires.xplane import state_of

PATHS: Final = (
    "sim/flightmodel/forces/g_axil", "sim/flightmodel/forces/g_side",
    "sim/flightmodel/forces/g_nrml",
    "sim/flightmodel/position/Prad", "sim/flightmodel/position/Qrad",
    "sim/flightmodel/position/Rrad",
    "sim/flightmodel/position/phi", "sim/flightmodel/position/theta",
    "sim/flightmodel/position/psi",
    "sim/flightmodel/position/local_x", "sim/flightmodel/position/local_y",
    "sim/flightmodel/position/local_z",
    "sim/flightmodel/position/local_vx", "sim/flightmodel/position/local_vy",
    "sim/flightmodel/position/local_vz",
    "sim/time/paused", "sim/time/is_in_replay", "sim/time/sim_speed",
    "sim/time/total_running_time_sec", "sim/flightmodel/failures/onground_any",
)  # fmt: skip
"""Data references that are requested; the place here is the index."""
_ASK: Final = struct.Struct("<5sii400s")
_PAIR: Final = struct.Struct("<if")


class RrefSettings(MapSettings):
    """Map of X-Plane's data references; versions 9 to 12 answer alike."""

    kind: Literal["xplane_rref"] = "xplane_rref"  # pyright: ignore[reportIncompatibleVariableOverride]
    """Kind of the wire."""
    rate_hz: Annotated[int, Field(ge=10, le=200)] = 60
    """Rate at which X-Plane is asked to send; it sends no more often than it draws [Hz]."""


class RrefCodec:
    """Decodes answers to RREF, and requests them.

    Args:
        rate_hz: how often X-Plane shall send [Hz].
    """

    def __init__(self, rate_hz: int) -> None:
        self._rate_hz = rate_hz
        self._asking = Asking()
        self._parts = InstantParts[float](range(len(PATHS)), 0.5 / rate_hz)

    def decode(self, datagram: bytes) -> Packet | Refused:
        """Decode an answer, or return why it is none."""
        return self.decode_at(datagram, math.nan)

    def decode_at(self, datagram: bytes, kernel_s: float) -> Packet | Refused:
        """Decode answers in several datagrams: those of one moment come at once.

        Args:
            kernel_s: when it came [s].
        """
        if datagram[:4] != b"RREF":
            return Refused.MAGIC
        if len(datagram) < 13 or (len(datagram) - 5) % _PAIR.size:
            return Refused.LENGTH
        answers = _PAIR.iter_unpack(datagram[5:])
        part = {index: value for index, value in answers if 0 <= index < len(PATHS)}
        if not part:
            return Refused.LENGTH  # an answer to somebody else, or to an older question of ours
        by_index = self._parts.add(part, kernel_s)
        if by_index is None:
            return Refused.PART
        values = tuple(by_index[index] for index in range(len(PATHS)))
        wrong = fault_of_numbers(values)
        if wrong is not None:
            return wrong
        self._asking.received()
        axial, side, normal, p, q, r, phi, theta, psi, x, y, z, vx, vy, vz, *others = values
        paused, replay, speed, time_s, ground = others
        return state_of(
            t_s=time_s, force_g=(-axial, side, -normal), rates_rad_s=(p, q, r),
            angles_deg=(phi, theta, psi), local_m=(x, y, z), local_m_s=(vx, vy, vz),
            paused=paused != 0.0, replay=replay != 0.0, ground=ground != 0.0, speed_factor=speed,
        )  # fmt: skip

    def requests(self, now_s: float) -> tuple[bytes, ...]:
        """Return a question for each data reference, until answers come."""
        return self._questions(self._rate_hz) if self._asking.due(now_s) else ()

    def farewell(self) -> tuple[bytes, ...]:
        """Return the requests that end the answers."""
        return self._questions(0)

    def _questions(self, rate_hz: int) -> tuple[bytes, ...]:
        return tuple(
            _ASK.pack(b"RREF\0", rate_hz, index, path.encode()) for index, path in enumerate(PATHS)
        )


KIND: Final = HostKind(
    name="xplane_rref",
    title="X-Plane 11 and 12: data references on request (RREF)",
    port=49_010,
    fields=frozenset(
        {
            "t_s", "f_m_s2", "omega_rad_s", "attitude", "v_m_s", "position_m", "flags.PAUSED",
            "flags.REPLAY", "flags.GROUND", "speed_factor",
        }
    ),
    settings=lambda: RrefSettings,
    codec=lambda settings: RrefCodec(settings.rate_hz),
    asks_port=49_000,
)  # fmt: skip
