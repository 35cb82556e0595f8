"""The cut: the bench falls silent on purpose, and sees whether each drive stops by itself.

A communication watchdog that was written into a drive and read back is a promise. It is proved by
silence: no setpoint, no SYNC, no heartbeat, while the drives are under force, at rest or in a slow
move. A drive that is still in Operation enabled when the silence is over has no watchdog.

Pure: times are passed in, nothing is sent here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hil_common.legs import LEG_COUNT, LegTarget

SETTLED_S: Final = 0.3
"""Time for which the legs have to move at the speed of the trial before it begins [s]."""
SPEED_SHARE: Final = 0.9
"""Share of the speed of the trial that counts as it."""
AT_REST_M_S: Final = 1e-6
"""Speed up to which legs are led at rest [m/s]."""
MARGIN_S: Final = 0.1
"""Silence beyond the watchdog [s]: time for a drive that is late to be seen."""
NOT_SEEN: Final = -1
"""Number in place of a time: the drive was not seen to stop."""


class CutTrial:
    """The silence of a trial: its beginning, its length, and what is seen in it.

    Args:
        speed_m_s: Speed at which the fastest leg is led when it begins [m/s]; 0 at rest.
        watchdog_s: Silence after which a drive shall stop by itself [s].
    """

    def __init__(self, speed_m_s: float, watchdog_s: float, period_s: float) -> None:
        self._speed_m_s = speed_m_s
        self._silence_s = watchdog_s + MARGIN_S
        self._settled_cycles = max(1, round(SETTLED_S / period_s))
        self._settled = 0
        self._began_s: float | None = None
        self._ended = False
        self._stopped_s: list[float | None] = [None] * LEG_COUNT

    @property
    def silent(self) -> bool:
        """Whether nothing may be sent now."""
        return self._began_s is not None and not self._ended

    @property
    def over(self) -> bool:
        """Whether the silence has been."""
        return self._ended

    @property
    def stop_us(self) -> tuple[int, ...]:
        """Time from the last frame until each drive was seen stopped [us], 6; or `NOT_SEEN`."""
        return tuple(
            NOT_SEEN if stopped_s is None else round(stopped_s * 1e6)
            for stopped_s in self._stopped_s
        )

    def led(self, command: LegTarget | None, *, following: bool, sent_s: float) -> None:
        """Take note of a cycle that has been sent; the silence begins after it if it is time.

        Args:
            following: Whether all six drives follow.
            sent_s: When it was sent [s].
        """
        if self._began_s is not None:
            return
        self._settled = self._settled + 1 if following and self._is_it(command) else 0
        if self._settled >= self._settled_cycles:
            self._began_s = sent_s

    def silent_s(self, now_s: float) -> float:
        """Return how long the silence has lasted [s]."""
        return 0.0 if self._began_s is None else now_s - self._began_s

    def see(self, enabled: Sequence[bool | None], now_s: float) -> None:
        """Take in which drives are in Operation enabled.

        Args:
            enabled: For each drive; None if it was not seen in this cycle, 6.
            now_s: When it was seen [s].
        """
        for leg, on in enumerate(enabled):
            if on is False and self._stopped_s[leg] is None:
                self._stopped_s[leg] = self.silent_s(now_s)
        seen = all(stopped_s is not None for stopped_s in self._stopped_s)
        self._ended = self._ended or seen or self.silent_s(now_s) >= self._silence_s

    def _is_it(self, command: LegTarget | None) -> bool:
        if command is None:
            return False
        fastest_m_s = max(map(abs, command.speed_m_s))
        if self._speed_m_s == 0.0:
            return fastest_m_s <= AT_REST_M_S
        return SPEED_SHARE * self._speed_m_s <= fastest_m_s <= self._speed_m_s / SPEED_SHARE
