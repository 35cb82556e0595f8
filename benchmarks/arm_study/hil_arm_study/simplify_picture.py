"""Picture of what each omission does: errors against the payload, beside the bounds of 1993."""

from collections.abc import Sequence

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from hil.report.style import INK, LEG_COLOURS, LEGEND_IN, WANTED, Picture, draw_png, place
from hil_arm_study.omitted_runs import ALL_AT_ONCE, MATRIX_PER_TICK
from hil_arm_study.simplify import OmissionRow, SimplifyPlan
from hil_arm_study.verdicts import CORIOLIS_MM, MASSLESS_PERCENT
from sim.world.space_arm.omissions import Omission
from sim.world.space_arm.simplified_arms import HEAVY_PAYLOAD

SHOWN = {
    Omission.CORIOLIS.value: "no Coriolis",
    Omission.COEFFICIENTS.value: "coefficients held",
    MATRIX_PER_TICK: "matrix once a tick",
    Omission.POINT_MASSES.value: "point masses",
    Omission.MASSLESS_LINKS.value: "massless links",
    ALL_AT_ONCE: "all as in 1993",
    Omission.LIMITS.value: "no limits",
    Omission.BACKLASH.value: "no backlash",
    Omission.ELASTICITY.value: "no elasticity",
    Omission.FRICTION.value: "no friction",
    Omission.INDUCTANCE.value: "no inductance",
}
"""Variant → its words in the legend."""
MARKERS = "osD^v*Ph<>p"
EMPTY_PART = 3.0
"""An empty gripper is drawn left of the lightest payload, so many times lighter."""


def omissions_picture(plan: SimplifyPlan, rows: Sequence[OmissionRow]) -> Picture:
    """Draw errors against payload, a column of panels for each model, at the least speed."""
    speed = min(plan.motions)
    here = [row for row in rows if row.speed == speed and row.omitted in SHOWN]
    there = [name for name in SHOWN if any(row.omitted == name for row in here)]

    def draw(figure: Figure) -> None:
        columns = len(plan.models)
        panels = figure.subplots(2, columns, squeeze=False, sharex=True, sharey="row")
        for column, model in enumerate(plan.models):
            of_model = [row for row in here if row.model == model.value]
            _draw_errors(panels[0, column], of_model, there, percent=False)
            _draw_errors(panels[1, column], of_model, there, percent=True)
            panels[0, column].set_title(f"model {model.value}")
            panels[1, column].set_xlabel("payload, kg")
            for panel in panels[:, column]:
                panel.axvline(
                    HEAVY_PAYLOAD * plan.arm.mass_kg, color=INK, linewidth=0.8, linestyle=":",
                    label="three arm masses",
                )  # fmt: skip
        _draw_bounds(panels[0], panels[1])
        panels[0, 0].set_ylabel("largest error, mm")
        panels[1, 0].set_ylabel("largest error, % of range")
        _mark_payloads(panels[1], here)
        found = dict[str, Artist]()
        for panel in panels.flat:
            handles, labels = panel.get_legend_handles_labels()
            found |= dict(zip(labels, handles, strict=True))
        figure.legend(
            list(found.values()), list(found), loc="upper right", bbox_to_anchor=(1.0, 0.97)
        )
        place(figure, right_in=LEGEND_IN, top_in=0.35, grid=(columns, 2), between_in=(0.3, 0.3))

    count = len(plan.motions[speed])
    return Picture(
        "omissions",
        "What each omission does",
        f"Largest error over {count} slow motions at {speed:g} times their speed, against the "
        "payload; the leftmost points are the empty gripper. Dashed: bounds that were published in "
        f"1993, {CORIOLIS_MM:g} mm without Coriolis and 0.5 to {MASSLESS_PERCENT:g} % with "
        "massless links above three arm masses.",
        draw_png(6.4, draw),
    )


def _draw_errors(
    panel: Axes, rows: Sequence[OmissionRow], names: Sequence[str], *, percent: bool
) -> None:
    panel.set_xscale("log")
    panel.set_yscale("log")
    lightest = min((row.payload_kg for row in rows if row.payload_kg > 0.0), default=EMPTY_PART)
    for number, name in enumerate(names):
        mine = [row for row in rows if row.omitted == name]
        kg = [row.payload_kg or lightest / EMPTY_PART for row in mine]
        error = [row.percent_max if percent else row.error_max_mm for row in mine]
        panel.plot(
            kg, error, color=LEG_COLOURS[number % len(LEG_COLOURS)], marker=MARKERS[number],
            markersize=4, linestyle="-" if number < len(LEG_COLOURS) else "--", label=SHOWN[name],
        )  # fmt: skip


def _mark_payloads(panels: Sequence[Axes], rows: Sequence[OmissionRow]) -> None:
    """Write the payloads below the panels."""
    masses = sorted({row.payload_kg for row in rows})
    lightest = min((mass for mass in masses if mass > 0.0), default=EMPTY_PART)
    for panel in panels:
        panel.set_xticks(
            [mass or lightest / EMPTY_PART for mass in masses],
            [f"{mass:g}" for mass in masses], rotation=45.0,
        )  # fmt: skip
        panel.minorticks_off()


def _draw_bounds(millimetres: Sequence[Axes], percents: Sequence[Axes]) -> None:
    for panel in millimetres:
        panel.axhline(CORIOLIS_MM, color=WANTED, linestyle="--", label="1993: 2.5 mm")
    for panel in percents:
        panel.axhspan(0.5, MASSLESS_PERCENT, color=WANTED, alpha=0.25, label="1993: 0.5–1.0 %")
