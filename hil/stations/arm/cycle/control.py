"""The arm station's control: from a wanted gripper velocity to the robot's next waypoint.

One step is one period of the robot's path, 0.35 s: what is wanted becomes joint rates of the space
arm, its gripper's motion is mapped to the bench, and the gate judges the waypoint of both arms. It
knows neither a port nor a clock: the same steps prove a planned motion beforehand, bit for bit.
"""

import math
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from arm_driver.kinematics.motion_map import Mapping
from hil.desk.velocity.source import Twist, VelocitySource, rest
from hil.stations.arm.cycle.gripper_follower import GripperFollower
from hil.stations.arm.cycle.judge import RobotJudge
from hil.stations.arm.cycle.step import X_WB, ArmStep, MotionPhase, RobotStep, pose_of, space_sample
from hil.stations.arm.cycle.stream import OVER, REST_SPEED_M_S, REST_TURN_RAD_S, WaypointMaker
from hil.stations.arm.cycle.waypoint_gate import WaypointGate
from hil.stations.arm.plan.nodes import Nodes
from hil.stations.arm.sources.actions import ActionQueue
from hil_common.arrays.pose import Pose
from safety.arm_limits import ArmCheck, ArmViolation
from sim.world.space_arm.actions import ActionKind, TimedAction
from sim.world.space_arm.integrators import SpanStatus
from sim.world.space_arm.programmed_rates import ProgrammedRates, RateCommand, TwistFrame
from sim.world.space_arm.simulator import TICK_S, SpaceArm
from sim.world.space_arm.snapshot import Snapshot

Array = NDArray[np.float64]
S = TypeVar("S", bound=RobotStep)

LOOKS = 10
"""Places of the simulated gripper that are noted in a period: what the robot's path is held to."""
SETTLE_STEPS_MAX = 20
"""Steps in which an arm may settle; after them a planned motion ends, a live one's robot rests."""
NO_TWIST = rest("base")


@dataclass(frozen=True, slots=True)
class MappedRobot:
    """The robot that repeats the simulated gripper's motion."""

    mapping: Mapping
    """Mapping from the space arm's gripper to the robot's."""
    gate: WaypointGate
    """Gate of both arms, the robot the last."""
    judge: RobotJudge
    """Judge of the robot, by that gate, at the start."""


