"""What a vehicle did in cycles that control was not there for, made up for in the next one.

The gate bridges a cycle without a setpoint at constant speed, and control finds itself some cycles
later. Whatever goes step by step then makes as many steps as cycles have passed; what its source
told in between nobody heard, so it goes along the parabola through what was heard in the two cycles
before and what is heard now. A straight line would ask a vehicle that turns round at 50 cycles a
second for more than its motion.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from hil.hosts.watch.packet_follower import combine_states, parabola_weights
from hil.hosts.watch.states import Heard
from platform6dof.cueing.vehicle import REST, VehicleState

WeightedState = tuple[VehicleState, float]
"""What a vehicle does in a cycle, and the share of it that is wanted."""
Points = Sequence[tuple[int, VehicleState]]
"""What was heard, and in which cycle."""


class MissedCycles:
    """Remembers what was heard, so that missed cycles can be made up for.

    Args:
        most: so many steps are made in a cycle at most.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._cycle = 0
        self._weight = 0.0
        self._points: list[tuple[int, VehicleState]] = []

    def states_in(self, now: Heard, passed: int) -> Iterator[WeightedState]:
        """What to follow in each of the cycles since the last one that was made; the last is now's.

        Args:
            passed: how many have passed, at least 1.
        """
        cycles, before = min(passed, self._most), self._cycle
        self._cycle += cycles
        if now.anchor:  # what was does not lead here
            self._points.clear()
        elif passed > cycles:  # nobody knows how it went on from there: evenly
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
    """A state on the parabola through others, a line through two; flags and the like of the last.

    Args:
        points: one to three, the newest last.
    """
    newest = points[-1][1]
    if len(points) == 1:
        return newest
    weights = parabola_weights([at for at, _ in points], cycle)
    states = [state for _, state in points]
    t_s = sum(weight * state.t_s for weight, state in zip(weights, states, strict=True))
    return replace(combine_states(weights, states), t_s=t_s)
