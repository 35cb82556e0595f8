"""A flight made by our own script: take-off run, climb, turns, a bump, landing; with a loop, too.

The aeroplane flies along its nose, and its turns leave no force to the side.
Not modelled: aerodynamics, wind, engines; for these there is `jsbsim_flight`.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Final

from sim.hosts.jet import Ramp, pulse
from sim.hosts.ramp_script import Script, Scripted

CRUISE_M_S: Final = 55.0
_GLIDE_RAD: Final = math.radians(-6.0)
_LIFT_OFF_S: Final = 14.0


@cache
def scripted_flight(*, loop: bool = False, rest_s: float = 1.0) -> Scripted:
    """Fly the script.

    Args:
        loop: whether a loop through 90 degrees of pitch is flown between turn and landing; it
            takes 24 s and pulls up to 2.7 g.
        rest_s: how long the aeroplane rests before it rolls [s].

    Returns:
        About 100 s of flight (125 s with the loop), from rest to rest.
    """
    loop_s = 24.0 if loop else 0.0
    dive_s = rest_s + 60.0 + loop_s
    plain = _script(rest_s, loop, dive_s, 0.0)
    sinks = CRUISE_M_S * math.sin(-_GLIDE_RAD)
    high_m = -Scripted(plain).at(plain.lasts_s).position_m[2]
    glide_s = high_m / sinks
    if glide_s < 0.0:
        raise ValueError(f"the flight ends {high_m:g} m above its runway: it must come down")
    return Scripted(_script(rest_s, loop, dive_s, glide_s))


def _script(rest_s: float, loop: bool, dive_s: float, glide_s: float) -> Script:
    begin_s = rest_s
    lift_s = begin_s + _LIFT_OFF_S
    flare_s = dive_s + 3.0 + glide_s
    touch_s = flare_s + 3.0
    pitch = (
        Ramp(lift_s, 3.0, math.radians(8.0)),
        Ramp(lift_s + 12.0, 4.0, math.radians(-8.0)),
        Ramp(dive_s, 3.0, _GLIDE_RAD),
        Ramp(flare_s, 3.0, -_GLIDE_RAD),
    )
    if loop:
        pitch = (*pitch, Ramp(dive_s - 24.0, 22.0, 2.0 * math.pi))
    return Script(
        lasts_s=touch_s + 20.0,
        speed_m_s=(Ramp(begin_s, 16.0, CRUISE_M_S), Ramp(touch_s + 1.0, 16.0, -CRUISE_M_S)),
        turn_rad_s=(
            *pulse(begin_s + 31.0, 3.0, 5.0, math.radians(-6.0)),
            *pulse(begin_s + 44.0, 3.0, 5.0, math.radians(8.0)),
        ),
        pitch_rad=pitch,
        heave_m_s=(
            *pulse(begin_s + 57.0, 0.4, 0.1, 0.8),
            *pulse(begin_s + 57.9, 0.4, 0.1, -0.8),
            *pulse(touch_s, 0.2, 0.0, -0.3),
            *pulse(touch_s + 0.4, 0.2, 0.0, 0.3),
        ),
        airborne_s=(lift_s, touch_s),
    )


@cache
def scripted_drive(*, rest_s: float = 1.0) -> Scripted:
    """Drive a car from rest to rest: it starts, takes bends and a bump, and brakes; about 60 s.

    Its body leans out of the turns a little, as cars do.
    """
    b = rest_s
    return Scripted(
        Script(
            lasts_s=b + 58.0,
            speed_m_s=(
                Ramp(b, 7.0, 14.0),
                Ramp(b + 17.0, 3.0, -5.0),
                Ramp(b + 27.0, 4.0, 8.0),
                Ramp(b + 47.0, 5.0, -17.0),
            ),
            turn_rad_s=(
                *pulse(b + 10.0, 1.2, 3.0, math.radians(12.0)),
                *pulse(b + 20.0, 1.5, 3.0, math.radians(-22.0)),
                *pulse(b + 35.0, 1.5, 1.0, math.radians(9.0)),
                *pulse(b + 39.0, 1.5, 1.0, math.radians(-9.0)),
            ),
            pitch_rad=(
                *pulse(b + 0.5, 1.5, 3.0, math.radians(1.0)),
                *pulse(b + 47.5, 1.2, 2.0, math.radians(-1.2)),
            ),
            heave_m_s=(
                *pulse(b + 15.0, 0.2, 0.0, -0.25),
                *pulse(b + 15.4, 0.2, 0.0, 0.25),
            ),
            lean=-0.15,
        )
    )
