"""Packets of games laid out by `struct` from the public documents that the maps name.

Nothing of the maps or of their codec is here. A vehicle is a rotation matrix of body axes forward,
right, down in north, east, down, with a velocity and a place; SI.
"""

import math
import struct
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Moving:
    """A vehicle at a moment."""

    t_s: float
    roll: float
    pitch: float
    heading: float
    v_m_s: tuple  # north, east, down
    p_m: tuple  # north, east, down

    @property
    def axes(self):
        """Forward, right, down in north, east, down as columns (Diebel 2006, equation 67)."""
        cr, sr = math.cos(self.roll), math.sin(self.roll)
        cp, sp = math.cos(self.pitch), math.sin(self.pitch)
        cy, sy = math.cos(self.heading), math.sin(self.heading)
        return np.array([
            [cp * cy, sr * sp * cy - cr * sy, cr * sp * cy + sr * sy],
            [cp * sy, sr * sp * sy + cr * cy, cr * sp * sy - sr * cy],
            [-sp, sr * cp, cr * cp],
        ])  # fmt: skip


def east_up_south(vector):
    """A vector as games of Codemasters have it."""
    north, east, down = vector
    return east, -down, -north


def codemasters(at):
    """66 floats: time, lap, distances, place, speed, velocity, right, forward, and the rest."""
    right, forward = at.axes[:, 1], at.axes[:, 0]
    numbers = [at.t_s, 1.0, 2.0, 3.0, *east_up_south(at.p_m), math.hypot(*at.v_m_s)]
    numbers += [*east_up_south(at.v_m_s), *east_up_south(right), *east_up_south(forward)]
    return struct.pack("<66f", *numbers, *([7.0] * (66 - len(numbers))))


def f1_23(at, car=3, packet_id=0, year=2023):
    """A header of 29 bytes and 22 cars of 60."""
    head = struct.pack("<HBBBBBQfIIBB", year, 23, 1, 19, 1, packet_id, 77, at.t_s, 5, 6, car, 255)
    assert len(head) == 29
    cars = []
    for index in range(22):
        far = 0.0 if index == car else 1000.0 + index
        place = [one + far for one in east_up_south(at.p_m)]
        speed = [one + far for one in east_up_south(at.v_m_s)]
        axes = [round(32767.0 * one) for column in (0, 1)
                for one in east_up_south(at.axes[:, column])]  # fmt: skip
        cars.append(struct.pack("<6f6h6f", *place, *speed, *axes, *([0.1] * 6)))
    return head + b"".join(cars)


def outsim(at):
    """OutSimPack without ID: Z up, Y at heading 0, X to the right of it; 1 m = 65536."""
    north, east, down = at.v_m_s
    place = [round(65536 * one) for one in (at.p_m[1], at.p_m[0], -at.p_m[2])]
    return struct.pack(
        "<I3f3f3f3f3i", round(1000 * at.t_s), 0.1, 0.2, 0.3, -at.heading, at.pitch, at.roll,
        9.0, 9.0, 9.0, east, north, -down, *place,
    )  # fmt: skip


def forza(at, length=311, race_on=1, acceleration=(0.0, 0.0, 0.0), rates=(0.0, 0.0, 0.0)):
    """Sled, and what each format has behind it; turns about X, Y, Z are left-handed.

    Args:
        acceleration: forward, right, down, without gravity [m/s²].
        rates: about forward, right, down [rad/s].
    """
    f, r, d = acceleration
    forward, right, down = at.axes.T @ np.array(at.v_m_s)
    p, q, yaw_rate = rates
    data = struct.pack(
        "<iI3f3f3f3f3f", race_on, round(1000 * at.t_s), 8000.0, 900.0, 3000.0, r, -d, f,
        right, -down, forward, -q, yaw_rate, -p, at.heading, -at.pitch, -at.roll,
    )  # fmt: skip
    return data + bytes([5]) * (length - len(data))


def opentrack(right_m, up_m, back_m, yaw, pitch, roll):
    """Six doubles, cm and degrees."""
    place = [100.0 * one for one in (right_m, up_m, back_m)]
    return struct.pack("<6d", *place, *map(math.degrees, (yaw, pitch, roll)))
