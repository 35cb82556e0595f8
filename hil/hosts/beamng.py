"""BeamNG's MotionSim packet, and OutGauge, which comes to the same port and tells no motion.

MotionSim, 88 bytes: "BNG1", place, velocity (east, north, up), acceleration in the vehicle's own
axes without gravity, up, then angles, rates and their derivatives of roll, pitch, yaw. Roll and yaw
are negated there, their rates are not. It has no stamp, no number and no flags.
"""

from __future__ import annotations

import struct
from typing import Final, Literal

from hil.hosts.kind import HostKind, Packet, Refused
from hil.hosts.maps import MapSettings, SignedAxes, turned
from hil.hosts.wires import refused_numbers, with_gravity
from platform6dof.cueing.attitude import from_euler, to_body
from platform6dof.cueing.vehicle import Vector3, VehicleState

_MOTION: Final = struct.Struct("<4s21f")
_GAUGE_BYTES: Final = (92, 96)
_NAN: Final = float("nan")


class BeamNgSettings(MapSettings):
    """Map of MotionSim."""

    kind: Literal["beamng"] = "beamng"  # pyright: ignore[reportIncompatibleVariableOverride]
    """Which wire it is for."""
    acceleration: SignedAxes = ("-y", "-x", "-z")
    """Which of the packet's axes point forward, right, down; `hil cue check` finds a wrong one."""


class BeamNgCodec:
    """Understands MotionSim; counts OutGauge as no motion.

    Args:
        acceleration: axes of the packet that point forward, right, down.
    """

    def __init__(self, acceleration: SignedAxes) -> None:
        self._axes = acceleration

    def decode(self, datagram: bytes) -> Packet | Refused:
        """What a packet tells, or why it is none."""
        if datagram[:4] != b"BNG1":
            gauge = len(datagram) in _GAUGE_BYTES and datagram[4:8] == b"beam"
            return Refused.NO_MOTION if gauge else Refused.MAGIC
        if len(datagram) != _MOTION.size:
            return Refused.LENGTH
        values = _MOTION.unpack(datagram)[1:]
        wrong = refused_numbers(values)
        if wrong is not None:
            return wrong
        roll, pitch, yaw = values[12:15]
        if max(abs(roll), abs(pitch), abs(yaw)) > 13.0:
            return Refused.RANGE
        attitude = from_euler(-roll, pitch, -yaw)
        acceleration = turned((values[6], values[7], values[8]), self._axes)
        p, q, r = values[15:18]
        dp, dq, dr = values[18:21]
        return Packet(
            VehicleState(
                t_s=_NAN,
                f_m_s2=with_gravity(acceleration, attitude),
                omega_rad_s=(p, q, r),
                domega_rad_s2=(dp, dq, dr),
                attitude=attitude,
                v_m_s=to_body(attitude, _north_east_down(values[3:6])),
                position_m=_north_east_down(values[0:3]),
                speed_factor=_NAN,
            )
        )

    def requests(self, now_s: float) -> tuple[bytes, ...]:
        """Nothing: the game sends by itself."""
        del now_s
        return ()


def _north_east_down(world: tuple[float, ...]) -> Vector3:
    east, north, up = world
    return north, east, -up


KIND: Final = HostKind(
    name="beamng",
    title="BeamNG.drive: MotionSim, with OutGauge on the same port",
    port=4444,
    tells=frozenset(
        {"f_m_s2", "omega_rad_s", "domega_rad_s2", "attitude", "v_m_s", "position_m"}
    ),
    settings=lambda: BeamNgSettings,
    codec=lambda settings: BeamNgCodec(settings.acceleration),
)  # fmt: skip
