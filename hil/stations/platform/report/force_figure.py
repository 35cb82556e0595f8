"""Picture of the forces at one pose: parts of each leg's force, its limit, and what holds it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from numpy.typing import NDArray

from hil.config.files import write_whole
from hil.report.style import INK, LIMIT, draw_png, place

COLOURS: Final = {
    "bodies": "#0072B2",
    "across": "#56B4E9",
    "rod": "#009E73",
    "rotor": "#E69F00",
    "friction": "#CC79A7",
}
"""One colour a part."""
WORDS: Final = {
    "bodies": "bodies on the platform",
    "across": "tube and rod across",
    "rod": "rod along the leg",
    "rotor": "rotor and screw",
    "friction": "friction",
}
NEAR: Final = 3.0
"""Largest ratio of a limit to the greatest force at which it is still drawn."""
LEGEND_IN: Final = 2.3

Array = NDArray[np.float64]


class ForcesShown(NamedTuple):
    """Forces at one pose, each of shape (6,) [N]."""

    pose: str
    """Pose in words."""
    parts: Mapping[str, Array]
    """Parts of the forces by the names of `COLOURS`."""
    force: Array
    """Forces of the drives."""
    hold: Array
    """Forces that hold the machine at rest."""
    limit: Array
    """Limits of the forces."""


def write_force_figure(shown: ForcesShown, folder: Path) -> Path:
    """Write the picture of a pose's forces; return its path.

    Raises:
        OSError: if the folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "forces.png"
    write_whole(path, draw_png(4.2, lambda figure: _draw(figure, shown)))
    return path


def _draw(figure: Figure, shown: ForcesShown) -> None:
    axes = figure.subplots()
    place(figure, left_in=0.9, right_in=LEGEND_IN, top_in=0.5)
    legs = np.arange(1, 7)
    above, below = np.zeros(6), np.zeros(6)
    for name, colour in COLOURS.items():
        part = np.asarray(shown.parts[name])
        start = np.where(part >= 0.0, above, below)
        axes.bar(legs, part, 0.6, bottom=start, color=colour)
        above += np.maximum(part, 0.0)
        below += np.minimum(part, 0.0)
    axes.hlines(shown.force, legs - 0.36, legs + 0.36, color=INK, linewidth=2.0)
    axes.plot(legs, shown.hold, "o", color="white", markeredgecolor=INK, markersize=5.0)
    handles = [Patch(color=COLOURS[name], label=WORDS[name]) for name in COLOURS]
    handles += [
        Line2D([], [], color=INK, linewidth=2.0, label="force of the drive"),
        Line2D([], [], marker="o", linestyle="", color="white", markeredgecolor=INK,
               label="holds at rest"),
    ]  # fmt: skip
    greatest, limits = float(np.abs([above, below, shown.hold]).max()), shown.limit
    if limits.min() < NEAR * greatest:
        for sign in (1.0, -1.0) if below.min() < -0.3 * limits.min() else (1.0,):
            axes.hlines(sign * limits, legs - 0.45, legs + 0.45, color=LIMIT, linestyles="dashed")
        handles.append(Line2D([], [], color=LIMIT, linestyle="--", label="limit"))
        note = ""
    else:
        note = f"; the limit, {limits.min():.0f} N, is above the picture"
    axes.use_sticky_edges = False  # a part of nothing at the top would clip it
    axes.axhline(0.0, color=INK, linewidth=0.8)
    axes.set_xticks(legs, [f"leg {leg}" for leg in legs])
    axes.grid(visible=False, axis="x")
    axes.set_ylabel("force along the rod, outwards positive [N]")
    axes.set_title(f"Forces at {shown.pose}{note}")
    figure.legend(
        handles=handles,
        loc="upper left",
        bbox_to_anchor=(1.0 - (LEGEND_IN - 0.1) / figure.get_figwidth(), 0.9),
    )
