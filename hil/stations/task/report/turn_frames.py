"""Motion frames of a turn: the hand on the wheel at equal steps of the wheel's angle."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hil.report.pieces import values_at
from hil.report.recorded_run import RecordedRun
from hil.report.style import Picture, draw_png
from hil.stations.task.report.phase_pictures import ASIDE_RAD, DOWN_ARM_RAD
from hil.stations.task.report.turn_figure import GRASP, TURNED, whole_column
from hil.stations.world.report.picture_grid import draw_pictures, rows_of
from hil.stations.world.view.pictures import PicturesError
from hil.stations.world.view.recorded_world import RecordedWorld
from hil.stations.world.view.run_film import instants_at
from sim.world.pictures.wire import View

COLUMNS: Final = 4
FRAMES: Final = 8
"""Most frames."""
DISTANCE_M: Final = 1.1
"""Distance from which the hand is seen [m]."""


def turn_frames(run: RecordedRun) -> Picture | None:
    """Pictures of the turn; None where nothing turned, or nothing can be drawn."""
    names = [one.name for one in run.recording.header.signals.fields]
    if len(run.times) < 2 or GRASP not in names or TURNED not in names:
        return None
    turned_rad = whole_column(run, TURNED)
    rows = frame_rows(turned_rad, whole_column(run, GRASP) > 0.0)
    if len(rows) < 2:
        return None
    tool = values_at(run, lambda part: part.recording.column("tool_pose")[:, :3], rows[:1])[0]
    view = View(
        ASIDE_RAD, DOWN_ARM_RAD, (float(tool[0]), float(tool[1]), float(tool[2])), DISTANCE_M
    )
    try:
        shown = instants_at(RecordedWorld.of(run.recording), rows, view)
    except (KeyError, ValueError, PicturesError):
        return None
    angles = [f"{round(math.degrees(turned_rad[row]))} deg" for row in rows.tolist()]
    titles = [f"{angle}, {one.t_s:.1f} s" for angle, one in zip(angles, shown, strict=True)]
    height_in = 2.2 * rows_of(shown, COLUMNS)
    png = draw_png(height_in, lambda figure: draw_pictures(figure, shown, titles, COLUMNS))
    caption = "The hand on the wheel at equal steps of the wheel's angle, while it is grasped."
    return Picture("turn_frames", "Motion frames of the turn", caption, png)


def frame_rows(turned_rad: NDArray[np.float64], grasped: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Rows in rising order at which a grasped wheel first has equal steps of its angle."""
    held = np.flatnonzero(grasped & np.isfinite(turned_rad))
    if not len(held):
        return held
    turned = turned_rad[held] - turned_rad[held[0]]
    last = turned[np.abs(turned).argmax()]
    if abs(last) < math.radians(1.0):
        return held[:1]
    shares = turned / last
    first = [int(np.argmax(shares >= share)) for share in np.linspace(0.0, 1.0, FRAMES)]
    return held[np.unique(first)]
