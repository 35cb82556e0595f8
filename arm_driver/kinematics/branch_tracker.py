"""A stream of poses in one branch: what must not change between a stream's first and last point."""

from numpy.typing import ArrayLike

from arm_driver.kinematics.branches import flips_between
from arm_driver.kinematics.geometry import PumaGeometry
from arm_driver.kinematics.puma import (
    Branch,
    JointLimitError,
    Joints,
    SingularDistances,
    branch_of,
    nearest,
    singular_distances,
)
from hil_common.arrays.pose import Pose

LEAST_DISTANCES = SingularDistances(wrist=0.1, elbow_m=0.02, shoulder_m=0.02)
"""Nearer to a singularity no stream goes: at |sin q5| = 0.1 the wrist's joints turn ten times as
fast as the hand."""


class BranchTracker:
    """Joint angles for one pose after the other, all in the branch of the first angles.

    A pose that is refused changes nothing: the next one is judged against the last accepted.

    Args:
        q_start: angles the stream starts from [rad], shape (6,).
        least: smallest distances from the singularities.

    Raises:
        NumbersError: ``q_start`` is not six finite numbers.
        SingularError: it is too near a singularity to say which branch it is in.
    """

    def __init__(
        self,
        geometry: PumaGeometry,
        q_start: ArrayLike,
        least: SingularDistances = LEAST_DISTANCES,
    ) -> None:
        self._geometry = geometry
        self._least = least
        singular_distances(geometry, q_start).require(least)
        branch = branch_of(geometry, q_start)
        self._last = Joints.of(q_start, branch)

    @property
    def branch(self) -> Branch:
        """The branch that is kept."""
        return self._last.branch

    @property
    def last(self) -> Joints:
        """The angles accepted last."""
        return self._last

    def follow(self, pose: Pose) -> Joints:
        """Angles of the next pose X_BG, each turn the nearest to the last angles.

        Raises:
            OutOfReachError: no joint angles reach the pose.
            JointLimitError: the branch's solution is outside the ranges, or only back inside by
                a whole turn in one step, as of a wrist that was wound up to the end of joint 6.
            SingularError: too near a singularity.
        """
        found = nearest(self._geometry, pose, self._last.q_rad, self._last.branch)
        if flips := flips_between(self._geometry, self._last.q_rad, found.q_rad):
            raise JointLimitError(found.branch, flips)
        singular_distances(self._geometry, found.q_rad).require(self._least)
        self._last = found
        return found
