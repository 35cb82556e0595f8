"""The seam between a station and an industrial robot: five methods, waypoints as poses in SI.

How waypoints get to the robot, in which units and when, is the link's own business: RS-232 in
`arm_driver.contour`, or what another distribution offers under the entry points `hil.arm_links`.

The robot is the clock: it asks for a waypoint every `LinkSettings.period_s`, and a link that has
room for one says so in its report. A robot that gets none comes to rest at the last.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from enum import Enum, IntEnum
from typing import Final, Protocol

from arm_driver.link_report import DisplayedPose, LinkReport
from arm_driver.supervision_settings import SupervisionSettings
from hil_common.arrays.pose import Pose

GROUP: Final = "hil.arm_links"
"""Entry points whose objects are `LinkKind` values; each bears the scheme of its URLs."""
PERIOD_S: Final = 0.35
"""Time between two waypoints of a robot that moves [s]."""


class EndReason(IntEnum):
    """Why the host ends a stream; the robot finishes at the last point, at rest, for each."""

    COMPLETED = 0
    """The declared end is reached."""
    CANCELLED = 1
    """The operator or the programme wants no more."""
    REFUSED = 2
    """A waypoint was beyond a limit, and was not sent."""


class Offer(Enum):
    """What became of a waypoint that was offered."""

    TAKEN = "taken"
    FULL = "the slot is full: the robot has not asked for the one before"
    NO_STREAM = "no stream is under way: look at its result"


@dataclass(frozen=True, slots=True, eq=False)
class DeclaredPath:
    """What a stream declares before it starts: its first place and its last."""

    start: Pose
    """X_RT where the robot has to be."""
    end: Pose | None = None
    """X_RT of the last waypoint; None for live motion, whose end is not known before."""


class ArmLink(Protocol):
    """A robot behind its link. No method blocks.

    A link whose own thread answers the robot has a property `reader_thread` as well: the number of
    that thread as the kernel counts, which is then given a priority above the station's.
    """

    def start(self, path: DeclaredPath, measured: DisplayedPose | None = None) -> None:
        """Begin a stream, on the operator's arm command and never otherwise.

        Args:
            measured: Where the robot is, read at the controller, if it does not say so itself.

        Raises:
            StartRefusedError: With the reason; nothing is sent then.
        """

    def offer(self, X_RT: Pose) -> Offer:
        """Put the next waypoint into the slot; `poll` tells when it is wanted.

        Args:
            X_RT: Where to be one period after the waypoint before.

        Raises:
            WaypointRefusedError: If it is beyond a limit; the slot stays empty.
        """
        ...

    def poll(self) -> LinkReport:
        """Return the link as it is now."""
        ...

    def end(self, reason: EndReason) -> None:
        """End the stream; the robot comes to rest at the last waypoint. Does nothing without one.

        Args:
            reason: Completed lets the waypoint in the slot go out first; else it is dropped.
        """

    def close(self) -> None:
        """Leave the link; a robot that is moving comes to rest by itself."""


@dataclass(frozen=True, slots=True)
class LinkSettings:
    """Times and limits of a stream, from the robot's file.

    Raises:
        ValueError: If a value is not finite, or not above zero where it has to be.
    """

    period_s: float = PERIOD_S
    """Time between two requests of a robot that runs [s]."""
    silent_periods: float = 3.0
    """Periods without a request after which the link is lost."""
    speed_max_m_s: float = 0.1
    """Speed of the gripper [m/s]."""
    turn_rate_max_rad_s: float = math.radians(30.0)
    """Angular speed of the gripper [rad/s]."""
    start_tolerance_m: float = 0.002
    """How far from the planned start a stream may begin [m]."""
    start_tolerance_rad: float = math.radians(0.5)
    """How far turned from it [rad]."""
    supervision: SupervisionSettings = field(default_factory=SupervisionSettings)
    """Windows of period and following."""

    def __post_init__(self) -> None:
        for one in fields(self):
            value = getattr(self, one.name)
            if isinstance(value, SupervisionSettings):
                continue
            if not math.isfinite(value):
                raise ValueError(f"{one.name} = {value} is not finite")
            if value <= 0.0 and not one.metadata.get("any_sign"):
                raise ValueError(f"{one.name} = {value} is not above zero")

    @property
    def lost_after_s(self) -> float:
        """Silence after which the link is lost [s]."""
        return self.silent_periods * self.period_s


@dataclass(frozen=True, slots=True)
class LinkOrder:
    """What a link is made of."""

    url: str
    """Where the robot is, as the scenario or the command line says."""
    robot: str
    """Name of the robot, for texts."""
    convention: str
    """What the robot's controller means by angles o, a, t: `val` or `zyz`."""
    settings: LinkSettings
    """Times and limits."""


Writer = Callable[[Pose], Sequence[float]]
"""Gives a waypoint, the next of its stream, in the numbers of a wire."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkKind:
    """One kind of link, as its entry point gives it."""

    form: str
    """How its URLs are written, such as `poses://HOST:PORT`, for refusals."""
    check: Callable[[str], None]
    """Raises `ArmLinkUrlError` for a URL that is written wrongly; opens nothing."""
    open: Callable[[LinkOrder, Callable[[], float]], ArmLink]
    """Opens a link, with the clock of the run [s]; raises `ArmLinkError` if the robot is absent."""
    virtual: bool = False
    """Whether its robots are emulated ones, which go by the times that the clock of the run gives
    whenever the link is polled: only such may be met in a dry run. Says that nothing has power."""
    supervises: bool = False
    """Whether it ends a stream whose robot leaves the windows of `LinkSettings.supervision`."""
    prove: Callable[[LinkOrder, Pose, Sequence[Pose]], None] | None = None
    """Raises `WaypointRefusedError` for a path, its start apart, that the link itself would end."""
    writer: Callable[[LinkOrder], Writer] | None = None
    """Makes what writes waypoints in the numbers that a recording has as `sent_location`; None:
    this wire has none of that kind."""
