"""``hil platform forces``: forces, torques, stiffness and modes of a rig at one pose."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from hil.config.errors import ConfigError
from hil.stations.platform.commands.rig_model import (
    PicturesOption,
    PoseOption,
    RigModel,
    in_si,
    summarize_pose,
    writing,
)
from hil.stations.platform.proof.force_summaries import ForcesSummary
from hil.terminal.console import Json, leave, numbers, out, print_json, verb
from hil.terminal.options import RigArg

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from hil.stations.platform.proof.force_report import PoseForces

RATE_NAMES = "vx,vy,vz [m/s],alpha,beta,gamma rates [deg/s]"
ACCEL_NAMES = "ax,ay,az [m/s2],alpha,beta,gamma [deg/s2]"
WRENCH_NAMES = "fx,fy,fz [N],mx,my,mz [N m]"
SERVO_NAMES = "k_p [1/s],k_v [N s/m],T_i [s]"
SERVO = "20,60000,0.06"


@verb
def forces(
    rig: RigArg,
    pose: PoseOption = None,
    rates: Annotated[
        str | None, typer.Option("--rates", metavar=RATE_NAMES, help="Speeds of the coordinates.")
    ] = None,
    accel: Annotated[
        str | None,
        typer.Option("--accel", metavar=ACCEL_NAMES, help="Accelerations of the coordinates."),
    ] = None,
    wrench: Annotated[
        str | None,
        typer.Option(
            "--wrench", metavar=WRENCH_NAMES,
            help="Wrench at the platform's origin that bends the screws; 1000 N down if left out.",
        ),
    ] = None,
    servo: Annotated[
        str, typer.Option("--servo", metavar=SERVO_NAMES, help="Gains of the drives' servos.")
    ] = SERVO,
    folder: PicturesOption = None,
    as_json: Json = False,
) -> None:  # fmt: skip
    """Forces of the drives, what each part contributes, torques, stiffness and modes."""
    from hil.stations.platform.proof.force_report import PoseForces
    from platform6dof.pose import PlatformSetpoint

    model = RigModel(rig)
    coordinates = model.coordinates(pose)
    setpoint = PlatformSetpoint.from_coordinates(
        coordinates, _six(rates, "--rates", RATE_NAMES), _six(accel, "--accel", ACCEL_NAMES)
    )
    found = PoseForces.of(model.rig, str(model.path), setpoint)
    summary = _summary(found, coordinates, _wrench(wrench), _gains(servo))
    if folder is not None:
        from hil.stations.platform.report.force_figure import ForcesShown, write_force_figure

        where = ", ".join(f"{value:g}" for value in summary["pose"].values())
        parts = found.parts_by_name()
        shown = ForcesShown(f"{where} (m, °)", parts, found.force_n, found.hold_n, found.limit_n)
        with writing(folder):
            summary["written"] = [str(write_force_figure(shown, folder))]
    if as_json:
        print_json(summary)
    else:
        _show(summary)
    leave(summary["ok"])


def _six(text: str | None, option: str, names: str) -> NDArray[np.float64]:
    """Six numbers in SI, the last three from degrees; zeros without a text."""
    return in_si([0.0] * 6 if text is None else numbers(text, 6, option, names))


def _wrench(text: str | None) -> NDArray[np.float64]:
    import numpy as np

    if text is None:
        return np.array([0.0, 0.0, -1000.0, 0.0, 0.0, 0.0])
    return np.array(numbers(text, 6, "--wrench", WRENCH_NAMES))


def _gains(text: str) -> tuple[float, float, float]:
    k_p, k_v, t_i_s = numbers(text, 3, "--servo", SERVO_NAMES)
    if min(k_p, k_v, t_i_s) <= 0.0:
        raise ConfigError("--servo", [f"{text}: all three must be above 0"])
    return k_p, k_v, t_i_s


def _summary(
    found: PoseForces,
    coordinates: NDArray[np.float64],
    wrench: NDArray[np.float64],
    gains: tuple[float, float, float],
) -> ForcesSummary:
    servo, motor = found.servo(*gains), found.motor
    problems = list(found.problems(servo))
    return ForcesSummary(
        ok=not problems,
        pose=summarize_pose(coordinates),
        lengths_m=found.loads.length_m[0],
        speeds_m_s=found.loads.speed_m_s[0],
        accelerations_m_s2=found.loads.acceleration_m_s2[0],
        force_n=found.force_n,
        limit_n=found.limit_n,
        hold_n=found.hold_n,
        parts_n=found.parts(),
        bodies=found.by_body(),
        motor_nm=None if motor is None else motor.torque_nm[0],
        power_w=None if motor is None else motor.power_w[0],
        stiffness=found.stiffness(wrench),
        servo=servo,
        problems=problems,
        written=[],
    )


def _show(summary: ForcesSummary) -> None:
    from rich.table import Table

    columns: dict[str, NDArray[np.float64]] = {
        "force N": summary["force_n"],
        "limit N": summary["limit_n"],
        "hold N": summary["hold_n"],
        "bodies": summary["parts_n"]["bodies"],
        "across": summary["parts_n"]["across"],
        "rod": summary["parts_n"]["rod"],
        "rotor": summary["parts_n"]["rotor"],
        "friction": summary["parts_n"]["friction"],
    }
    for body in summary["bodies"]:
        columns[body["name"]] = body["force_n"]
    table = Table("leg", *columns, box=None, pad_edge=False)
    torque = summary["motor_nm"]
    if torque is not None:
        table.add_column("motor N m")
    for leg in range(6):
        cells = [f"{values[leg]:.1f}" for values in columns.values()]
        cells += [] if torque is None else [f"{torque[leg]:.3f}"]
        table.add_row(str(leg + 1), *cells)
    out.print(table)
    _show_modes(summary)
    for problem in summary["problems"]:
        out.print(problem, style="red", soft_wrap=True)
    for path in summary["written"]:
        out.print(path, soft_wrap=True)


def _show_modes(summary: ForcesSummary) -> None:
    stiff, servo = summary["stiffness"], summary["servo"]
    if stiff is not None:
        shift = ", ".join(f"{1e3 * value:.4f}" for value in stiff["shift_m"])
        turn = ", ".join(f"{1e3 * value:.4f}" for value in stiff["turn_rad"])
        load = ", ".join(f"{value:g}" for value in stiff["wrench"])
        out.print(f"bent by {load} N, N m: {shift} mm; {turn} mrad", soft_wrap=True)
        swings = ", ".join(f"{one['axis']} {one['frequency_hz']:.1f}" for one in stiff["modes"])
        out.print(f"swings on its screws, Hz: {swings}", soft_wrap=True)
    felt = ", ".join(f"{one['axis']} {one['mass_kg']:.0f}" for one in servo["modes"])
    out.print(
        f"masses at the rods, kg: {felt}; the servo holds {servo['least_kg']:.0f} to "
        f"{servo['greatest_kg']:.0f}",
        soft_wrap=True,
    )
