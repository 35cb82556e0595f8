"""Pictures of the robot's accuracy: its path, and its places on the model's path."""

import numpy as np
from matplotlib.figure import Figure

from hil.report.style import INK, REACHED, Picture, draw_png, limit_line, place
from hil.stations.arm.report.accuracy import OVER_BEST, PROMISED_M
from hil.stations.arm.report.figures import line, times_below
from hil.stations.arm.report.tracking import Tracking
from hil.stations.arm.report.view import ArmView


def accuracy(view: ArmView) -> Picture | None:
    """Draw the distance between the robot's continuous path and the simulated gripper's."""
    found = view.accuracy
    if found is None:
        return None
    rows = (("in space [mm]", found.in_space), ("in time [mm]", found.in_time))

    def draw(figure: Figure) -> None:
        panels = figure.subplots(2, 1, sharex=True)
        place(figure, grid=(1, 2), top_in=0.1, between_in=(0.5, 0.2))
        for axes, (name, misfit) in zip(panels, rows, strict=True):
            line(axes, view.of_motion(misfit.t_s), 1e3 * misfit.distance_m, REACHED)
            axes.plot(view.of_motion(misfit.at_s), 1e3 * misfit.largest_m, "o", color=INK, ms=4)
            limit_line(axes, 1e3 * found.limit_m, soft=True)
            axes.set_ylabel(name)
            axes.set_ylim(0.0, 1.15e3 * max(misfit.largest_m, found.limit_m))
            axes.margins(x=0.01)
        times_below(panels[-1:])

    return Picture(
        "accuracy",
        "Accuracy of the robot's path",
        "Distance between the continuous paths of the simulated gripper and of the robot, which is "
        "that of its controller's model over the waypoints that it was sent. In time: at the same "
        f"moment, with {1e3 * found.shift_s:.1f} ms that the delay is off the model's taken out; "
        "in space: from the other's line. Dashed: "
        f"{1e3 * PROMISED_M:g} mm, or {OVER_BEST:g} times the least that any waypoints could "
        "reach, where that is more.",
        draw_png(4.2, draw),
    )


def following(view: ArmView) -> Picture | None:
    """Draw the robot's reported places against its controller's path, with the delay removed."""
    found = view.tracking
    if found is None:
        return None
    rows = (
        ("off the model [mm]", 1e3 * found.distance_m),
        ("turned off it [deg]", np.degrees(found.angle_error_rad)),
    )

    def draw(figure: Figure) -> None:
        panels = figure.subplots(2, 1, sharex=True)
        place(figure, grid=(1, 2), top_in=0.1, between_in=(0.5, 0.2))
        for axes, (name, values) in zip(panels, rows, strict=True):
            line(axes, found.t_s, values, REACHED)
            axes.set_ylabel(name)
            axes.set_ylim(0.0, 1.15 * max(float(values.max()), 1e-3))
        times_below(panels[-1:])

    return Picture(
        "following",
        "How the robot followed",
        f"{how_measured(found, modelled=view.modelled)} Places are told at requests only, where "
        "the path is on its lines: they say whether the robot drives the path of its controller's "
        "model, not how accurate that is.",
        draw_png(4.0, draw),
    )


def how_measured(found: Tracking, *, modelled: bool) -> str:
    """Describe how the delay and the errors of a run were taken, for a caption."""
    against = (
        "the path of the controller's model" if modelled
        else "straight lines between the waypoints in even motion"
    )  # fmt: skip
    if not found.delay_known:
        return f"Against {against}, without any delay."
    halves = " and ".join(
        "unknown" if np.isnan(half_s) else f"{1e3 * half_s:.0f} ms" for half_s in found.halves_s
    )
    return (
        f"Against {against}, {1e3 * found.delay_s:.0f} ms after the robot's requests for its "
        "waypoints: the shift in time with the least mean square "
        f"distance over the {len(found.t_s)} places that the robot told (first and second half "
        f"alone: {halves})."
    )
