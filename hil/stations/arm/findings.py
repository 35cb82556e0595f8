"""What a planned motion asks of the robot, and the windows in which it has to stay, for people."""

import math
from collections.abc import Iterable, Iterator
from typing import Final

from rich.table import Table

from arm_driver.kinematics.path_report import PathFinding
from arm_driver.link import LinkSettings
from arm_driver.link_report import SupervisionReport
from hil.run.end import summarize_conclusion
from hil.stations.arm.arm_summaries import StreamSummary
from hil.stations.arm.nodes import KIND as CORNER
from hil.stations.arm.stream import Streamed

_DEG: Final = 180.0 / math.pi
_SHOWN_AS: Final = {
    "rad": (_DEG, " deg"),
    "rad/s": (_DEG, " deg/s"),
    "rad/s²": (_DEG, " deg/s²"),
    "1": (1.0, ""),
}
"""Unit of a finding → factor and unit for people; others stay."""


def findings_table(findings: Iterable[PathFinding]) -> Table:
    """The worst of each kind, its limit and the room between them.

    Reach is left out: a pose out of reach refuses the motion before there is anything to show.
    """
    table = Table("", "where", "waypoint", "worst", "limit", "room", box=None, pad_edge=False)
    for one in findings:
        if one.kind == "reach":
            continue
        factor, unit = _SHOWN_AS.get(one.unit, (1.0, f" {one.unit}"))
        if one.kind == CORNER:
            factor, unit = 1e3, " mm"
        distance = one.kind == "clearance" or one.kind.endswith("singularity")
        room = f"{one.margin:.4g}{unit}" if distance else f"{100.0 * one.margin:.0f} %"
        worst, limit = (f"{factor * value:.4g}{unit}" for value in (one.value, one.limit))
        table.add_row(one.kind, one.place, str(one.index), worst, limit, room)
    return table


WARNED_FROM: Final = 0.5
"""Share of a window from which on it is told."""


def supervision_table(settings: LinkSettings) -> Table:
    """What is watched while the robot moves, its window, and what happens beyond it."""
    watched = settings.supervision
    table = Table("watched", "window", "beyond it", box=None, pad_edge=False)
    speed = f"+ {1e3 * watched.following_s:g} ms of the path's speed"
    least_s, largest_s = watched.delay_s
    for name, window, result in (
        (
            "place told by the robot",
            f"{1e3 * watched.following_m:g} mm {speed} and {math.degrees(watched.following_rad):g} "
            f"deg from the path as sent, {least_s:g} to {largest_s:g} s behind",
            "not following",
        ),
        ("age of that place", f"{watched.feedback_periods} periods", "not following"),
        (
            "period of the robot",
            f"{settings.period_s:g} s ± {watched.period_tolerance:.0%}; {watched.ahead_s:g} s "
            f"ahead, {watched.behind_s:g} s behind in sum",
            "off its period",
        ),
        ("silence of the robot", f"{settings.lost_after_s:g} s", "link lost"),
    ):
        table.add_row(name, window, f"end of the stream, at rest: {result}")
    return table


def near_limits(report: SupervisionReport) -> Iterator[str]:
    """What has come nearer than half to its limit; each text stays the same while it lasts."""
    if report.following.share > WARNED_FROM:
        yield "the robot is more than half of its window away from the path as it was sent"
    if report.period.ahead > WARNED_FROM:
        yield "the robot asks faster than its period, by more than half of what ends the stream"
    if report.period.behind > WARNED_FROM:
        yield "the robot asks slower than its period, by more than half of what ends the stream"


def summarize_end(found: Streamed, robot: str) -> StreamSummary:
    """How a stream went, as JSON values: its result, why, and what the robot was sent."""
    return StreamSummary(
        **summarize_conclusion(found.run_end),
        result=None if found.end.result is None else found.end.result.value,
        reason=found.end.reason,
        robot=robot,
        sent=found.end.waypoints,
    )
