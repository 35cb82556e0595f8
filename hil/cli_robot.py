"""``hil arm ik|emulate``: the bench's robot from the command line; nothing real moves."""

import math
import sys
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.table import Table

from hil.cli_arm import app
from hil.console import Json, RefusedError, err, leave, numbers, out, print_json, verb
from hil.settings import ConfigError

RobotArg = Annotated[
    str,
    typer.Argument(metavar="ROBOT", help="Robot file, or the name of a shipped one (rm01)."),
]
POSE_NAMES = "x,y,z,o,a,t"


@app.command()
@verb
def ik(
    robot: RobotArg,
    pose: Annotated[
        str,
        typer.Option("--pose", metavar=POSE_NAMES, help="Gripper in the robot's base: mm, deg."),
    ],
    near: Annotated[
        str | None,
        typer.Option("--near", metavar="q1,…,q6", help="Present joint angles [deg]."),
    ] = None,
    as_json: Json = False,
) -> None:
    """A place of the robot's gripper to all eight postures, the nearest first."""
    from arm_driver.kinematics import OutOfReachError, singular_distances, solutions
    from arm_driver.pose import ArmError, Pose
    from arm_driver.val import from_oat
    from hil.robot_settings import RobotSettings
    from hil.shipped import find_file

    settings = RobotSettings.load(find_file(robot, folder="robots", key="ROBOT"))
    geometry = settings.geometry()
    place = numbers(pose, 6, "--pose", f"{POSE_NAMES} in mm and degrees")
    now = None if near is None else np.radians(numbers(near, 6, "--near", "q1,…,q6 in degrees"))
    try:
        wanted = Pose(
            from_oat(np.radians(place[3:]), settings.oat_convention()), np.array(place[:3]) * 1e-3
        )
        found = solutions(geometry, wanted, now)
    except OutOfReachError as error:
        raise RefusedError(f"{settings.name}: {error}") from None
    except ArmError as error:
        raise ConfigError("command line", [str(error)]) from None
    inside = found.within_limits()
    rows = [*inside, *(one for one in found if not one.within_limits)]
    if as_json:
        print_json(
            {
                "ok": bool(inside),
                "solutions": [
                    {
                        "branch": str(one.branch),
                        "q_deg": np.degrees(one.q_rad),
                        "within_limits": one.within_limits,
                        "violations": [str(violation) for violation in one.violations],
                    }
                    for one in rows
                ],
            }
        )
        leave(bool(inside))
    table = Table("posture", *(f"q{j} deg" for j in range(1, 7)), "|sin q5|", "", box=None)
    for one in rows:
        angles = (f"{math.degrees(q):.3f}" for q in one.q_rad)
        wrist = singular_distances(geometry, one.q_rad).wrist
        wrong = "; ".join(str(violation) for violation in one.violations)
        table.add_row(str(one.branch), *angles, f"{wrist:.3f}", wrong)
    out.print(table)
    leave(bool(inside))


@app.command()
@verb
def emulate(
    pty: Annotated[
        bool, typer.Option("--pty", help="A pseudo-terminal instead of a TCP port.")
    ] = False,
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="TCP port; 0 for any free one.")
    ] = 0,
    baud: Annotated[int, typer.Option("--baud", help="Speed that bytes are paced by.")] = 9600,
    start: Annotated[
        str | None,
        typer.Option("--start", metavar="q1,…,q6", help="Joint angles at the start [deg]."),
    ] = None,
    tool_mm: Annotated[float, typer.Option("--tool", help="Wrist centre to gripper [mm].")] = 100.0,
    feedback: Annotated[
        bool, typer.Option("--feedback/--no-feedback", help="Requests say where the gripper is.")
    ] = True,
    echo: Annotated[bool, typer.Option("--echo", help="Echo what is received.")] = False,
    script: Annotated[
        Path | None, typer.Option("--script", help="File of faults, one a line, with times.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0)] = 0,
    end_with_input: Annotated[bool, typer.Option("--end-with-input", hidden=True)] = False,
) -> None:
    """Emulate the robot and its controller until Ctrl-C; the URL to use is the first line printed.

    Faults are typed into its console: help lists them.
    """
    from hil.realtime import RealClock
    from hil.signals import StopSignals
    from sim.devices.arm_faults import parse_arm_script
    from sim.devices.arm_server import run_arm_controller
    from sim.devices.arm_settings import START_DEG, ArmControllerSettings

    joints = START_DEG if start is None else tuple(
        float(angle) for angle in numbers(start, 6, "--start", "q1,…,q6 in degrees")
    )  # fmt: skip
    try:
        settings = ArmControllerSettings(
            baud=baud, feedback=feedback, echo=echo, start_deg=joints, tool_m=tool_mm * 1e-3
        )
        faults = parse_arm_script("" if script is None else script.read_text(encoding="utf-8"))
    except (ValueError, OSError) as error:
        raise ConfigError("command line", [str(error)]) from None
    with StopSignals() as wish:
        try:
            run_arm_controller(
                settings,
                now_s=RealClock().now_s,
                ready=_say_ready,
                stop=lambda: wish.asked is not None,
                port=port,
                pty=pty,
                console=sys.stdin,
                script=faults,
                seed=seed,
                say=lambda line: err.print(line, markup=False, soft_wrap=True),
                end_with_console=end_with_input,
            )
        except (OSError, ValueError) as error:
            raise RefusedError(f"the robot cannot be emulated: {error}") from None


def _say_ready(url: str) -> None:
    print(url, flush=True)
    err.print(
        f"an emulated robot; use it with --arm-link '{url}'. Faults: type help. Ctrl-C ends.",
        markup=False, soft_wrap=True,
    )  # fmt: skip
