"""Picture of the machine's loads over a run: force, power and energy of each leg, with limits.

They are computed from the motion of the legs that the gate allowed, as a recording holds it, with
the rig's masses and drives; what the drives measured is a row of its own beside them.
"""

from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from hil.machines.rig.masses import drive_train_in, machine_in
from hil.machines.rig.payload import force_limit_n
from hil.machines.rig.settings import Rig
from hil.report.pieces import any_finite
from hil.report.style import LEGEND_IN, LIMIT, Picture, draw_png, limit_line, place
from hil.report.time_axes import STRIP_IN, TIME_LABEL, time_axes
from hil.stations.platform.report.leg_axes import leg_legend, six_lines
from hil.stations.platform.report.view import RunView
from platform6dof.dynamics.drive_train import DriveTrain
from platform6dof.dynamics.inverse_dynamics import LegLoads
from platform6dof.dynamics.machine import Machine
from platform6dof.dynamics.stops import loads_of_legs
from platform6dof.kernels import rotation

Array = NDArray[np.float64]


class _Model(NamedTuple):
    """Masses and drives of a rig."""

    rig: Rig
    machine: Machine
    train: DriveTrain | None


def machine(view: RunView) -> Picture | None:
    """Forces, power and energy of the six drives with their limits; None without bodies."""
    if view.plan is None or not view.plan.rig.body or view.period_s is None:
        return None
    rig = view.plan.rig
    found = machine_in(rig, view.geometry)
    if found is None:
        return None
    model = _Model(rig, found, drive_train_in(rig))

    def forces(part: RunView) -> Array:
        return _forces(part, model)

    if not any_finite(view, forces):
        return None
    energy = _Energy(model)

    def draw(figure: Figure) -> None:
        count = 2 if model.train is None else 4
        panels = figure.subplots(count, 1, sharex=True)
        place(figure, left_in=0.9, right_in=LEGEND_IN, top_in=STRIP_IN, grid=(1, count))
        six_lines(panels[0], view, forces)
        panels[0].set_ylabel("needed force [N]")
        six_lines(panels[1], view, _measured)
        panels[1].set_ylabel("measured force [N]")
        for axes in panels[:2]:
            _limits(axes, [force_limit_n(rig, leg) for leg in range(6)])
        if model.train is not None:
            six_lines(panels[2], view, lambda part: _power(part, model))
            panels[2].set_ylabel("power [W]")
            if rig.cylinders.drive is not None and rig.cylinders.drive.power_max_w is not None:
                limit_line(panels[2], rig.cylinders.drive.power_max_w, soft=True)
            six_lines(panels[3], view, energy)
            panels[3].set_ylabel("energy drawn [kJ]")
        time_axes(panels[0], view)
        for axes in panels[1:]:
            time_axes(axes, view, strip=False)
        panels[-1].set_xlabel(TIME_LABEL)
        handle = Line2D([], [], color=LIMIT, linewidth=1.0, linestyle=(0, (6, 3)), label="limit")
        leg_legend(figure, [handle])

    height_in = 4.6 if model.train is None else 8.4
    world = bool(view.plan.scenario.world)
    words = _words(model, simulated=bool(view.simulated), world=world)
    return Picture("machine", "Machine", words, draw_png(height_in, draw))


def _words(model: _Model, *, simulated: bool, world: bool) -> str:
    drive, alone = model.rig.cylinders.drive, ""
    if simulated and not world:
        alone = " Each simulated rod measures its own share alone; `--world` loads all six."
    bodies = ", ".join(f"{one.name} {one.mass_kg:g} kg" for one in model.machine.bodies)
    text = (
        f"What the motion needs of the drives, by the masses of the rig ({bodies}), beside what "
        f"they measured. Positive pushes outwards.{alone}"
    )
    if drive is None:
        return text
    return (
        f"{text} Power is electrical, of each drive, and goes to its resistor where it is below "
        "0; energy is what a drive has drawn, without what it fed back. A motor bears "
        f"{drive.torque_continuous_nm:g} N m all the time and {drive.torque_peak_nm:g} N m at most."
    )


def _measured(view: RunView) -> Array:
    return view.recording.column("measured_force_n")


def _loads(view: RunView, model: _Model) -> LegLoads:
    """Loads by the legs that the gate allowed, at the poses that the platform reached."""
    speeds = view.recording.column("allowed_speed_m_s")
    accelerations = np.full(speeds.shape, np.nan)
    if len(speeds) > 2 and view.period_s is not None:
        accelerations = np.gradient(speeds, view.period_s, axis=0)
    still = np.zeros((len(speeds), 6))
    poses = rotation.setpoints_of_coordinates(np.ascontiguousarray(view.reached), still, still)
    return loads_of_legs(model.machine, poses, speeds, accelerations)


def _forces(view: RunView, model: _Model) -> Array:
    loads = _loads(view, model)
    if model.train is None:
        return loads.force_n
    return loads.force_n + model.train.friction_n(loads.speed_m_s)


def _power(view: RunView, model: _Model) -> Array:
    if model.train is None:
        return np.full((len(view.times), 6), np.nan)
    return model.train.motor(_loads(view, model)).power_w


class _Energy:
    """Energy drawn up to each row [kJ]; pieces of a run come in their order."""

    def __init__(self, model: _Model) -> None:
        self._model = model
        self._sum, self._until_s = np.zeros(6), -np.inf

    def __call__(self, view: RunView) -> Array:
        drawn = np.maximum(0.0, np.nan_to_num(_power(view, self._model)))
        new = view.times > self._until_s
        steps = np.where(new[:, None], drawn, 0.0) * (view.period_s or 0.0)
        total = self._sum + steps.cumsum(axis=0)
        if len(total):
            self._sum, self._until_s = total[-1], float(view.times[-1])
        return total * 1e-3


def _limits(axes: Axes, limits_n: list[float]) -> None:
    """Draw the least limit where it is not far above what is drawn."""
    low, high = axes.get_ylim()
    limit = min(limits_n)
    for sign in (1.0, -1.0):
        if (sign > 0.0 and limit < 3.0 * high) or (sign < 0.0 and limit < -3.0 * low):
            limit_line(axes, sign * limit, soft=True)
