"""Parts of a stream to a robot, its result, the maker of its waypoints, and its observer."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np

from arm_driver.contour.val import OatConvention
from arm_driver.link import DeclaredPath, Writer
from arm_driver.link_report import LinkReport
from arm_driver.link_states import StreamResult
from hil.recording.events import EventRecord
from hil.recording.recorder import RecorderResult
from hil.run.end import Conclusion
from hil.stations.arm.cycle.robot_start import RobotStart
from hil.stations.arm.cycle.step import MotionPhase, RobotStep
from hil.stations.arm.cycle.waypoint_gate import GatedArm
from hil.stations.arm.report.recording import reason_alone
from hil.timing.clock import Clock, Tick, VirtualClock
from hil.timing.realtime_setup import RealtimeItem
from hil.timing.stop import StopRequest
from hil_common.arrays.pose import Pose, angle_between_rad
from sim.world.space_arm.simulator import TICK_S

S_co = TypeVar("S_co", bound=RobotStep, covariant=True)

REST_SPEED_M_S = 1e-3
"""A gripper that is slower than this, with all rates commanded to zero, has come to rest."""
REST_TURN_RAD_S = 1e-3
OVER = (MotionPhase.AT_REST, MotionPhase.REFUSED)


class WaypointMaker(ABC, Generic[S_co]):
    """Maker of waypoints: `hil.stations.arm.cycle.control` of both arms, `moves` of the robot.

    Args:
        start: X_RT before the first waypoint; None if no robot moves.
    """

    robot_alone = False
    """Whether the robot moves without a simulated arm."""
    live = True
    """Whether an operator moves it or holds it; a waypoint is then made when it is needed."""
    note = ""
    """Note on the last step for the operator; empty for nothing."""

    def __init__(self, start: Pose | None = None) -> None:
        self._last_RT = start
        self.course = MotionPhase.FOLLOWING
        """Phase of the motion."""
        self.why = ""
        """Reason why the motion is stopping or was refused; empty if it was planned so."""
        self.resting = False
        """Whether the robot is to rest from the next step on, until this is taken back."""
        self.robot_moves = False
        """Whether the robot's last two waypoints are apart: faster than what counts as rest."""

    @property
    @abstractmethod
    def held(self) -> bool:
        """Whether it is held to run, by the last poll."""

    @property
    def gap(self) -> tuple[float, float]:
        """Distance and angle of the robot from the simulated gripper's place [m, rad]."""
        return 0.0, 0.0

    @abstractmethod
    def listen(self) -> None:
        """Poll the operator, between two steps; never blocks."""

    def stop(self, why: str) -> None:
        """Bring the motion to rest along its path, from the next step on, and end there."""
        if self.course is MotionPhase.FOLLOWING:
            self.course, self.why = MotionPhase.STOPPING, why
            self._declare_stop()

    @abstractmethod
    def part(self, why: str) -> None:
        """Take note that the robot's stream has ended; whatever else moves comes to rest."""

    def step(self) -> S_co:
        """Advance by one period; raises RuntimeError if the motion is over."""
        if self.course in OVER:
            raise RuntimeError(f"the motion is {self.course.value}: there is no next step")
        return self._step()

    @abstractmethod
    def _declare_stop(self) -> None:
        """Declare to the gate that the waypoints from now on are a smooth stop."""

    @abstractmethod
    def _step(self) -> S_co: ...

    def _note_way(self, X_RT: Pose) -> None:
        """Note whether the robot moves to its next waypoint."""
        last, self._last_RT = self._last_RT or X_RT, X_RT
        way_m = float(np.linalg.norm(X_RT.position_m - last.position_m))
        turn_rad = angle_between_rad(last, X_RT)
        self.robot_moves = way_m > REST_SPEED_M_S * TICK_S or turn_rad > REST_TURN_RAD_S * TICK_S


class Observer(Protocol):
    """Observer of a stream; it may not fail and may not wait."""

    def step(self, tick: Tick, step: RobotStep, report: LinkReport) -> None:
        """A waypoint was put into the slot, or refused."""

    def note(self, tick: Tick, text: str) -> None:
        """Something happened that a reader of the recording should know."""


@dataclass(frozen=True, slots=True)
class Stream:
    """Parts of one stream."""

    clock: Clock
    station: WaypointMaker[RobotStep]
    wire: GatedArm
    """The link behind its gate."""
    path: DeclaredPath
    """Declared start and end."""
    start: RobotStart
    """Planned start of the robot, and the operator's information about it."""
    stop_request: StopRequest
    """Request of the operator to end."""
    longest_s: float
    """Motion time by which a live motion is brought to rest [s]."""
    convention: OatConvention
    """Convention of the angles that people are shown."""
    writer: Writer | None = None
    """Writer of waypoints in the numbers of the wire, for the record; None if it has none."""
    lost: Callable[[], str] = str
    """Reason to end without anybody's request; empty while there is none."""
    shown: Callable[[], str] = str
    """Text on an emulated robot's controller, for the record alone: no wire sends it."""

    @property
    def dry(self) -> bool:
        """Whether no time passes while it runs."""
        return isinstance(self.clock, VirtualClock)


@dataclass(frozen=True, slots=True)
class ArmEnd:
    """End of a run of the arm station."""

    result: StreamResult | None
    """Result of the stream; None if none began."""
    reason: str
    """Reason why it did not complete; empty if it did."""
    waypoints: int
    """Number of waypoints that the robot was sent."""
    report: LinkReport
    lost: str = ""
    """Cause of an end without anybody's request; empty if nothing did."""

    @property
    def ok(self) -> bool:
        """Completed, or cancelled by the operator and at rest."""
        return not self.lost and self.result in (StreamResult.COMPLETED, StreamResult.CANCELLED)

    def in_words(self) -> tuple[str, str]:
        """Return the outcome in a word or two, and why it did not complete."""
        word = "not begun" if self.result is None else self.result.value
        return word, reason_alone(word, self.reason)


@dataclass(frozen=True, slots=True)
class Streamed:
    """Result of a stream; figures are taken from its recording."""

    end: ArmEnd
    run_end: Conclusion
    """Conclusion for exit status, console and recording."""
    events: tuple[EventRecord, ...]
    setup: tuple[RealtimeItem, ...]
    """Real-time settings granted by the system, empty in a dry run."""

    @property
    def ok(self) -> bool:
        """Completed, or stopped by the operator and at rest; and nothing was lost."""
        return self.run_end.ok

    @property
    def recorder(self) -> RecorderResult:
        """End of the recording."""
        return self.run_end.recorder
