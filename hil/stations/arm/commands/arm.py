"""``hil arm``: the arm station, its robot, and the simulated space arm, from the command line."""

import math
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from hil.config.errors import ConfigError
from hil.config.inputs import collected
from hil.run.file_kinds import find_kind
from hil.run.station import Request
from hil.stations.arm.commands.advance import advance
from hil.stations.arm.commands.alone import (
    AtJointsNeededOption,
    LinkOption,
    SpeedOption,
    choice_of,
    need_joints,
    part_of,
    say,
    say_keys,
    show_result,
    shown_at,
)
from hil.stations.arm.commands.cost import cost
from hil.stations.arm.commands.emulate import emulate
from hil.stations.arm.commands.identify import identify
from hil.stations.arm.commands.inverse import inverse
from hil.stations.arm.commands.moves import goto, play
from hil.stations.arm.commands.pose import fk, ik
from hil.terminal.console import Json, verb
from hil.terminal.options import (
    ArmAtOption,
    ArmLinkOption,
    ArmScenarioArg,
    ClockOption,
    FallbackOption,
    OutOption,
    ReportOption,
    RobotArg,
    SetOption,
)
from hil.terminal.run_end import show_and_leave


@verb
@collected()
def jog(
    robot: RobotArg,
    axes: Annotated[
        str,
        typer.Option(
            "--axes",
            metavar="joint|base|tool",
            help="What the keys move: joints, or the gripper along and about axes of base or tool.",
        ),
    ] = "base",
    step: Annotated[
        float | None,
        typer.Option(
            "--step",
            metavar="SIZE",
            help="One press is one step of so many mm, or degrees for turns and joints; left out, "
            "it moves while a key is held.",
        ),
    ] = None,
    arm_link: LinkOption = "sim:",
    speed_mm_s: SpeedOption = 20.0,
    at_joints: AtJointsNeededOption = None,
    arm_at: ArmAtOption = None,
    folder: OutOption = Path("runs"),
    as_json: Json = False,
) -> None:
    """Move the robot alone by keys, in real time; let go, it rests.

    Towards a limit it rests before it, and says which. `sim:` is an emulated robot in this
    process, to practise on.
    """
    import numpy as np

    from hil.stations.arm.moves.approach import joints_by_operator
    from hil.stations.arm.moves.jog import run_jog
    from hil.stations.arm.moves.move_operators import jog_help, open_jog_operator
    from hil.stations.arm.moves.paths import Axes
    from hil.stations.arm.moves.session import session

    if axes not in [one.value for one in Axes]:
        raise ConfigError("--axes", [f"{axes!r}: joint, base or tool is needed"])
    size = _step(step)
    choice = choice_of(robot, arm_link, "real", arm_at, at_joints)
    need_joints(arm_link, at_joints)
    part = part_of(choice.robot, speed_mm_s)
    with session(choice, say) as opened:
        start = joints_by_operator(choice.robot, opened.place, np.array(choice.emulated_deg))
        with closing(open_jog_operator(opened.clock, stepping=size is not None)) as hand:
            say_keys(jog_help(axes, step), opened, quiet=as_json)
            found = run_jog(
                opened, start, hand, Axes(axes), part, folder, step=size,
                shown_at=shown_at(opened, as_json),
            )  # fmt: skip
    show_result(choice, found, as_json=as_json)


def _step(size: float | None) -> tuple[float, float] | None:
    from hil.stations.arm.moves.jog import STEP_MOST

    if size is None:
        return None
    if not 0.0 < size <= STEP_MOST:
        raise ConfigError("--step", [f"{size:g}: above 0, at most {STEP_MOST:g} mm or deg"])
    return 1e-3 * size, math.radians(size)


@verb
def run(
    scenario: ArmScenarioArg,
    clock: ClockOption = None,
    arm_link: ArmLinkOption = None,
    arm_at: ArmAtOption = None,
    fallback: FallbackOption = None,
    folder: OutOption = Path("runs"),
    overrides: SetOption = None,
    report_too: ReportOption = False,
    as_json: Json = False,
) -> None:
    """Run a scenario of the arm station, recorded from the first waypoint on.

    The motion is proved first. Ctrl-C or SIGTERM ends the robot's stream at once, at rest.
    """
    from hil import service
    from hil.stations.arm.options import AT, LINK
    from hil.stations.arm.station import SCENARIO, STATION

    path, _ = find_kind(scenario, SCENARIO, key="SCENARIO")
    given = {LINK.flag: arm_link, AT.flag: arm_at}
    request = Request(
        scenario=path, options={flag: value for flag, value in given.items() if value},
        overrides=tuple(overrides or ()), clock=clock, fallback=fallback, folder=folder,
        report=report_too, as_json=as_json,
    )  # fmt: skip
    show_and_leave(service.run(STATION, request), as_json=as_json)


@verb
def check(scenario: ArmScenarioArg, overrides: SetOption = None, as_json: Json = False) -> None:
    """Prove a planned motion of both arms, and print where the robot has to stand.

    A live motion (keyboard, gamepad, remote) has no plan: only its start is checked.
    """
    from hil import service
    from hil.stations.arm.station import SCENARIO, STATION
    from hil.terminal.console import show_checked

    path, _ = find_kind(scenario, SCENARIO, key="SCENARIO")
    changes = tuple(overrides or ())
    request = Request(scenario=path, options={}, overrides=changes, as_json=as_json)
    show_checked(service.check(STATION, request), as_json=as_json)


app = typer.Typer(
    no_args_is_help=True,
    help="The arm station: **check** and **run** its scenarios, drive its robot alone "
    "(**goto**, **jog**, **play**), **identify** its controller, **emulate** it; kinematics of "
    "robots and space arms (**fk**, **ik**); the simulated space arm (**advance**, its torques "
    "**id** and operations **cost**; with the package `hil-arm-study` **table**, **simplify**).",
)
for command in (check, run, goto, jog, play, identify, emulate, fk, ik, advance, cost):
    app.command()(command)
app.command("id")(inverse)
