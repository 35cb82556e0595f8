"""Homing methods of CiA 402-2, clause "Homing methods": 17 to 22, 35 and 37.

A switch method finds its switch fast (6099h sub 1) and then goes slowly (sub 2) over the edge that
becomes the home position, always in the direction that the standard draws. Methods 17 to 22 are
methods 1 to 6 without the index pulse. In the standard's words "positive home switch" (19, 20) is
active towards the positive end and "negative home switch" (21, 22) towards the negative end. The
plant of this rack has a negative one, so 19 and 20 run into a limit switch and end with a homing
error, as they would on a machine.

Not modelled: methods with index pulse (1 to 14, 33, 34), methods against a hard stop, time-outs.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final

from sim.devices.drive.rods import Switch


class Phase(Enum):
    """How far a homing has got."""

    SEEK = "seek"
    """Fast, until the switch is active, for methods whose last move enters it."""
    AWAY = "away"
    """Fast, until the switch has the state that it has before the last move."""
    EDGE = "edge"
    """Slow, towards the edge that is the home position."""
    STOPPING = "stopping"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Method:
    """One switch method."""

    switch: Switch
    """The switch that is looked for."""
    active_side: int
    """Direction in which the switch is active, -1 or 1."""
    last_direction: int
    """Direction of the last, slow move over the edge, -1 or 1."""


SWITCH_METHODS: Final = {
    17: Method(Switch.NEGATIVE_LIMIT, -1, 1),
    18: Method(Switch.POSITIVE_LIMIT, 1, -1),
    19: Method(Switch.HOME, 1, -1),
    20: Method(Switch.HOME, 1, 1),
    21: Method(Switch.HOME, -1, 1),
    22: Method(Switch.HOME, -1, -1),
}
HERE_METHODS: Final = (35, 37)
"""Methods that take the current position as home; 35 is the older number of 37."""
METHODS: Final = (*SWITCH_METHODS, *HERE_METHODS)


@dataclass(frozen=True, slots=True)
class Advice:
    """What a homing wants next."""

    direction: int
    """-1, 0 or 1."""
    slow: bool = False
    """Whether to use the speed for the zero (6099h sub 2) instead of that for the switch."""
    latch: bool = False
    """Whether the edge just passed is the home position."""


class SwitchHoming:
    """One homing by a switch.

    Args:
        method: The method (6098h), one of `SWITCH_METHODS`.
    """

    __slots__ = ("_before", "_method", "phase")

    def __init__(self, method: int) -> None:
        self._method = SWITCH_METHODS[method]
        leaves = self._method.active_side != self._method.last_direction
        self._before = leaves  # state of the switch before the edge that is looked for
        self.phase = Phase.AWAY if leaves else Phase.SEEK

    @property
    def switch(self) -> Switch:
        """The switch that is looked for."""
        return self._method.switch

    def advance(
        self, active: bool, at_negative_limit: bool, at_positive_limit: bool, at_rest: bool
    ) -> Advice:
        """Decide on the next substep.

        Args:
            active: Whether the switch of the method is active.
            at_negative_limit: Whether the negative limit switch is active.
            at_positive_limit: Whether the positive limit switch is active.
            at_rest: Whether the rod stands.
        """
        method = self._method
        before = self._before
        if self.phase is Phase.SEEK and active:
            self.phase = Phase.AWAY
        if self.phase is Phase.SEEK:
            return self._refuse_blocked(
                method.active_side, False, at_negative_limit, at_positive_limit
            )
        if self.phase is Phase.AWAY and active == before:
            self.phase = Phase.EDGE
        if self.phase is Phase.AWAY:
            direction = method.active_side if before else -method.active_side
            return self._refuse_blocked(direction, False, at_negative_limit, at_positive_limit)
        if self.phase is Phase.EDGE:
            if active != before:
                self.phase = Phase.STOPPING
                return Advice(0, slow=True, latch=True)
            return self._refuse_blocked(
                method.last_direction, True, at_negative_limit, at_positive_limit
            )
        if self.phase is Phase.STOPPING and at_rest:
            self.phase = Phase.DONE
        return Advice(0)

    def _refuse_blocked(
        self, direction: int, slow: bool, at_negative_limit: bool, at_positive_limit: bool
    ) -> Advice:
        """Refuse to run into a limit switch that is not the one looked for."""
        switch = self._method.switch
        blocked = (direction < 0 and at_negative_limit and switch is not Switch.NEGATIVE_LIMIT) or (
            direction > 0 and at_positive_limit and switch is not Switch.POSITIVE_LIMIT
        )
        if blocked:
            self.phase = Phase.FAILED
            return Advice(0)
        return Advice(direction, slow)
