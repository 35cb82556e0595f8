"""What one stream to a robot is made of, and how it went."""

from dataclasses import dataclass

from arm_driver.host_states import StreamResult
from arm_driver.host_values import LinkReport, StreamPlan
from arm_driver.val import OatConvention
from hil.recording.events import EventRecord
from hil.recording.recorder import RecorderResult, RecorderStatus
from hil.stations.arm.gated import GatedArm
from hil.stations.arm.peers import WaypointMaker
from hil.stations.arm.start import RobotStart
from hil.stations.arm.step import RobotStep
from hil.timing.clock import Clock, VirtualClock
from hil.timing.realtime_setup import RealtimeItem
from hil.timing.stop import StopWish


@dataclass(frozen=True, slots=True)
class Stream:
    """What one stream is made of."""

    clock: Clock
    station: WaypointMaker[RobotStep]
    wire: GatedArm
    """The link behind its gate."""
    plan: StreamPlan
    """Declared start and end."""
    start: RobotStart
    """How the robot is to stand there, and what the operator says of it."""
    wish: StopWish
    """The operator's wish to end."""
    longest_s: float
    """A live motion is brought to rest by then [s]."""
    convention: OatConvention

    @property
    def dry(self) -> bool:
        """Whether no time passes while it runs."""
        return isinstance(self.clock, VirtualClock)


@dataclass(frozen=True, slots=True)
class ArmEnd:
    """How a run of the arm station ended."""

    result: StreamResult | None
    """Of the stream; None if none began."""
    reason: str
    """Why it did not complete; empty if it did."""
    waypoints: int
    """That the robot was sent."""
    report: LinkReport

    @property
    def ok(self) -> bool:
        """Completed, or cancelled by the operator and at rest."""
        return self.result in (StreamResult.COMPLETED, StreamResult.CANCELLED)


@dataclass(frozen=True, slots=True)
class Streamed:
    """How a stream went; figures are taken from its recording."""

    end: ArmEnd
    recorder: RecorderResult
    """How the recording ended."""
    events: tuple[EventRecord, ...]
    setup: tuple[RealtimeItem, ...]
    """What the system granted for real time, empty in a dry run."""

    @property
    def ok(self) -> bool:
        """Completed, or stopped by the operator and at rest; and the recording is whole."""
        return self.end.ok and self.recorder.status is RecorderStatus.DONE
