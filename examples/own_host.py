"""A live host of somebody else's: lines of text over UDP, understood and emulated.

    SWAY,N,T,FX,FY,FZ,P,Q,R,W,X,Y,Z,VX,VY,VZ

N counts packets, T is the time on the host's clock [s], F the specific force [m/s²], P, Q, R the
angular rates [rad/s], W to Z the attitude as a unit quaternion, V the velocity [m/s]; forward,
right, down. A distribution offers both ends by one name:

    [project.entry-points."hil.hosts"]
    sway = "own_host:KIND"
    [project.entry-points."hil.emulated_hosts"]
    sway = "own_host:EMULATED"
"""

import math
from typing import Literal

from hil.hosts.kind import HostKind, Packet, Refused
from hil.hosts.maps import MapSettings
from hil.hosts.wires.quantities import fault_of_numbers, numbers_of_line
from platform6dof.cueing.vehicle import VehicleState
from sim.hosts.kinds import EmulatedKind
from sim.hosts.telemetry import Packed, Silent, Telemetry

HEAD = b"SWAY,"
PORT = 50_321


class SwaySettings(MapSettings):
    """Map of the wire: nothing but what every map has."""

    kind: Literal["sway"] = "sway"  # pyright: ignore[reportIncompatibleVariableOverride]


class SwayCodec:
    """Understands lines; it never has to ask for them."""

    wanted = "a line that begins with SWAY, and has 15 numbers"

    def decode(self, datagram: bytes) -> Packet | Refused:
        """Return what a datagram tells, or why it is none of ours; any bytes are taken."""
        if not datagram.startswith(HEAD):
            return Refused.MAGIC
        told = numbers_of_line(datagram.removeprefix(HEAD).rstrip(b"\n"), ",", 15)
        if isinstance(told, Refused):
            return told
        if (why := fault_of_numbers(told)) is not None:
            return why
        size = math.hypot(*told[8:12])
        if not 0.99 < size < 1.01 or not 0.0 <= told[0] < 2**53 or told[0] % 1.0:
            return Refused.RANGE
        w, x, y, z = (one / size for one in told[8:12])
        state = VehicleState(
            told[1], (told[2], told[3], told[4]), (told[5], told[6], told[7]),
            attitude=(w, x, y, z), v_m_s=(told[12], told[13], told[14]),
        )  # fmt: skip
        return Packet(state, int(told[0]))

    def requests(self, now_s: float) -> tuple[bytes, ...]:
        """Return nothing: the host sends without being asked."""
        del now_s
        return ()


class SwayWire(Silent):
    """Writes the same lines, of an emulated vehicle."""

    def pack(self, shown: Telemetry) -> tuple[Packed, ...]:
        """Return the line of one moment."""
        motion = shown.motion
        numbers = (shown.sequence, shown.time_s, *motion.f_m_s2, *motion.omega_rad_s,
                   *motion.attitude, *motion.v_m_s)  # fmt: skip
        return (Packed(HEAD + ",".join(map(repr, numbers)).encode()),)


KIND = HostKind(
    name="sway",
    title="Sway 1.0: lines of text",
    port=PORT,
    fields=frozenset({"t_s", "f_m_s2", "omega_rad_s", "attitude", "v_m_s", "sequence"}),
    settings=lambda: SwaySettings,
    codec=lambda settings: SwayCodec(),
)
EMULATED = EmulatedKind("Sway, lines of text", PORT, lambda version, rate_hz: SwayWire())
