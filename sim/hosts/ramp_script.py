"""A vehicle whose speed, turn, pitch and heave are scripted as ramps.

Attitude, rates, force and acceleration follow in closed form; the position is the integral of the
velocity. It leans into its turns by a chosen share of what would leave no force to the side.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Final

from sim.hosts.jet import Jet, Ramp, integral, value
from sim.hosts.vehicle_motion import (
    GRAVITY_M_S2,
    Quaternion,
    Vector,
    VehicleMotion,
    add,
    cross,
    from_euler,
    scaled,
    to_body,
    to_earth,
)

_STEP_S: Final = 0.02
_SIMPSON: Final = ((0.0, 1.0), (0.5, 4.0), (1.0, 1.0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """Script of a driver or pilot."""

    lasts_s: float
    """Duration [s]; the vehicle keeps its final motion after it."""
    speed_m_s: tuple[Ramp, ...]
    """Speed along the nose."""
    turn_rad_s: tuple[Ramp, ...] = ()
    """Rate of the heading."""
    pitch_rad: tuple[Ramp, ...] = ()
    """Pitch, nose up; beyond 90 degrees it is a loop."""
    heave_m_s: tuple[Ramp, ...] = ()
    """Velocity along the body's axis that points down."""
    lean: float = 1.0
    """Share of a turn's bank that leaves no force to the side; negative leans out of it."""
    begins_m: Vector = (0.0, 0.0, 0.0)
    airborne_s: tuple[float, float] = (math.inf, math.inf)
    """Begin and end of the time with its wheels in the air [s]."""


@dataclass(slots=True)
class Scripted:
    """Motion of a script, for any time."""

    script: Script
    _times_s: list[float] = field(init=False)
    _places: list[Vector] = field(init=False)

    def __post_init__(self) -> None:
        count = math.ceil(self.script.lasts_s / _STEP_S) + 1
        self._times_s = [index * _STEP_S for index in range(count)]
        place = self.script.begins_m
        self._places = [place]
        for begin_s in self._times_s[1:]:
            place = add(place, self._path(begin_s - _STEP_S, begin_s))
            self._places.append(place)

    @property
    def lasts_s(self) -> float:
        """Duration of the script [s]."""
        return self.script.lasts_s

    def at(self, t_s: float) -> VehicleMotion:
        """Motion of the vehicle at a time [s]; before 0 as at 0."""
        script, t_s = self.script, max(t_s, 0.0)
        speed, turn, pitch, heave, bank = self._jets(t_s)
        v, dv = (speed.x, 0.0, heave.x), (speed.d, 0.0, heave.d)
        sin_b, cos_b, sin_p, cos_p = bank.sin(), bank.cos(), pitch.sin(), pitch.cos()
        dbank, dpitch = Jet(bank.d, bank.dd), Jet(pitch.d, pitch.dd)
        p = dbank - turn * sin_p
        q = dpitch * cos_b + turn * sin_b * cos_p
        r = turn * cos_b * cos_p - dpitch * sin_b
        omega = (p.x, q.x, r.x)
        attitude = from_euler(bank.x, pitch.x, integral(script.turn_rad_s, t_s))
        gravity = to_body(attitude, (0.0, 0.0, GRAVITY_M_S2))
        begin_s, end_s = script.airborne_s
        return VehicleMotion(
            add(add(dv, cross(omega, v)), scaled(gravity, -1.0)),
            omega,
            (p.d, q.d, r.d),
            attitude,
            v,
            self._place(t_s),
            ground=not begin_s <= t_s < end_s,
        )

    def _jets(self, t_s: float) -> tuple[Jet, Jet, Jet, Jet, Jet]:
        script = self.script
        speed, turn = value(script.speed_m_s, t_s), value(script.turn_rad_s, t_s)
        bank = (speed * turn).times(script.lean / GRAVITY_M_S2).atan()
        return speed, turn, value(script.pitch_rad, t_s), value(script.heave_m_s, t_s), bank

    def _velocity(self, t_s: float) -> Vector:
        speed, _, pitch, heave, bank = self._jets(t_s)
        attitude: Quaternion = from_euler(bank.x, pitch.x, integral(self.script.turn_rad_s, t_s))
        return to_earth(attitude, (speed.x, 0.0, heave.x))

    def _path(self, begin_s: float, end_s: float) -> Vector:
        """Integrate the velocity over one step by Simpson's rule [m]."""
        total, span = (0.0, 0.0, 0.0), end_s - begin_s
        for share, weight in _SIMPSON:
            velocity = self._velocity(begin_s + share * span)
            total = add(total, scaled(velocity, weight * span / 6.0))
        return total

    def _place(self, t_s: float) -> Vector:
        index = min(bisect_right(self._times_s, t_s), len(self._times_s)) - 1
        begin_s, place = self._times_s[index], self._places[index]
        parts = max(1, math.ceil((t_s - begin_s) / _STEP_S - 1e-9))
        span = (t_s - begin_s) / parts
        for part in range(parts):
            place = add(place, self._path(begin_s + part * span, begin_s + (part + 1) * span))
        return place
