"""Settings in force at a bench: tempo and pose as control is given them, and the motion it plays.

The desk tells what is wanted, whoever wanted it, and each new motion's table; control tells the
number of the motion that it plays. A panel that comes later knows the newest table and the
scenario's own: of another one it can only say the number.
"""

from typing import Any

from hil.desk import messages as m
from hil.desk.client import Message
from hil.desk.operation import DONE, Operation
from hil.desk.order import Button, Six


class InForce:
    """Tempo and pose that a bench was given, and the motion that it plays.

    It lasts as long as the run is shown: what was known of motions stays so with the next desk.
    """

    def __init__(self) -> None:
        self.override = 1.0
        """The tempo that is wanted, 0 to 1."""
        self.pose: Six | None = None
        """The pose that is wanted (x, y, z [m], alpha, beta, gamma [rad]); None if there is none.
        """
        self.newest = 0
        """Number of the newest motion that control was given; 0 for the scenario's own."""
        self.refused = ""
        """Why control does not take the newest motion; empty while it may."""
        self._tables: dict[int, dict[str, Any]] = {}
        self._operation: Operation | None = None

    def take_message(self, message: Message) -> None:
        """Take a message of the desk."""
        match message:
            case m.Wanted():
                self.override, self.pose = message.override, message.pose
            case m.NewMotion():
                self.newest, self.refused = message.serial, ""
                kept = {self.serial, self.newest}
                self._tables = {key: one for key, one in self._tables.items() if key in kept}
                if message.table is not None:
                    self._tables[message.serial] = message.table
                self._note_refusal()
            case _:
                pass

    def take(self, operation: Operation | None) -> None:
        """Take control's report, if there is one."""
        if operation is not None:
            self._operation = operation
            self._note_refusal()

    def _note_refusal(self) -> None:
        operation = self._operation
        if operation is not None and self.newest and operation.refused.serial == self.newest:
            self.refused = str(operation.refused)

    @property
    def serial(self) -> int | None:
        """Number of the motion that control plays; None until it is reported."""
        return None if self._operation is None else self._operation.motion_serial

    @property
    def tempo(self) -> float | None:
        """The tempo of what is followed now, 0 to 1; None while nothing is."""
        operation = self._operation
        return operation.override if operation is not None and operation.playing else None

    @property
    def objection(self) -> str:
        """Reason why control did not do the last press of play or pose; empty if it did."""
        refused = DONE if self._operation is None else self._operation.refused
        return str(refused) if refused.button in (Button.PLAY.value, Button.POSE.value) else ""

    def table(self, serial: int) -> dict[str, Any] | None:
        """The ``[motion]`` table in full of a number from 1 on; None if it is not known."""
        return self._tables.get(serial)
