"""The moving part of the emulated arm: path, inverse kinematics and servos on one clock.

Every 28 ms a pose is taken from the path and turned into joint set-points for the next 28 ms.

Not modelled: that the computer of the controller needs time for this.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sim.devices.arm.limits import LimitedArm, LimitError
from sim.devices.arm.path import BlendSettings, ContinuousPath
from sim.devices.arm.servo import SERVO_S, STEPS_PER_POINT, JointServos

Array = NDArray[np.float64]

_SETTLED_S: Final = 0.5
"""Time after the end of the path from which the servos need not be computed any more [s]."""


class ArmMotion:
    """The arm in its motion along the path.

    Args:
        model: Geometry and limits.
        blends: How segments are joined.
        servos: The joints at their start.
        loaded: Whether they have to be computed at rest, too: something pulls at them.
    """

    def __init__(
        self,
        model: LimitedArm,
        blends: BlendSettings,
        servos: JointServos,
        now_s: float,
        *,
        loaded: bool = False,
    ) -> None:
        self._model = model
        self._servos, self._loaded = servos, loaded
        q_rad = servos.q_rad
        self.path: ContinuousPath = ContinuousPath(blends, model.pose(q_rad))
        self._started_s, self._steps = now_s, 0
        self._since_s = 0.0  # the last servo period
        self._braking = False
        self._last_q = np.array(q_rad)
        self._changed_s = now_s
        self.pace: float | None = None
        """Share of each segment the arm covers (fault); 1 after it until at rest, else None."""
        self._asked_q = np.array(q_rad)
        self.failure = ""
        """Reason why the path could not be followed; empty as long as it could."""

    @property
    def q_rad(self) -> Array:
        """Measured joint angles [rad], shape (6,)."""
        return self._servos.q_rad

    @property
    def rate_rad_s(self) -> Array:
        """Measured joint rates [rad/s], shape (6,)."""
        return self._servos.rate_rad_s

    @property
    def trip(self) -> str:
        """Reason why the joints let the brakes fall by themselves; empty if they did not."""
        return self._servos.trip

    @property
    def measured(self) -> Array:
        """Measured pose of the gripper: rotation beside position [m], shape (3, 4).

        Joints move between two servo periods.
        """
        return self._model.pose(self._servos.q_rad + self._since_s * self._servos.rate_rad_s)

    def extend(self, pose: Array, begin_s: float, end_s: float) -> None:
        """Extend the path to a waypoint.

        Args:
            pose: Rotation beside position [m], shape (3, 4).
            begin_s: When the last waypoint is left [s].
            end_s: When this one is reached [s].

        Raises:
            LimitError: If the arm cannot follow; the path is as it was then.
        """
        self._last_q = self._model.check_segment(
            self.path.last, pose, self._last_q, end_s - begin_s
        )
        self.path.append(pose, begin_s, end_s)

    def rest(self) -> None:
        """Take the end of the path as the pose of the resting arm."""
        self._changed_s = max(self._changed_s, self.path.rest_s)  # the servos still follow
        self.path.reset(self.path.last)

    def brake(self, now_s: float) -> None:
        """Let the brakes fall (monotonic time [s])."""
        self.run(now_s)
        self._braking, self._changed_s = True, now_s
        self._servos.brake(True)

    def release(self, now_s: float) -> None:
        """Lift the brakes; the arm holds its present pose (monotonic time [s])."""
        self.run(now_s)
        if self._braking:
            self._braking = False
            self._servos.brake(False)
            self._restart_path(self._servos.q_rad, now_s)

    def restart_path(self, now_s: float) -> None:
        """Restart the path where the arm rests: a slow arm is off its path (monotonic time [s])."""
        self.run(now_s)
        self.pace = None if self.pace == 1.0 else self.pace
        self._restart_path(self._servos.q_rad, now_s)
        self._asked_q = self._servos.setpoint_rad

    def shift(self, up_m: float, now_s: float) -> None:
        """Move the resting arm up by hand [m] (monotonic time [s]).

        Raises:
            LimitError: If that is out of reach.
        """
        self.run(now_s)
        pose = self.measured
        pose[2, 3] += up_m
        q_rad = self._model.joints(pose, self._servos.q_rad)
        self._servos.place(q_rad)
        self._restart_path(q_rad, now_s)

    def run(self, now_s: float) -> None:
        """Move the arm until a time (monotonic time [s])."""
        target = math.floor((now_s - self._started_s) / SERVO_S + 1e-6)
        self._since_s = min(max(now_s - self._started_s - target * SERVO_S, 0.0), SERVO_S)
        while self._steps < target:
            quiet_s = max(self.path.rest_s, self._changed_s) + _SETTLED_S
            if not self._loaded and self._started_s + self._steps * SERVO_S > quiet_s:
                self._steps = target
                return
            if self._steps % STEPS_PER_POINT == 0 and not self._braking:
                self._aim()
            block_end = (self._steps // STEPS_PER_POINT + 1) * STEPS_PER_POINT
            count = min(target, block_end) - self._steps
            self._servos.run(count)
            self._steps += count

    def _aim(self) -> None:
        time_s = self._started_s + (self._steps + STEPS_PER_POINT) * SERVO_S
        try:
            q_rad = self._model.joints(self.path.at(time_s), self._servos.setpoint_rad)
        except LimitError as error:  # tried before, so only a blend can come here
            self.failure: str = str(error)
            q_rad = self._servos.setpoint_rad
        asked, self._asked_q = self._asked_q, q_rad
        if self.pace is not None:
            q_rad = self._servos.setpoint_rad + self.pace * (q_rad - asked)
        self._servos.aim(q_rad)

    def next_check_s(self) -> float:
        """Time of the next check of the joints [s]; inf if nothing but the path moves them."""
        if not self._loaded:
            return math.inf
        blocks = self._steps // STEPS_PER_POINT + 1
        return self._started_s + blocks * STEPS_PER_POINT * SERVO_S

    def _restart_path(self, q_rad: Array, now_s: float) -> None:
        self._last_q = np.array(q_rad)
        self._changed_s = now_s
        self.path.reset(self._model.pose(q_rad))
