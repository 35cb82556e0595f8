"""Packets of games and of a head tracker, as their makers' public documents lay them out.

Codemasters' extradata 3 (the first 66 numbers of "F1 2016 UDP specification"), F1 23 ("Data Output
from F1 23 Game"), Forza ("Forza Data Out Documentation"), Live for Speed's OutSim (`InSim.txt`) and
opentrack's "UDP over network" (`ftnoir_protocol_ftn.cpp`). All are little-endian.

Not modelled, and 0: what no document gives a sign or axes (g-forces of Codemasters' games, AngVel
and Accel of OutSim), wheels, suspension, engine, laps, F1's packets of other sorts.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from typing import Final

from sim.hosts.telemetry import Packed, Silent, Telemetry, Wire
from sim.hosts.vehicle_motion import Vector, VehicleMotion, acceleration, to_earth, to_euler
from sim.hosts.wires.pose_template import pose_of

_F1_HEAD: Final = struct.Struct("<HBBBBBQfIIBB")
_F1_CAR: Final = struct.Struct("<6f6h6f")
_F1_CARS, _F1_PLAYER, _F1_ONE_PLAYER = 22, 19, 255
_F1_MOTION: Final = 0
_FORZA: Final = struct.Struct("<iI3f3f3f3f3f")
_FORZA_BYTES: Final = (311, 232, 324, 331)
"""Formats: Car Dash of Motorsport 7, Sled, Horizon 4 and 5, Motorsport of 2023."""
_ROUGH_M_S2, _ROUGH_RAD_M = 0.002, 5.0
"""Roughness of a road or air on which no number repeats [m/s²], [rad/m]; too small to be felt."""
_OUTSIM: Final = struct.Struct("<I3f3f3f3f3i")
_OUTSIM_METRE: Final = 65_536


def _east_up_south(ned: Vector) -> Vector:
    """Rotate a vector from north, east, down to the right-handed world of Codemasters' games."""
    north, east, down = ned
    return (east, -down, -north)


def _place_and_speed(motion: VehicleMotion) -> tuple[Vector, Vector]:
    velocity = to_earth(motion.attitude, motion.v_m_s)
    return _east_up_south(motion.position_m), _east_up_south(velocity)


def _axes(motion: VehicleMotion) -> tuple[Vector, Vector]:
    """Directions of the vehicle's forward and right axes in that world."""
    forward, right = (
        _east_up_south(to_earth(motion.attitude, one)) for one in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    )
    return forward, right


class Codemasters(Silent):
    """Encoder of DiRT with ``extradata="3"``: 66 numbers."""

    def pack(self, shown: Telemetry) -> tuple[Packed, ...]:
        """Encode one packet."""
        motion = shown.motion
        place, velocity = _place_and_speed(motion)
        forward, right = _axes(motion)
        distance_m = math.hypot(*motion.position_m[:2])
        numbers = (
            shown.time_s,
            shown.time_s,
            distance_m,
            distance_m,
            *place,
            math.hypot(*motion.v_m_s),
        )
        numbers += (*velocity, *right, *forward)
        return (Packed(struct.pack("<66f", *numbers, *[0.0] * (66 - len(numbers)))),)


class F1(Silent):
    """Encoder of F1 23's motion packet; the other cars are at the origin, level, facing north."""

    def pack(self, shown: Telemetry) -> tuple[Packed, ...]:
        """Encode one packet."""
        frame = shown.sequence % 2**32
        head = _F1_HEAD.pack(
            2023, 23, 1, 19, 1, _F1_MOTION, 1, shown.time_s, frame, frame, _F1_PLAYER,
            _F1_ONE_PLAYER,
        )  # fmt: skip
        motion = shown.motion
        place, velocity = _place_and_speed(motion)
        forward, right = _axes(motion)
        directions = [round(32_767.0 * one) for one in (*forward, *right)]
        car = _F1_CAR.pack(*place, *velocity, *directions, *[0.0] * 6)
        other = _F1_CAR.pack(*[0.0] * 6, 0, 0, -32_767, 32_767, 0, 0, *[0.0] * 6)
        cars = [car if index == _F1_PLAYER else other for index in range(_F1_CARS)]
        return (Packed(head + b"".join(cars)),)


