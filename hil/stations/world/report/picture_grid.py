"""Pictures of a world side by side in a figure, each under its title."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

import numpy as np
from matplotlib.figure import Figure

from hil.report.style import place
from hil.stations.world.view.run_film import WorldInstant


def draw_pictures(
    figure: Figure, shown: Sequence[WorldInstant], titles: Sequence[str], columns: int
) -> None:
    """Draw pictures row by row.

    Args:
        titles: title of each picture.
        columns: number of pictures in a row.
    """
    count = rows_of(shown, columns)
    panels = np.atleast_1d(figure.subplots(count, columns)).flat
    place(figure, grid=(columns, count), left_in=0.1, bottom_in=0.1, between_in=(0.1, 0.32))
    for axes, one, title in zip_longest(panels, shown, titles):
        axes.set_axis_off()
        if one is not None:
            axes.imshow(one.picture, interpolation="antialiased")
            axes.set_title(title, fontsize="small")


def rows_of(shown: Sequence[WorldInstant], columns: int) -> int:
    """Return the number of rows of pictures."""
    return -(-len(shown) // columns)
