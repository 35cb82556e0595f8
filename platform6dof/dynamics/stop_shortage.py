"""Stops begun at each moment of a motion: their forces, and what follows where drives lack force.

A stop that asks more force than the drives have is not wrong by itself: it may be over within
milliseconds. Drives at their limit brake the legs less, by J H^-1 J^T times what they lack, and so
the legs go further: after a controlled stop by no more than the gate's window at rest, after a
quick one not to the end of the stroke.
"""

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from platform6dof.dynamics.hardest import Extremes
from platform6dof.dynamics.machine import Machine
from platform6dof.dynamics.stops import (
    Decelerations,
    braked_along,
    braked_states,
    braking_lost,
    controlled,
    quick,
)
from platform6dof.pose import PlatformSetpoint

Array = NDArray[np.float64]

Law = Callable[[Array, Decelerations], Array]
"""Accelerations of the legs in a stop, of their speeds."""

WHOLE_MAX_S: Final = 300.0
"""Longest motion in which a stop is begun in every cycle [s]."""
STOPS_S: Final = 0.01
"""Time from stop to stop in a longer one [s]."""
JUDGED_MAX: Final = 200
"""Most stops of a block beyond the drives' force whose further distance is computed."""


def cycles_between_stops(duration_s: float, period_s: float) -> int:
    """Cycles from a stop to the next one that is judged."""
    return 1 if duration_s <= WHOLE_MAX_S else max(1, round(STOPS_S / period_s))


class StopShortage:
    """Collector of how much further legs go in stops that ask for more than their drives give.

    Args:
        machine: what moves.
        limits: decelerations of the stops.
        gives_n: force of the drives [N], shape (6,).
        window_m: distance that a leg may go further after a controlled stop [m].
        travel_m: closed and open lengths, between which a quick stop ends [m], shape (6,) each.
    """

    def __init__(
        self,
        machine: Machine,
        limits: Decelerations,
        gives_n: Array,
        window_m: float,
        travel_m: tuple[Array, Array],
    ) -> None:
        self._machine, self._limits, self._gives_n = machine, limits, gives_n
        self._travel_m = travel_m
        self.controlled = Extremes(np.full(6, window_m))
        """Distance beyond controlled stops [m]."""
        self.quick = Extremes(np.ones(6))
        """Distance beyond quick stops, as a share of the stroke that is left."""

    def take(
        self, law: Law, times_s: Array, setpoints: Array, states: Array, rows: Array,
        forces_n: Array,
    ) -> None:  # fmt: skip
        """Take a block of stops by one law, with the forces that they ask for, shape (N, 6)."""
        lacking = np.clip(forces_n, -self._gives_n, self._gives_n) - forces_n
        slowing = self._limits.controlled_m_s2 if law is controlled else self._limits.quick_m_s2
        stop_s = (np.abs(states[:, 1]) / slowing).max(axis=1)
        hard = np.abs(lacking).max(axis=1) * stop_s**2
        chosen = np.flatnonzero(hard > 0.0)
        if not len(chosen):
            return
        chosen = np.sort(chosen[np.argsort(hard[chosen])[-JUDGED_MAX:]])
        less = braking_lost(self._machine, setpoints[chosen], rows[chosen], lacking[chosen])
        closed, opened = self._travel_m
        further_m = np.minimum(0.5 * np.abs(less) * stop_s[chosen, None] ** 2, opened - closed)
        if law is controlled:
            self.controlled.take(times_s[chosen], further_m)
            return
        length, speed = states[chosen, 0], states[chosen, 1]
        end = length + 0.5 * speed * np.abs(speed) / slowing
        free_m = np.where(speed > 0.0, opened - end, end - closed)
        self.quick.take(times_s[chosen], further_m / np.maximum(free_m, 1e-9))


class StopForces:
    """Collector of the forces of a controlled and a quick stop begun at each of some setpoints.

    The controlled stop of each block that asks most of a leg is followed to its end.

    Args:
        machine: what moves.
        limits: decelerations of the stops.
        shortages: judges of drives, which see the same stops.
    """

    def __init__(
        self, machine: Machine, limits: Decelerations, shortages: Sequence[StopShortage] = ()
    ) -> None:
        self._machine, self._limits, self._shortages = machine, limits, shortages
        self.force = Extremes(np.full(6, np.inf))
        """Forces that the stops ask for [N]."""

    def take(self, times_s: Array, setpoints: Array, states: Array, rows: Array) -> None:
        """Take a block of packed setpoints, contiguous as their states and rows."""
        for law in (controlled, quick):
            wanted = law(states[:, 1], self._limits)
            forces_n = braked_states(self._machine, setpoints, states, rows, wanted).force_n
            self.force.take(times_s, forces_n)
            if law is controlled:
                self._follow(times_s, setpoints, forces_n)
            for shortage in self._shortages:
                shortage.take(law, times_s, setpoints, states, rows, forces_n)

    def _follow(self, times_s: Array, setpoints: Array, forces_n: Array) -> None:
        """Follow the hardest controlled stop of each leg to its end."""
        sizes = np.nan_to_num(np.abs(forces_n), nan=0.0)
        for row in set(sizes.argmax(axis=0).tolist()):
            setpoint = PlatformSetpoint.from_packed(setpoints[row].copy())
            along = braked_along(self._machine, setpoint, self._limits)
            self.force.take(np.full(len(along), times_s[row]), along)
