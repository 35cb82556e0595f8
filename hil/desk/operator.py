"""The operator's request in this cycle: the desk's newest order, read once, and the dead-man.

Presses come as counters, so that none is lost and none is obeyed twice. A counter that falls (a
desk that began anew) is no press. One that comes late, or was made by an owner who is none any
more, does not count: only a stop does whenever it comes.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

from hil.desk.order import BUTTONS, DEAD_MAN_S, Button, OperatorOrder

DeadManRule = Literal["hold", "presence"]
"""``hold``: someone presses hold-to-run; ``presence``: the panel's sign of life is enough."""

AHEAD_MAX_S = 0.05
"""A sign of life further in the future than this [s] is no time of this machine's clock."""

PRESS_AGE_MAX_S = 0.3
"""A press older than this [s] was meant for a moment that is over."""

NOTHING_YET = OperatorOrder()


class OrderSource(Protocol):
    """Source of orders."""

    def read(self) -> OperatorOrder | None:
        """Return the newest order, None if there is nothing new that can be trusted."""
        ...


@dataclass(frozen=True, slots=True)
class OperatorRequest:
    """The operator's request in one cycle."""

    order: OperatorOrder
    """The newest order."""
    held: bool
    """The dead-man counts as held."""
    pressed: tuple[Button, ...]
    """The buttons pressed since the last cycle, in the enum's order."""
    stale: tuple[tuple[Button, str], ...] = ()
    """Those whose press does not count, and why."""


class Operator:
    """Reads the desk's slot.

    Args:
        ageless: buttons that count however late they come, and whoever pressed them.
    """

    def __init__(
        self,
        source: OrderSource,
        now_s: Callable[[], float],
        rule: DeadManRule = "hold",
        ageless: tuple[Button, ...] = (Button.HOLD,),
    ) -> None:
        self._source = source
        self._now_s = now_s
        self._by_hold = rule == "hold"
        self.rule: DeadManRule = rule
        self._ageless = ageless
        self._order = NOTHING_YET

    @property
    def seen(self) -> tuple[int, ...]:
        """Presses taken so far, one counter for each button."""
        return self._order.presses

    def poll(self) -> OperatorRequest:
        """Read the slot; called once in every cycle."""
        before, order = self._order, self._source.read()
        risen: list[tuple[Button, str]] = []
        if order is None:
            order = before
        elif order.presses != before.presses:
            counts = enumerate(zip(order.presses, before.presses, strict=True))
            risen = [(BUTTONS[k], self._stale(order, k)) for k, (now, then) in counts if now > then]
        self._order = order
        pressed = tuple(button for button, why in risen if not why)
        return OperatorRequest(
            order, self._held(order), pressed, tuple(one for one in risen if one[1])
        )

    def _stale(self, order: OperatorOrder, index: int) -> str:
        """Return why the newest press of a button does not count; empty if it does."""
        if BUTTONS[index] in self._ageless:
            return ""
        age_s = self._now_s() - order.pressed_s[index]
        if not -AHEAD_MAX_S <= age_s <= PRESS_AGE_MAX_S:
            return f"the press is {age_s:.2f} s old; at most {PRESS_AGE_MAX_S} s"
        if order.press_ownings[index] != order.owning:
            return "the motion has changed hands since the press"
        return ""

    def _held(self, order: OperatorOrder) -> bool:
        # Comparisons that a stamp which is not a number fails.
        alive = -AHEAD_MAX_S <= self._now_s() - order.stamp_s <= DEAD_MAN_S
        return alive and (order.held or not self._by_hold)
