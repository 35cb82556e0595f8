"""The writer of the operator's order: each request changes one part, and all is written anew."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Final, TypeVar

from hil.desk import messages as m
from hil.desk.dead_man import ClientDeadMan
from hil.desk.order import BUTTONS, Button, OperatorOrder, Six, name_of

NOTHING_BEFORE: Final = OperatorOrder()
_T = TypeVar("_T")


class OrderWriter:
    """The order as it was written last.

    Args:
        before: what a desk before this one wrote last. Its counters continue, so that no press is
            taken twice or lost, and its tempo and motion stay; its owner, hold and pose do not.
    """

    def __init__(
        self, write: Callable[[OperatorOrder], None], before: OperatorOrder = NOTHING_BEFORE
    ) -> None:
        self._write = write
        self.order = before
        """What was last written."""
        self.disown()

    @property
    def wanted(self) -> m.Wanted:
        """Tempo and pose of it, as clients are given them."""
        return m.Wanted(override=self.order.override, pose=self.order.target)

    @property
    def newest_motion(self) -> m.NewMotion:
        """The motion of it, as clients are given it."""
        serial, table = self.order.motion_serial, self.order.motion_json
        return m.NewMotion(serial=serial, table=json.loads(table) if table else None)

    def _put(self, order: OperatorOrder) -> None:
        self.order = order
        self._write(order)

    def own(self, name: str, dead_man: ClientDeadMan) -> None:
        """The motion has an owner now."""
        order = replace(self.order, owner=name_of(name), owning=self.order.owning + 1)
        self._put(replace(order, stamp_s=dead_man.stamp_s, held=dead_man.firm))

    def disown(self) -> None:
        """Nobody owns the motion: no sign of life, no hold, no pose wanted."""
        order = replace(self.order, owner="", owning=self.order.owning + 1)
        self._put(replace(order, stamp_s=-math.inf, held=False, target=None))

    def sign_of_life(self, dead_man: ClientDeadMan) -> None:
        """The owner lives, or has been silent for too long."""
        self._put(replace(self.order, stamp_s=dead_man.stamp_s, held=dead_man.firm))

    def press(self, button: Button, name: str, now_s: float) -> None:
        """A button was pressed.

        Args:
            name: of the client that pressed it.
        """
        order, index = self.order, BUTTONS.index(button)
        self._put(
            replace(
                order,
                presses=_changed(order.presses, index, order.presses[index] + 1),
                pressed_s=_changed(order.pressed_s, index, now_s),
                press_ownings=_changed(order.press_ownings, index, order.owning),
                presser=name_of(name),
            )
        )

    def override(self, value: float) -> None:
        """A tempo is wanted, 0 to 1."""
        self._put(replace(self.order, override=value))

    def target(self, pose: Six | None) -> None:
        """A pose is wanted, or none any more."""
        self._put(replace(self.order, target=pose))

    def motion(self, table: bytes) -> None:
        """A motion has been proved; `table` is its ``[motion]`` as JSON."""
        serial = self.order.motion_serial + 1
        self._put(replace(self.order, motion_serial=serial, motion_json=table))


def _changed(values: tuple[_T, ...], index: int, value: _T) -> tuple[_T, ...]:
    return (*values[:index], value, *values[index + 1 :])
