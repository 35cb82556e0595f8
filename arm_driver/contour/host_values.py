"""Values of the host's end of the contour link: its settings, its inputs and its report."""

import math
from dataclasses import dataclass, field
from typing import Final

from arm_driver.contour.location import VAL_A_ZERO_RAD, Location
from arm_driver.contour.messages import RobotStatus, WaypointRequest
from arm_driver.link import LinkSettings
from arm_driver.link_report import LatencyReport, LinkCounts, SupervisionReport
from arm_driver.link_states import LinkState, StreamResult

BITS_PER_BYTE: Final = 10
"""Eight of data, a start and a stop bit."""
_POSITION_RESOLUTION_M: Final = 1e-5
_TURN_RESOLUTION_RAD: Final = math.radians(1e-3)


@dataclass(frozen=True, slots=True)
class HostSettings(LinkSettings):
    """Times and limits of a stream, with those of the protocol.

    Raises:
        ValueError: If a value is not finite; if one but the last is not above zero.
    """

    answer_within_s: float = 0.15
    """Age of a request up to which it is answered [s]. The robot waits 250 ms, and the answer is
    71 ms on a wire of 9600 Bd."""
    a_zero_rad: float = field(default=VAL_A_ZERO_RAD, metadata={"any_sign": True})
    """Angle between Z and Z'' at a = 0 [rad], of the controller's convention; a quarter turn in
    VAL, 0 for plain Z-Y'-Z''."""

    @property
    def unmeasured_s(self) -> float:
        """The period that waypoints have to be slow enough for before it is measured [s]."""
        return self.period_s / 2.0

    def step_max_m(self, period_s: float) -> float:
        """Longest way between two waypoints [m], with the last decimal of the wire."""
        return self.speed_max_m_s * period_s + _POSITION_RESOLUTION_M

    def turn_max_rad(self, period_s: float) -> float:
        """Largest turn between two waypoints [rad], with the last decimal of the wire."""
        return self.turn_rate_max_rad_s * period_s + _TURN_RESOLUTION_RAD

    def least_s(self, distance_m: float, turn_rad: float) -> float:
        """Shortest time in which a way and a turn keep the limits of speed [s]."""
        return max(
            (distance_m - _POSITION_RESOLUTION_M) / self.speed_max_m_s,
            (turn_rad - _TURN_RESOLUTION_RAD) / self.turn_rate_max_rad_s,
        )


@dataclass(frozen=True, slots=True)
class StreamPlan:
    """Plan that a stream declares before it starts."""

    start: Location
    """Place where the robot has to be."""
    end: Location | None = None
    """Place of the last waypoint; None for live motion, whose end is not known before."""


@dataclass(frozen=True, slots=True)
class ReceivedRequest:
    """A request with the time of its last byte."""

    request: WaypointRequest
    """The request."""
    at_s: float
    """Time at which its last byte was read [s]."""
    length: int
    """Its bytes on the wire, with what an emulated controller says right before it."""

    def asked_s(self, baud: int) -> float:
        """Return when the robot began to send it [s], at so many bits per second, ten a byte."""
        return self.at_s - self.length * BITS_PER_BYTE / baud


@dataclass(frozen=True, slots=True)
class HostReport:
    """The link at one instant."""

    state: LinkState
    """State of the host's end."""
    result: StreamResult | None
    """Result of the last stream; None while one is under way or before the first."""
    text: str
    """Reason of the state or result, for the operator."""
    wants: bool
    """Whether a waypoint can be offered now."""
    sent: Location | None
    """The last waypoint that the robot was sent; None before the first."""
    streamed: int
    """Waypoints sent in this stream."""
    status: RobotStatus | None
    """Status in the robot's last request; None before the first."""
    received: ReceivedRequest | None
    """The robot's last request; None before the first."""
    measured: Location | None
    """Place of the robot, by its last request that had one; else None."""
    silence_s: float
    """Time since the last request [s]; infinite before the first."""
    gap_s: float
    """Time between that and the one before [s]; infinite before the second."""
    supervision: SupervisionReport
    """Period and following of the last stream."""
    simulated: bool
    """Whether the controller has reported that it is an emulated one."""
    counts: LinkCounts
    """Counts since the link was opened; a copy."""
    latency: LatencyReport
    """Times from a request's last byte read to its answer's last byte written."""
