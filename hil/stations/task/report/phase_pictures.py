"""Pictures of the robot at the beginning of each phase, and where the run ended."""

from __future__ import annotations

from itertools import zip_longest
from typing import Final

import numpy as np
from matplotlib.figure import Figure

from hil.report.recorded_run import RecordedRun
from hil.report.style import Picture, draw_png, place
from hil.stations.task.report.phases import phases_of_run
from hil.stations.world.view.pictures import PicturesError
from hil.stations.world.view.recorded_world import RecordedWorld
from hil.stations.world.view.run_film import instants_at

COLUMNS: Final = 4
MOST: Final = 15
"""Most phases of which a picture is drawn."""


def phase_pictures(run: RecordedRun) -> Picture | None:
    """Pictures by the scene's camera; None where nothing can be drawn."""
    phases = phases_of_run(run)
    if len(run.times) < 2 or not phases:
        return None
    step = max(1, -(-len(phases) // MOST))
    chosen = phases[::step]
    times_s = [*(one.begin_s for one in chosen), float(run.times[-1])]
    titles = [*(one.name for one in chosen), "the end"]
    rows = np.searchsorted(run.times, times_s).clip(0, len(run.times) - 1)
    unique, first = np.unique(rows, return_index=True)
    try:
        shown = instants_at(RecordedWorld.of(run.recording), unique.astype(np.intp))
    except (KeyError, ValueError, PicturesError):
        return None
    named = [titles[at] for at in first.tolist()]
    lines = -(-len(shown) // COLUMNS)

    def draw(figure: Figure) -> None:
        panels = np.atleast_1d(figure.subplots(lines, COLUMNS)).flat
        place(figure, grid=(COLUMNS, lines), left_in=0.1, bottom_in=0.1, between_in=(0.1, 0.32))
        for axes, one, name in zip_longest(panels, shown, named):
            axes.set_axis_off()
            if one is not None:
                axes.imshow(one.picture, interpolation="antialiased")
                axes.set_title(f"{name}, {one.t_s:.1f} s", fontsize="small")

    caption = "Drawn from the recorded states; the last one is where the run ended."
    return Picture("phases", "The beginning of each phase", caption, draw_png(2.2 * lines, draw))
