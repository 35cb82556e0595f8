"""The study of omissions, as people read it."""

from collections.abc import Callable, Sequence

from rich.table import Table

from hil.terminal.console import out
from hil_arm_study.omitted_runs import NOTHING
from hil_arm_study.simplify import OmissionRow, SimplifyPlan
from hil_arm_study.targets import KNOWN_SHARE
from hil_arm_study.verdicts import SentenceVerdict


def print_rows(plan: SimplifyPlan, rows: Sequence[OmissionRow]) -> None:
    """Print, for each model and speed, a table of errors and one of what is known."""
    for model in plan.models:
        for speed, motions in plan.motions.items():
            here = [row for row in rows if row.model == model.value and row.speed == speed]
            title = f"model {model.value}, speed x {speed:g}, {len(motions)} motions"
            _matrix(f"{title}: largest mm / % of range", here, _largest)
            _matrix(f"{title}: median mm / largest deg", here, _median)
            known = min(row.known_ticks for row in here)
            if known < 1.0:
                _matrix(f"{title}: largest mm where the reference is known / share", here, _known)
    tenth = plan.bound.quantity(KNOWN_SHARE * plan.bound.value)
    out.print(f"known: two independent references agree to {tenth}", soft_wrap=True)


def _matrix(title: str, rows: Sequence[OmissionRow], cell: Callable[[OmissionRow], str]) -> None:
    table = Table(title=title, box=None, title_justify="left")
    table.add_column("left out", no_wrap=True)
    payloads = list(dict.fromkeys(row.payload_kg for row in rows))
    for payload_kg in payloads:
        table.add_column(f"{payload_kg:g} kg", justify="right", no_wrap=True)
    for name in dict.fromkeys(row.omitted for row in rows):
        found = {row.payload_kg: row for row in rows if row.omitted == name}
        table.add_row(name, *(cell(found[kg]) if kg in found else "" for kg in payloads))
    out.print(table)


def _short(value: float) -> str:
    """Write two digits, as in 1993."""
    if value >= 99.5:
        return f"{value:.0f}"
    return f"{value:.2g}" if value >= 1e-4 else f"{value:.0e}".replace("e-0", "e-")


def _failed(row: OmissionRow) -> str:
    return f" ({row.failed} failed)" if row.failed else ""


def _largest(row: OmissionRow) -> str:
    return f"{_short(row.error_max_mm)} / {_short(row.percent_max)}{_failed(row)}"


def _median(row: OmissionRow) -> str:
    return f"{_short(row.error_median_mm)} / {_short(row.orientation_max_deg)}"


def _known(row: OmissionRow) -> str:
    return f"{_short(row.known_max_mm)} / {100.0 * row.known_ticks:.0f} %"


def print_verdicts(found: Sequence[SentenceVerdict]) -> None:
    """Print to which payload each claim holds; pairs are in the JSON alone."""
    table = Table(title="how far it holds", box=None, title_justify="left")
    for heading in ("claim", "left out", "model", "speed"):
        table.add_column(heading, no_wrap=True)
    for heading in ("holds to kg", "error", "not at kg", "error", "known"):
        table.add_column(heading, justify="right", no_wrap=True)
    for one in found:
        if "+" in one.omitted or one.omitted == NOTHING:
            continue
        table.add_row(
            one.sentence, one.omitted, one.model, f"x {one.speed:g}",
            _mass(one.holds_to_kg, "none"), _told(one.error_there, one.unit),
            _mass(one.fails_at_kg, ""), _told(one.error_at_failure, one.unit),
            f"{100.0 * one.known_ticks:.0f} %",
        )  # fmt: skip
    out.print(table)


def _mass(value: float | None, without: str) -> str:
    return without if value is None else f"{value:g}"


def _told(value: float | None, unit: str) -> str:
    return "" if value is None else f"{_short(value)} {unit}"
