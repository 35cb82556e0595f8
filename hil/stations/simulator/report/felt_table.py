"""Figures of wanted and felt motion: those that ``hil cue`` prints of the same ride."""

from __future__ import annotations

from hil.config.errors import RefusedError
from hil.report.recorded_run import Row, Table, Tables
from hil.stations.simulator.figures.felt_ride import describe_demand, felt_ride, figures_of
from hil.stations.simulator.figures.felt_tables import (
    SCORE_HEADS,
    WORST_HEADS,
    score_rows,
    travel_row,
    worst_rows,
)
from hil.stations.simulator.plan.scenario import RidePlan
from hil.stations.simulator.report.view import RideView


def felt_figures(view: RideView) -> Tables | None:
    """Return the scores and worst cues of a recorded ride; None if nothing was followed."""
    if not isinstance(view.plan, RidePlan):
        return None
    try:
        ride = felt_ride(view.recording, view.plan)
    except RefusedError:
        return None
    travel = travel_row(figures_of(view.recording, view.plan))
    tables = (
        Table(heads, tuple(map(Row, rows)))
        for heads, rows in (
            (SCORE_HEADS, score_rows(ride.score())),
            (WORST_HEADS, worst_rows(ride)),
            (("largest way from neutral", *travel), [("asked", *travel.values())]),
        )
    )
    note = (
        f"Above: signals of the inner ear; {describe_demand(view.plan)}. Below: where felt and "
        "wanted are furthest apart as they act on the head (a force less that at rest), and "
        "whether the governor changed then what the algorithm asked; a second row is its own worst."
    )
    return Tables(tuple(tables), note)
