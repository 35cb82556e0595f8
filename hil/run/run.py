"""A run of any station: its folder, stop signals and recording, and its turns.

A station enters each resource that it opens into the `Opening`, devices first; all are left in
reverse order, and the recording is ended however the run ends.
"""

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Protocol, Self, TypeVar

from hil.config.drawn import current_drawn
from hil.config.inputs import SCENARIO, current_inputs
from hil.config.scenario import RecordingSettings
from hil.ipc.memory import slot_bytes
from hil.recording.end import END, EndRecord
from hil.recording.header import RECORDING_NAME, RecordingError, RunHeader
from hil.recording.recorder import Recorder, RecorderResult, RecorderRing, RecordingSink
from hil.recording.signals import Signals
from hil.run.console import Console, ProgressReport, Silence
from hil.run.drawn_documents import drawn_facts, write_documents
from hil.run.end import Conclusion
from hil.run.facts import run_facts
from hil.run.journal import Audience, Journal
from hil.run.progress import Progress
from hil.timing.clock import Clock, Tick, moment, utc_stamp
from hil.timing.realtime_setup import RealtimeItem
from hil.timing.stop import StopRequest, StopSignals

SHARE_RUNS = "HIL_SHARE_RUNS"
"""Environment variable, ``1`` if others may read new runs; runs that a run begins inherit it."""
BLACK_BOX_NAME = "gate.jsonl"
"""File of the gate's actions without control, if there were any; next to the recording."""


STALL_S: Final = 0.1
"""Delay of a turn above which it is reported as a stall of the computer [s]."""

T = TypeVar("T")
Granting = Callable[[], AbstractContextManager[tuple[RealtimeItem, ...]]]
"""Function that requests the system's resources for real time, and releases them."""


def new_run_dir(out: Path, name: str) -> Path:
    """A new folder for one run, ``<scenario>-<UTC time>``; an existing one is never used again.

    It is this user's alone unless `SHARE_RUNS` is set; then its mode is what the umask leaves.

    Raises:
        RecordingError: if it cannot be made.
    """
    stem = f"{name}-{utc_stamp()}"
    mode = 0o777 if os.environ.get(SHARE_RUNS) == "1" else 0o700
    for attempt in range(1000):
        folder = out / (stem if attempt == 0 else f"{stem}-{attempt}")
        try:
            folder.mkdir(mode=mode, parents=True)
        except FileExistsError:
            if not out.is_dir():
                raise RecordingError(f"{out}: is a file; a folder for runs is needed") from None
            continue
        except OSError as error:
            raise RecordingError(f"{folder}: cannot be made: {error.strerror}") from None
        return folder
    raise RecordingError(f"{out}: has a thousand runs named {stem} already")


@contextmanager
def run_dir(out: Path, name: str) -> Iterator[Path]:
    """A new folder for a run; it goes again if the run is refused before anything is in it."""
    folder = new_run_dir(out, name)
    try:
        yield folder
    finally:
        with suppress(OSError):
            folder.rmdir()  # refuses, as it should, if there is anything


@contextmanager
def _nothing_moved() -> Iterator[None]:
    try:
        yield
    except RecordingError as error:
        raise RecordingError(f"nothing has moved: {error}") from error


def recording_sink(
    settings: RecordingSettings, folder: Path, header: RunHeader, *, virtual: bool
) -> RecordingSink:
    """Sink of a run's cycles: in a dry run its own thread, else a process of its own."""
    path, least = folder / RECORDING_NAME, round(settings.min_free_mb * 1e6)
    slots = settings.ring_slots, slot_bytes(header.signals.size, RecorderRing.head_bytes)
    if virtual:
        return Recorder(RecorderRing.local(*slots), path, header, min_free_bytes=least)
    from hil.recording.process import RecorderProcess  # Linux only

    return RecorderProcess(RecorderRing.shared(*slots), path, header, min_free_bytes=least)


