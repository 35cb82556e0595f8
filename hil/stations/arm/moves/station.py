"""The station of a robot that moves alone: a mover says where to, the gate whether it may.

The loop, the link and the recorder are those of every run. A waypoint is made when it is needed,
by what the operator does then: the dead-man let go is felt by the next one.
"""

from copy import copy
from dataclasses import dataclass
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from arm_driver.geometry import PumaGeometry
from arm_driver.keeper import BranchKeeper
from arm_driver.kinematics import Joints, forward
from arm_driver.pose import ArmError, Pose, angle_between_rad
from arm_driver.val import OatConvention
from hil.config.errors import RefusedError
from hil.machines.robot_settings import RobotSettings
from hil.stations.arm.control import REST_SPEED_M_S, REST_TURN_RAD_S
from hil.stations.arm.gated import WaypointGate
from hil.stations.arm.moves.hands import Hand
from hil.stations.arm.step import MotionPhase, RobotStep, location_of, robot_sample, violations_of
from safety.arm_gate import ArmGate
from safety.arm_limits import ArmAction, ArmViolation
from sim.world.space_arm.simulator import TICK_S

Array = NDArray[np.float64]
_MAY_NOT = "the robot may not be moved from where it stands"


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """What the gate says of one waypoint."""

    joints: Joints | None
    """Of the robot there; None if no joints lead there."""
    margins: tuple[float, ...]
    """Wrist (1), elbow and shoulder (m): distances from the robot's singularities."""
    violations: tuple[ArmViolation, ...]
    """Why it is refused; empty if it passed."""


def gate_at(robot: RobotSettings, start_rad: Array) -> ArmGate:
    """The gate of a robot at rest.

    Raises:
        RefusedError: if it may not stand there, with joint, value and limit.
    """
    sample = robot_sample(robot.geometry(), np.array(start_rad))
    gate = ArmGate((robot.gate_limits(),), TICK_S, (sample,))
    if gate.latched:
        raise RefusedError("\n".join((f"{_MAY_NOT}:", *map(str, gate.latched))))
    return gate


class RobotJudge:
    """Judges one waypoint after the other, from a start at rest.

    The joints follow from the place, in the branch of the start: that is what the controller makes
    of a waypoint, whatever joints its maker had in mind.

    Args:
        index: number of the waypoint that passed last.
    """

    def __init__(
        self, geometry: PumaGeometry, gate: WaypointGate, keeper: BranchKeeper, index: int = 0
    ) -> None:
        self._geometry, self._gate, self._keeper, self._index = geometry, gate, keeper, index

    @classmethod
    def at(cls, robot: RobotSettings, start_rad: Array, gate: WaypointGate | None = None) -> Self:
        """The judge of a robot at rest.

        Args:
            start_rad: its joint angles [rad], shape (6,).
            gate: open, at that start; one of its own if left out.

        Raises:
            RefusedError: if it may not stand there, with joint, value and limit.
        """
        geometry = robot.geometry()
        gate = gate or gate_at(robot, start_rad)
        try:
            return cls(geometry, gate, BranchKeeper(geometry, start_rad, robot.least()))
        except ArmError as error:
            raise RefusedError(f"{_MAY_NOT}: {robot.name}: {error}") from None

    @property
    def joints(self) -> Joints:
        """Of the waypoint that passed last."""
        return self._keeper.last

    @property
    def index(self) -> int:
        """Number of the waypoint judged last; 0 is the start."""
        return self._index

    def trial(self) -> Self:
        """Another one at the same waypoint, whose verdicts bind nobody."""
        return type(self)(self._geometry, self._gate.trial(), copy(self._keeper), self._index)

    def declare_stop(self) -> None:
        """Note that the waypoints from now on are a smooth stop; no limit is another for that."""
        self._gate.declare_stop()

    def judge(self, X_RT: Pose) -> Judged:
        """Judge the next waypoint; after a refusal every other one is refused as well."""
        self._index += 1
        try:
            joints = self._keeper.follow(X_RT)
        except ArmError as error:
            return Judged(None, (), violations_of(self._gate.limits[0], error))
        sample = robot_sample(self._geometry, np.array(joints.q_rad))
        verdict = self._gate.judge(self._index, (sample,))
        if verdict.action is not ArmAction.PASSED:
            return Judged(joints, sample.margins, verdict.violations)
        return Judged(joints, sample.margins, ())


OVER = (MotionPhase.AT_REST, MotionPhase.REFUSED)


