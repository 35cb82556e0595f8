"""The same motion at another place: from the space arm's gripper to this arm's gripper.

Names of frames: W world, G gripper of the space arm, R base of the industrial arm, T its gripper.
"""

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arm_driver.errors import ArmError
from hil_common.arrays.pose import Pose

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Mapping:
    """Motion about a working point: X_RT = X_RT0 A⁻¹ (X_WG0⁻¹ X_WG) A.

    Raises:
        ArmError: a scale that is not finite and above 0.
        PoseError: ``alignment`` is not a rotation.
    """

    X_WG0: Pose
    """Reference pose of the space arm's gripper in the world."""
    X_RT0: Pose
    """The industrial gripper's pose in its base that belongs to it."""
    alignment: ArrayLike = field(default_factory=lambda: np.eye(3))
    """A, the axes of the industrial gripper in those of the space arm's, shape (3, 3), read-only;
    identity by default."""
    scale: float = 1.0
    """Factor on translations, above 0; other than 1 is not the same motion."""
    _to_gripper: Pose = field(init=False, repr=False)
    _from_reference: Pose = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if not (math.isfinite(self.scale) and self.scale > 0.0):
            raise ArmError(f"scale: {self.scale}, must be finite and above 0")
        turn = Pose(np.zeros(3), np.asarray(self.alignment))
        object.__setattr__(self, "alignment", turn.rotation)
        object.__setattr__(self, "_to_gripper", turn)
        object.__setattr__(self, "_from_reference", self.X_WG0.inverse())

    @property
    def is_scaled(self) -> bool:
        """Whether the translation is not the simulated one; the operator has to be shown it."""
        return self.scale != 1.0

    def robot_pose(self, X_WG: Pose) -> Pose:
        """Where the industrial gripper has to be, X_RT, for the space arm's gripper at X_WG."""
        moved = self._from_reference @ X_WG
        scaled = moved.at(self.scale * moved.position_m)
        return self.X_RT0 @ self._to_gripper.inverse() @ scaled @ self._to_gripper

    def simulated_pose(self, X_RT: Pose) -> Pose:
        """The inverse: where the space arm's gripper is when the industrial one is at X_RT."""
        turn = self._to_gripper
        moved = turn @ self.X_RT0.inverse() @ X_RT @ turn.inverse()
        return self.X_WG0 @ moved.at(moved.position_m / self.scale)
