"""What a stream to a robot is made of, how it went, what makes its waypoints, and who notes it."""

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
from hil.stations.arm.recording import reason_alone
from hil.stations.arm.start import RobotStart
from hil.stations.arm.step import MotionPhase, RobotStep
from hil.stations.arm.waypoint_gate import GatedArm
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
    """What makes the waypoints: `hil.stations.arm.control` of both arms, `moves` of the robot.

    Args:
        start: X_RT before the first waypoint; None if no robot moves.
    """

    robot_alone = False
    """Whether the robot moves without a simulated arm."""
    live = True
    """Whether an operator moves it or holds it; a waypoint is then made when it is needed."""
    note = ""
    """What the operator should know of the last step; empty for nothing."""

    def __init__(self, start: Pose | None = None) -> None:
        self._last_RT = start
        self.course = MotionPhase.FOLLOWING
        """How far the motion has come."""
        self.why = ""
        """Why the motion is stopping or was refused; empty if it was planned so."""
        self.resting = False
        """Whether the robot is to rest from the next step on, until this is taken back."""
        self.robot_moves = False
        """Whether the robot's last two waypoints are apart: faster than what counts as rest."""

    @property
    @abstractmethod
    def held(self) -> bool:
        """Whether it is held to run, as heard last."""

    @property
    def gap(self) -> tuple[float, float]:
        """How far the robot is from where the simulated gripper is on the bench [m, rad]."""
        return 0.0, 0.0

    @abstractmethod
    def listen(self) -> None:
        """Hear the operator, between two steps; never blocks."""

    def stop(self, why: str) -> None:
        """Bring the motion to rest along its path, from the next step on, and end there."""
        if self.course is MotionPhase.FOLLOWING:
            self.course, self.why = MotionPhase.STOPPING, why
            self._declare_stop()

    @abstractmethod
    def part(self, why: str) -> None:
        """Take note that the robot's stream has ended; whatever else moves comes to rest."""

    def step(self) -> S_co:
        """Go on by one period; raises RuntimeError if the motion is over."""
        if self.course in OVER:
            raise RuntimeError(f"the motion is {self.course.value}: there is no next step")
        return self._step()

    @abstractmethod
    def _declare_stop(self) -> None:
        """Tell the gate that the waypoints from now on are a smooth stop."""

    @abstractmethod
    def _step(self) -> S_co: ...

    def _note_way(self, X_RT: Pose) -> None:
        """Note whether the robot moves to its next waypoint."""
        last, self._last_RT = self._last_RT or X_RT, X_RT
        way_m = float(np.linalg.norm(X_RT.position_m - last.position_m))
        turn_rad = angle_between_rad(last, X_RT)
        self.robot_moves = way_m > REST_SPEED_M_S * TICK_S or turn_rad > REST_TURN_RAD_S * TICK_S


class Observer(Protocol):
    """Who notes what happens; it may not fail and may not wait."""

    def step(self, tick: Tick, step: RobotStep, report: LinkReport) -> None:
        """A waypoint was put into the slot, or refused."""

    def note(self, tick: Tick, text: str) -> None:
        """Something happened that a reader of the recording should know."""


@dataclass(frozen=True, slots=True)
class Stream:
    """What one stream is made of."""

    clock: Clock
    station: WaypointMaker[RobotStep]
    wire: GatedArm
    """The link behind its gate."""
    path: DeclaredPath
    """Declared start and end."""
    start: RobotStart
    """How the robot is to stand there, and what the operator says of it."""
    wish: StopRequest
    """The operator's wish to end."""
    longest_s: float
    """A live motion is brought to rest by then [s]."""
    convention: OatConvention
    """Of the angles that people are shown."""
    writer: Writer | None = None
    """Writes waypoints in the numbers of the wire, for the record; None if it has none."""
    lost: Callable[[], str] = str
    """Why it has to end without anybody's request; empty while it has not."""
    shown: Callable[[], str] = str
    """What an emulated robot shows at its controller, for the record alone: no wire tells it."""

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
    lost: str = ""
    """What ended it without anybody's request; empty if nothing did."""

    @property
    def ok(self) -> bool:
        """Completed, or cancelled by the operator and at rest."""
        return not self.lost and self.result in (StreamResult.COMPLETED, StreamResult.CANCELLED)

    def in_words(self) -> tuple[str, str]:
        """The outcome in a word or two, and why it did not complete."""
        word = "not begun" if self.result is None else self.result.value
        return word, reason_alone(word, self.reason)


@dataclass(frozen=True, slots=True)
class Streamed:
    """How a stream went; figures are taken from its recording."""

    end: ArmEnd
    run_end: Conclusion
    """The same as exit status, console and recording say it."""
    events: tuple[EventRecord, ...]
    setup: tuple[RealtimeItem, ...]
    """What the system granted for real time, empty in a dry run."""

    @property
    def ok(self) -> bool:
        """Completed, or stopped by the operator and at rest; and nothing was lost."""
        return self.run_end.ok

    @property
    def recorder(self) -> RecorderResult:
        """How the recording ended."""
        return self.run_end.recorder
