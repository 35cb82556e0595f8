"""A number that goes smoothly to where it is wanted: gains, shares, fades."""

from __future__ import annotations

from hil.hosts.watch.watchdogs import window


class Ramp:
    """A number that changes smoothly: a new target is reached in a given time, from wherever it is.

    Args:
        value: at first.
    """

    def __init__(self, value: float) -> None:
        self.value: float = value
        """Value now."""
        self._from = self.aim = value
        """Target of the number."""
        self._passed_s = self._length_s = 0.0

    def go(self, aim: float, length_s: float) -> None:
        """Begin to go somewhere; nothing changes if it goes there already."""
        if aim != self.aim:
            self._from, self.aim = self.value, aim
            self._passed_s, self._length_s = 0.0, length_s

    def jump(self, value: float) -> None:
        """Set the number at once."""
        self.value = self._from = self.aim = value
        self._passed_s = self._length_s = 0.0

    def step(self, period_s: float) -> float:
        """Advance by a cycle; return the number then."""
        if self.value != self.aim or self._passed_s < self._length_s:
            self._passed_s += period_s
            if self._passed_s >= self._length_s:
                self.value = self.aim
            else:
                share = window(self._passed_s / self._length_s)
                self.value = self._from + share * (self.aim - self._from)
        return self.value
