"""Work that a window does not wait for: a thread, how far it is, and its result when asked."""

from collections.abc import Callable
from threading import Event, Thread
from typing import Generic, TypeVar

Result = TypeVar("Result")


class CancelledError(Exception):
    """The work was given up; its result is of no use to anybody."""


class Watch:
    """Progress of work that is under way, and whether it is still wanted."""

    def __init__(self) -> None:
        self.share = 0.0
        """How much is done, 0 to 1."""
        self._cancelled = Event()

    def at(self, share: float) -> None:
        """Say how much is done.

        Raises:
            CancelledError: if nobody wants the rest.
        """
        if self._cancelled.is_set():
            raise CancelledError
        self.share = share

    def cancel(self) -> None:
        """Want the rest no more."""
        self._cancelled.set()


class Background(Generic[Result]):
    """One piece of work in a thread of its own.

    Args:
        work: takes the watch, which it tells how far it is often enough to be given up.
        refusals: exceptions that are answers; any other one is raised by `poll`.
    """

    def __init__(
        self, work: Callable[[Watch], Result], refusals: tuple[type[Exception], ...] = ()
    ) -> None:
        self._work, self._refusals = work, refusals
        self._result: Result | None = None
        self._broken: BaseException | None = None
        self.refusal: Exception | None = None
        """Why there is no result; None while there is none, or if there is one."""
        self.watch = Watch()
        self._thread = Thread(target=self._run, name="background", daemon=True)
        self._thread.start()

    @property
    def done(self) -> bool:
        """Whether it has ended, in whatever way."""
        return not self._thread.is_alive()

    def poll(self) -> Result | None:
        """Return the result once it is there; None before, and if there is none."""
        if not self.done:
            return None
        if self._broken is not None:
            raise self._broken
        return self._result

    def cancel(self) -> None:
        """Give it up; returns at once."""
        self.watch.cancel()

    def wait(self) -> None:
        """Wait for its end: after `cancel`, when the window closes."""
        self._thread.join()

    def _run(self) -> None:
        try:
            self._result = self._work(self.watch)
        except CancelledError:
            return
        except self._refusals as refusal:
            self.refusal = refusal
        except Exception as error:  # it is raised where somebody can see it
            self._broken = error
