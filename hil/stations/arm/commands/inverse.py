"""``hil arm id``: the joint torques that a motion of the space arm needs; nothing moves."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hil.config.errors import ConfigError
from hil.stations.arm.commands.pose import beyond_ranges
from hil.stations.arm.commands.space_arms import (
    JOINT_NAMES,
    ArmArg,
    Load,
    angles_of,
    beyond_torque,
    joint_values,
    one_load_of,
    space_arm_of,
)
from hil.stations.arm.commands.torque_summaries import ArmTorquesSummary, TorqueTermsSummary
from hil.terminal.console import Json, leave, numbers, out, print_json, verb

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from hil.machines.space_arm.settings import ArmSettings

    Array = NDArray[np.float64]

WRENCH_NAMES = "fx,fy,fz,mx,my,mz"
WrenchOption = Annotated[
    str | None,
    typer.Option(
        "--wrench",
        metavar=WRENCH_NAMES,
        help="What acts on the gripper: force [N] and moment [N m], along the base's axes.",
    ),
]
HeldOption = Annotated[
    str | None,
    typer.Option(
        "--payload",
        metavar="none|NAME|KG",
        help="none, a name of the arm's file, or kg; if left out, the motion's, else none.",
    ),
]
MotionOption = Annotated[
    str | None,
    typer.Option(
        "--motion",
        metavar="SCENARIO|NAME",
        help="A whole motion: an arm scenario that is planned, or, with the package "
        "hil-arm-study, one of the slow motions of hil arm table.",
    ),
]
TorquePictureOption = Annotated[
    Path | None,
    typer.Option("--pictures", help="Write a picture of the torques over the motion there."),
]


@verb
def inverse(
    arm: ArmArg,
    joints: Annotated[
        str | None,
        typer.Option("--q", metavar=JOINT_NAMES, help="Joint angles [deg; m]; home if left out."),
    ] = None,
    rates: Annotated[
        str | None,
        typer.Option("--v", metavar=JOINT_NAMES, help="Joint rates [deg/s; m/s]; 0 if left out."),
    ] = None,
    accelerations: Annotated[
        str | None,
        typer.Option(
            "--a", metavar=JOINT_NAMES, help="Accelerations [deg/s²; m/s²]; 0 if left out."
        ),
    ] = None,
    wrench: WrenchOption = None,
    payload: HeldOption = None,
    motion: MotionOption = None,
    folder: TorquePictureOption = None,
    as_json: Json = False,
) -> None:
    """Joint torques that a motion needs, and what each term contributes.

    Exit status 1 if a joint is beyond its range or a torque beyond its motor's.
    """
    import numpy as np

    settings = space_arm_of(arm)
    pushed = np.zeros(6)
    if wrench is not None:
        pushed = np.array(numbers(wrench, 6, "--wrench", f"{WRENCH_NAMES} in N and N m"))
    if motion is not None:
        from hil.stations.arm.commands.motion_demand import show_demand

        given = {"--q": joints, "--v": rates, "--a": accelerations}
        if wrong := [flag for flag, value in given.items() if value is not None]:
            raise ConfigError("--motion", [f"{wrong[0]}: a motion has its own states"])
        show_demand(settings, motion, payload, pushed, folder, as_json=as_json)
        return
    if folder is not None:
        raise ConfigError("--pictures", ["only with --motion: a moment has no curve"])
    load = one_load_of(settings, payload or "none")
    q_rad = angles_of(settings, joints)
    at_rest = np.zeros(len(settings.joint))
    v_rad_s = at_rest if rates is None else joint_values(settings, rates, "--v", "/s")
    a_rad_s2 = (
        at_rest if accelerations is None else joint_values(settings, accelerations, "--a", "/s²")
    )
    summary = _summary(settings, load, (q_rad, v_rad_s, a_rad_s2), pushed)
    if as_json:
        print_json(summary)
    else:
        model = settings.arm()
        names = [link.name for link in model.links]
        _show(summary, names, weightless=not model.gravity_m_s2.any())
    leave(summary["ok"])


def _summary(
    settings: ArmSettings, load: Load, state: tuple[Array, Array, Array], pushed: Array
) -> ArmTorquesSummary:
    """Compute the torques of angles [rad], rates [rad/s] and accelerations [rad/s2]."""
    from sim.world.space_arm.inverse_dynamics import InverseDynamics

    dynamics = InverseDynamics(settings.arm(), load.body)
    found = dynamics.torques(*state, pushed)
    names = [link.name for link in dynamics.arm.links]
    violations = [
        *beyond_ranges(dynamics.arm, state[0]),
        *beyond_torque(names, found.motor_nm, dynamics.limits_nm),
    ]
    return ArmTorquesSummary(
        ok=not violations,
        arm=settings.name,
        payload_kg=load.mass_kg,
        q_deg=settings.in_file_units(state[0]),
        v_deg_s=settings.in_file_units(state[1]),
        a_deg_s2=settings.in_file_units(state[2]),
        wrench=pushed,
        terms_nm=TorqueTermsSummary(
            inertia=found.inertia_nm,
            coriolis=found.coriolis_nm,
            gravity=found.gravity_nm,
            wrench=found.wrench_nm,
            drag=found.drag_nm,
            rotor=found.rotor_nm,
            friction=found.friction_nm,
        ),
        gear_nm=found.gear_nm,
        motor_nm=found.motor_nm,
        limit_nm=dynamics.limits_nm,
        violations=violations,
    )


def _show(summary: ArmTorquesSummary, names: list[str], *, weightless: bool) -> None:
    from rich.table import Table

    table = Table("N m", *names, box=None)
    terms = dict(summary["terms_nm"])
    for column in table.columns[1:]:
        column.justify = "right"
    for term, values in terms.items():
        if term == "gravity" and weightless:
            table.add_row(term, *["none"] * len(names), style="dim")
        else:
            table.add_row(term, *cells(values))
    table.add_row("gear", *cells(summary["gear_nm"]))
    table.add_row("motor", *cells(summary["motor_nm"]), style="bold")
    table.add_row("limit", *cells(summary["limit_nm"]))
    out.print(table)
    for violation in summary["violations"]:
        out.print(violation, style="red")


def cells(values: object) -> list[str]:
    """Write torques [N m] to the milli-newton-metre."""
    import numpy as np

    return [f"{value:.3f}" for value in np.atleast_1d(np.asarray(values, dtype=np.float64))]
