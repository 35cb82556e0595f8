"""The arm station's control: from a wanted gripper velocity to the robot's next waypoint.

One step is one period of the robot's path, 0.35 s: the source says what velocity is wanted, the
programmed rates turn it into joint rates of the space arm, the simulated arm moves, its gripper's
motion is mapped to the bench, the robot's joints follow in one branch, and the gate judges the
waypoint of both arms before it may be offered to the link.

It knows neither a port nor a clock. The same steps are taken beforehand to prove a planned motion,
and again, bit for bit, when it runs.
"""

import math
from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from arm_driver.geometry import PumaGeometry
from arm_driver.keeper import LEAST_DISTANCES, BranchKeeper
from arm_driver.kinematics import Joints, SingularDistances
from arm_driver.mapping import Mapping
from arm_driver.pose import ArmError, Pose, angle_between_rad
from arm_driver.val import OatConvention
from hil.stations.arm.follow import GripperFollower
from hil.stations.arm.gated import WaypointGate
from hil.stations.arm.nodes import Nodes, node_pose
from hil.stations.arm.peers import WaypointMaker
from hil.stations.arm.sources.source import Twist, VelocitySource, rest
from hil.stations.arm.step import (
    ArmStep,
    MotionPhase,
    RobotStep,
    location_of,
    pose_of,
    robot_sample,
    space_sample,
    violations_of,
)
from safety.arm_limits import ArmAction, ArmCheck, ArmViolation
from sim.world.space_arm.integrators import SpanStatus
from sim.world.space_arm.programmed_rates import ProgrammedRates, RateCommand, TwistFrame
from sim.world.space_arm.simulator import TICK_S, SpaceArm
from sim.world.space_arm.snapshot import Snapshot

Array = NDArray[np.float64]
S = TypeVar("S", bound=RobotStep)

REST_SPEED_M_S = 1e-3
"""A gripper that is slower than this, with all rates commanded to zero, has come to rest."""
REST_TURN_RAD_S = 1e-3
LOOKS = 10
"""Places of the simulated gripper that are noted in a period: what the robot's path is held to."""
SETTLE_STEPS_MAX = 20
"""Steps in which an arm may settle; after them a planned motion ends, a live one's robot rests."""
NO_TWIST = rest("base")


