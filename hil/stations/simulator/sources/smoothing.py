"""Low-pass that removes what is too fast for a platform from a live vehicle's motion."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final

from hil.config.errors import ConfigError, MotionError, about
from hil.stations.platform.motion.lowpass import LiveLowPass
from hil.stations.simulator.plan.source import Surroundings
from platform6dof.cueing.vehicle import Quaternion, VehicleState

LEAST: Final = 1e-3
"""Least length of a mean of attitudes that is still a turn: a shorter mean turned all about [1]."""


class SmoothedStates:
    """A low-pass for all quantities of a vehicle, an attitude by its quaternion's numbers.

    Args:
        lowpass: through each number.
    """

    def __init__(self, lowpass: LiveLowPass) -> None:
        self._lowpass = lowpass
        self.reset()

    def reset(self) -> None:
        """The next state does not continue what was."""
        self._lowpass.reset()
        self._attitude: Quaternion | None = None

    def step(self, state: VehicleState) -> VehicleState:
        """Return the state of a cycle, without what is faster than the corner, and later."""
        turned = state.attitude
        last = self._attitude or turned
        if sum(a * b for a, b in zip(last, turned, strict=True)) < 0.0:  # the same, the other sign
            turned = (-turned[0], -turned[1], -turned[2], -turned[3])
        self._attitude = turned
        vectors = (
            state.f_m_s2,
            state.omega_rad_s,
            state.domega_rad_s2,
            state.v_m_s,
            state.position_m,
        )
        values = self._lowpass.step([*turned, *(one for vector in vectors for one in vector)])
        w, x, y, z = values[:4]
        length = math.hypot(w, x, y, z)
        attitude = (w / length, x / length, y / length, z / length) if length > LEAST else turned
        f, omega, domega, v, position = (
            (values[at], values[at + 1], values[at + 2]) for at in range(4, 19, 3)
        )
        return replace(
            state, f_m_s2=f, omega_rad_s=omega, domega_rad_s2=domega, v_m_s=v, position_m=position,
            attitude=attitude,
        )  # fmt: skip


def smoothing(corner_hz: float | None, around: Surroundings) -> SmoothedStates | None:
    """Return the low-pass of a host's map at the loop's rate; None for a map without.

    Raises:
        ConfigError: if the corner is not below half the loop's rate.
    """
    if corner_hz is None:
        return None
    try:
        return SmoothedStates(LiveLowPass(corner_hz, around.period_s))
    except MotionError as error:
        line = f"source.map: {error}"
        raise ConfigError(str(around.scenario_file), [about("source.map", line)]) from None
