"""The table, as people see it: errors are told where the reference is known."""

from collections.abc import Sequence

from rich.table import Table

from hil.terminal.console import out
from hil_arm_study.table import ModelRow, TablePlan
from hil_arm_study.targets import PUBLISHED, PUBLISHED_COST_RATIO, SCHEME_1993_MM
from sim.world.space_arm.drive import DriveModel

SENSITIVE_MM = 0.05
"""What a nanoradian at the start grows to in a motion whose errors come from growth."""


def print_table(name: str, plan: TablePlan, rows: Sequence[ModelRow]) -> None:
    """The table for people."""
    shown = Table(title=f"{name}: {len(plan.motions)} motions, {plan.scheme.value}", box=None)
    for heading, columns in (
        ("", ("drives", "kg", "known")),
        ("mm", ("max", "median", "1993")),
        ("deg", ("max", "1993")),
        ("%", ("max", "1993")),
        ("rtf", ("",)),
        ("RK4 /", ("ours", "1993")),
    ):
        for column in columns:
            shown.add_column(f"{heading}\n{column}", justify="right", no_wrap=True)
    for row in rows:
        old = PUBLISHED.get(DriveModel(row.model))
        was = [f"{value:g}" for value in old] if old else ["", "", ""]
        shown.add_row(
            row.model, f"{row.payload_kg:g}", _share(row.known_ticks),
            _known(row, row.known_error_max_mm, ".3g"),
            _known(row, row.known_error_median_mm, ".2g"), was[0],
            _known(row, row.known_orientation_max_deg, ".2g"), was[1],
            _known(row, row.known_percent_max, ".2g"), was[2], _told(row.rtf, ".0f"),
            _told(row.cost_ratio_rk4, ".1f"), f"{PUBLISHED_COST_RATIO:g}" if old else "",
        )  # fmt: skip
    out.print(shown)
    for row in rows:
        if row.known_ticks < 1.0:
            out.print(
                f"{row.model} {row.payload_kg:g} kg: links bounce in their gaps, and the reference "
                f"is known at {_share(row.known_ticks)} of the ticks only; at the others it is off "
                f"by up to {row.reference_error_mm:.2g} mm itself, and the error, "
                f"{row.error_max_mm:.3g} mm, says little",
                soft_wrap=True,
            )
        if row.nudged_mm > SENSITIVE_MM:
            out.print(
                f"{row.model} {row.payload_kg:g} kg: largest {row.worst_at_s:.1f} s into "
                f"{row.worst_motion}, where links bounce: of a nanoradian at the start "
                f"{row.nudged_mm:.2g} mm become",
                soft_wrap=True,
            )
    if any(DriveModel(row.model) in PUBLISHED for row in rows):
        here = ", ".join(f"{model.value} {mm:g}" for model, mm in SCHEME_1993_MM.items())
        out.print(
            "1993: as published. The scheme of 1993 does not give these figures on this arm (mm of "
            f"the BKM, empty: {here}; --integrator euler1993 --step 35): the motions and "
            "parameters of then are not all printed",
            soft_wrap=True,
        )


def _share(known: float) -> str:
    """Percent of the ticks; 100 only if it is all of them."""
    return "100 %" if known == 1.0 else f"{min(100.0 * known, 99.9):.3g} %"


def _known(row: ModelRow, value: float, form: str) -> str:
    return format(value, form) if row.known_ticks > 0.0 else "-"


def _told(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)
