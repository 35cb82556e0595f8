"""Stops that were asked for, until a desk has answered them: a stop is what must not get lost.

A desk that hangs takes a packet into its buffer and answers nothing; one that dies then takes the
packet with it. A planned arm is held by nobody and goes on meanwhile, so people are told within
`SILENT_S` that they must stop it in another way, and the next desk is asked at once.
"""

import math
from collections import deque
from collections.abc import Callable
from typing import Final

from hil.desk import messages as m

SILENT_S: Final = 0.3
"""A stop that was not answered for so long [s] is to be made in another way."""


class Stops:
    """The stops of one panel that no desk has answered yet."""

    def __init__(self) -> None:
        self._due: deque[m.Stop] = deque()
        self._numbers: set[int] = set()
        self._since_s = math.inf

    def __contains__(self, number: int) -> bool:
        """Whether the question of a number is a stop without an answer."""
        return number in self._numbers

    @property
    def waiting(self) -> bool:
        """Whether a stop has no answer yet."""
        return bool(self._numbers)

    def ask(self, message: m.Stop, now_s: float) -> None:
        """Ask for a stop."""
        self._due.append(message)
        self._numbers.add(message.id)
        self._since_s = min(self._since_s, now_s)

    def hand_out(self, send: Callable[[m.Stop], bool]) -> bool:
        """Hand out what is due, in order, until one is not taken.

        Returns:
            Whether all were taken.
        """
        while self._due and send(self._due[0]):
            self._due.popleft()
        return not self._due

    def answered(self, number: int) -> None:
        """Note that a question was answered, a stop or another one."""
        self._numbers.discard(number)
        if not self._numbers:
            self.settle()

    def settle(self) -> None:
        """Wait for no answer any more."""
        self._due.clear()
        self._numbers.clear()
        self._since_s = math.inf

    def again(self, message: m.Stop) -> None:
        """Put one stop in the place of all that wait, for the next desk; the wait continues."""
        since_s = self._since_s
        self.settle()
        self.ask(message, since_s)

    def text_at(self, now_s: float, *, desk: bool) -> str:
        """Return what people must know at a moment [s]; empty if all is as it should be.

        Args:
            desk: whether there is one that could answer.
        """
        if not self.waiting:
            return ""
        if not desk:
            return (
                "No desk hears the stop: use the emergency stop / Ctrl-C at the terminal. "
                "The run's next desk is asked at once."
            )
        silent_s = now_s - self._since_s
        if silent_s < SILENT_S:
            return ""
        return (
            "No answer to the stop for {silent_s} s: use the emergency stop / Ctrl-C "
            "at the terminal."
        ).format(silent_s=f"{silent_s:.1f}")
