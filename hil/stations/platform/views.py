"""Views of a platform's run for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from hil.run.pages import Role, Shape
from hil.run.station import CheckFinding, Views, number
from hil.stations.platform.advice import ADVICE

if TYPE_CHECKING:
    from hil.scene.margins import MarginGroup, RestState

LAMPS: Final[dict[str, tuple[Role, Shape]]] = {
    "OFF": ("dim", Shape.REST),
    "IDLE": ("accent", Shape.REST),
    "HOMING": ("warn", Shape.MOVES),
    "STANDBY": ("ok", Shape.REST),
    "ENGAGING": ("warn", Shape.MOVES),
    "ENGAGED": ("ok", Shape.MOVES),
    "CSTOP": ("warn", Shape.STOPS),
    "HOLD": ("warn", Shape.STOPS),
    "PARKING": ("warn", Shape.MOVES),
    "QSTOP": ("fault", Shape.FAULT),
    "FAULT": ("fault", Shape.FAULT),
    "LOCKOUT": ("fault", Shape.FAULT),
}


def _margins(plan: Mapping[str, Any]) -> tuple[MarginGroup, ...]:
    from hil.stations.platform.scene.margins import margins_of

    return margins_of(plan)


def _rest_states() -> Mapping[str, RestState]:
    from hil.stations.platform.scene.margins import REST_STATES

    return REST_STATES


def _lasts_s(motion: Mapping[str, Any]) -> float | None:
    """Duration of sines with their lead-in and lead-out, and of a hold; None for other tables."""
    match motion:
        case {"kind": "multi_sine", "duration_s": lasts_s, "fade_s": fade_s}:
            return lasts_s + 2.0 * fade_s
        case {"kind": "hold", "duration_s": lasts_s}:
            return lasts_s
        case _:
            return None


def _findings(summary: Mapping[str, Any]) -> tuple[CheckFinding, ...]:
    return tuple(_finding(one) for one in summary.get("violations", ()))


def _finding(one: Mapping[str, Any]) -> CheckFinding:
    leg = "" if one["leg"] is None else f", leg {one['leg']}"
    return CheckFinding(
        f"{one['phase']}{leg}", one["quantity"], number(one["value"]), number(one["limit"]),
        one["unit"], one["t_s"], True,
    )  # fmt: skip


VIEWS: Final = Views(
    lamps=LAMPS,
    margins=_margins,
    rest_states=_rest_states,
    lasts_s=_lasts_s,
    first_traces=tuple(f"measured_length_leg{leg}_m" for leg in range(1, 7)),
    lateness=(("late", "late_s"), ("busy", "busy_s")),
    moving=("ENGAGED",),
    clears=frozenset({"IDLE", "STANDBY", "ENGAGING", "ENGAGED", "PARKING"}),
    advice=ADVICE,
    findings=_findings,
)