class Opening:
    """A run from its folder to the end of its recording.

    Args:
        name: of the scenario; the folder is called after it.
        out: folder that gets a new folder for this run.
        virtual: whether no time passes while it runs.
        stop: the operator's request to end; Ctrl-C and SIGTERM if left out.
        console: receives reports of what the run waits for; none if left out.
        operator: whether a person operates it from a panel.
    """

    def __init__(
        self,
        name: str,
        out: Path,
        *,
        virtual: bool,
        stop: AbstractContextManager[StopRequest] | None = None,
        console: Console | None = None,
        operator: bool = False,
    ) -> None:
        self.name, self._out, self.virtual = name, out, virtual
        self.console: Console = Silence() if console is None else console
        self.operator = operator
        self._signals = stop or StopSignals()
        self._stack = ExitStack()
        self._sink: RecordingSink | None = None
        self._journal: Journal | None = None
        self._concluded: Callable[[RecorderResult, tuple[str, ...]], Conclusion] | None = None
        self.stop_request: StopRequest
        self.folder: Path
        """Folder of this run; it is removed if it is empty at the end."""

    def __enter__(self) -> Self:
        with ExitStack() as entered:
            # Entered first, so left last: a second Ctrl-C does not interrupt the recording's end.
            self.stop_request = entered.enter_context(self._signals)
            with _nothing_moved():
                self.folder = entered.enter_context(run_dir(self._out, self.name))
            self._stack = entered.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is not None and self._concluded is None:
            why = f"{type(error).__name__}: {error}"
            self._end_recorder(EndRecord("failed", ok=False, reason=why))
        self._stack.__exit__(kind, error, trace)

    def enter(self, opened: AbstractContextManager[T]) -> T:
        """Enter a context that is left when the run is over."""
        return self._stack.enter_context(opened)

    def at_end(self, act: Callable[[], object]) -> None:
        """Register a function for the end of the run, whatever happens."""
        self._stack.callback(act)

    def progress(self, total_s: float, hint: str = "") -> ProgressReport | None:
        """Show the progress of the run until it is over; see `hil.run.console.Console.progress`."""
        shown = self.console.progress(self.name, total_s, paced=not self.virtual, hint=hint)
        return self._stack.enter_context(shown)

    def header(
        self,
        signals: Signals,
        clock: Clock,
        settings: Mapping[str, Any],
        facts: Mapping[str, str] | None = None,
        libraries: Iterable[str] = (),
    ) -> RunHeader:
        """The header of the run's recording.

        Args:
            clock: of the run, which dates it.
            settings: the plan as it is read back, as JSON has it.
            facts: of this kind of bench, in addition to those of any run; a text each.
            libraries: distributions on which the figures of the run depend.
        """
        kind = "virtual" if self.virtual else "real"
        common = {"scenario": self.name, **(facts or {}), "clock": kind}
        made = run_facts(kind, moment(clock.now_s), libraries)
        return RunHeader(signals, {**common, **made}, settings)

    def journal(
        self,
        header: RunHeader,
        clock: Clock,
        settings: RecordingSettings | None = None,
        holds: Collection[str] = (),
        audience: Audience | None = None,
    ) -> Journal:
        """Begin the recording, and return its journal; see `record` and `date`."""
        journal = Journal(self.record(settings or RecordingSettings(), header, holds), audience)
        self.date(journal, clock)
        self._journal = journal
        return journal

    def record(
        self, settings: RecordingSettings, header: RunHeader, holds: Collection[str] = ()
    ) -> RecordingSink:
        """Begin the recording; it is ended when the run is over.

        It lists the files that were read for it, if the run is enclosed in `collected`.

        Values that its seed has drawn stand in the header, drawn documents beside the recording.

        Args:
            holds: kinds of files, besides scenarios, whose contents are stored in the header.

        Raises:
            RecordingError: if it cannot be begun; the text says that nothing has moved.
        """
        if (inputs := current_inputs()) is not None:
            header = replace(header, files=inputs.rows((SCENARIO, *holds)))
            inputs.closed = True
        with _nothing_moved():
            if (drawn := current_drawn()) is not None:
                header = replace(header, metadata={**header.metadata, **drawn_facts(drawn)})
                write_documents(drawn, self.folder)
            self._sink = recording_sink(settings, self.folder, header, virtual=self.virtual)
        self._stack.callback(self._sink.finish)
        return self._sink

    def date(self, journal: Journal, clock: Clock) -> None:
        """Write the date into the first row of a run in real time."""
        if not self.virtual:
            journal.dated = partial(moment, clock.now_s)

    def grant(self, granting: Granting) -> tuple[RealtimeItem, ...]:
        """Request real-time resources of the system; a dry run requests none."""
        return () if self.virtual else self._stack.enter_context(granting())

    def play(self, run: "Run", journal: Journal | None = None) -> None:
        """Run to the end as `play` does; in real time, note stalls of the computer.

        Args:
            journal: writer of its recording; that of `Opening.journal` if left out.

        Raises:
            RuntimeError: if there is none.
        """
        self._journal = journal or self._journal
        if self._journal is None:
            raise RuntimeError("nothing is recorded: `journal` or `record` was not called")
        play(run, None if self.virtual else Stalls(self._journal))

    def conclude(
        self, outcome: str, *, well: bool, reason: str = "", failures: tuple[str, ...] = ()
    ) -> None:
        """Set how the run ended, once, before its recording is ended.

        Args:
            outcome: one word or two.
            well: whether the run itself went well.
            reason: why it did not complete.
            failures: other losses, a sentence each.
        """
        if self._concluded is not None:
            raise RuntimeError("a run is concluded once")
        self._concluded = partial(Conclusion, outcome, well, reason, failures)
        why = "; ".join((reason, *failures) if reason else failures)
        self._end_recorder(EndRecord(outcome, ok=well and not failures, reason=why))

    def _end_recorder(self, end: EndRecord) -> None:
        if self._sink is not None:
            self._sink.ring.push(END, end.to_bytes())

    def end(self) -> Conclusion:
        """Return the end of the run, which must be over, recorded and concluded.

        Raises:
            RuntimeError: if it was not.
        """
        if self._sink is None:
            raise RuntimeError("nothing was recorded: `record` was not called")
        if self._concluded is None:
            raise RuntimeError("nobody said how the run ended: `conclude` was not called")
        recorder = self._sink.finish()
        self._sink.ring.release()
        warnings = () if self._journal is None else self._journal.warnings
        news = (recorder.news,) if recorder.news else ()
        return self._concluded(recorder, (*warnings, *news))


