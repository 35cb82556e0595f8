"""The arm station's control: from a wanted gripper velocity to the robot's next waypoint.

One step is one period of the robot's path, 0.35 s: the source says what velocity is wanted, the
programmed rates turn it into joint rates of the space arm, the simulated arm moves, its gripper's
motion is mapped to the bench, the robot's joints follow in one branch, and the gate judges the
waypoint of both arms before it may be offered to the link.

It knows neither a port nor a clock. The same steps are taken beforehand to prove a planned motion,
and again, bit for bit, when it runs.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from arm_driver.geometry import PumaGeometry
from arm_driver.keeper import BranchKeeper
from arm_driver.kinematics import Joints, forward, singular_distances
from arm_driver.location import Location
from arm_driver.mapping import Mapping
from arm_driver.pose import ArmError, Pose
from arm_driver.val import OatConvention, to_oat
from hil.arm_refusals import violations_of
from hil.arm_sources.source import Twist, VelocitySource, rest
from safety.arm_gate import ArmGate
from safety.arm_limits import ArmAction, ArmCheck, ArmSample, ArmViolation
from sim.world.space_arm.integrators import Status
from sim.world.space_arm.programmed_rates import Frame, ProgrammedRates, RateCommand
from sim.world.space_arm.simulator import TICK_S, SpaceArm
from sim.world.space_arm.snapshot import Snapshot

Array = NDArray[np.float64]

REST_SPEED_M_S = 1e-3
"""A gripper that is slower than this, with all rates commanded to zero, has come to rest."""
REST_TURN_RAD_S = 1e-3
SETTLE_STEPS_MAX = 20
"""A motion that has not settled after so many steps is ended as it is."""
NO_TWIST = rest("base")


class Course(Enum):
    """How far a motion has come."""

    FOLLOWING = "following"
    """The source says what is wanted."""
    STOPPING = "stopping"
    """The source has ended, or the operator or a fault has: the rates go to zero together."""
    AT_REST = "at rest"
    """The last waypoint is the end."""
    REFUSED = "refused"
    """A waypoint was refused; nothing follows."""


@dataclass(frozen=True, slots=True, eq=False)
class ArmStep:
    """One step of the station; poses and arrays are read-only.

    Args:
        index: number of the waypoint, from 1; the start is 0.
        t_s: motion time of the waypoint [s].
        course: how far the motion has come.
        wanted: gripper velocity that the source asked for.
        command: joint rates commanded of the space arm, and what bound them.
        snapshot: the space arm at the waypoint.
        X_RT: where the robot's gripper is to be, in its base; None if it was not computed.
        joints: the robot's joints there; None if refused.
        location: the waypoint as it is written on the wire; None if refused.
        margins: wrist (1), elbow and shoulder (m): distances from the robot's singularities.
        violations: why it was refused; empty if it passed.
    """

    index: int
    t_s: float
    course: Course
    wanted: Twist
    command: RateCommand
    snapshot: Snapshot
    X_RT: Pose | None
    joints: Joints | None
    location: Location | None
    margins: tuple[float, ...]
    violations: tuple[ArmViolation, ...] = ()

    @property
    def refusals(self) -> tuple[str, ...]:
        """The violations as people read them."""
        return tuple(str(violation) for violation in self.violations)


def pose_of(snapshot: Snapshot, X_WB: Pose) -> Pose:
    """X_WG of the space arm's gripper in the world."""
    return X_WB @ Pose(snapshot.rotation_BG, snapshot.position_BG_m)


def location_of(pose: Pose, convention: OatConvention, t_now_rad: float = 0.0) -> Location:
    """A pose as the controller's location; ``t_now_rad`` decides where o and t are one turn."""
    return Location.from_si(
        pose.position_m.tolist(), to_oat(pose.rotation, convention, t_now_rad).tolist()
    )


def robot_sample(geometry: PumaGeometry, q_rad: Array) -> ArmSample:
    """The robot at joint angles, for the gate."""
    pose = forward(geometry, q_rad)
    far = singular_distances(geometry, q_rad)
    return ArmSample(
        q_rad.tolist(), pose.position_m.tolist(), _quaternion(pose.rotation),
        (far.wrist, far.elbow_m, far.shoulder_m),
    )  # fmt: skip


def space_sample(snapshot: Snapshot, smallest_singular_value: float) -> ArmSample:
    """The space arm, for the gate."""
    return ArmSample(
        snapshot.q_rad.tolist(), snapshot.position_BG_m.tolist(),
        _quaternion(snapshot.rotation_BG), (smallest_singular_value,),
    )  # fmt: skip


def _quaternion(rotation: Array) -> tuple[float, ...]:
    return tuple(Rotation.from_matrix(rotation).as_quat(scalar_first=True).tolist())


