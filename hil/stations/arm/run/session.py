"""One stream to a robot, recorded from its first waypoint to its result, whatever makes them.

The thread that answers the robot goes before the one that computes waypoints, and both go before
ordinary programs. A thread that computes hands the interpreter over after `SWITCH_INTERVAL_S` and
not after the 5 ms that Python takes by default: more than an answer may take.
"""

import math
import os
import select
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from arm_driver.contour.link import ContourLink, LocationWriter, host_settings
from arm_driver.contour.val import OatConvention
from arm_driver.link import ArmLink, LinkOrder, Writer
from arm_driver.link_errors import ArmLinkError
from arm_driver.link_report import LinkReport
from hil.config.errors import DEVICE_ABSENT, RefusedError
from hil.config.scenario import RecordingSettings
from hil.machines.robot.offered_links import SIM_URL, link_kind
from hil.recording.header import RunHeader
from hil.run.end import Conclusion
from hil.run.run import Opening, conduct
from hil.stations.arm.cycle.guarded_link import open_link
from hil.stations.arm.cycle.journal import ArmJournal
from hil.stations.arm.cycle.loop import ArmLoop
from hil.stations.arm.cycle.step import ArmStep, RobotStep
from hil.stations.arm.cycle.stream import Observer, Stream, Streamed
from hil.stations.arm.run.wire import VirtualLine
from hil.timing.clock import Clock, ReportingClock, Tick, VirtualClock
from hil.timing.realtime_setup import RealtimeItem, RealtimePolicy, RealtimeSetup
from hil_common.arrays.pose import Pose
from sim.devices.arm.controller import ArmController

if TYPE_CHECKING:
    from hil.stations.arm.lead.operator import ArmOperator
    from hil.stations.arm.run.diagram_run import DiagramRun

LINE_MAX: Final = 400
"""Characters of the longest line; a terminal that is ready takes as many without waiting."""
STATUS_COLUMNS: Final = 79
_TO_LINE_START: Final = "\r\x1b[K"


class ConsoleEcho:
    """An observer that shows what it passes on.

    Args:
        live: whether to show each waypoint of a motion, on one line of a terminal.
    """

    def __init__(
        self, observer: Observer, fd: int, convention: OatConvention, *, live: bool
    ) -> None:
        self._observer = observer
        self._written = LocationWriter(convention).write
        self._fd = fd
        self._terminal = os.isatty(fd)
        self._live = live and self._terminal
        self._writable = select.poll()
        self._writable.register(fd, select.POLLOUT)
        self._open = False

    def step(self, tick: Tick, step: RobotStep, report: LinkReport) -> None:
        """Pass a waypoint on, and show how fast both grippers go and what holds them back."""
        self._observer.step(tick, step, report)
        if self._live:
            self._write(_TO_LINE_START + status_line(step, self._written)[:STATUS_COLUMNS])
            self._open = True

    def note(self, tick: Tick, text: str) -> None:
        """Pass a note on and show it on a line of its own."""
        self._observer.note(tick, text)
        start = _TO_LINE_START if self._open else ""
        self._write(f"{start}{tick.t_s:7.2f} s  {text.replace(chr(10), '; ')}"[:LINE_MAX] + "\n")
        self._open = False

    def _write(self, text: str) -> None:
        with suppress(OSError):  # it is gone, which is no reason to stop
            ready = self._writable.poll(0)
            if ready and ready[0][1] & select.POLLOUT:
                os.write(self._fd, text.encode())


def status_line(step: RobotStep, shown: Callable[[Pose], object]) -> str:
    """Return a waypoint in one line.

    Args:
        shown: how a place is shown.

    Returns:
        Waypoint, what is wanted, what is done, and what binds, if something does; of a robot that
        moves alone where it is to be.
    """
    if not isinstance(step, ArmStep):
        place = "" if step.waypoint is None else f"  at {shown(step.waypoint)}"
        return f"{step.index:5d}{place}{'' if step.share else ', at rest'}"
    asked = 1e3 * float(np.linalg.norm(step.wanted.linear_m_s))
    turn = np.degrees(float(np.linalg.norm(step.wanted.angular_rad_s)))
    done = 1e3 * float(np.linalg.norm(step.snapshot.velocity_BG_m_s))
    text = f"{step.index:5d}  wanted {asked:3.0f} mm/s {turn:4.1f} deg/s, moves {done:3.0f} mm/s"
    if step.command.limits:
        text += f", held back by {step.command.limits[0]}"
    elif step.command.near_singularity:
        text += ", near a singularity"
    return text


READER_PRIORITY: Final = 88
"""SCHED_FIFO priority of the thread that answers: after the gate of drives, before the rest."""
COMPUTING_PRIORITY: Final = 70
"""SCHED_FIFO priority of the computing thread: after the platform's, of a hundredth its cycle."""
SWITCH_INTERVAL_S: Final = 5e-4