class Forza(Silent):
    """Encoder of Data Out: Sled, and zeros where a longer format is longer.

    X is right, Y up, Z forward, left-handed: a turn is positive clockwise seen from the axis' end
    towards the origin, as DirectX has it. Its roads are a little rough, for a packet without a
    place that stays the same for long counts as frozen.

    Args:
        length: of the format [bytes].
    """

    def __init__(self, length: int = _FORZA_BYTES[0]) -> None:
        self._more = bytes(length - _FORZA.size)

    def pack(self, shown: Telemetry) -> tuple[Packed, ...]:
        """Encode one packet; the race is not on while it is paused."""
        motion = shown.motion
        p, q, r = motion.omega_rad_s
        phi, theta, psi = to_euler(motion.attitude)
        forward, right, down = acceleration(motion)
        down += _ROUGH_M_S2 * math.sin(_ROUGH_RAD_M * sum(motion.position_m[:2]))
        data = _FORZA.pack(
            int(not shown.paused), round(1e3 * max(shown.time_s, 0.0)) % 2**32,
            8000.0, 800.0, 3000.0,
            *_right_up_forward((forward, right, down)), *_right_up_forward(motion.v_m_s),
            -q, r, -p,
            psi, -theta, -phi,
        )  # fmt: skip
        return (Packed(data + self._more),)


def _right_up_forward(frd: Vector) -> Vector:
    forward, right, down = frd
    return (right, -down, forward)


class OutSim(Silent):
    """Encoder of Live for Speed with ``OutSim Opts 0`` and ``OutSim ID 0``.

    X is right, Y forward, Z up of a car whose heading is 0; heading is anticlockwise from above.
    """

    def pack(self, shown: Telemetry) -> tuple[Packed, ...]:
        """Encode one packet; its position wraps around after 32 km."""
        motion = shown.motion
        phi, theta, psi = to_euler(motion.attitude)
        north, east, down = to_earth(motion.attitude, motion.v_m_s)
        north_m, east_m, down_m = motion.position_m
        place = [_int32(_OUTSIM_METRE * one) for one in (east_m, north_m, -down_m)]
        data = _OUTSIM.pack(
            round(1e3 * max(shown.time_s, 0.0)) % 2**32, 0.0, 0.0, 0.0, -psi, theta, phi,
            0.0, 0.0, 0.0, east, north, -down, *place,
        )  # fmt: skip
        return (Packed(data),)


def _int32(number: float) -> int:
    """Round to a whole number that wraps around in 32 bits."""
    return (round(number) + 2**31) % 2**32 - 2**31


class Opentrack(Silent):
    """Encoder of six doubles: right, up, backward [cm], yaw, pitch, roll [deg] of a pose."""

    def pack(self, shown: Telemetry) -> tuple[Packed, ...]:
        """Encode one packet."""
        surge, sway, heave, roll, pitch, yaw = pose_of(shown.motion)
        place = [100.0 * one for one in (sway, heave, -surge)]
        return (Packed(struct.pack("<6d", *place, *map(math.degrees, (yaw, pitch, roll)))),)


GAMES: Final[dict[str, tuple[Callable[[int], Wire], tuple[int, ...]]]] = {
    "codemasters": (lambda length: Codemasters(), (264,)),
    "f1_23": (lambda length: F1(), (1349,)),
    "forza": (Forza, _FORZA_BYTES),
    "outsim": (lambda length: OutSim(), (64,)),
    "opentrack": (lambda length: Opentrack(), (48,)),
}
"""Wire of a length, and permitted lengths of its packets, the usual one first [bytes], by name."""


def game(name: str, length: int | None = None) -> Wire:
    """Make the wire of a game.

    Args:
        name: one of `GAMES`.
        length: of a packet [bytes]; None for the usual one.

    Raises:
        ValueError: if the game has no packet of this length.
    """
    make, lengths = GAMES[name]
    if length is not None and length not in lengths:
        known = ", ".join(map(str, lengths))
        raise ValueError(f"length = {length}: packets of {name} have {known} bytes")
    return make(lengths[0] if length is None else length)
