"""Figures of sizing: force over speed of the motions beside the cylinders, and their reserves."""

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from hil.report.style import INK, LEG_COLOURS, LIMIT, REACHED, draw_png, place
from hil.stations.platform.machine.cylinder_choice import Sizing
from hil.stations.platform.machine.cylinder_fit import CylinderFit
from hil.stations.platform.machine.property_words import LABELS

Array = NDArray[np.float64]
Draw = Callable[[Figure], None]

DOTS: Final = 4000
"""Dots of a motion, besides its `GREATEST`."""
GREATEST: Final = 200
"""Greatest forces and speeds of a motion, all of which are drawn."""
BEYOND: Final = 2.5
"""End of the axis of speeds, as a multiple of what is needed."""
SHOWN_CYLINDERS: Final = 6
"""Cylinders beside which the motions are drawn: those of the least force."""


def sizing_figures(found: Sizing) -> dict[str, bytes]:
    """Draw what motions ask and what cylinders can; file names and PNGs."""
    return {
        "size_force_and_speed.png": draw_png(5.2, _force_and_speed(found)),
        "size_reserves.png": draw_png(0.9 + 0.32 * len(found.fits), _reserves(found.fits)),
    }


def _force_and_speed(found: Sizing) -> Draw:
    needed = found.needed.figures

    weakest = sorted(found.fits, key=lambda fit: fit.candidate.listed.cylinder.force_peak_n)
    shown = weakest[:SHOWN_CYLINDERS]

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        place(figure, right_in=3.2)
        for number, (one, _, _) in enumerate(found.motions):
            speed = np.abs(one.demand.speed_m_s).ravel()
            force = np.abs(one.demand.force_n).ravel()
            dots = _dots(speed, force)
            colour = LEG_COLOURS[number % len(LEG_COLOURS)]
            axes.plot(speed[dots], force[dots], ".", color=colour, markersize=2.0, label=one.name)
        axes.axhline(needed.rms_n, color=INK, linewidth=0.9, label="rms of the worst rod")
        if found.box is not None:
            axes.axhline(found.box.hold_n, color=INK, linestyle="--", label="held in the box")
        styles = ("-", "--", ":", "-.", (0, (6, 3)), (0, (1, 2)))
        for fit, style in zip(shown, styles, strict=False):
            one = fit.candidate.listed.cylinder
            corner = [0.0, one.speed_max_m_s, one.speed_max_m_s]
            peak = [one.force_peak_n, one.force_peak_n, 0.0]
            colour = REACHED if fit.fits else LIMIT
            axes.plot(corner, peak, color=colour, linestyle=style, label=fit.candidate.listed.name)
        most_n = [needed.peak_n, *(fit.candidate.listed.cylinder.force_peak_n for fit in shown)]
        axes.set_xlim(0.0, BEYOND * max(needed.speed_m_s, 0.1))
        axes.set_ylim(0.0, 1.1 * max(most_n))
        axes.set_xlabel("speed of a rod [m/s]")
        axes.set_ylabel("force of a rod [N]")
        axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), markerscale=4.0)
        axes.set_title("What the motions ask, and the weakest cylinders; red: do not fit")

    return draw


def _dots(speed: Array, force: Array) -> NDArray[np.intp]:
    """Samples that are drawn: some of all, and the greatest."""
    count = min(GREATEST, len(speed))
    greatest = (np.argpartition(values, -count)[-count:] for values in (speed, force))
    return np.unique(
        np.concatenate([np.arange(0, len(speed), max(1, len(speed) // DOTS)), *greatest])
    )


def _reserves(fits: Sequence[CylinderFit]) -> Draw:
    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        place(figure, left_in=2.3, right_in=2.3)
        for number, fit in enumerate(fits):
            shown = float(np.clip(100.0 * fit.margin, -100.0, 200.0))
            colour = REACHED if fit.fits else LIMIT
            axes.barh(number, shown, color=colour, height=0.7)
            axes.text(
                1.01, number, LABELS[fit.binding], va="center", transform=axes.get_yaxis_transform()
            )
        axes.set_yticks(range(len(fits)), [fit.candidate.listed.name for fit in fits])
        axes.invert_yaxis()
        axes.axvline(0.0, color="#222222", linewidth=0.9)
        axes.set_xlabel("least reserve of all properties [%]; at the right: which")
        axes.set_title("Cylinders of the catalogue; red: do not fit")

    return draw
