"""What a planned motion asks of the robot, as a table for people: in degrees, with what is left."""

import math
from collections.abc import Iterable
from typing import Final

from rich.table import Table

from arm_driver.path_report import PathFinding
from hil.stations.arm.corners import KIND as CORNER

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

    Args:
        findings: of a motion that keeps every limit.
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