class ArmStation:
    """Control of both arms through one motion.

    Args:
        mapping: from the space arm's gripper to the robot's; None while none is chosen: then
            only the space arm moves, to find out where the motion leads.
        nodes: where the waypoints are put for the simulated gripper's motion; None puts them on it.
    """

    def __init__(
        self,
        space: SpaceArm,
        rates: ProgrammedRates,
        X_WB: Pose,
        source: VelocitySource,
        *,
        geometry: PumaGeometry,
        convention: OatConvention,
        mapping: Mapping | None = None,
        start: Joints | None = None,
        least: SingularDistances = LEAST_DISTANCES,
        gate: WaypointGate | None = None,
        nodes: Nodes | None = None,
    ) -> None:
        if mapping is not None and (start is None or gate is None):
            raise ValueError("a mapping moves a robot: its start and a gate are needed")
        self._space = space
        self._rates = rates
        self._X_WB = X_WB
        self._source = source
        self._geometry = geometry
        self._convention = convention
        self._mapping = mapping
        self._gate = gate
        self._nodes = nodes
        self._keeper = None if start is None else BranchKeeper(geometry, start.q_rad, least)
        self._last_RT = None if mapping is None else mapping.X_RT0
        self._follower = None
        if mapping is not None and gate is not None:
            self._follower = GripperFollower.within(
                gate.limits[-1], mapping.X_RT0, TICK_S, live=self.live
            )
        self._robot_moves = False
        self._t_rad = 0.0
        self._index = 0
        self._course = MotionPhase.FOLLOWING
        self._settling = 0
        self.why = ""

    @property
    def course(self) -> MotionPhase:
        """How far the motion has come."""
        return self._course

    @property
    def live(self) -> bool:
        """Whether an operator moves it, and says when it ends."""
        return self._source.duration_s is None

    @property
    def held(self) -> bool:
        """Whether the operator of a live source holds it to run; nobody has to hold a planned."""
        return self._source.held

    @property
    def robot_alone(self) -> bool:
        """Whether the robot moves without a simulated arm: never here."""
        return False

    @property
    def note(self) -> str:
        """Nothing: refusals and stops say all."""
        return ""

    @property
    def robot_moves(self) -> bool:
        """Whether the robot's last two waypoints are apart: faster than what counts as rest."""
        return self._robot_moves

    @property
    def resting(self) -> bool:
        """Whether the robot rests, or is coming to rest, whatever the space arm does."""
        return self._follower is not None and self._follower.resting

    @property
    def gap(self) -> tuple[float, float]:
        """How far the robot is from the place that the simulated gripper has on the bench [m, rad].

        Both are 0 while it repeats it; they grow while the robot rests and the space arm swings.
        """
        return (0.0, 0.0) if self._follower is None else self._follower.gap

    def rest(self) -> None:
        """Bring the robot to rest from the next step on, while the space arm swings out."""
        if self._follower is not None:
            self._follower.rest()

    def go_on(self) -> None:
        """Let the robot repeat the space arm again, from the next step on."""
        if self._follower is not None:
            self._follower.go_on()

    def listen(self) -> None:
        """Let the source hear its operator, between two steps."""
        self._source.listen()

    def stop(self, why: str) -> None:
        """Bring the motion to rest along its path, from the next step on."""
        if self._course is MotionPhase.FOLLOWING:
            self._course, self.why = MotionPhase.STOPPING, why
            if self._gate is not None:
                self._gate.declare_stop()

    def part(self, why: str) -> None:
        """Bring the space arm alone to rest from the next step on; the robot gets no more of it."""
        self.stop(why)
        self._mapping, self._follower, self._robot_moves = None, None, False

    def step(self) -> ArmStep:
        """Go on by one period.

        Raises:
            RuntimeError: if the motion is over.
        """
        if self._course in (MotionPhase.AT_REST, MotionPhase.REFUSED):
            raise RuntimeError(f"the motion is {self._course.value}: there is no next step")
        t_s = self._index * TICK_S
        wanted, command = self._command(t_s)
        self._index += 1
        snapshot = self._space.advance(command.rates_rad_s, looks=LOOKS)
        if snapshot.status is SpanStatus.FAILED:
            return self._refuse(wanted, command, snapshot, None, self._no_solution())
        self._settle(command, snapshot)
        if (
            self._mapping is None
            or self._follower is None
            or self._keeper is None
            or self._gate is None
        ):
            return ArmStep(
                self._index, t_s + TICK_S, self._course, None, None, None, (),
                wanted=wanted, command=command, snapshot=snapshot,
            )  # fmt: skip
        velocity_m_s = self._X_WB.rotation @ snapshot.velocity_BG_m_s
        X_WG = pose_of(snapshot, self._X_WB)
        X_WG = node_pose(self._nodes, self._index, X_WG, velocity_m_s)
        asked = self._mapping.robot_pose(X_WG)
        X_RT = self._follower.follow(asked)
        return self._robot_step(X_RT, self._keeper, self._gate, wanted, command, snapshot)

    def _command(self, t_s: float) -> tuple[Twist, RateCommand]:
        q_rad = self._space.state[0]
        if self._course is MotionPhase.FOLLOWING:
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
        if self._course is not MotionPhase.STOPPING or command.rates_rad_s.any():
            return
        self._settling += 1
        speed = float(np.linalg.norm(snapshot.velocity_BG_m_s))
        turn = float(np.linalg.norm(snapshot.angular_velocity_BG_rad_s))
        slow = speed < REST_SPEED_M_S and turn < REST_TURN_RAD_S
        late = self._settling >= SETTLE_STEPS_MAX
        if late and self.live:
            self.rest()
        if (slow or late) and not (self.live and self._robot_moves):
            self._course = MotionPhase.AT_REST

    def _robot_step(
        self,
        X_RT: Pose,
        keeper: BranchKeeper,
        gate: WaypointGate,
        wanted: Twist,
        command: RateCommand,
        snapshot: Snapshot,
    ) -> ArmStep:
        try:
            joints = keeper.follow(X_RT)
        except ArmError as error:
            found = violations_of(gate.limits[-1], error)
            return self._refuse(wanted, command, snapshot, X_RT, *found)
        robot = robot_sample(self._geometry, joints.q_rad)
        verdict = gate.judge(
            self._index, (space_sample(snapshot, command.smallest_singular_value), robot)
        )
        if verdict.action is not ArmAction.PASSED:
            return self._refuse(wanted, command, snapshot, X_RT, *verdict.violations)
        self._note_way(X_RT)
        location = location_of(X_RT, self._convention, self._t_rad)
        self._t_rad = location.oat_rad[2]
        return ArmStep(
            self._index, self._index * TICK_S, self._course, X_RT, joints, location,
            robot.margins, (), *self._behind(), wanted=wanted, command=command, snapshot=snapshot,
        )  # fmt: skip

    def _note_way(self, X_RT: Pose) -> None:
        """Note whether the robot is to move to its next waypoint, or to rest where it is."""
        last, self._last_RT = self._last_RT or X_RT, X_RT
        way_m = float(np.linalg.norm(X_RT.position_m - last.position_m))
        turn_rad = angle_between_rad(last, X_RT)
        self._robot_moves = way_m > REST_SPEED_M_S * TICK_S or turn_rad > REST_TURN_RAD_S * TICK_S

    def _behind(self) -> tuple[float, float]:
        """Share of the motion that the robot does, and how far it is from where that is [m]."""
        return (1.0, 0.0) if self._follower is None else (self._follower.share, self.gap[0])

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
        self._course = MotionPhase.REFUSED
        self.why = str(violations[0]) if violations else "refused"
        return ArmStep(
            self._index, self._index * TICK_S, self._course, X_RT, None, None, (), violations,
            *self._behind(), wanted=wanted, command=command, snapshot=snapshot,
        )  # fmt: skip


def play_out(
    station: WaypointMaker[S], steps_max: int, told: Callable[[int], None] | None = None
) -> list[S]:
    """Take all steps of a motion, to see where it leads.

    Raises:
        ValueError: if the motion has not ended by then.
    """
    steps: list[S] = []
    while station.course not in (MotionPhase.AT_REST, MotionPhase.REFUSED):
        if len(steps) >= steps_max:
            raise ValueError(
                f"the motion has not come to rest after {steps_max} waypoints "
                f"({steps_max * TICK_S:g} s); live motions cannot be proved beforehand"
            )
        steps.append(station.step())
        if told is not None:
            told(len(steps))
    return steps
