"""A run whose devices are open: what is done with it turn by turn, whatever station it is of."""

from typing import Protocol

from hil.timing.clock import Clock, Tick


class Run(Protocol):
    """A run. Nothing of its machine moves between `close` and the next run."""

    @property
    def clock(self) -> Clock:
        """What paces it: virtual, real, or a device's own."""
        ...

    @property
    def period_s(self) -> float:
        """Time of a turn [s]."""
        ...

    def turn(self, tick: Tick) -> bool:
        """One turn: ask, judge, send, note; whether it was the last.

        Control that fails here is no reason to leave: the run asks for a stop, turn by turn, until
        its machine is at rest. What is raised nevertheless ends the run at once.
        """
        ...

    def failed(self, error: Exception) -> bool:
        """Hear what a turn raised; whether that is its end, and is told by its result."""
        ...

    def close(self) -> None:
        """Leave the devices as their stop has left them; harmless when repeated."""
        ...


def play(run: Run) -> None:
    """Run to the end; the devices are left on every way out.

    Raises:
        Exception: what a turn raised, unless the run takes it for its end.
    """
    try:
        for tick in run.clock.ticks(run.period_s):
            if run.turn(tick):
                break
    except Exception as error:
        if not run.failed(error):
            raise
    finally:
        run.close()
