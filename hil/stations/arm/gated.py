"""Gate and link of a robot as one object: what the gate has not let through is not written.

The gate lets a waypoint through as a sample, the link takes it as six integers. So the link is
given only what is the sample's place within the decimals of the wire, each once and in order.
Nothing else holds the link of a robot that may move.
"""

import math
from collections import deque
from collections.abc import Sequence
from typing import Protocol

import numpy as np

from arm_driver.contour.host_values import LinkReport, Offer, StreamPlan
from arm_driver.contour.link import ArmLink
from arm_driver.contour.location import COUNTS_PER_DEG, COUNTS_PER_MM, Location
from arm_driver.contour.messages import EndReason
from arm_driver.contour.val import OatConvention, from_oat
from arm_driver.link_errors import WaypointRefusedError
from arm_driver.rotation import quaternion_of
from safety.arm_gate import ArmGate
from safety.arm_limits import ArmAction, ArmLimits, ArmSample, ArmVerdict

ROUNDED_M = 0.5001e-3 * math.sqrt(3.0) / COUNTS_PER_MM
"""How far rounding to the wire can put a place from itself [m]."""
ROUNDED_RAD = math.radians(2.0 / COUNTS_PER_DEG)
"""How far it can turn it, three angles together [rad]."""


class PastGateError(WaypointRefusedError):
    """A waypoint was to be written that the gate has not let through; nothing was written."""


class ArmWire(Protocol):
    """A link to a robot, real or emulated; see `arm_driver.contour.link.ArmLink`."""

    def start(self, plan: StreamPlan, measured: Location | None = None) -> None:
        """Begin a stream, on the operator's arm command."""

    def offer(self, location: Location) -> Offer:
        """Put the next waypoint into the slot."""
        ...

    def poll(self) -> LinkReport:
        """Return the link as it is now."""
        ...

    def end(self, reason: EndReason) -> None:
        """End the stream."""

    def close(self) -> None:
        """Leave the link."""


class WaypointGate(Protocol):
    """What judges waypoints: a gate alone, for a proof, or one with a link behind it."""

    @property
    def limits(self) -> tuple[ArmLimits, ...]:
        """Of each arm, in the order of the samples."""
        ...

    def judge(self, index: int, samples: Sequence[ArmSample]) -> ArmVerdict:
        """Judge one waypoint."""
        ...

    def declare_stop(self) -> None:
        """Note that the waypoints from now on are a smooth stop."""

    def trial(self) -> ArmGate:
        """A gate at the same waypoint, whose verdicts bind nobody."""
        ...


class GatedArm:
    """The link of one stream behind its gate; both as `ArmWire` and as `WaypointGate`.

    Args:
        gate: open, at the start of the stream; the robot's samples are its last.
    """

    def __init__(self, gate: ArmGate, link: ArmWire, convention: OatConvention) -> None:
        self._gate, self._link, self._convention = gate, link, convention
        self._passed: deque[ArmSample] = deque()

    @property
    def limits(self) -> tuple[ArmLimits, ...]:
        """Of each arm, in the order of the samples."""
        return self._gate.limits

    @property
    def reader_thread(self) -> int | None:
        """Number of the thread that answers the robot; None without one."""
        return self._link.reader_thread if isinstance(self._link, ArmLink) else None

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
        """A gate at the same waypoint, whose verdicts bind nobody and reach no robot."""
        return self._gate.trial()

    def start(self, plan: StreamPlan, measured: Location | None = None) -> None:
        """Begin the stream.

        Raises:
            PastGateError: if the gate is shut.
            StartRefusedError: with the reason; nothing is sent then.
        """
        if self._gate.latched:
            raise PastGateError(f"the gate is shut: {self._gate.latched[0]}")
        self._link.start(plan, measured)

    def offer(self, location: Location) -> Offer:
        """Put the next waypoint into the slot of the link.

        Raises:
            PastGateError: if it is not the next that the gate has let through.
            WaypointRefusedError: if it is too far from the one before.
        """
        if not self._passed:
            raise PastGateError("no waypoint has passed the gate that was not written yet")
        self._compare(location, self._passed[0])
        answer = self._link.offer(location)
        if answer is Offer.TAKEN:
            self._passed.popleft()
        return answer

    def _compare(self, location: Location, sample: ArmSample) -> None:
        away_m = math.dist(location.position_m, sample.gripper_position_m)
        turned = quaternion_of(from_oat(np.array(location.oat_rad), self._convention))
        along = abs(sum(a * b for a, b in zip(turned, sample.gripper_rotation, strict=True)))
        away_rad = 2.0 * math.acos(min(along, 1.0))
        # Not "above": what is no number is not let through either.
        if not (away_m <= ROUNDED_M and away_rad <= ROUNDED_RAD):
            raise PastGateError(
                f"{1e3 * away_m:.3f} mm and {math.degrees(away_rad):.4f} deg from the waypoint "
                f"that passed the gate; rounding leaves at most {1e3 * ROUNDED_M:.3f} mm and "
                f"{math.degrees(ROUNDED_RAD):.4f} deg"
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
