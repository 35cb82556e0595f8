"""A log of what has pressed on a plant: greatest forces in equal times, of bounded length."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

STEP_S: Final = 0.01
"""Time of one value, until there are too many of them."""
VALUES_MAX: Final = 100
"""Values of one touch; beyond them two become one."""
TOUCHES_MAX: Final = 50
"""Touches that are kept; the last is all further ones together."""
FURTHER: Final = "further touches"
"""What that is called."""
APART_S: Final = 0.1
"""After so long without force the next one is another touch."""

TouchRow = tuple[str, float, float, tuple[float, ...]]
"""Who pressed on whom, since when [s], time of one value [s], greatest forces in it [N]."""


@dataclass(slots=True)
class _Touch:
    """One time that two bodies pressed on each other."""

    between: str
    start_s: float
    step_s: float = STEP_S
    forces_n: list[float] = field(default_factory=list[float])
    newest_s: float = 0.0

    def note(self, time_s: float, force_n: float) -> None:
        self.newest_s = time_s
        while (at := int((time_s - self.start_s) / self.step_s + 1e-9)) >= VALUES_MAX:
            self.step_s *= 2.0
            even = self.forces_n + [0.0] * (len(self.forces_n) % 2)
            self.forces_n = [max(pair) for pair in zip(even[::2], even[1::2], strict=True)]
        self.forces_n += [0.0] * (at + 1 - len(self.forces_n))
        self.forces_n[at] = max(self.forces_n[at], force_n)


class TouchLog:
    """What has pressed on a plant since the log was made."""

    def __init__(self) -> None:
        self._all: list[_Touch] = []
        self._last: dict[str, _Touch] = {}

    def note(self, time_s: float, forces_n: Mapping[tuple[str, str], float]) -> None:
        """Take the forces of a step, by the names of the other body and of the plant's own.

        Args:
            time_s: at the end of the step; it does not go back.
        """
        for (other, own), force_n in forces_n.items():
            if force_n > 0.0:
                self._touch(f"{other} on {own}", time_s).note(time_s, force_n)

    def _touch(self, between: str, time_s: float) -> _Touch:
        last = self._last.get(between)
        if last is not None and time_s - last.newest_s < APART_S:
            return last
        if len(self._all) == TOUCHES_MAX:
            return self._all[-1]
        name = between if len(self._all) < TOUCHES_MAX - 1 else FURTHER
        self._last[name] = found = _Touch(name, time_s)
        self._all.append(found)
        return found

    def rows(self) -> tuple[TouchRow, ...]:
        """All touches, in the order in which they began."""
        return tuple(
            (
                one.between,
                round(one.start_s, 6),
                one.step_s,
                tuple(round(force_n, 1) for force_n in one.forces_n),
            )
            for one in self._all
        )
