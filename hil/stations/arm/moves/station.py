"""The station of a robot that moves alone: a mover makes its waypoints, the gate judges them.

The loop, the link and the recorder are those of every run. A waypoint is made when it is needed,
by what the operator does then: the dead-man let go is felt by the next one.
"""

from typing import Protocol

from arm_driver.kinematics.puma import forward
from hil.machines.robot.settings import RobotSettings
from hil.stations.arm.cycle.judge import RobotJudge
from hil.stations.arm.cycle.step import MotionPhase, RobotStep
from hil.stations.arm.cycle.stream import OVER, WaypointMaker
from hil.stations.arm.moves.move_operators import Hand
from hil_common.arrays.pose import Pose
from sim.world.space_arm.simulator import TICK_S


class Mover(Protocol):
    """Maker of the robot's poses, one period after the other."""

    @property
    def share(self) -> float:
        """Pace of the robot, 0 (at rest) to 1."""
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
        """Note for the operator now; empty for nothing."""
        ...

    def next(self, *, held: bool) -> Pose:
        """Return X_RT a period later; nothing is moved that is not held, but for coming to rest."""
        ...


class RobotStation(WaypointMaker[RobotStep]):
    """Control of the robot alone through one motion, held by an operator."""

    robot_alone = True

    def __init__(self, robot: RobotSettings, judge: RobotJudge, mover: Mover, hand: Hand) -> None:
        super().__init__(forward(robot.geometry(), judge.joints.q_rad))
        self._judge, self._mover, self._hand = judge, mover, hand

    @property
    def held(self) -> bool:
        """Whether the operator holds it, by the last poll."""
        return self._hand.held

    def listen(self) -> None:
        """Poll the operator, who may end the motion."""
        self._hand.listen()
        if self._hand.end_reason:
            self.stop(self._hand.end_reason)

    def part(self, why: str) -> None:
        """The robot's stream has ended, and nothing else moves."""
        self.why = self.why or why
        if self.course not in OVER:
            self.course = MotionPhase.AT_REST

    def _declare_stop(self) -> None:
        self._judge.declare_stop()

    def _step(self) -> RobotStep:
        held = self.course is MotionPhase.FOLLOWING and self._hand.held and not self.resting
        X_RT = self._mover.next(held=held)
        self.note = self._mover.note
        judged = self._judge.judge(X_RT)
        index, share = self._judge.index, self._mover.share
        if judged.violations:
            self.course, self.why = MotionPhase.REFUSED, str(judged.violations[0])
            return RobotStep(
                index, index * TICK_S, self.course, X_RT, None, (), judged.violations, share
            )
        if self._mover.done or (self.course is MotionPhase.STOPPING and self._mover.at_rest):
            self.course = MotionPhase.AT_REST
        self._note_way(X_RT)
        return RobotStep(
            index, index * TICK_S, self.course, X_RT, judged.joints, judged.margins, (), share,
        )  # fmt: skip
