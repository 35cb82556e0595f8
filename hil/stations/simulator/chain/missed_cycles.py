"""Motion of a vehicle in cycles that control missed, made up for in the next one.

The gate bridges a cycle without a setpoint at constant speed, and control finds itself some cycles
later. A step-by-step computation then makes as many steps as cycles have passed; the source's
states in between were not received, so it follows the parabola through the states of the two cycles
before and of this one. A straight line would ask a vehicle that turns round at 50 cycles a second
for more than its motion.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hil.hosts.watch.parabola import Parabola, StateFit
from hil.hosts.watch.states import HostReading
from platform6dof.cueing.vehicle import REST, VehicleState

WeightedState = tuple[VehicleState, float]
"""Motion of a vehicle in a cycle, and the share of it that is wanted."""
Points = Sequence[tuple[int, VehicleState]]
"""Readings, with the cycle of each."""


class MissedCycles:
    """Keeps readings, so that missed cycles can be made up for.

    Args:
        most: so many steps are made in a cycle at most.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._cycle = 0
        self._weight = 0.0
        self._points: list[tuple[int, VehicleState]] = []

    def states_in(self, now: HostReading, passed: int) -> Iterator[WeightedState]:
        """Make a state for each of the cycles since the last one made; the last is now's.

        Args:
            passed: how many have passed, at least 1.
        """
        cycles, before = min(passed, self._most), self._cycle
        self._cycle += cycles
        if now.anchor:  # what was does not lead here
            self._points.clear()
        elif passed > cycles:  # its motion from there is unknown: evenly
            del self._points[:-1]
        state = REST if now.state is None else now.state
        points = [*self._points, (self._cycle, state)]
        was, self._weight = self._weight, now.weight
        self._points = [] if now.state is None else points[-2:]
        for cycle in range(1, cycles):
            weight = was + cycle / cycles * (now.weight - was)
            yield between(points, before + cycle), weight
        yield state, now.weight


def between(points: Points, cycle: int) -> VehicleState:
    """Fit a parabola through states, a line through two; flags and the like are the last's.

    Args:
        points: one to three, the newest last.
    """
    newest = points[-1][1]
    if len(points) == 1:
        return newest
    weights = Parabola([at for at, _ in points]).weights(cycle)
    states = [state for _, state in points]
    t_s = sum(weight * state.t_s for weight, state in zip(weights, states, strict=True))
    return StateFit(states).combine(weights, t_s)