def conduct(run: Callable[[Opening], Callable[[Conclusion], T]], opening: Opening) -> T:
    """Conduct a run from its folder to its result.

    Args:
        run: plays and concludes the run within the opening, and returns the function from the end
            of the run to its result.
    """
    with opening:
        finish = run(opening)
    return finish(opening.end())


class Stalls:
    """Notes the stalls of a real-time loop in the journal; many stalls as one note."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._count = 0
        self._longest_s = 0.0

    def update(self, tick: Tick) -> None:
        """Take each tick."""
        if tick.late_s < STALL_S:
            return
        self._count += 1
        if tick.late_s <= self._longest_s:
            return
        self._longest_s = tick.late_s
        more = f", the longest of {self._count} times" if self._count > 1 else ""
        words = f"the loop stood still for {tick.late_s:.3f} s at {tick.t_s:.3f} s{more}"
        self._journal.warn(tick.t_s, tick.index, words, key="stall")


class Run(Protocol):
    """A run. Nothing of its machine moves between `close` and the next run."""

    @property
    def clock(self) -> Clock:
        """Clock that paces the run: virtual, real, or a device's own."""
        ...

    @property
    def period_s(self) -> float:
        """Time of a turn [s]."""
        ...

    def turn(self, tick: Tick) -> bool:
        """Make one turn: request, judge, send, record; return whether it was the last.

        A failure of control is no reason to end: the run requests a stop, turn by turn, until
        its machine is at rest. An exception that is raised nevertheless ends the run at once.
        """
        ...

    def failed(self, error: Exception) -> bool:
        """Handle the error of a turn; return whether it ends the run, whose result reports it."""
        ...

    def close(self) -> None:
        """Close the devices in the state in which their stop left them; harmless when repeated."""
        ...


class Deviceless:
    """Base of a run without devices of its own."""

    def failed(self, error: Exception) -> bool:
        """Return False: no error is a regular end."""
        return False

    def close(self) -> None:
        """Do nothing: there are no devices."""


def play(run: Run, stalls: Stalls | None = None) -> None:
    """Run to the end; the devices are closed however the run ends.

    An exception of a turn passes through, unless the run handles it as its end.
    """
    progress = Progress.inherited()
    try:
        for tick in run.clock.ticks(run.period_s):
            progress.turn()
            if stalls is not None:
                stalls.update(tick)
            if run.turn(tick):
                break
    except Exception as error:
        if not run.failed(error):
            raise
    finally:
        progress.end()
        run.close()
