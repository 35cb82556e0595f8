"""Picture of the torques that a motion needs: each joint's motor, and the terms that make it."""

from collections.abc import Mapping
from typing import Final

from matplotlib.artist import Artist
from matplotlib.figure import Figure

from hil.report.style import INK, LEG_COLOURS, LIMIT, draw_png, place
from sim.world.space_arm.inverse_dynamics import TERMS
from sim.world.space_arm.motion_torques import MotionTorques

COLOURS: Final = dict(zip(TERMS, (*LEG_COLOURS, "#8C564B"), strict=True))
"""One colour a term."""
NEAR: Final = 3.0
"""Largest ratio of a limit to the greatest torque at which it is still drawn."""


def torque_png(found: MotionTorques, limits_nm: Mapping[str, float], title: str) -> bytes:
    """Draw a motion's torques over time; terms that are zero all the time are left out.

    Args:
        limits_nm: largest torque of each joint's motor, by the joints' names from the base [N m].
        title: arm and motion, in words.
    """
    terms, motor = found.terms_nm(), found.motor_nm
    shown = [k for k in range(len(TERMS)) if terms[:, k].any()]

    def draw(figure: Figure) -> None:
        panels = figure.subplots(3, 2, sharex=True)
        place(figure, grid=(2, 3), top_in=0.75, between_in=(0.8, 0.35))
        for j, (axes, (name, limit)) in enumerate(
            zip(panels.ravel(), limits_nm.items(), strict=True)
        ):
            for k in shown:
                axes.plot(found.t_s, terms[:, k, j], color=COLOURS[TERMS[k]], label=TERMS[k])
            axes.plot(found.t_s, motor[:, j], color=INK, linewidth=1.6, label="motor")
            if limit <= NEAR * abs(motor[:, j]).max():
                for side in (-limit, limit):
                    axes.axhline(side, color=LIMIT, linestyle="--", label="limit")
            axes.set_title(name)
            axes.set_ylabel("N m")
        for axes in panels[-1]:
            axes.set_xlabel("time [s]")
        handles = dict[str, Artist]()
        for axes in panels.ravel():
            lines, labels = axes.get_legend_handles_labels()
            handles.update(zip(labels, lines, strict=True))
        figure.legend(
            list(handles.values()), list(handles), loc="upper left", ncols=9,
            bbox_to_anchor=(0.05, 0.965),
        )  # fmt: skip
        figure.text(0.065, 0.97, title, fontsize=10.0)

    return draw_png(7.0, draw)
