"""BeamNG's MotionSim packet, and OutGauge, which comes to the same port and tells no motion.

MotionSim, 88 bytes: "BNG1", place, velocity (east, north, up), acceleration without gravity, where
the vehicle's up points in the world, then angles, rates and their derivatives of roll, pitch, yaw.
It has no stamp, no number and no flags.

Source: "Protocols" of BeamNG's documentation for the fields. Axes and signs are in no document but
in the game's own scripts: `vehicle/protocols.lua` sends minus its sensors, minus roll and yaw, and
rates as they are. `drivingDynamics/sensors/virtualSensors.lua` takes minus those sensors for the
acceleration forward and to the side that the yaw rate turns to, `sensorHub.lua` has gravity, below
0, in the one that is vertical: the packet's acceleration points right, forward, up. By
`guistreams.lua` yaw is atan2(x, -y) of where the nose points, so that the packet has the heading
less half a turn. Rates are positive for right side down, nose up, nose right. The game's roll and
pitch are sines in some versions and angles in others: here they follow from where up points.

A drive that somebody recorded agrees for forward (OpenShaker, `sources/beamng.py`); the other signs
were seen in no game. `hil host check beamng` finds a wrong one.
"""

from __future__ import annotations

import math
import struct
from typing import Final, Literal

from hil.hosts.kind import HostKind, Packet, Refused
from hil.hosts.maps import MapSettings, SignedAxes, turned
from hil.hosts.wires.quantities import fault_of_numbers, with_gravity
from platform6dof.cueing.attitude import from_euler, to_body
from platform6dof.cueing.vehicle import Quaternion, Vector3, VehicleState

_MOTION: Final = struct.Struct("<4s21f")
_GAUGE_BYTES: Final = (92, 96)
UP_OFF: Final = 0.01
"""How far the length of the vector up may be from 1."""
_NAN: Final = float("nan")


class BeamNgSettings(MapSettings):
    """Map of MotionSim."""

    kind: Literal["beamng"] = "beamng"  # pyright: ignore[reportIncompatibleVariableOverride]
    """Which wire it is for."""
    acceleration: SignedAxes = ("y", "x", "-z")
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
        wrong = fault_of_numbers(values)
        if wrong is not None:
            return wrong
        up, (roll, pitch, yaw) = values[9:12], values[12:15]
        if max(abs(roll), abs(pitch), abs(yaw)) > 13.0 or abs(math.hypot(*up) - 1.0) > UP_OFF:
            return Refused.RANGE
        attitude = _attitude(_north_east_down(up), yaw + math.pi, pitch)
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


def _attitude(up: Vector3, heading_rad: float, pitch: float) -> Quaternion:
    """The rotation of a vehicle whose up and heading are known.

    Down in axes that are level and head as it does is (cos φ sin θ, -sin φ, cos φ cos θ).

    Args:
        up: where its up points, north, east, down.
        pitch: only its sign counts, near the vertical.
    """
    north, east, down = -up[0], -up[1], -up[2]
    sine, cosine = math.sin(heading_rad), math.cos(heading_rad)
    forward, right = cosine * north + sine * east, cosine * east - sine * north
    upright = down if abs(down) >= abs(forward) else math.copysign(forward, forward * pitch)
    side = math.copysign(1.0, upright)
    roll_rad = math.atan2(-right, side * math.hypot(forward, down))
    return from_euler(roll_rad, math.atan2(side * forward, side * down), heading_rad)


def _north_east_down(world: tuple[float, ...]) -> Vector3:
    east, north, up = world
    return north, east, -up


KIND: Final = HostKind(
    name="beamng",
    title="BeamNG.drive: MotionSim, with OutGauge on the same port",
    port=4444,
    fields=frozenset(
        {"f_m_s2", "omega_rad_s", "domega_rad_s2", "attitude", "v_m_s", "position_m"}
    ),
    settings=lambda: BeamNgSettings,
    codec=lambda settings: BeamNgCodec(settings.acceleration),
)  # fmt: skip