class ArmStation:
    """Control of both arms through one motion.

    Args:
        space: the simulated arm, at rest at its start.
        rates: what turns wishes into its joint rates.
        X_WB: the space arm's base in the world.
        source: what is wanted.
        mapping: from the space arm's gripper to the robot's; None while none is chosen: then
            only the space arm moves, to find out where the motion leads.
        geometry: the robot.
        start: the robot's joints at the start.
        convention: of the controller's angles.
        gate: judges every waypoint; needed with a mapping.
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
        gate: ArmGate | None = None,
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
        self._keeper = None if start is None else BranchKeeper(geometry, start.q_rad)
        self._t_rad = 0.0
        self._index = 0
        self._course = Course.FOLLOWING
        self._settling = 0
        self.why = ""
        """Why the motion is stopping or was refused; empty if it was planned so."""

    @property
    def course(self) -> Course:
        """How far the motion has come."""
        return self._course

    @property
    def live(self) -> bool:
        """Whether an operator moves it, and says when it ends."""
        return self._source.duration_s is None

    def listen(self) -> None:
        """Let the source hear its operator, between two steps."""
        self._source.listen()

    def stop(self, why: str) -> None:
        """Bring the motion to rest along its path, from the next step on."""
        if self._course is Course.FOLLOWING:
            self._course, self.why = Course.STOPPING, why
            if self._gate is not None:
                self._gate.declare_stop()

    def step(self) -> ArmStep:
        """Go on by one period.

        Raises:
            RuntimeError: if the motion is over.
        """
        if self._course in (Course.AT_REST, Course.REFUSED):
            raise RuntimeError(f"the motion is {self._course.value}: there is no next step")
        t_s = self._index * TICK_S
        wanted, command = self._command(t_s)
        self._index += 1
        snapshot = self._space.advance(command.rates_rad_s)
        if snapshot.status is Status.FAILED:
            failed = ArmViolation(
                ArmCheck.INTERNAL, "the space arm", "", 0.0, 0.0, "", note="no solution"
            )
            return self._refuse(wanted, command, snapshot, None, failed)
        self._settle(command, snapshot)
        if self._mapping is None or self._keeper is None or self._gate is None:
            return ArmStep(
                self._index, t_s + TICK_S, self._course, wanted, command, snapshot, None, None,
                None, (),
            )  # fmt: skip
        return self._robot_step(self._mapping, self._keeper, self._gate, wanted, command, snapshot)

    def _command(self, t_s: float) -> tuple[Twist, RateCommand]:
        q_rad = self._space.state[0]
        if self._course is Course.FOLLOWING:
            wanted = self._source.sample(t_s)
            if wanted is not None:
                twist = np.array((*wanted.linear_m_s, *wanted.angular_rad_s))
                return wanted, self._rates.rates(q_rad, twist, Frame(wanted.frame))
            self.stop(self._source.end_reason if self.live else "")
        return NO_TWIST, self._rates.stop(q_rad)

    def _settle(self, command: RateCommand, snapshot: Snapshot) -> None:
        """Note when a motion that is stopping has come to rest."""
        if self._course is not Course.STOPPING or command.rates_rad_s.any():
            return
        self._settling += 1
        speed = float(np.linalg.norm(snapshot.velocity_BG_m_s))
        turn = float(np.linalg.norm(snapshot.angular_velocity_BG_rad_s))
        slow = speed < REST_SPEED_M_S and turn < REST_TURN_RAD_S
        if slow or self._settling >= SETTLE_STEPS_MAX:
            self._course = Course.AT_REST

    def _robot_step(
        self,
        mapping: Mapping,
        keeper: BranchKeeper,
        gate: ArmGate,
        wanted: Twist,
        command: RateCommand,
        snapshot: Snapshot,
    ) -> ArmStep:
        X_RT = mapping.robot_pose(pose_of(snapshot, self._X_WB))
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
        location = location_of(X_RT, self._convention, self._t_rad)
        self._t_rad = location.oat_rad[2]
        return ArmStep(
            self._index, self._index * TICK_S, self._course, wanted, command, snapshot, X_RT,
            joints, location, robot.margins,
        )  # fmt: skip

    def _refuse(
        self,
        wanted: Twist,
        command: RateCommand,
        snapshot: Snapshot,
        X_RT: Pose | None,
        *violations: ArmViolation,
    ) -> ArmStep:
        self._course = Course.REFUSED
        self.why = str(violations[0]) if violations else "refused"
        return ArmStep(
            self._index, self._index * TICK_S, self._course, wanted, command, snapshot, X_RT,
            None, None, (), violations,
        )  # fmt: skip


def play_out(
    station: ArmStation, steps_max: int, told: Callable[[int], None] | None = None
) -> list[ArmStep]:
    """Take all steps of a motion, to see where it leads.

    Args:
        station: at its start; its source must end by itself.
        steps_max: more are not taken.
        told: called with the number of each step.

    Raises:
        ValueError: if the motion has not ended by then.
    """
    steps: list[ArmStep] = []
    while station.course not in (Course.AT_REST, Course.REFUSED):
        if len(steps) >= steps_max:
            raise ValueError(
                f"the motion has not come to rest after {steps_max} waypoints "
                f"({steps_max * TICK_S:g} s); live motions cannot be proved beforehand"
            )
        steps.append(station.step())
        if told is not None:
            told(len(steps))
    return steps
