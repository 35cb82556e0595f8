"""What a link tells of itself and its robot, whichever it is: states, results, counts, figures."""

import math
from dataclasses import dataclass, field

from arm_driver.link_states import LinkState, StreamResult
from hil_common.arrays.pose import Pose


@dataclass(frozen=True, slots=True, eq=False)
class DisplayedPose:
    """Where a gripper is in the robot's base, and how the robot's controller shows it."""

    X_RT: Pose
    """Pose of the gripper in the robot's base."""
    text: str = ""
    """In the controller's numbers, for people; its position in millimetres if left out."""

    def __str__(self) -> str:
        if self.text:
            return self.text
        x, y, z = 1e3 * self.X_RT.position_m
        return f"x {x:.2f} y {y:.2f} z {z:.2f} mm"


@dataclass(slots=True)
class LinkCounts:
    """What was seen since the link was opened; what a link does not count stays 0."""

    requests: int = 0
    """Requests that were understood."""
    answers: int = 0
    """Lines sent."""
    waypoints: int = 0
    """Different waypoints sent."""
    repeats: int = 0
    """Lines sent once more because the robot asked for them again."""
    told_checksum_errors: int = 0
    """Requests in which the robot told that an answer did not check."""
    checksum_errors: int = 0
    """Lines of the robot whose checksum is wrong."""
    unparsed: int = 0
    """Lines of the robot that are no message, or have numbers out of range."""
    overlong: int = 0
    """Lines thrown away because they did not end."""
    echoes: int = 0
    """Echoes of our own lines."""
    empty_slot: int = 0
    """Requests without an answer because no waypoint was there."""
    late_answers: int = 0
    """Waypoints that were there for the robot's second request only."""
    stale: int = 0
    """Requests not answered because they were too old, or a newer one was there."""
    out_of_sequence: int = 0
    """Requests for a waypoint that is neither the last one nor the next."""
    cut_answers: int = 0
    """Answers that the port did not take whole."""


@dataclass(frozen=True, slots=True)
class LatencyReport:
    """Times from a request's last byte read to its answer's last byte written, at one instant."""

    count: int = 0
    """Answers measured."""
    p50_s: float = 0.0
    """Median [s], rounded up to the next edge, 6 % at most."""
    p99_s: float = 0.0
    """99th percentile [s], rounded up likewise."""
    longest_s: float = 0.0
    """Longest [s], exact."""
    last_s: float = 0.0
    """The newest [s], exact; 0 before the first."""


@dataclass(frozen=True, slots=True)
class PeriodReport:
    """The robot's period as the host received it."""

    count: int = 0
    """Periods that were measured."""
    mean_s: float = math.nan
    """Their mean [s]; NaN before the first."""
    jitter_s: float = math.nan
    """Their standard deviation [s]."""
    shortest_s: float = math.nan
    """The shortest [s]."""
    longest_s: float = math.nan
    """The longest [s]."""
    ahead: float = 0.0
    """Share of the window that the requests have run ahead at most, 1 at its edge."""
    behind: float = 0.0
    """The same for having fallen behind."""
    ahead_s: float = 0.0
    """How far they are ahead now [s]."""
    behind_s: float = 0.0
    """How far behind now [s]."""


@dataclass(frozen=True, slots=True)
class FollowingReport:
    """How the robot follows."""

    measured: int = 0
    """Places of this stream that were held against the path."""
    largest_m: float = 0.0
    """Largest distance from it [m]."""
    largest_rad: float = 0.0
    """Largest turn from it [rad]."""
    share: float = 0.0
    """Largest share of the window so far, 1 at its edge."""
    last_share: float = math.nan
    """Share at the last place told; NaN before the first."""
    blank: int = 0
    """Requests in a row that told none."""


@dataclass(frozen=True, slots=True)
class SupervisionReport:
    """What the supervision of a stream has seen."""

    period: PeriodReport = field(default_factory=PeriodReport)
    """The robot's period."""
    following: FollowingReport = field(default_factory=FollowingReport)
    """Where the robot was against where it was sent."""


@dataclass(frozen=True, slots=True)
class LinkReport:
    """The link at one instant."""

    state: LinkState
    """State of the host's end."""
    result: StreamResult | None = None
    """How the last stream ended; None while one is under way or before the first."""
    text: str = ""
    """Why the state or result is what it is, for the operator."""
    asked: bool = False
    """Whether the robot has asked for a waypoint since the link was opened."""
    wants: bool = False
    """Whether a waypoint can be offered now."""
    streamed: int = 0
    """Waypoints sent in this stream."""
    measured: DisplayedPose | None = None
    """Where the robot said it is, with its last request that did; else None."""
    silence_s: float = math.inf
    """Time since the last request [s]; infinite before the first."""
    gap_s: float = math.inf
    """Time between that and the one before [s]; infinite before the second."""
    supervision: SupervisionReport = field(default_factory=SupervisionReport)
    """Period and following of the last stream."""
    simulated: bool = False
    """Whether the controller has said that it is an emulated one."""
    counts: LinkCounts = field(default_factory=LinkCounts)
    """What was seen since the link was opened; a copy."""
    latency: LatencyReport = field(default_factory=LatencyReport)
    """How long answers took."""