class ArmStation(WaypointMaker[ArmStep]):
    """Control of both arms through one motion.

    Args:
        space: the simulated arm, at rest at its start.
        rates: converts requests into its joint rates.
        robot: None while no place is chosen for it: then only the space arm moves, to find out
            where the motion leads.
        nodes: where the waypoints are put for the simulated gripper's motion; None puts them on it.
        actions: what is done to the space arm's drives while it moves; None for nothing.
    """

    def __init__(
        self,
        space: SpaceArm,
        rates: ProgrammedRates,
        source: VelocitySource,
        robot: MappedRobot | None = None,
        nodes: Nodes | None = None,
        actions: ActionQueue | None = None,
    ) -> None:
        if robot is None:
            super().__init__()
        else:
            super().__init__(robot.mapping.X_RT0)
        self.live = source.duration_s is None
        self._space, self._rates, self._source = space, rates, source
        self._robot, self._nodes, self._actions = robot, nodes, actions
        self._gate = None if robot is None else robot.gate
        self._follower = None
        if robot is not None:
            self._follower = GripperFollower.within(
                robot.gate.limits[-1], robot.mapping.X_RT0, TICK_S, live=self.live
            )
        if actions is not None and self.live:
            actions.is_held = lambda: self.held
        self._done: tuple[TimedAction, ...] = ()
        self._index = self._settling = 0

    @property
    def held(self) -> bool:
        """Whether the operator of a live source holds it to run; nobody has to hold a planned."""
        return self._source.held

    @property
    def gap(self) -> tuple[float, float]:
        """Distance and angle of the robot from the simulated gripper's place on the bench [m, rad].

        Both are 0 while it repeats it; they grow while the robot rests and the space arm swings.
        """
        return (0.0, 0.0) if self._follower is None else self._follower.gap

    def listen(self) -> None:
        """Let the source read its operator, between two steps."""
        self._source.listen()

    def part(self, why: str) -> None:
        """Bring the space arm alone to rest from the next step on; the robot gets no more of it."""
        self.stop(why)
        self._robot, self._follower, self.robot_moves = None, None, False

    def _declare_stop(self) -> None:
        if self._gate is not None:
            self._gate.declare_stop()

    def _step(self) -> ArmStep:
        t_s = self._index * TICK_S
        wanted, command = self._command(t_s)
        self._index += 1
        self._done = self._due(t_s, self._index * TICK_S)
        within = [TimedAction(_within_tick(one.at_s - t_s), one.action) for one in self._done]
        snapshot = self._space.advance(command.rates_rad_s, samples=LOOKS, actions=within)
        if snapshot.status is SpanStatus.FAILED:
            return self._refuse(wanted, command, snapshot, None, self._no_solution())
        self._settle(command, snapshot)
        robot, follower = self._robot, self._follower
        if robot is None or follower is None:
            return ArmStep(
                self._index, t_s + TICK_S, self.course, None, None, (),
                wanted=wanted, command=command, snapshot=snapshot, actions=self._done,
            )  # fmt: skip
        velocity_m_s = X_WB.rotation @ snapshot.velocity_BG_m_s
        X_WG = pose_of(snapshot)
        if self._nodes is not None:
            X_WG = X_WG.at(self._nodes(self._index, X_WG.position_m, velocity_m_s))
        follower.resting = self.resting
        X_RT = follower.follow(robot.mapping.robot_pose(X_WG))
        judged = robot.judge.judge(X_RT, space_sample(snapshot, command.smallest_singular_value))
        if judged.violations:
            return self._refuse(wanted, command, snapshot, X_RT, *judged.violations)
        self._note_way(X_RT)
        return ArmStep(
            self._index, self._index * TICK_S, self.course, X_RT, judged.joints, judged.margins,
            (), follower.share, self.gap[0],
            wanted=wanted, command=command, snapshot=snapshot, actions=self._done,
        )  # fmt: skip

    def _due(self, begin_s: float, end_s: float) -> tuple[TimedAction, ...]:
        """Take the actions of a tick [s]; a payload that is gone is not let go once more."""
        self.note = ""
        if self._actions is None:
            return ()
        self.note = self._actions.take_note()
        due, holds = list[TimedAction](), self._space.payload is not None
        for one in self._actions.take(begin_s, end_s):
            if one.action.kind is ActionKind.RELEASE and not holds:
                self.note = "pressed, nothing done: the gripper holds no payload"
                continue
            holds = holds and one.action.kind is not ActionKind.RELEASE
            due.append(one)
        return tuple(due)

    def _command(self, t_s: float) -> tuple[Twist, RateCommand]:
        q_rad = self._space.state[0]
        if self.course is MotionPhase.FOLLOWING:
            wanted = self._source.sample(t_s)
            if wanted is not None:
                twist = np.array((*wanted.linear_m_s, *wanted.angular_rad_s))
                return wanted, self._rates.rates(q_rad, twist, TwistFrame(wanted.frame))
            self.stop(self._source.end_reason if self.live else "")
        return NO_TWIST, self._rates.stop(q_rad)

    def _settle(self, command: RateCommand, snapshot: Snapshot) -> None:
        """Note when a motion that is stopping has come to rest.

        The robot of a live one does not wait for the arm's swing to die out, and an arm that swings
        is for a moment at rest where it turns back: there the last two waypoints are one place.
        """
        if self.course is not MotionPhase.STOPPING or command.rates_rad_s.any():
            return
        self._settling += 1
        speed = float(np.linalg.norm(snapshot.velocity_BG_m_s))
        turn = float(np.linalg.norm(snapshot.angular_velocity_BG_rad_s))
        slow = speed < REST_SPEED_M_S and turn < REST_TURN_RAD_S
        late = self._settling >= SETTLE_STEPS_MAX
        if late and self.live:
            self.resting = True
        if (slow or late) and not (self.live and self.robot_moves):
            self.course = MotionPhase.AT_REST

    def _no_solution(self) -> ArmViolation:
        name = "" if self._gate is None else self._gate.limits[0].name
        return ArmViolation(
            ArmCheck.FINITE, name, "", math.nan, 0.0, "", note="state of the simulated arm"
        )

    def _refuse(
        self,
        wanted: Twist,
        command: RateCommand,
        snapshot: Snapshot,
        X_RT: Pose | None,
        *violations: ArmViolation,
    ) -> ArmStep:
        self.course = MotionPhase.REFUSED
        self.why = str(violations[0]) if violations else "refused"
        share = 1.0 if self._follower is None else self._follower.share
        return ArmStep(
            self._index, self._index * TICK_S, self.course, X_RT, None, (), violations,
            share, self.gap[0], wanted=wanted, command=command, snapshot=snapshot,
            actions=self._done,
        )  # fmt: skip


def _within_tick(since_s: float) -> float:
    """Return a time from a tick's beginning that rounding has not put outside the tick [s]."""
    return min(max(since_s, 0.0), math.nextafter(TICK_S, 0.0))


def play_out(station: WaypointMaker[S], steps_max: int) -> list[S]:
    """Take all steps of a motion that ends by itself, to see where it leads.

    Raises:
        ValueError: if the motion has not ended by the greatest number of steps.
    """
    steps: list[S] = []
    while station.course not in OVER:
        if len(steps) >= steps_max:
            raise ValueError(
                f"the motion has not come to rest after {steps_max} waypoints "
                f"({steps_max * TICK_S:g} s); live motions cannot be proved beforehand"
            )
        steps.append(station.step())
    return steps
