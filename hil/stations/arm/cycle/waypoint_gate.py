"""Gate and link of a robot as one object: only waypoints that passed the gate are written.

The gate lets a waypoint through as a sample, the link takes it as a pose. So the link is given only
what is the sample's place, each once and in order. Nothing else holds the link of a robot that may
move.
"""

import math
from collections import deque
from collections.abc import Sequence
from typing import Protocol

from arm_driver.link import ArmLink, DeclaredPath, EndReason, Offer
from arm_driver.link_errors import WaypointRefusedError
from arm_driver.link_report import DisplayedPose, LinkReport
from hil_common.arrays.pose import Pose
from hil_common.arrays.rotation import quaternion_of
from safety.arm_gate import ArmGate
from safety.arm_limits import ArmAction, ArmLimits, ArmSample, ArmVerdict

SAME_M = 1e-6
"""Distance of places that are one [m]: the sample is of joints, which are of the pose."""
SAME_RAD = 1e-6
"""Angle up to which two orientations are one [rad], for the same reason."""


class PastGateError(WaypointRefusedError):
    """A waypoint was to be written that the gate has not let through; nothing was written."""


class WaypointGate(Protocol):
    """Judge of waypoints: a gate alone, for a proof, or one with a link behind it."""

    @property
    def limits(self) -> tuple[ArmLimits, ...]:
        """Limits of each arm, in the order of the samples."""
        ...

    def judge(self, index: int, samples: Sequence[ArmSample]) -> ArmVerdict:
        """Judge one waypoint."""
        ...

    def declare_stop(self) -> None:
        """Note that the waypoints from now on are a smooth stop."""

    def trial(self) -> ArmGate:
        """Return a gate at the same waypoint, whose verdicts bind nobody."""
        ...


class GatedArm:
    """The link of one stream behind its gate; both as `ArmLink` and as `WaypointGate`.

    Args:
        gate: open, at the start of the stream; the robot's samples are its last.
    """

    def __init__(self, gate: ArmGate, link: ArmLink) -> None:
        self._gate, self._link = gate, link
        self._passed: deque[ArmSample] = deque()

    @property
    def limits(self) -> tuple[ArmLimits, ...]:
        """Limits of each arm, in the order of the samples."""
        return self._gate.limits

    @property
    def reader_thread(self) -> int | None:
        """Number of the thread that answers the robot; None without one."""
        return getattr(self._link, "reader_thread", None)

    def judge(self, index: int, samples: Sequence[ArmSample]) -> ArmVerdict:
        """Judge one waypoint; one that passes may be offered, once."""
        verdict = self._gate.judge(index, samples)
        if verdict.action is ArmAction.PASSED and verdict.allowed is not None:
            self._passed.append(verdict.allowed[-1])
        return verdict

    def declare_stop(self) -> None:
        """Note that the waypoints from now on are a smooth stop; no limit is another for that."""
        self._gate.declare_stop()

    def trial(self) -> ArmGate:
        """Return a gate at the same waypoint, whose verdicts bind nobody and reach no robot."""
        return self._gate.trial()

    def start(self, path: DeclaredPath, measured: DisplayedPose | None = None) -> None:
        """Begin the stream.

        Raises:
            PastGateError: if the gate is shut.
            StartRefusedError: with the reason; nothing is sent then.
        """
        if self._gate.latched:
            raise PastGateError(f"the gate is shut: {self._gate.latched[0]}")
        self._link.start(path, measured)

    def offer(self, X_RT: Pose) -> Offer:
        """Put the next waypoint into the slot of the link.

        Raises:
            PastGateError: if it is not the next that the gate has let through.
            WaypointRefusedError: if it is too far from the one before.
        """
        if not self._passed:
            raise PastGateError("no waypoint has passed the gate that was not written yet")
        self._compare(X_RT, self._passed[0])
        answer = self._link.offer(X_RT)
        if answer is Offer.TAKEN:
            self._passed.popleft()
        return answer

    def _compare(self, X_RT: Pose, sample: ArmSample) -> None:
        away_m = math.dist(X_RT.position_m, sample.gripper_position_m)
        turned = quaternion_of(X_RT.rotation)
        away_rad = _turn_rad(turned, sample.gripper_rotation)
        # Not "above": what is no number is not let through either.
        if not (away_m <= SAME_M and away_rad <= SAME_RAD):
            raise PastGateError(
                f"{1e3 * away_m:.3f} mm and {math.degrees(away_rad):.4f} deg from the waypoint "
                f"that passed the gate, at most {1e3 * SAME_M:g} mm and "
                f"{math.degrees(SAME_RAD):.2g} deg are rounding"
            )

    def poll(self) -> LinkReport:
        """Return the link as it is now."""
        return self._link.poll()

    def end(self, reason: EndReason) -> None:
        """End the stream; what has passed and was not written never will be."""
        self._passed.clear()
        self._link.end(reason)

    def close(self) -> None:
        """Leave the link."""
        self._link.close()


def _turn_rad(first: Sequence[float], second: Sequence[float]) -> float:
    """Return the angle between two unit quaternions [rad], exact near zero; NaN for no numbers."""
    apart = math.dist(first, second)
    along = math.hypot(*(a + b for a, b in zip(first, second, strict=True)))
    return 4.0 * math.atan2(min(apart, along), max(apart, along))
