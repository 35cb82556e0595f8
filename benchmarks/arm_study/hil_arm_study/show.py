"""The table, as people see it."""

from collections.abc import Sequence

from rich.table import Table

from hil.terminal.console import out
from hil_arm_study.table import ModelRow, TablePlan
from hil_arm_study.targets import PUBLISHED, PUBLISHED_COST_RATIO
from sim.world.space_arm.drive import DriveModel

SENSITIVE_MM = 0.05
"""What a nanoradian at the start grows to in a motion whose errors come from growth."""


def print_table(name: str, plan: TablePlan, rows: Sequence[ModelRow]) -> None:
    """The table for people."""
    shown = Table(title=f"{name}: {len(plan.motions)} motions, {plan.scheme.value}", box=None)
    for heading, columns in (
        ("", ("drives", "kg")),
        ("mm", ("max", "median", "1993", "ref. ±")),
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
            row.model, f"{row.payload_kg:g}",
            f"{row.error_max_mm:.3g}", f"{row.error_median_mm:.2g}", was[0],
            f"{row.reference_error_mm:.1g}", f"{row.orientation_max_deg:.2g}", was[1],
            f"{row.percent_max:.2g}", was[2], _told(row.rtf, ".0f"),
            _told(row.cost_ratio_rk4, ".1f"), f"{PUBLISHED_COST_RATIO:g}" if old else "",
        )  # fmt: skip
    out.print(shown)
    for row in rows:
        if row.nudged_mm > SENSITIVE_MM:
            out.print(
                f"{row.model} {row.payload_kg:g} kg: largest {row.worst_at_s:.1f} s into "
                f"{row.worst_motion}, where links bounce: of a nanoradian at the start "
                f"{row.nudged_mm:.2g} mm become"
            )
        if row.reference_error_mm > row.error_max_mm / 3.0:
            out.print(
                f"{row.model} {row.payload_kg:g} kg: links bounce in their gaps, and the reference "
                f"itself is known at {row.known_ticks:.0%} of the ticks; the error there is "
                f"{row.known_error_max_mm:.3g} mm, {row.known_orientation_max_deg:.2g} deg"
            )


def _told(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)
