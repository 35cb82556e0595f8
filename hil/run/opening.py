"""What every run has before its first turn and after its last: folder, stop signals, recording.

A station enters what it opens into the `Opening`, devices first; all is left in reverse order, and
the recording is ended on every way out.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from hil.config.scenario import RecordingSettings
from hil.recording.header import RunHeader
from hil.recording.recorder import RecorderResult, RecordingSink
from hil.run.folder import recording_sink, run_dir
from hil.run.journal import Journal
from hil.timing.clock import Clock, moment
from hil.timing.realtime_setup import RealtimeItem
from hil.timing.stop import StopSignals, StopWish

T = TypeVar("T")
Granting = Callable[[], AbstractContextManager[tuple[RealtimeItem, ...]]]
"""Asks the system for what real time needs, and gives it back."""


class Opening:
    """A run from its folder to the end of its recording.

    Args:
        name: of the scenario; the folder is called after it.
        out: folder that gets a new folder for this run.
        virtual: whether no time passes while it runs.
        stop: the operator's wish to end; Ctrl-C and SIGTERM if left out.

    Raises:
        RecordingError: on entering, if the folder cannot be made.
    """

    def __init__(
        self,
        name: str,
        out: Path,
        *,
        virtual: bool,
        stop: AbstractContextManager[StopWish] | None = None,
    ) -> None:
        self._name, self._out, self._virtual = name, out, virtual
        self._signals = stop or StopSignals()
        self._stack = ExitStack()
        self._sink: RecordingSink | None = None
        self.wish: StopWish
        self.folder: Path
        """Of this run; it goes again if nothing is in it."""

    def __enter__(self) -> Self:
        with ExitStack() as entered:
            # Entered first, so left last: a second Ctrl-C does not tear the recording's end.
            self.wish = entered.enter_context(self._signals)
            self.folder = entered.enter_context(run_dir(self._out, self._name))
            self._stack = entered.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.__exit__(kind, error, trace)

    def enter(self, opened: AbstractContextManager[T]) -> T:
        """Enter something that is left when the run is over."""
        return self._stack.enter_context(opened)

    def at_end(self, act: Callable[[], object]) -> None:
        """Do something when the run is over, whatever has happened."""
        self._stack.callback(act)

    def record(self, settings: RecordingSettings, header: RunHeader) -> RecordingSink:
        """Begin the recording; it is ended when the run is over.

        Raises:
            RecordingError: if it cannot be begun.
        """
        self._sink = recording_sink(settings, self.folder, header, virtual=self._virtual)
        self._stack.callback(self._sink.finish)
        return self._sink

    def date(self, journal: Journal, clock: Clock) -> None:
        """Let the first row of a run in real time tell the date."""
        if not self._virtual:
            journal.dated = partial(moment, clock.now_s)

    def grant(self, granting: Granting) -> tuple[RealtimeItem, ...]:
        """What the system grants for real time; nothing is asked in a dry run."""
        return () if self._virtual else self._stack.enter_context(granting())

    def recorded(self) -> RecorderResult:
        """How the recording ended; for a run that is over.

        Raises:
            RuntimeError: if none was begun.
        """
        if self._sink is None:
            raise RuntimeError("nothing was recorded: `record` was not called")
        result = self._sink.finish()
        self._sink.ring.release()
        return result
