"""Views of a run of the arm station."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from hil.run.late_call import late_of
from hil.run.pages import Role, Shape
from hil.run.station import CheckFinding, Views, number

if TYPE_CHECKING:
    from hil.scene.margins import MarginGroup

ADVICE: Final[Mapping[str, str]] = {
    "count": "A waypoint has the wrong number of values. Mend the source, then start anew.",
    "finite": "A value is not a number: look at the motion's file or source.",
    "rotation": "A rotation is none: look at the motion's file or source.",
    "position": (
        "A joint would leave its range. Choose another working point or posture, "
        "or a smaller motion."
    ),
    "rate": "A joint would turn too fast. Slow the motion, or stay further from singularities.",
    "acceleration": "A joint would speed up too fast. Smooth or slow the motion.",
    "gripper_speed": "The gripper would be too fast beside people. Slow the motion.",
    "gripper_turn": "The gripper would turn too fast. Slow the motion.",
    "reach": "The place is out of the robot's reach. Move the working point nearer.",
    "margin": "Too near a singularity. Choose another working point or posture.",
    "clearance": "The robot would come too near itself or the table. Move the working point.",
    "corner": "The controller would round this corner too much. Slow down before it.",
    "sequence": (
        "Waypoints came twice or out of order. Start anew; if it happens again, report it."
    ),
    "start": ("The robot does not stand where the motion begins. Bring it there, then start anew."),
    "latched": "An earlier waypoint was refused; nothing follows it. Begin anew from rest.",
    "internal": "The gate does not trust itself any more. Start anew, and report it.",
}


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
    from hil.stations.arm.scene.margins import margins_of

    return margins_of(plan)


def _findings(summary: Mapping[str, Any]) -> tuple[CheckFinding, ...]:
    return tuple(_finding(one) for one in summary.get("findings", ()))


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
    pages=late_of("hil.stations.arm")("lead.action_page:pages"),
)
