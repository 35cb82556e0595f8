"""The station of a robot that moves alone: a mover says where to, the gate whether it may.

The loop, the link and the recorder are those of every run. A waypoint is made when it is needed,
by what the operator does then: the dead-man let go is felt by the next one.
"""

from typing import Protocol

import numpy as np

from arm_driver.geometry import PumaGeometry
from arm_driver.kinematics import forward
from arm_driver.pose import Pose, angle_between_rad
from arm_driver.val import OatConvention
from hil.stations.arm.control import REST_SPEED_M_S, REST_TURN_RAD_S
from hil.stations.arm.moves.hands import Hand
from hil.stations.arm.moves.judge import RobotJudge
from hil.stations.arm.step import MotionPhase, RobotStep, location_of
from sim.world.space_arm.simulator import TICK_S

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
    """Control of the robot alone through one motion.

    Args:
        geometry: the robot.
        convention: of its controller's angles.
        judge: its gate, at the start.
        mover: where to.
        hand: the operator.
    """

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
        """Why the motion is stopping or was refused; empty if it was planned so."""

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
