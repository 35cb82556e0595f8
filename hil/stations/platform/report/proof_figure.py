"""Picture of a proof: what is left of the limits throughout a box, two coordinates at a time."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import LinearSegmentedColormap, TwoSlopeNorm
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from hil.config.files import write_whole
from hil.report.style import INK, LIMIT, draw_png, place
from hil.stations.platform.report.map_figure import NAMES
from platform6dof.envelope import Envelope
from platform6dof.workspace import PoseBox
from platform6dof.workspace.holding_limits import HoldingLimits
from platform6dof.workspace.pose_map import shares_left
from platform6dof.workspace.pose_proof import LargestBox, PoseProof

Array = NDArray[np.float64]

PAIRS: Final = ((0, 2), (1, 2), (0, 1), (3, 4), (3, 5), (4, 5))
"""Coordinates of the panels, to the right and up."""
CELLS: Final = 41
COLOURS: Final = LinearSegmentedColormap.from_list(
    "share", ["#8E0B1E", "#E9A6A0", "#F7F7F7", "#9CCBE5", "#0B4F83"]
)
MOST: Final = 0.3
"""Share at which the colours end, to either side."""


def write_proof_figure(
    envelope: Envelope,
    proof: PoseProof,
    largest: LargestBox | None,
    rates: Array,
    folder: Path,
    holding: HoldingLimits | None = None,
) -> list[Path]:
    """Write the picture of a proof.

    Args:
        folder: folder to write to; made if it does not exist.
        holding: limits of the forces at rest; None: they are not judged.

    Raises:
        OSError: if the folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    shares = [worst_shares(envelope, proof.box, pair, rates, holding) for pair in PAIRS]

    def draw(figure: Figure) -> None:
        panels = list(figure.subplots(2, 3).flat)
        place(figure, left_in=0.85, right_in=1.0, top_in=0.45, bottom_in=0.95, grid=(3, 2),
              between_in=(0.95, 0.6))  # fmt: skip
        mappable = ScalarMappable(TwoSlopeNorm(0.0, -MOST, MOST), COLOURS)
        for axes, pair, share in zip(panels, PAIRS, shares, strict=True):
            _panel(axes, proof, largest, pair, mappable, share)
        bar = figure.add_axes((0.925, 0.2, 0.014, 0.6))
        figure.colorbar(mappable, cax=bar, extend="both")
        bar.grid(visible=False)
        figure.suptitle(
            "share left of the limit that binds, at the worst ends of the box in the four other "
            "coordinates; red: passed", fontsize=10.0, x=0.06, ha="left",
        )  # fmt: skip
        handles = [Line2D([], [], color=LIMIT, marker="x", linestyle="none",
                          label="pose that passes a limit")]  # fmt: skip
        if largest is not None and largest.scale > 0.0:
            label = f"largest proved box of these proportions, {largest.scale:.3f}"
            handles.append(Line2D([], [], color=INK, linestyle=(0, (5, 3)), label=label))
        figure.legend(handles=handles, loc="lower left", ncols=3, bbox_to_anchor=(0.05, 0.0))

    path = folder / "proof.png"
    write_whole(path, draw_png(6.4, draw))
    return [path]


def worst_shares(
    envelope: Envelope,
    box: PoseBox,
    pair: tuple[int, int],
    rates: Array,
    holding: HoldingLimits | None = None,
) -> Array:
    """Least share left over the ends of the other coordinates, for a grid of two, rows upwards."""
    right, up = (np.linspace(box.lower[k], box.upper[k], CELLS) for k in pair)
    others = [k for k in range(6) if k not in pair]
    worst = np.full((CELLS, CELLS), np.inf)
    for ends in product((0, 1), repeat=4):
        poses = np.empty((CELLS, CELLS, 6))
        poses[:, :, pair[0]], poses[:, :, pair[1]] = right[None, :], up[:, None]
        for k, end in zip(others, ends, strict=True):
            poses[:, :, k] = (box.lower, box.upper)[end][k]
        share = shares_left(envelope, poses.reshape(-1, 6), rates, holding)
        worst = np.fmin(worst, share.reshape(CELLS, CELLS))
    return worst


def _panel(
    axes: Axes,
    proof: PoseProof,
    largest: LargestBox | None,
    pair: tuple[int, int],
    mappable: ScalarMappable,
    share: Array,
) -> None:
    axes.grid(visible=False)
    ends = [_shown(k, float(end[k])) for k in pair for end in (proof.box.lower, proof.box.upper)]
    extent = (ends[0], ends[1], ends[2], ends[3])
    image = mappable.to_rgba(share)
    axes.imshow(image, origin="lower", extent=extent, aspect="auto", interpolation="nearest")
    axes.set_xlabel(NAMES[pair[0]])
    axes.set_ylabel(NAMES[pair[1]])
    for one in proof.violating:
        axes.plot(*(_shown(k, float(one.coordinates[k])) for k in pair), "x", color=LIMIT,
                  markersize=7.0, markeredgewidth=1.8, clip_on=False, zorder=4.0)  # fmt: skip
    if largest is not None and largest.scale > 0.0:
        low = [_shown(k, float(largest.box.lower[k])) for k in pair]
        high = [_shown(k, float(largest.box.upper[k])) for k in pair]
        axes.add_patch(
            Rectangle((low[0], low[1]), high[0] - low[0], high[1] - low[1], fill=False,
                      edgecolor=INK, linewidth=1.1, linestyle=(0, (5, 3)), zorder=3.0)
        )  # fmt: skip
    axes.set_xlim(ends[0], ends[1])
    axes.set_ylim(ends[2], ends[3])


def _shown(k: int, value: float) -> float:
    """A coordinate in metres or degrees."""
    return float(np.degrees(value)) if k > 2 else value
