"""What the host's end of the contour link is set to, is told, and tells."""

import math
from dataclasses import dataclass, field, fields
from enum import Enum
from typing import Final

from arm_driver.contour import PERIOD_S, Request, RobotStatus
from arm_driver.host_states import HostState, StreamResult
from arm_driver.latency import LatencyReport
from arm_driver.location import VAL_A_ZERO_RAD, Location
from arm_driver.supervision import SupervisionReport
from arm_driver.supervision_settings import SupervisionSettings

BITS_PER_BYTE: Final = 10
"""Eight of data, a start and a stop bit."""
_POSITION_RESOLUTION_M: Final = 1e-5
_TURN_RESOLUTION_RAD: Final = math.radians(1e-3)


@dataclass(frozen=True, slots=True)
class HostSettings:
    """Times and limits of a stream.

    Attributes:
        period_s: Time between two requests of a robot that runs [s].
        silent_periods: Periods without a request after which the link is lost.
        answer_within_s: Age of a request up to which it is answered [s]. The robot waits 250 ms,
            and the answer is 71 ms on a wire of 9600 Bd.
        speed_max_m_s: Speed of the gripper [m/s].
        turn_rate_max_rad_s: Angular speed of the gripper [rad/s].
        start_tolerance_m: How far from the planned start a stream may begin [m].
        start_tolerance_rad: How far turned from it [rad].
        a_zero_rad: Angle between Z and Z'' at a = 0 [rad], of the controller's convention; a
            quarter turn in VAL, 0 for plain Z-Y'-Z''.
        supervision: Windows of period and following.

    Raises:
        ValueError: If a value is not finite; if one but the last is not above zero.
    """

    period_s: float = PERIOD_S
    silent_periods: float = 3.0
    answer_within_s: float = 0.15
    speed_max_m_s: float = 0.1
    turn_rate_max_rad_s: float = math.radians(30.0)
    start_tolerance_m: float = 0.002
    start_tolerance_rad: float = math.radians(0.5)
    a_zero_rad: float = VAL_A_ZERO_RAD
    supervision: SupervisionSettings = field(default_factory=SupervisionSettings)

    def __post_init__(self) -> None:
        for one in fields(self):
            value = getattr(self, one.name)
            if isinstance(value, SupervisionSettings):
                continue
            if not math.isfinite(value):
                raise ValueError(f"{one.name} = {value} is not finite")
            if value <= 0.0 and one.name != "a_zero_rad":
                raise ValueError(f"{one.name} = {value} is not above zero")

    @property
    def lost_after_s(self) -> float:
        """Silence after which the link is lost [s]."""
        return self.silent_periods * self.period_s

    @property
    def step_max_m(self) -> float:
        """Longest way between two waypoints [m], with the last decimal of the wire."""
        return self.speed_max_m_s * self.period_s + _POSITION_RESOLUTION_M

    @property
    def turn_max_rad(self) -> float:
        """Largest turn between two waypoints [rad], with the last decimal of the wire."""
        return self.turn_rate_max_rad_s * self.period_s + _TURN_RESOLUTION_RAD


@dataclass(frozen=True, slots=True)
class StreamPlan:
    """What a stream declares before it starts.

    Attributes:
        start: Where the robot has to be.
        end: Where the last waypoint lies; None for live motion, whose end is not known before.
    """

    start: Location
    end: Location | None = None


class Offer(Enum):
    """What became of a waypoint that was offered."""

    TAKEN = "taken"
    FULL = "the slot is full: the robot has not asked for the one before"
    NO_STREAM = "no stream is under way: look at its result"


@dataclass(slots=True)
class LinkCounts:
    """What was seen since the link was opened.

    Attributes:
        requests: Requests that were understood.
        answers: Lines sent.
        waypoints: Different waypoints sent.
        repeats: Lines sent once more because the robot asked for them again.
        told_checksum_errors: Requests in which the robot told that an answer did not check.
        checksum_errors: Lines of the robot whose checksum is wrong.
        unparsed: Lines of the robot that are no message, or have numbers out of range.
        overlong: Lines thrown away because they did not end.
        echoes: Echoes of our own lines.
        empty_slot: Requests without an answer because no waypoint was there.
        late_answers: Waypoints that were there for the robot's second request only.
        stale: Requests not answered because they were too old, or a newer one was there.
        out_of_sequence: Requests for a waypoint that is neither the last one nor the next.
        cut_answers: Answers that the port did not take whole.
    """

    requests: int = 0
    answers: int = 0
    waypoints: int = 0
    repeats: int = 0
    told_checksum_errors: int = 0
    checksum_errors: int = 0
    unparsed: int = 0
    overlong: int = 0
    echoes: int = 0
    empty_slot: int = 0
    late_answers: int = 0
    stale: int = 0
    out_of_sequence: int = 0
    cut_answers: int = 0


@dataclass(frozen=True, slots=True)
class Heard:
    """A request with the time of its last byte.

    Attributes:
        request: What was asked.
        at_s: When its last byte was read [s].
        length: Its bytes on the wire, with what an emulated controller says right before it.
    """

    request: Request
    at_s: float
    length: int

    def asked_s(self, baud: int) -> float:
        """Return when the robot began to send it [s], at so many bits per second, ten a byte."""
        return self.at_s - self.length * BITS_PER_BYTE / baud


@dataclass(frozen=True, slots=True)
class LinkReport:
    """The link at one instant.

    Attributes:
        state: State of the host's end.
        result: How the last stream ended; None while one is under way or before the first.
        text: Why the state or result is what it is, for the operator.
        wants: Whether a waypoint can be offered now.
        sent: The last waypoint that the robot was sent; None before the first.
        streamed: Waypoints sent in this stream.
        status: What the robot's last request said; None before the first.
        heard: The robot's last request; None before the first.
        measured: Where the robot said it is, with its last request that did; else None.
        silence_s: Time since the last request [s]; infinite before the first.
        gap_s: Time between that and the one before [s]; infinite before the second.
        supervision: Period and following of the last stream.
        simulated: Whether the controller has said that it is an emulated one.
        counts: What was seen since the link was opened; a copy.
        latency: From the request's last byte read to the answer's last byte written.
    """

    state: HostState
    result: StreamResult | None
    text: str
    wants: bool
    sent: Location | None
    streamed: int
    status: RobotStatus | None
    heard: Heard | None
    measured: Location | None
    silence_s: float
    gap_s: float
    supervision: SupervisionReport
    simulated: bool
    counts: LinkCounts
    latency: LatencyReport
