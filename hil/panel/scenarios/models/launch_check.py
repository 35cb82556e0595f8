"""A check of a whole motion in the background, and what its JSON says."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hil.panel.scenarios.models.launch_child import HIL, Child


@dataclass(frozen=True, slots=True)
class CheckFinding:
    """One thing that a check has found.

    Args:
        place: phase and leg, or joint and waypoint.
        quantity: which limit.
        value: the worst value.
        limit: the limit.
        unit: of both.
        t_s: when it begins, from the start of its phase [s]; None if it has no time.
        wrong: whether the limit is passed; else it is what comes nearest.
    """

    place: str
    quantity: str
    value: float
    limit: float
    unit: str
    t_s: float | None
    wrong: bool


@dataclass(frozen=True, slots=True)
class CheckOutcome:
    """How a check ended.

    Args:
        ok: whether all is well.
        findings: the wrong ones first.
        error: why there is no verdict on the motion; empty if there is.
        duration_s: of the motion [s]; None if not told.
    """

    ok: bool
    findings: tuple[CheckFinding, ...]
    error: str
    duration_s: float | None


class CheckRun:
    """`hil check` of a file, in the background."""

    def __init__(self, path: Path) -> None:
        self._child = Child([*HIL, "check", str(path), "--json"])

    def poll(self) -> CheckOutcome | None:
        """Return how it went; None while it runs."""
        if self._child.status is None:
            return None
        said = self._child.answer()
        if said is None:
            return CheckOutcome(False, (), self._child.why(), None)
        return outcome_of(said)

    def end(self) -> None:
        """End it."""
        self._child.end()


def outcome_of(said: dict[str, Any]) -> CheckOutcome:
    """What the JSON of `hil check` says, of any station."""
    parts = said.get("parts")
    if isinstance(parts, dict):
        each = {name: outcome_of(one) for name, one in parts.items()}
        findings = tuple(
            CheckFinding(f"{name}: {one.place}", one.quantity, one.value, one.limit, one.unit,
                         one.t_s, one.wrong)
            for name, outcome in each.items() for one in outcome.findings
        )  # fmt: skip
        errors = [f"{name}: {one.error}" for name, one in each.items() if one.error]
        return CheckOutcome(bool(said.get("ok")), _wrong_first(findings), "\n".join(errors), None)
    found = [_of_platform(one) for one in said.get("violations", ())]
    found += [_of_arm(one) for one in said.get("findings", ())]
    error = str(said.get("error") or "")
    return CheckOutcome(
        bool(said.get("ok")), _wrong_first(tuple(found)), error, said.get("duration_s")
    )


def _wrong_first(findings: tuple[CheckFinding, ...]) -> tuple[CheckFinding, ...]:
    return tuple(sorted(findings, key=lambda one: not one.wrong))


def _of_platform(one: dict[str, Any]) -> CheckFinding:
    leg = "" if one["leg"] is None else f", leg {one['leg']}"
    return CheckFinding(
        f"{one['phase']}{leg}", one["quantity"], _number(one["value"]), _number(one["limit"]),
        one["unit"], one["t_s"], True,
    )  # fmt: skip


def _of_arm(one: dict[str, Any]) -> CheckFinding:
    return CheckFinding(
        f"{one['place']}, waypoint {one['waypoint']}", one["kind"], _number(one["value"]),
        _number(one["limit"]), one["unit"], None, not one["within"],
    )  # fmt: skip


def _number(value: Any) -> float:
    return float("nan") if value is None else float(value)
