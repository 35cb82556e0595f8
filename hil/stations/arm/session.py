"""One stream to a robot, recorded from its first waypoint to its result, whatever makes them."""

from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from arm_driver.host_values import HostSettings
from arm_driver.link import open_arm_link
from arm_driver.link_errors import ArmLinkError
from hil.config.errors import DEVICE_ABSENT, RefusedError
from hil.config.scenario import RecordingSettings
from hil.recording.header import RunHeader
from hil.run.run import Opening
from hil.stations.arm.display import ConsoleEcho
from hil.stations.arm.journal import ArmJournal
from hil.stations.arm.loop import ArmLoop
from hil.stations.arm.peers import ArmWire
from hil.stations.arm.realtime import arm_in_time
from hil.stations.arm.scenario import SIM_URL
from hil.stations.arm.stream import Stream, Streamed
from hil.stations.arm.wire import VirtualArmLink
from hil.timing.clock import Clock, ReportingClock, VirtualClock
from sim.devices.arm_controller import ArmController

if TYPE_CHECKING:
    from hil.stations.arm.operator import ArmOperator


PROGRESS_TICKS = 100
"""Of so many ticks one is shown."""


def run_stream(
    stream: Stream,
    header: RunHeader,
    out: Path,
    name: str,
    recording: RecordingSettings,
    *,
    shown_at: int | None = None,
    status: bool = False,
    progress: Callable[[float], None] | None = None,
    led: "ArmOperator | None" = None,
    first_notes: tuple[str, ...] = (),
) -> Streamed:
    """Run a stream and record it.

    Args:
        shown_at: descriptor to show on what happens, as it happens; None to show nothing.
        first_notes: what a reader should know that was said before the stream.

    Raises:
        RecordingError: if the run cannot be recorded.
    """
    with Opening(name, out, virtual=stream.dry, stop=nullcontext(stream.wish)) as opening:
        sink = opening.record(recording, header)
        telemetry = None if led is None else led.telemetry
        journal = ArmJournal(sink, stream.convention, stream.wish, telemetry)
        opening.date(journal, stream.clock)
        seen = journal if shown_at is None else ConsoleEcho(journal, shown_at, live=status)
        loop = ArmLoop(stream, seen, first_notes)
        if progress is not None:
            loop.clock = ReportingClock(stream.clock, progress, PROGRESS_TICKS)
        if led is not None:
            led.say, led.ending = journal.operator, lambda: loop.ending
        setup = opening.grant(partial(arm_in_time, stream.wire.reader_thread))
        end = loop.run()
        journal.end(end.result, end.reason, end.report)
    return Streamed(end, opening.recorded(), tuple(journal.events), setup)


def arm_clock(kind: str) -> Clock:
    """The clock of a scenario or of the command line, "virtual" or "real"."""
    if kind == "virtual":
        return VirtualClock()
    from hil.timing.realtime import RealClock  # Linux only

    return RealClock()


def arm_wire(
    url: str, settings: HostSettings, clock: Clock, emulated: Callable[[], ArmController]
) -> ArmWire:
    """The link to a robot on a line, or to an emulated one in this process.

    Raises:
        RefusedError: if the robot is not there.
    """
    if url == SIM_URL:
        return VirtualArmLink(emulated(), settings, clock.now_s)
    try:
        return open_arm_link(url, now_s=clock.now_s, settings=settings)
    except ArmLinkError as error:
        text = f"nothing has moved: the robot at {url} is not there: {error}"
        raise RefusedError(text, DEVICE_ABSENT, url=url, says=str(error)) from None
