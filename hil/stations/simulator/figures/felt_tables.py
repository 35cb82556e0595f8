"""Figures of a ride as rows of text: the page and the command line show the same."""

from __future__ import annotations

import math
from typing import Final

from hil.stations.simulator.figures.felt_ride import FeltRide, RideFigures, WorstCue
from platform6dof.cueing.score import Score

Cells = tuple[str, ...]

SCORE_HEADS: Final[Cells] = ("axis", "NRMSE", "correlation", "false cues %", "error / threshold")
WORST_HEADS: Final[Cells] = ("worst cue", "felt", "wanted", "unit", "at s", "governor")
UNITS: Final[Cells] = ("m/s²",) * 3 + ("°/s",) * 3


def score_rows(score: Score) -> list[Cells]:
    """Return a row an axis, under `SCORE_HEADS`."""
    return [
        (one.axis, _figure(one.nrmse), _figure(one.correlation),
         f"{100.0 * one.false_cue_share:.1f}", f"{one.over_threshold:.2f}")
        for one in score.axes
    ]  # fmt: skip


def worst_rows(ride: FeltRide) -> list[Cells]:
    """Return a row an axis, under `WORST_HEADS`; one more where the governor made a lesser one."""
    rows: list[Cells] = []
    governed = ride.worst_cues(governed=True)
    for axis, worst in enumerate(ride.worst_cues()):
        rows.append(_worst(worst, axis))
        if governed and not worst.governed:
            own = _worst(governed[axis], axis)
            rows += [own] if own[1] != own[2] else []
    return rows


def travel_row(figures: RideFigures) -> dict[str, str]:
    """Return the largest distance from neutral that was asked, by coordinate."""
    return {key: f"{value:.4g}" for key, value in figures.peak.items()}


def _worst(cue: WorstCue, axis: int) -> Cells:
    scale = 1.0 if axis < 3 else math.degrees(1.0)
    acted = "acted" if cue.governed else "did not act"
    felt, wanted = (f"{round(scale * value, 2) + 0.0:.2f}" for value in (cue.felt, cue.wanted))
    return (cue.axis, felt, wanted, UNITS[axis], f"{cue.t_s:.2f}", acted)


def _figure(value: float) -> str:
    return f"{value:.3f}" if math.isfinite(value) else "-"
