"""What is left: of each leg's and joint's travel, to singularities, of the supervision's windows.

A share of 1 is the middle of the travel, 0 is a limit, below 0 is beyond it. The thresholds of the
colours are those of the picture in space.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from arm_driver.host_values import HostSettings
from arm_driver.supervision_settings import SupervisionSettings
from hil.machines.machine import soft_range_m
from hil.machines.rig import Rig
from hil.machines.robot_supervision import WARNED_FROM, supervision_of
from hil.panel.live.models.feed import Batch, RunFacts, column
from hil.panel.shell.models.figures import figure
from hil.recording.arm_frame import WATCHED
from hil.recording.layout import Layout
from hil.stations.arm.report.machines import ArmMachines
from hil.stations.platform.scene import FAULT_SHARE, WARN_SHARE, margin_role

__all__ = ["FAULT_SHARE", "WARN_SHARE", "MarginRow", "MarginsModel", "margin_role"]

Array = NDArray[np.float64]

LEGS: Final = 6
FULL_LEASTS: Final = 10.0
"""A distance from a singularity that is so many times its least above it fills the bar."""
RANK_STEP: Final = 0.005
"""Two rows change places only for a larger difference of shares, so that they do not dance."""
_SINGULAR: Final = (("wrist", "1"), ("elbow", "m"), ("shoulder", "m"))

_TO_LOW, _TO_HIGH = "{left} to the lower end", "{left} to the upper end"
_WATCHED: Final = {
    "following_1": "Robot, off its path",
    "ahead_s": "Robot, too early",
    "behind_s": "Robot, too late",
    "silence_s": "Robot, silent",
    "blank_1": "Robot, tells no place",
}
_TO_END: Final = {
    "following_1": "{left}, then not following",
    "ahead_s": "{left}, then off its period",
    "behind_s": "{left}, then off its period",
    "silence_s": "{left}, then link lost",
    "blank_1": "{left}, then not following",
}


@dataclass(frozen=True, slots=True)
class MarginRow:
    """One bar.

    Args:
        name: of the leg or joint, in words.
        left: way to the nearer limit in `unit`, negative beyond it; NaN if not known.
        unit: SI, or as it is shown: % and ms of windows.
        share: the same as a share of half the travel, or of the window.
        end: key of the words for the limit that is nearer, with `{left}`.
        warn_share: below this share people are warned.
    """

    name: str
    left: float
    unit: str
    share: float
    end: str
    warn_share: float = WARN_SHARE

    @property
    def role(self) -> str:
        """``ok``, ``warn``, ``fault`` or ``unknown``."""
        return "warn" if WARN_SHARE <= self.share < self.warn_share else margin_role(self.share)

    @property
    def words(self) -> str:
        """The number with its unit and which limit it is to."""
        if self.left != self.left:
            return "not known"
        if self.left < 0.0:
            return f"{figure(-self.left, self.unit)} BEYOND"
        return self.end.format(left=figure(self.left, self.unit))


@dataclass(frozen=True, slots=True)
class _Group:
    """Quantities that stand side by side in the frame: names, and shares of the row's values."""

    names: tuple[str, ...]
    units: tuple[str, ...]
    place: slice
    of: Callable[[Array], tuple[Array, Array, list[str]]]
    warn_share: float = WARN_SHARE


class MarginsModel:
    """Travel left in the newest frame of a run.

    Args:
        facts: of the run; one whose header does not describe its machines has no rows.
    """

    def __init__(self, facts: RunFacts) -> None:
        scenario = facts.header.scenario
        build = _platform_groups if facts.station == "platform" else _arm_groups
        self._groups: tuple[_Group, ...] = ()
        self.problem = ""
        """Why there are no rows; empty if there are."""
        try:
            self._groups = build(facts.layout, scenario)
        except (KeyError, ValueError) as error:  # of an old or foreign recording
            self.problem = str(error)
        self._row: Array | None = None
        self._order: list[int] | None = None

    def take(self, batch: Batch, now_s: float) -> None:
        """Keep the newest frame."""
        if batch.restart:
            self._row = self._order = None
        if len(batch.rows):
            self._row = batch.rows[-1].copy()

    @property
    def rows(self) -> tuple[MarginRow, ...]:
        """All bars, worst first; what is not known comes last."""
        row = self._row
        if row is None:
            return ()
        made: list[MarginRow] = []
        for group in self._groups:
            left, share, ends = group.of(row[group.place])
            for name, unit, one, part, end in zip(
                group.names, group.units, left.tolist(), share.tolist(), ends, strict=True
            ):
                made.append(MarginRow(name, one, unit, part, end, group.warn_share))
        return tuple(made[k] for k in self._ranked([row.share for row in made]))

    def _ranked(self, shares: list[float]) -> list[int]:
        known = [np.inf if share != share else share for share in shares]
        before = self._order or sorted(range(len(known)), key=known.__getitem__)
        self._order = ranked(known, before)
        return self._order


