"""The program `hil`, whose calendar is set back by a day when it gets SIGUSR1; time goes on."""

import signal
from typing import Any

from hil.cli.main import main
from hil.timing import clock

DAY_S = 86_400.0


class Calendar:
    """What `hil.timing.clock` reads the system's time by.

    Args:
        time, date: what it reads it by otherwise.
    """

    def __init__(self, time: Any, date: Any) -> None:
        self._time, self._date, self._ahead_s = time, date, 0.0
        self.monotonic = time.monotonic

    def set_back(self, *_: object) -> None:
        """Be a day behind from now on."""
        self._ahead_s = -DAY_S

    def now(self, zone: Any) -> Any:
        """Date and time."""
        return self._date.fromtimestamp(self._date.now(zone).timestamp() + self._ahead_s, zone)

    def time_ns(self) -> int:
        """Time since the epoch [ns]."""
        return self._time.time_ns() + round(1e9 * self._ahead_s)


if __name__ == "__main__":
    calendar: Any = Calendar(clock.time, clock.datetime)
    clock.datetime = clock.time = calendar
    signal.signal(signal.SIGUSR1, calendar.set_back)
    main()
