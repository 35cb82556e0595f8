"""One stream to a robot, recorded from its first waypoint to its result, whatever makes them."""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from arm_driver.host_values import HostSettings, StreamPlan
from arm_driver.link import open_arm_link
from arm_driver.link_errors import ArmLinkError
from arm_driver.val import OatConvention
from hil.config.errors import DEVICE_ABSENT, RefusedError
from hil.config.scenario import RecordingSettings
from hil.recording.events import EventRecord
from hil.recording.header import RunHeader
from hil.recording.recorder import RecorderResult, RecorderStatus
from hil.run.run import Opening
from hil.stations.arm.display import ConsoleEcho
from hil.stations.arm.gated import GatedArm
from hil.stations.arm.journal import ArmJournal
from hil.stations.arm.loop import ArmEnd, ArmLoop
from hil.stations.arm.peers import ArmWire, WaypointMaker, Witness
from hil.stations.arm.realtime import arm_in_time
from hil.stations.arm.scenario import SIM_URL
from hil.stations.arm.start import RobotStart
from hil.stations.arm.step import RobotStep
from hil.stations.arm.wire import VirtualArmLink
from hil.timing.clock import Clock, ReportingClock, VirtualClock
from hil.timing.realtime_setup import RealtimeItem
from hil.timing.stop import StopWish
from sim.devices.arm_controller import ArmController

if TYPE_CHECKING:
    from hil.stations.arm.operator import ArmOperator

PROGRESS_TICKS = 100
"""Of so many ticks one is shown."""


@dataclass(frozen=True, slots=True)
class Stream:
    """What one stream is made of."""

    clock: Clock
    """Paces it."""
    station: WaypointMaker[RobotStep]
    """Makes the waypoints."""
    wire: GatedArm
    """The link behind its gate."""
    plan: StreamPlan
    """Declared start and end."""
    start: RobotStart
    """How the robot is to stand there."""
    wish: StopWish
    """The operator's wish to end."""
    longest_s: float
    """A live motion is brought to rest by then [s]."""
    convention: OatConvention
    """Of the controller's angles."""

    @property
    def dry(self) -> bool:
        """Whether no time passes while it runs."""
        return isinstance(self.clock, VirtualClock)


@dataclass(frozen=True, slots=True)
class Streamed:
    """How a stream went; figures are taken from its recording."""

    end: ArmEnd
    """Of the stream."""
    recorder: RecorderResult
    """How the recording ended."""
    events: tuple[EventRecord, ...]
    """What happened, in order."""
    setup: tuple[RealtimeItem, ...]
    """What the system granted for real time, empty in a dry run."""

    @property
    def ok(self) -> bool:
        """Completed, or stopped by the operator and at rest; and the recording is whole."""
        return self.end.ok and self.recorder.status is RecorderStatus.DONE


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
    witness: Callable[[Witness], Witness] | None = None,
    first_notes: tuple[str, ...] = (),
) -> Streamed:
    """Run a stream and record it.

    Args:
        stream: what runs.
        header: what the recording begins with.
        out: folder that gets a new folder for this run.
        name: what that is called after.
        recording: how it is recorded.
        shown_at: descriptor to show on what happens, as it happens; None to show nothing.
        status: whether to show each waypoint there as well.
        progress: called with the motion time now and then [s].
        led: the operator at a desk, who is told the same.
        witness: wraps who notes what happens, to see each waypoint as well.
        first_notes: what a reader should know that was said before the stream.

    Raises:
        RecordingError: if the run cannot be recorded.
    """
    with Opening(name, out, virtual=stream.dry, stop=nullcontext(stream.wish)) as opening:
        sink = opening.record(recording, header)
        telemetry = None if led is None else led.telemetry
        journal = ArmJournal(sink, stream.convention, stream.wish, telemetry)
        opening.date(journal, stream.clock)
        seen: Witness = journal
        if shown_at is not None:
            seen = ConsoleEcho(journal, shown_at, live=status)
        if witness is not None:
            seen = witness(seen)
        clock = (
            stream.clock
            if progress is None
            else ReportingClock(stream.clock, progress, PROGRESS_TICKS)
        )
        loop = ArmLoop(
            clock, stream.station, stream.wire, stream.plan, stream.start, seen, stream.wish,
            stream.longest_s, first_notes,
        )  # fmt: skip
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

    Args:
        url: of the line; ``sim:`` for the emulated one.
        settings: of the host's end.
        clock: of the run.
        emulated: makes the emulated robot.

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
