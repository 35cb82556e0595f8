"""How people see a run of the arm station."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from hil.run.station import CheckFinding, Role, Shape, Views, number
from hil.stations.arm.advice import ADVICE

if TYPE_CHECKING:
    from hil.scene.margins import MarginGroup

LAMPS: Final[dict[str, tuple[Role, Shape]]] = {
    "offline": ("dim", Shape.REST),
    "synchronising": ("warn", Shape.REST),
    "streaming": ("ok", Shape.MOVES),
    "ending": ("warn", Shape.MOVES),
    "ready": ("accent", Shape.REST),
    "held": ("warn", Shape.STOPS),
    "fault": ("fault", Shape.FAULT),
}


def _margins(plan: Mapping[str, Any]) -> tuple[MarginGroup, ...]:
    from hil.stations.arm.margins import margins_of

    return margins_of(plan)


def _findings(told: Mapping[str, Any]) -> tuple[CheckFinding, ...]:
    return tuple(_finding(one) for one in told.get("findings", ()))


def _finding(one: Mapping[str, Any]) -> CheckFinding:
    return CheckFinding(
        f"{one['place']}, waypoint {one['waypoint']}", one["kind"], number(one["value"]),
        number(one["limit"]), one["unit"], None, not one["within"],
    )  # fmt: skip


VIEWS: Final = Views(
    lamps=LAMPS,
    margins=_margins,
    first_traces=tuple(f"space_q_joint{joint}_rad" for joint in range(1, 7)),
    lateness=(("late", "late_s"), ("answer", "answer_latency_s")),
    moving=("streaming",),
    advice=ADVICE,
    findings=_findings,
)
