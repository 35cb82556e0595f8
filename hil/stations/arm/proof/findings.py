"""Demands of a planned motion on the robot, and the windows of its supervision, for people."""

import math
from collections.abc import Iterable
from typing import Final

from rich.table import Table

from arm_driver.kinematics.path_report import PathFinding
from arm_driver.link import LinkSettings
from hil.run.end import summarize_conclusion
from hil.stations.arm.arm_summaries import StreamSummary
from hil.stations.arm.cycle.stream import Streamed
from hil.stations.arm.plan.nodes import KIND as CORNER

_DEG: Final = 180.0 / math.pi
_SHOWN_AS: Final = {
    "rad": (_DEG, " deg"),
    "rad/s": (_DEG, " deg/s"),
    "rad/s²": (_DEG, " deg/s²"),
    "1": (1.0, ""),
}
"""Unit of a finding → factor and unit for people; others stay."""


def findings_table(findings: Iterable[PathFinding]) -> Table:
    """Return the table of the worst of each kind, its limit and the margin between them.

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
        margin = f"{one.margin:.4g}{unit}" if distance else f"{100.0 * one.margin:.0f} %"
        worst, limit = (f"{factor * value:.4g}{unit}" for value in (one.value, one.limit))
        table.add_row(one.kind, one.place, str(one.index), worst, limit, margin)
    return table


def supervision_table(settings: LinkSettings) -> Table:
    """Make a table of the supervised quantities, their windows, and the reactions beyond."""
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


def summarize_end(found: Streamed, robot: str) -> StreamSummary:
    """Summarise a stream as JSON values: its result, why, and what the robot was sent."""
    return StreamSummary(
        **summarize_conclusion(found.run_end),
        result=None if found.end.result is None else found.end.result.value,
        reason=found.end.reason,
        robot=robot,
        sent=found.end.waypoints,
    )
