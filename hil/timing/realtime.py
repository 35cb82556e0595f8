"""The real clock: absolute deadlines of the monotonic clock (Linux).

`time.sleep` sleeps for a while, so every late wake-up moves all later ones. Here each deadline is
start + k · period and `clock_nanosleep` (POSIX.1-2017, TIMER_ABSTIME) waits until it, so lateness
never adds up. What the process asks of the system to be woken in time is in
`hil.timing.realtime_setup`.
"""

from __future__ import annotations

import ctypes
import errno
import os
import time
from collections.abc import Iterator
from itertools import count
from typing import Final, Protocol

from hil.timing.clock import Tick, check_period_s

_CLOCK_MONOTONIC: Final = 1
_TIMER_ABSTIME: Final = 1
_NS: Final = 1_000_000_000


class Sleeper(Protocol):
    """The two calls of the system that a clock is made of."""

    def now_ns(self) -> int:
        """Monotonic time [ns]."""
        ...

    def sleep_until_ns(self, deadline_ns: int) -> None:
        """Return at the monotonic time `deadline_ns` or later; at once if it has passed."""
        ...


class _Timespec(ctypes.Structure):
    _fields_ = (("tv_sec", ctypes.c_long), ("tv_nsec", ctypes.c_long))


class MonotonicSleeper:
    """`clock_nanosleep` on CLOCK_MONOTONIC, through the C library; it frees the interpreter.

    Raises:
        OSError: on a system whose C library has no `clock_nanosleep`.
    """

    __slots__ = ("_argument", "_nanosleep", "_timespec")

    def __init__(self) -> None:
        try:
            nanosleep = ctypes.CDLL(None).clock_nanosleep
        except (AttributeError, TypeError, OSError) as error:
            raise OSError(
                errno.ENOSYS, "the real clock needs clock_nanosleep (Linux); use the virtual clock"
            ) from error
        nanosleep.argtypes = (ctypes.c_int, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
        nanosleep.restype = ctypes.c_int
        self._nanosleep = nanosleep
        self._timespec = _Timespec()  # one for all sleeps: nothing is allocated in the cycle
        self._argument = ctypes.byref(self._timespec)

    def now_ns(self) -> int:
        """Monotonic time [ns]."""
        return time.monotonic_ns()

    def sleep_until_ns(self, deadline_ns: int) -> None:
        """Sleep until the monotonic time `deadline_ns`; a signal does not cut the sleep short.

        Raises:
            OSError: if the system refuses the deadline.
        """
        self._timespec.tv_sec, self._timespec.tv_nsec = divmod(deadline_ns, _NS)
        while True:
            code = self._nanosleep(_CLOCK_MONOTONIC, _TIMER_ABSTIME, self._argument, None)
            if code == 0:
                return
            if code != errno.EINTR:  # the deadline is absolute, so after a signal: the same again
                raise OSError(
                    code, f"clock_nanosleep until {deadline_ns} ns refused: {os.strerror(code)}"
                )


class RealClock:
    """Ticks at start + k · period of the monotonic clock.

    A cycle that runs past one or more deadlines gives them up: the next tick comes at the next
    multiple of the period in the future, never as a burst that catches up. `Tick.t_s` counts the
    cycles that were executed, so the motion slows down instead of jumping; `Tick.dt_s` tells the
    true time between wake-ups.

    Args:
        sleeper: the system's clock; another one only in tests.
    """

    __slots__ = ("_overruns", "_sleeper")

    def __init__(self, sleeper: Sleeper | None = None) -> None:
        self._sleeper: Sleeper = MonotonicSleeper() if sleeper is None else sleeper
        self._overruns = 0

    @property
    def overruns(self) -> int:
        """Deadlines given up so far because a cycle took longer than its period."""
        return self._overruns

    def now_s(self) -> float:
        """Monotonic time [s]."""
        return self._sleeper.now_ns() * 1e-9

    def ticks(self, period_s: float) -> Iterator[Tick]:
        """Yield one tick per period; the first one period after the iteration starts.

        Args:
            period_s: cycle time [s], finite, at least 1e-6 s.

        Raises:
            ValueError: if the period is not finite or too short.
        """
        if check_period_s(period_s) < 1e-6:
            raise ValueError(f"period_s = {period_s!r} s: at least 1e-6 s is needed")
        return self._ticks(float(period_s))

    def _ticks(self, period_s: float) -> Iterator[Tick]:
        sleeper = self._sleeper
        period_ns = period_s * _NS
        start_ns = previous_ns = sleeper.now_ns()
        turn = 1  # deadlines passed, given-up ones included
        for index in count():
            # One rounding per deadline, of a product: a period such as 1/300 s does not drift.
            deadline_ns = start_ns + round(turn * period_ns)
            sleeper.sleep_until_ns(deadline_ns)
            woke_ns = sleeper.now_ns()
            yield Tick(
                index,
                index * period_s,
                (woke_ns - previous_ns) / _NS,
                (woke_ns - deadline_ns) / _NS,
            )
            previous_ns = woke_ns
            turn += 1
            done_ns = sleeper.now_ns()
            if done_ns > start_ns + round(turn * period_ns):
                next_turn = int((done_ns - start_ns) / period_ns) + 1
                self._overruns += next_turn - turn
                turn = next_turn


def time_base() -> str:
    """Which clock real time is told by, and its resolution, in words."""
    info = time.get_clock_info("monotonic")
    return f"{info.implementation}, resolution {info.resolution:g} s"
