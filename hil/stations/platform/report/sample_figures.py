"""Figures of a random sample of poses: positions, orientations, leg lengths."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from hil.config.files import replacing, write_whole
from hil.report.style import INK, LEG_COLOURS, LIMIT, draw_png, place
from platform6dof.workspace import LegExtremes, PoseBox, PoseSample

Array = NDArray[np.float64]

MAX_DOTS: Final = 5000
"""Most dots; a larger sample is thinned evenly, its least and greatest values always shown."""

CSV_NAMES: Final = (
    *("x_m", "y_m", "z_m", "alpha_rad", "beta_rad", "gamma_rad"),
    *(f"length_leg{leg}_m" for leg in range(1, 7)),
)
"""Columns of ``sample.csv``."""


def write_sample_figures(
    sample: PoseSample, box: PoseBox, folder: Path, extremes: LegExtremes | None = None
) -> list[Path]:
    """Write figures 5a, 5b and 6 of Bukharov et al. 2022 for a sample, and the sample as CSV.

    Args:
        box: ranges of the sample; shown as lines.
        folder: folder to write to; made if it does not exist.
        extremes: exact extremes over the box; those of each leg are lines in figure 6.

    Returns:
        Paths of the pictures and of the CSV.

    Raises:
        OSError: if the folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    coordinates = np.asarray(sample.coordinates)
    positions = _boxed(coordinates[:, :3], box, slice(0, 3), 1.0, ("x [m]", "y [m]", "z [m]"))
    angles = ("α about z [°]", "β about y [°]", "γ about x [°]")
    orientations = _boxed(coordinates[:, 3:], box, slice(3, 6), 180.0 / np.pi, angles)
    pictures = {
        "figure_5a_positions.png": draw_png(5.0, positions),
        "figure_5b_orientations.png": draw_png(5.0, orientations),
        "figure_6_lengths.png": draw_png(5.4, _lengths(sample, extremes)),
    }
    written: list[Path] = []
    for name, png in pictures.items():
        write_whole(folder / name, png)
        written.append(folder / name)
    table = folder / "sample.csv"
    with replacing(table) as stream:
        stream.write(",".join(CSV_NAMES).encode() + b"\n")
        rows = np.hstack([coordinates, np.asarray(sample.lengths)])
        np.savetxt(stream, rows, fmt="%.17g", delimiter=",")
    return [*written, table]


def shown_dots(values: Array, most: int = MAX_DOTS) -> NDArray[np.intp]:
    """Indices of a sample's values to draw: evenly many, with the least and the greatest.

    Args:
        values: one quantity of the sample, shape (N,), N above 0.
        most: approximate number.

    Returns:
        Rising indices, at most ``most`` + 2.
    """
    if len(values) <= most:
        return np.arange(len(values))
    even = np.linspace(0, len(values) - 1, most).astype(np.intp)
    return np.unique(np.concatenate((even, [np.argmin(values), np.argmax(values)])))


def _boxed(
    values: Array, box: PoseBox, part: slice, scale: float, names: tuple[str, ...]
) -> Callable[[Figure], None]:
    """Drawing of three coordinates by the number of the pose, with the ends of their ranges."""
    lower, upper = np.asarray(box.lower)[part] * scale, np.asarray(box.upper)[part] * scale

    def draw(figure: Figure) -> None:
        panels = figure.subplots(3, 1, sharex=True)
        place(figure, right_in=0.25, grid=(1, 3), between_in=(0.0, 0.15))
        for k, axes in enumerate(panels):
            column = values[:, k] * scale
            chosen = shown_dots(column)
            axes.plot(chosen + 1, column[chosen], ".", color=LEG_COLOURS[k], markersize=2.0)
            for end in (lower[k], upper[k]):
                axes.axhline(end, color=INK, linewidth=0.9, linestyle=(0, (6, 3)))
            axes.set_ylabel(names[k])
            axes.margins(x=0.01, y=0.08)
        panels[0].set_title(f"{len(values)} random poses; dashed: ends of the ranges")
        panels[-1].set_xlabel("number of the pose")

    return draw


def _lengths(sample: PoseSample, extremes: LegExtremes | None) -> Callable[[Figure], None]:
    lengths = np.asarray(sample.lengths)

    def draw(figure: Figure) -> None:
        panels = figure.subplots(2, 3, sharex=True, sharey=True)
        place(
            figure, right_in=0.3, top_in=0.65, bottom_in=0.5, grid=(3, 2), between_in=(0.35, 0.35)
        )
        for leg, axes in enumerate(panels.flat):
            column = lengths[:, leg]
            chosen = shown_dots(column)
            axes.plot(chosen + 1, column[chosen], ".", color=LEG_COLOURS[leg], markersize=2.0)
            axes.set_title(f"leg {leg + 1}: {column.min():.4f} to {column.max():.4f} m")
            axes.margins(x=0.01, y=0.06)
            if extremes is not None:
                for end in (extremes.leg_min_m[leg], extremes.leg_max_m[leg]):
                    axes.axhline(end, color=LIMIT, linewidth=1.1, linestyle=(0, (6, 3)))
        words = f"{len(lengths)} random poses: {sample.min_m:.4f} to {sample.max_m:.4f} m"
        if extremes is not None:
            words += f"; dashed: exact extremes, {extremes.min_m:.4f} to {extremes.max_m:.4f} m"
        figure.suptitle(words, fontsize=10.0)
        figure.supxlabel("number of the pose", fontsize=9.0)
        figure.supylabel("leg length [m]", fontsize=9.0)

    return draw
