"""``hil arm``: the arm station, its robot, and the simulated space arm, from the command line."""

from pathlib import Path

import typer

from hil.run import service
from hil.run.file_kinds import find_kind
from hil.run.station import Request
from hil.space_arm.commands.advance import advance
from hil.space_arm.commands.table import table
from hil.stations.arm.commands.emulate import emulate
from hil.stations.arm.commands.identify import identify
from hil.stations.arm.commands.jog import jog
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
    SetOption,
)
from hil.terminal.run_end import show_and_leave


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
    from hil.stations.arm.station import AT, LINK, SCENARIO, STATION

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
    "robots and space arms (**fk**, **ik**); the simulated space arm (**advance**, **table**).",
)
for command in (check, run, goto, jog, play, identify, emulate, fk, ik, advance, table):
    app.command()(command)