class Mover(Protocol):
    """Says where the robot is to be, one period after the other."""

    @property
    def share(self) -> float:
        """Its pace, 0 (at rest) to 1."""
        ...

    @property
    def at_rest(self) -> bool:
        """Whether the next waypoint repeats the last, unless it is held."""
        ...

    @property
    def done(self) -> bool:
        """Whether it has arrived, and nothing follows."""
        ...

    @property
    def note(self) -> str:
        """What the operator should know now; empty for nothing."""
        ...

    def next(self, *, held: bool) -> Pose:
        """X_RT a period later; nothing is moved that is not held, but for coming to rest."""
        ...


class RobotStation:
    """Control of the robot alone through one motion."""

    def __init__(
        self,
        geometry: PumaGeometry,
        convention: OatConvention,
        judge: RobotJudge,
        mover: Mover,
        hand: Hand,
    ) -> None:
        self._convention = convention
        self._judge, self._mover, self._hand = judge, mover, hand
        self._last_RT = forward(geometry, judge.joints.q_rad)
        self._t_rad = 0.0
        self._course = MotionPhase.FOLLOWING
        self._resting = self._robot_moves = False
        self.why = ""

    @property
    def course(self) -> MotionPhase:
        """How far the motion has come."""
        return self._course

    @property
    def live(self) -> bool:
        """True: each waypoint is made when it is needed, by what the operator does then."""
        return True

    @property
    def held(self) -> bool:
        """Whether the operator holds it, as heard last."""
        return self._hand.held

    @property
    def resting(self) -> bool:
        """Whether the robot rests until it is held again, or is coming to rest."""
        return self._resting

    @property
    def robot_alone(self) -> bool:
        """True: nothing is simulated beside it."""
        return True

    @property
    def robot_moves(self) -> bool:
        """Whether the robot's last two waypoints are apart: faster than what counts as rest."""
        return self._robot_moves

    @property
    def gap(self) -> tuple[float, float]:
        """None [m, rad]: there is nothing that it could be behind."""
        return 0.0, 0.0

    @property
    def note(self) -> str:
        """What the operator should know now; empty for nothing."""
        return self._mover.note

    def rest(self) -> None:
        """Bring the robot to rest from the next step on, until it is to go on."""
        self._resting = True

    def go_on(self) -> None:
        """Let the robot move again while it is held."""
        self._resting = False

    def listen(self) -> None:
        """Hear the operator, who may end the motion."""
        self._hand.listen()
        if self._hand.end_reason:
            self.stop(self._hand.end_reason)

    def stop(self, why: str) -> None:
        """Bring the motion to rest along its path, from the next step on, and end there."""
        if self._course is MotionPhase.FOLLOWING:
            self._course, self.why = MotionPhase.STOPPING, why
            self._judge.declare_stop()

    def part(self, why: str) -> None:
        """The robot's stream has ended, and nothing else moves."""
        self.why = self.why or why
        if self._course not in OVER:
            self._course = MotionPhase.AT_REST

    def step(self) -> RobotStep:
        """Go on by one period.

        Raises:
            RuntimeError: if the motion is over.
        """
        if self._course in OVER:
            raise RuntimeError(f"the motion is {self._course.value}: there is no next step")
        held = self._course is MotionPhase.FOLLOWING and self._hand.held and not self._resting
        X_RT = self._mover.next(held=held)
        judged = self._judge.judge(X_RT)
        index, share = self._judge.index, self._mover.share
        if judged.violations:
            self._course, self.why = MotionPhase.REFUSED, str(judged.violations[0])
            return RobotStep(
                index, index * TICK_S, self._course, X_RT, None, None, (), judged.violations, share
            )
        if self._mover.done or (self._course is MotionPhase.STOPPING and self._mover.at_rest):
            self._course = MotionPhase.AT_REST
        self._note_way(X_RT)
        location = location_of(X_RT, self._convention, self._t_rad)
        self._t_rad = location.oat_rad[2]
        return RobotStep(
            index, index * TICK_S, self._course, X_RT, judged.joints, location, judged.margins,
            (), share,
        )  # fmt: skip

    def _note_way(self, X_RT: Pose) -> None:
        """Note whether the robot is to move to its next waypoint, or to rest where it is."""
        last, self._last_RT = self._last_RT, X_RT
        way_m = float(np.linalg.norm(X_RT.position_m - last.position_m))
        turn_rad = angle_between_rad(last, X_RT)
        self._robot_moves = way_m > REST_SPEED_M_S * TICK_S or turn_rad > REST_TURN_RAD_S * TICK_S
