"""The gate of a robot that repeats poses: its limits, its branch, one start at rest."""

from copy import copy
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from arm_driver.errors import ArmError
from arm_driver.kinematics.branch_tracker import BranchTracker
from arm_driver.kinematics.geometry import PumaGeometry
from arm_driver.kinematics.puma import Joints
from hil.config.errors import RefusedError
from hil.machines.robot.settings import RobotSettings
from hil.stations.arm.cycle.step import robot_sample, violations_of
from hil.stations.arm.cycle.waypoint_gate import WaypointGate
from hil_common.arrays.pose import Pose, PoseError
from safety.arm_gate import ArmGate
from safety.arm_limits import ArmAction, ArmSample, ArmViolation
from sim.world.space_arm.simulator import TICK_S

Array = NDArray[np.float64]
_MAY_NOT = "the robot may not be moved from where it stands"


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """Verdict of the gate on one waypoint."""

    joints: Joints | None
    """Joint angles of the robot at the waypoint; None if no joints lead there."""
    margins: tuple[float, ...]
    """Distances from the robot's singularities: wrist [1], elbow and shoulder [m]."""
    violations: tuple[ArmViolation, ...]
    """Reasons for a refusal; empty if it passed."""


def gate_at(robot: RobotSettings, start_rad: Array) -> ArmGate:
    """Return the gate of a robot at rest.

    Raises:
        RefusedError: if it may not be there, with joint, value and limit.
    """
    sample = robot_sample(robot.geometry(), np.array(start_rad))
    gate = ArmGate((robot.gate_limits(),), TICK_S, (sample,))
    if gate.latched:
        raise RefusedError("\n".join((f"{_MAY_NOT}:", *map(str, gate.latched))))
    return gate


class RobotJudge:
    """Judges one waypoint after the other, from a start at rest.

    The joints follow from the place, in the branch of the start: that is what the controller makes
    of a waypoint, whatever joints its maker intended.

    Args:
        index: number of the waypoint that passed last.
    """

    def __init__(
        self, geometry: PumaGeometry, gate: WaypointGate, keeper: BranchTracker, index: int = 0
    ) -> None:
        self._geometry, self._gate, self._keeper, self._index = geometry, gate, keeper, index

    @classmethod
    def at(cls, robot: RobotSettings, start_rad: Array, gate: WaypointGate | None = None) -> Self:
        """Return the judge of a robot at rest.

        Args:
            start_rad: its joint angles [rad], shape (6,).
            gate: open, at that start; one of its own if left out.

        Raises:
            RefusedError: if it may not be there, with joint, value and limit.
        """
        geometry = robot.geometry()
        gate = gate or gate_at(robot, start_rad)
        try:
            return cls(geometry, gate, BranchTracker(geometry, start_rad, robot.least()))
        except (ArmError, PoseError) as error:
            raise RefusedError(f"{_MAY_NOT}: {robot.name}: {error}") from None

    @property
    def joints(self) -> Joints:
        """Joint angles of the waypoint that passed last."""
        return self._keeper.last

    @property
    def index(self) -> int:
        """Number of the waypoint judged last; 0 is the start."""
        return self._index

    def trial(self) -> Self:
        """Return another one at the same waypoint, whose verdicts bind nobody."""
        return type(self)(self._geometry, self._gate.trial(), copy(self._keeper), self._index)

    def declare_stop(self) -> None:
        """Note that the waypoints from now on are a smooth stop; no limit is another for that."""
        self._gate.declare_stop()

    def judge(self, X_RT: Pose, *beside: ArmSample) -> Judged:
        """Judge the next waypoint; after a refusal every other one is refused as well.

        Args:
            beside: what else the gate judges, before the robot in its samples.
        """
        self._index += 1
        try:
            joints = self._keeper.follow(X_RT)
        except (ArmError, PoseError) as error:
            return Judged(None, (), violations_of(self._gate.limits[-1], error))
        sample = robot_sample(self._geometry, np.array(joints.q_rad))
        verdict = self._gate.judge(self._index, (*beside, sample))
        refused = () if verdict.action is ArmAction.PASSED else verdict.violations
        return Judged(joints, sample.margins, refused)
