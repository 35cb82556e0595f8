"""Whom the arm station's loop talks to: what makes waypoints, the wire, and who notes it all."""

from typing import Protocol, TypeVar

from arm_driver.contour import EndReason
from arm_driver.host_values import LinkReport, Offer, StreamPlan
from arm_driver.location import Location
from hil.stations.arm.step import MotionPhase, RobotStep
from hil.timing.clock import Tick

S_co = TypeVar("S_co", bound=RobotStep, covariant=True)


class WaypointMaker(Protocol[S_co]):
    """What makes the waypoints: `hil.stations.arm.control` of both arms, `moves` of the robot."""

    why: str
    """Why the motion is stopping or was refused; empty if it was planned so."""

    @property
    def course(self) -> MotionPhase:
        """How far the motion has come."""
        ...

    @property
    def live(self) -> bool:
        """Whether an operator moves it or holds it; a waypoint is then made when it is needed."""
        ...

    @property
    def held(self) -> bool:
        """Whether it is held to run, as heard last."""
        ...

    @property
    def resting(self) -> bool:
        """Whether the robot rests until it is held again, or is coming to rest."""
        ...

    @property
    def robot_alone(self) -> bool:
        """Whether the robot moves without a simulated arm."""
        ...

    @property
    def robot_moves(self) -> bool:
        """Whether the robot's last two waypoints are apart."""
        ...

    @property
    def gap(self) -> tuple[float, float]:
        """How far the robot is from where the simulated gripper is on the bench [m, rad]."""
        ...

    def rest(self) -> None:
        """Bring the robot to rest from the next step on, until it is to go on."""
        ...

    def go_on(self) -> None:
        """Let the robot move again."""
        ...

    def listen(self) -> None:
        """Hear the operator, between two steps; never blocks."""
        ...

    def stop(self, why: str) -> None:
        """Bring the motion to rest along its path, from the next step on, and end there."""
        ...

    def part(self, why: str) -> None:
        """Take note that the robot's stream has ended; whatever else moves comes to rest."""
        ...

    def step(self) -> S_co:
        """Go on by one period."""
        ...

    @property
    def note(self) -> str:
        """What the operator should know of the last step; empty for nothing."""
        ...


class ArmWire(Protocol):
    """A link to a robot, real or emulated; see `arm_driver.link.ArmLink`."""

    def start(self, plan: StreamPlan, measured: Location | None = None) -> None:
        """Begin a stream, on the operator's arm command."""
        ...

    def offer(self, location: Location) -> Offer:
        """Put the next waypoint into the slot."""
        ...

    def poll(self) -> LinkReport:
        """Return the link as it is now."""
        ...

    def end(self, reason: EndReason) -> None:
        """End the stream."""
        ...

    def close(self) -> None:
        """Leave the link."""
        ...


class Witness(Protocol):
    """Who notes what happens; it may not fail and may not wait."""

    def step(self, tick: Tick, step: RobotStep, report: LinkReport) -> None:
        """A waypoint was put into the slot, or refused."""
        ...

    def note(self, tick: Tick, text: str) -> None:
        """Something happened that a reader of the recording should know."""
        ...
