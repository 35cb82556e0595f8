"""Pictures of the robot at the beginning of each phase, and where the run ended.

Of a robot that drives all is seen from near; of one that stays, where its tool works.
"""

from __future__ import annotations

import math
from itertools import groupby
from operator import itemgetter
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hil.report.pieces import values_at
from hil.report.recorded_run import RecordedRun
from hil.report.style import Picture, draw_png
from hil.stations.task.report.phases import phases_of_run
from hil.stations.world.report.picture_grid import draw_pictures, rows_of
from hil.stations.world.view.pictures import PicturesError
from hil.stations.world.view.recorded_world import RecordedWorld
from hil.stations.world.view.run_film import WorldInstant, instants_at, travelling_base
from sim.world.pictures.wire import View
from sim.world.robots.model import BASE

COLUMNS: Final = 4
DISTANCE_M: Final = 4.5
"""Distance from which the robot is seen [m]."""
DOWN_RAD: Final = -0.75
"""Angle of the view above the horizontal; negative looks down [rad]."""
ASIDE_RAD: Final = 0.9
"""Azimuth of the view of an arm [rad]."""
DOWN_ARM_RAD: Final = -0.35
"""Angle of the view of an arm above the horizontal [rad]."""
ARM_M: Final = 1.7
"""Distance from which an arm is seen [m]."""
HEIGHT_M: Final = 0.35
"""Height of what is looked at [m]."""
MOVED_M: Final = 0.8
"""Motion of the robot after which it has a view of its own [m]."""
MOST: Final = 15
"""Most phases of which a picture is drawn."""


def phase_pictures(run: RecordedRun) -> Picture | None:
    """Pictures of the robot; None where nothing can be drawn."""
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
        recorded = RecordedWorld.of(run.recording)
        if travelling_base(recorded):
            shown = _near_robot(recorded, unique.tolist())
        else:
            shown = instants_at(recorded, unique, _of_tool(run, unique))
    except (KeyError, ValueError, PicturesError):
        return None
    named = [titles[at] for at in first.tolist()]
    named = [f"{name}, {one.t_s:.1f} s" for name, one in zip(named, shown, strict=True)]
    height_in = 2.2 * rows_of(shown, COLUMNS)
    png = draw_png(height_in, lambda figure: draw_pictures(figure, shown, named, COLUMNS))
    caption = "Drawn from the recorded states; the last one is where the run ended."
    return Picture("phases", "The beginning of each phase", caption, png)


def _of_tool(run: RecordedRun, rows: NDArray[np.intp]) -> View | None:
    """View from aside of the middle of the tool's places; None, for the scene's, without any."""
    places = values_at(run, lambda part: part.recording.column("tool_pose")[:, :3], rows)
    if not np.isfinite(places).all():
        return None
    x, y, z = (0.5 * (places.min(axis=0) + places.max(axis=0))).tolist()
    return View(ASIDE_RAD, DOWN_ARM_RAD, (x, y, z), ARM_M)


def _near_robot(recorded: RecordedWorld, rows: list[int]) -> list[WorldInstant]:
    """Pictures of rows, in which the robot is seen from the middle of the room.

    Rows in which it has hardly moved since the first of them have one view.
    """
    world, found = recorded.world(), list[WorldInstant]()
    places: list[tuple[float, float]] = []
    for row in rows:
        world.move_to(recorded.positions[row])
        world.settle()
        x, y = world.robots[0].pose(BASE)[:2, 3].tolist()
        near = places and math.dist(places[-1], (x, y)) < MOVED_M
        places.append(places[-1] if near else (x, y))
    for (x, y), group in groupby(zip(places, rows, strict=True), key=itemgetter(0)):
        view = View(math.atan2(y, x), DOWN_RAD, (x, y, HEIGHT_M), DISTANCE_M)
        found += instants_at(recorded, np.array([row for _, row in group]), view)
    return found