@contextmanager
def arm_in_time(reader_thread: int | None) -> Iterator[tuple[RealtimeItem, ...]]:
    """Be woken in time while this is entered; the calling thread is the one that computes.

    Args:
        reader_thread: number, as the kernel counts, of the thread that answers; None for none. It
            ends with its link, so nothing is given back for it.

    Yields:
        What was granted and what was refused, with the remedy.
    """
    before_s = sys.getswitchinterval()
    with RealtimeSetup(RealtimePolicy(priority=COMPUTING_PRIORITY)) as granted:
        sys.setswitchinterval(SWITCH_INTERVAL_S)
        try:
            if reader_thread is None:
                yield granted.items
            else:
                yield (*granted.items, _raise_reader(reader_thread))
        finally:
            sys.setswitchinterval(before_s)


def _raise_reader(thread: int) -> RealtimeItem:
    try:
        os.sched_setscheduler(
            thread, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(READER_PRIORITY)
        )
    except OSError as error:
        return RealtimeItem(
            "priority of the reader",
            False,
            f"SCHED_FIFO {READER_PRIORITY} refused: {error.strerror}",
            "as for the priority above",
        )
    return RealtimeItem("priority of the reader", True, f"SCHED_FIFO {READER_PRIORITY}")


HOLDS = frozenset({"robot", "arm", "diagram", "library", "diagram table"})
"""Kinds of files of which the header has all that a run takes."""
PROGRESS_TICKS = 100
"""Number of ticks from one line of progress to the next."""


def run_stream(
    stream: Stream,
    header: RunHeader,
    out: Path,
    name: str,
    recording: RecordingSettings,
    *,
    shown_at: int | None = None,
    status: bool = False,
    led: "ArmOperator | None" = None,
    first_notes: tuple[str, ...] = (),
    diagram: "DiagramRun | None" = None,
) -> Streamed:
    """Run a stream and record it below a folder; the other arguments are those of `play_stream`."""
    opening = Opening(name, out, virtual=stream.dry, stop=nullcontext(stream.stop_request))
    played = partial(
        play_stream, stream, header, recording, shown_at=shown_at, status=status, led=led,
        first_notes=first_notes, diagram=diagram,
    )  # fmt: skip
    return conduct(played, opening)


def play_stream(
    stream: Stream,
    header: RunHeader,
    recording: RecordingSettings,
    opening: Opening,
    *,
    shown_at: int | None = None,
    status: bool = False,
    led: "ArmOperator | None" = None,
    first_notes: tuple[str, ...] = (),
    diagram: "DiagramRun | None" = None,
    total_s: float = math.inf,
) -> Callable[[Conclusion], Streamed]:
    """Run a stream within an opening.

    Args:
        shown_at: descriptor to show on what happens, as it happens; None to show nothing.
        first_notes: what a reader should know that was said before the stream.
        diagram: that makes its velocity of what an operator asks for; None if none does.
        total_s: how long it takes [s]; infinite if that is not known.

    Raises:
        RecordingError: if the run cannot be recorded.
    """
    if led is None and not stream.dry:
        from hil.desk.unattended_runs import announced  # Linux only

        opening.enter(announced(opening.name))
    sink = opening.record(recording, header, HOLDS)
    telemetry = None if led is None else led.telemetry
    journal = ArmJournal(sink, stream.writer, stream.stop_request, telemetry)
    journal.signals = header.signals
    opening.date(journal, stream.clock)
    seen = journal
    if shown_at is not None:
        seen = ConsoleEcho(journal, shown_at, stream.convention, live=status)
    loop = ArmLoop(stream, seen, first_notes)
    if diagram is not None:
        journal.shown = diagram.shown
        loop.beside = partial(diagram.act, journal)
    hint = "Ctrl-C ends the robot's stream at once" if math.isfinite(total_s) else ""
    report = opening.progress(total_s, hint)
    if report is not None:
        loop.clock = ReportingClock(stream.clock, report, PROGRESS_TICKS)
    if led is not None:
        led.say, led.ending = journal.operator, lambda: loop.ending
    setup = opening.grant(partial(arm_in_time, stream.wire.reader_thread))
    opening.play(loop, journal)
    end = loop.end
    if diagram is not None:
        diagram.close(journal)
    journal.end(end.result, end.reason, end.report)
    outcome, reason = end.in_words()
    opening.conclude(outcome, well=end.ok, reason=reason)
    return lambda conclusion: Streamed(end, conclusion, tuple(journal.events), setup)


def arm_clock(kind: str) -> Clock:
    """Return the clock of a scenario or of the command line, "virtual" or "real"."""
    if kind == "virtual":
        return VirtualClock()
    from hil.timing.realtime import RealClock  # Linux only

    return RealClock()


def arm_wire(order: LinkOrder, clock: Clock, emulated: Callable[[], ArmController]) -> ArmLink:
    """Return the link to a robot on a line, or to an emulated one in this process.

    Raises:
        RefusedError: if the robot is not there.
    """
    url = order.url
    if url == SIM_URL:
        line = VirtualLine(emulated(), host_settings(order), clock.now_s)
        return ContourLink(line, OatConvention(order.convention))
    try:
        return open_link(order, clock.now_s)
    except ArmLinkError as error:
        text = f"nothing has moved: the robot at {url} is not there: {error}"
        raise RefusedError(text, DEVICE_ABSENT, url=url, says=str(error)) from None


def writer_of(order: LinkOrder) -> Writer | None:
    """Return the writer of waypoints in the numbers of a link's wire; None if it has none."""
    make = link_kind(order.url).writer
    return None if make is None else make(order)
