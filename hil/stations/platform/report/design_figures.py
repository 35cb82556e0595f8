"""Figures of a design: its front by pairs of objectives, and the plates of a machine from above."""

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from hil.report.style import INK, LEG_COLOURS, LIMIT, REACHED, WANTED, draw_png, place
from hil.stations.platform.machine.design_rigs import DesignedRig
from platform6dof.circles import circle_joints
from platform6dof.design.problem import DesignFigures, DesignProblem

Array = NDArray[np.float64]
Draw = Callable[[Figure], None]

LABELS: Final = {
    "stroke_m": "stroke [m]", "force_n": "peak force [N]", "error": "error of the place [mm/mm]",
    "footprint_m": "radius of the greater circle [m]",
}  # fmt: skip


def design_figures(
    problem: DesignProblem,
    front: DesignFigures,
    rigs: Sequence[DesignedRig],
    best: DesignedRig,
    before: DesignFigures | None,
) -> dict[str, bytes]:
    """Draw the front of a design and the plates of its balanced machine; file names and PNGs."""
    return {
        "design_front.png": draw_png(4.2, _front(problem, front, best, before)),
        "design_plates.png": draw_png(4.8, _plates(best, before)),
    }


def _front(
    problem: DesignProblem, front: DesignFigures, best: DesignedRig, before: DesignFigures | None
) -> Draw:
    names = problem.objectives
    pairs = [*combinations(range(len(names)), 2)][:3] or [(0, 0)]

    def draw(figure: Figure) -> None:
        panels = np.atleast_1d(figure.subplots(1, len(pairs)))
        place(figure, bottom_in=0.85, grid=(len(pairs), 1), between_in=(0.85, 0.0))
        for axes, (one, other) in zip(panels, pairs, strict=True):
            values = front.objectives
            axes.plot(values[:, one], values[:, other], "o", color=REACHED, label="on the front")
            axes.plot(
                best.objectives[one], best.objectives[other], "o", color=LIMIT, markersize=9.0,
                fillstyle="none", label=f"{best.rig.name}, nearest to the best of all",
            )  # fmt: skip
            if before is not None:
                was = before.objectives[0]
                axes.plot(was[one], was[other], "*", color=INK, markersize=10.0, label="as it is")
            axes.set_xlabel(LABELS[names[one]])
            axes.set_ylabel(LABELS[names[other]])
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="lower center", ncols=3)
        panels[0].set_title("Compromises: less is better")

    return draw


def _plates(best: DesignedRig, before: DesignFigures | None) -> Draw:
    machines = [(f"{best.rig.name}, from above", best.sizes)]
    if before is not None:
        machines.insert(0, ("as it is, from above", before.sizes[0]))

    def draw(figure: Figure) -> None:
        panels = np.atleast_1d(figure.subplots(1, len(machines), sharex=True, sharey=True))
        place(figure, grid=(len(machines), 1), between_in=(0.6, 0.0))
        for axes, (words, sizes) in zip(panels, machines, strict=True):
            _machine(axes, sizes)
            axes.set_title(f"{words}; height {sizes[5]:.3f} m")

    return draw


def _machine(axes: Axes, sizes: Array) -> None:
    """Both circles, their joints and the six legs, seen from above."""
    radius, half, top, of_top, turn, _ = sizes.tolist()
    base, platform = circle_joints(radius, half), circle_joints(top, of_top, turn)
    round_ = np.linspace(0.0, 2.0 * np.pi, 181)
    for size, style in ((radius, "-"), (top, "--")):
        axes.plot(size * np.cos(round_), size * np.sin(round_), color=WANTED, linestyle=style)
    for leg, (one, other) in enumerate(zip(base, platform, strict=True)):
        colour = LEG_COLOURS[leg]
        axes.plot([one[0], other[0]], [one[1], other[1]], color=colour, linewidth=2.5)
        axes.plot(one[0], one[1], "s", color=colour)
        axes.plot(other[0], other[1], "o", color=colour)
    axes.set_aspect("equal", adjustable="box")
    axes.set_xlabel("x [m]; squares: base, dots: platform")
    axes.set_ylabel("y [m]")