def ranked(shares: list[float], before: list[int]) -> list[int]:
    """Places of the least share first, as steadily as that can be.

    Of any two whose shares differ by more than `RANK_STEP` the lesser comes first. Two that differ
    less keep their order, unless a third has to come between them. The very least comes first
    without regard to that once it is near its limit.

    Args:
        shares: not NaN; infinite for what comes last.
        before: places in the order they had.
    """
    left, order = list(before), list[int]()
    while left:
        least = min(shares[k] for k in left)
        place = next(k for k in left if shares[k] <= least + RANK_STEP)
        left.remove(place)
        order.append(place)
    worst = min(order, key=shares.__getitem__, default=None)
    if worst is not None and shares[worst] < WARN_SHARE:
        order.remove(worst)
        order.insert(0, worst)
    return order


def travel(low: Array, high: Array) -> Callable[[Array], tuple[Array, Array, list[str]]]:
    """Rule for a quantity between two limits: left, share, and words of the nearer limit.

    Args:
        low: lower limits, shape (n,).
        high: upper limits, above the lower ones, shape (n,).
    """

    def of(values: Array) -> tuple[Array, Array, list[str]]:
        down, up = values - low, high - values
        left = np.minimum(down, up)
        ends = np.where(down < up, _TO_LOW, _TO_HIGH).tolist()
        return left, left / (0.5 * (high - low)), ends

    return of


def above(least: Array) -> Callable[[Array], tuple[Array, Array, list[str]]]:
    """Rule for a distance that must not go below its least, which is above 0, shape (n,)."""

    def of(values: Array) -> tuple[Array, Array, list[str]]:
        left = values - least
        return left, left / (FULL_LEASTS * least), ["{left} to the least"] * len(least)

    return of


def windows(limits: Array, factors: Array) -> Callable[[Array], tuple[Array, Array, list[str]]]:
    """Rule for what counts up from 0 to the edge of a window, all shape (n,).

    Args:
        limits: edges of the windows, above 0.
        factors: from the unit of the values to the one that is shown.
    """

    def of(values: Array) -> tuple[Array, Array, list[str]]:
        left = limits - values
        return factors * left, left / limits, [_TO_END[name] for name in WATCHED]

    return of


def _numbered(what: str) -> tuple[str, ...]:
    return tuple(f"{what} {number}" for number in range(1, LEGS + 1))


def _platform_groups(layout: Layout, scenario: Mapping[str, Any]) -> tuple[_Group, ...]:
    rig = Rig.build(scenario["rig"], "the run's header")
    low, high = np.array([soft_range_m(rig, leg) for leg in range(LEGS)]).T
    place = column(layout, "measured_length_m")
    return (_Group(_numbered("Leg"), ("m",) * LEGS, place, travel(low, high)),)


def _arm_groups(layout: Layout, scenario: Mapping[str, Any]) -> tuple[_Group, ...]:
    machines = ArmMachines.from_scenario(scenario)
    robot = machines.robot
    radians = ("rad",) * LEGS
    groups = [
        _Group(
            _numbered("Robot, joint"),
            radians,
            column(layout, "robot_q"),
            travel(cast(Array, robot.position_min_rad), cast(Array, robot.position_max_rad)),
        ),
    ]
    if machines.space is not None:
        groups.append(
            _Group(
                _numbered("Space arm, joint"),
                radians,
                column(layout, "space_q"),
                travel(*machines.space_range_rad()),
            )
        )
    least = machines.least_margins
    if least is not None and min(least) > 0.0:
        groups.append(
            _Group(
                tuple(f"Robot, from {name} singularity" for name, _ in _SINGULAR),
                tuple(unit for _, unit in _SINGULAR),
                column(layout, "margins"),
                above(np.array(least)),
            )
        )
    watched = supervision_of(scenario)
    if watched is not None:
        groups.append(_watched(layout, watched))
    return tuple(groups)


def _watched(layout: Layout, settings: SupervisionSettings) -> _Group:
    """What the supervision watches; beyond a window the stream ends."""
    silent_s = HostSettings(supervision=settings).lost_after_s
    limits = [1.0, settings.ahead_s, settings.behind_s, silent_s, settings.feedback_periods]
    return _Group(
        tuple(_WATCHED[name] for name in WATCHED),
        ("%", "ms", "ms", "ms", ""),
        column(layout, "watched"),
        windows(np.array(limits), np.array([100.0, 1e3, 1e3, 1e3, 1.0])),
        warn_share=1.0 - WARNED_FROM,
    )
