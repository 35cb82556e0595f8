"""What planned sources have in common: a motion that is known before it begins.

It lasts for its time, then it has ended; nobody has to hold it, it has nothing to hear and holds
nothing that would have to be given back.
"""

from abc import ABC, abstractmethod

from hil.stations.arm.sources.source import Twist, checked_time


class PlannedSource(ABC):
    """A motion of known duration.

    Args:
        duration_s: from rest to rest [s].
    """

    def __init__(self, duration_s: float) -> None:
        self._duration_s = duration_s
        self._ended = False

    @property
    def duration_s(self) -> float:
        """From rest to rest [s]."""
        return self._duration_s

    @property
    def end_reason(self) -> str:
        """Whether it has come to its end."""
        return "completed" if self._ended else ""

    @property
    def held(self) -> bool:
        """Always: nobody has to hold it."""
        return True

    def listen(self) -> None:  # noqa: B027 nobody has to do so
        """Nothing to hear."""

    def sample(self, t_s: float) -> Twist | None:
        """Return the velocity at a time since the beginning [s]; None from the end on.

        Raises:
            SourceError: if the time is not a finite number.
        """
        if checked_time(t_s) >= self._duration_s:
            self._ended = True
            return None
        return self._velocity(t_s)

    def close(self) -> None:  # noqa: B027 nobody has to do so
        """Nothing is held."""

    @abstractmethod
    def _velocity(self, t_s: float) -> Twist:
        """The velocity at a time before the end [s]; it may lie before the beginning."""
