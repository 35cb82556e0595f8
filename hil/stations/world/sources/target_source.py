"""Source of a motion to a target: joints of the next frame, once the one before is met."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hil.config.errors import RefusedError
from hil.stations.world.sources.source import SourceNews, setpoint_of
from sim.world.motion.planned_motion import UnreachableError
from sim.world.motion.target_frames import TargetFrames, pose_distances, target_pose

if TYPE_CHECKING:
    from hil.stations.world.plan.target_motion import TargetMotion
    from safety.robot_limits import RobotSetpoint
    from sim.world.motion.chain import Chain
    from sim.world.motion.joint_bounds import BoundedJoints

Array = NDArray[np.float64]


class TargetSource:
    """Source that leads joints from frame to frame, each when the measured end meets the last.

    Args:
        motion: settings of the motion.
        chain: chain to the place that moves.
        joints: joints where the robot starts.
        measured_end: measures the pose of that place in the world, shape (4, 4).

    Raises:
        RefusedError: if a frame cannot be reached, or there are none as wished.
    """

    def __init__(
        self, motion: TargetMotion, chain: Chain, joints: BoundedJoints,
        measured_end: Callable[[], Array],
    ) -> None:  # fmt: skip
        self._motion, self._joints, self._measured_end = motion, joints, measured_end
        places, start = list(chain.places), joints.positions
        try:
            self.frames: TargetFrames = target_frames(motion, chain.pose(start[places]))
            solved = self.frames.joints(chain, start[places], descent=motion.inverse == "ccd")
        except (UnreachableError, ValueError) as error:
            raise RefusedError(f"motion: {error}") from None
        self._targets = np.tile(start, (len(solved), 1))
        self._targets[:, places] = solved
        self._poses = [self.frames.at(number) for number in range(1, self.frames.count + 1)]
        self._met, self._met_s = 0, 0.0
        self._news = list[SourceNews]()
        self.duration_s: float | None = None
        """Time at which the target was met [s]; None before."""
        self.fault: str = ""
        """Reason why it cannot go on; empty while it can."""

    @property
    def ended(self) -> bool:
        """Whether the target is met."""
        return self._met == self.frames.count

    def setpoint(self, index: int) -> RobotSetpoint:
        """Setpoint of a step."""
        if index:  # the first step is where it starts
            t_s = index * self._joints.period_s
            self._open(t_s)
            next_frame = min(self._met, self.frames.count - 1)
            self._joints.towards(self._targets[next_frame], self._motion.smoothing_s)
        return setpoint_of(self._joints)

    def _open(self, t_s: float) -> None:
        """Count the frames that the measured end meets; note it if it waits too long for one."""
        if self.ended or self.fault:
            return
        end, motion = self._measured_end(), self._motion
        while not self.ended:
            away_m, turned = pose_distances(end, self._poses[self._met])
            if not (away_m <= motion.sigma_1_m and turned <= motion.sigma_2):
                break
            self._met, self._met_s = self._met + 1, t_s
        else:
            self.duration_s = t_s
            text = f"all {self.frames.count} frames to the target are met"
            self._news.append(SourceNews(text, {"frames": float(self.frames.count)}))
            return
        if not math.isfinite(away_m + turned) or t_s - self._met_s > motion.wait_s:
            self.fault = (
                f"frame {self._met + 1} of {self.frames.count} to the target is not met within "
                f"{motion.wait_s:g} s: {1e3 * away_m:.3f} mm away, sigma_1_m is "
                f"{1e3 * motion.sigma_1_m:g} mm; {turned:.5f} turned, sigma_2 is "
                f"{motion.sigma_2:g}: a law that follows better, or greater ones, are needed"
            )

    def news(self) -> Sequence[SourceNews]:
        """Events since the last call."""
        taken, self._news = self._news, []
        return taken

    def close(self) -> None:
        """Do nothing: no resource is held."""


def target_frames(motion: TargetMotion, start: Array) -> TargetFrames:
    """Frames of a motion from a pose, shape (4, 4).

    Raises:
        ValueError: if there are too many, or k_1 and k_2 do not rise within them.
    """
    if motion.angles_deg is None:
        goal = start.copy()
        goal[:3, 3] = motion.point_m
    else:
        angles_rad = tuple(math.radians(angle) for angle in motion.angles_deg)
        goal = target_pose(motion.point_m, angles_rad)
    firsts = None if motion.k_1 is None or motion.k_2 is None else (motion.k_1, motion.k_2)
    return TargetFrames.between(start, goal, motion.step_m, math.radians(motion.step_deg), firsts)
