"""The command line: ``hil VERB``. Each verb is a thin layer over a function of the bench."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import orjson
import typer

from hil.cli import panel as cli_panel
from hil.cli import recordings as cli_recordings
from hil.cli.stations import check_stations, refuse_options, run_stations
from hil.config.file_kinds import FileKind, station_of
from hil.config.settings import ConfigError
from hil.stations.arm.commands import arm as cli_arm
from hil.stations.platform.commands import drives as cli_drives
from hil.stations.platform.commands import platform as cli_platform
from hil.terminal.console import Exit, Json, leave, out, print_json, tell_bad_usage, verb
from hil.terminal.options import (
    ArmAtOption,
    ArmLinkOption,
    ClockOption,
    DrivesOption,
    FallbackOption,
    MapOption,
    MotionOption,
    OperatorOption,
    OutOption,
    ReportOption,
    RigOption,
    ScenarioArg,
    SetOption,
)

if TYPE_CHECKING:
    from hil.stations.platform.scenario import Plan

app = typer.Typer(
    name="hil",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    help="Hardware-in-the-loop bench for motion platforms: **check** a motion, **run** it on "
    "simulated drives, and read the **report** of what happened.\n\n"
    "Exit status: 0 well, 1 the machine or the motion was refused or tripped, 2 bad usage or "
    "configuration.",
)
app.add_typer(cli_platform.app, name="platform")
app.add_typer(cli_drives.app, name="drives")
app.add_typer(cli_arm.app, name="arm")

for command in (cli_recordings.report, cli_recordings.export, cli_panel.panel):
    app.command()(command)


def main() -> None:
    """Entry point of the program."""
    try:
        app()
    except SystemExit as end:
        if end.code == Exit.USAGE:
            tell_bad_usage(sys.argv)
        raise


@app.command()
@verb
def run(
    scenario: ScenarioArg = None,
    rig: RigOption = None,
    motion: MotionOption = None,
    map_: MapOption = None,
    clock: ClockOption = None,
    drives: DrivesOption = None,
    fallback: FallbackOption = None,
    arm_link: ArmLinkOption = None,
    arm_at: ArmAtOption = None,
    folder: OutOption = Path("runs"),
    overrides: SetOption = None,
    operator: OperatorOption = False,
    report_too: ReportOption = False,
    as_json: Json = False,
) -> None:
    """Run a scenario, recorded from the first cycle on.

    A platform homes, rises, plays the motion and parks; an arm station streams waypoints to its
    robot. Ctrl-C or SIGTERM stops smoothly along the path.
    """
    path, kind = station_of(scenario)
    for_platform = {"--rig": rig, "--motion": motion, "--map": map_, "--drives": drives}
    if path is not None and kind is FileKind.TOGETHER_SCENARIO:
        others = {"--clock": clock, "--fallback": fallback}
        others |= {"--arm-link": arm_link, "--arm-at": arm_at}
        refuse_options(path, kind, for_platform | others)
        leave(
            run_stations(
                path, folder, overrides, report_too=report_too, as_json=as_json, operator=operator
            )
        )
    if path is not None and kind is FileKind.ARM_SCENARIO:
        from hil.stations.arm.command_line import arm_plan_of, robot_at
        from hil.stations.arm.runner import run_arm_and_show

        refuse_options(path, kind, for_platform)
        plan = arm_plan_of(
            path, clock=clock, arm_link=arm_link, fallback=fallback, overrides=overrides
        )
        at = robot_at(arm_at)
        leave(
            run_arm_and_show(
                plan, folder, report_too=report_too, as_json=as_json, operator=operator,
                robot_at=at,
            )
        )  # fmt: skip
    from hil.stations.platform.runner import run_and_show

    refuse_options(path, kind, {"--arm-link": arm_link, "--arm-at": arm_at})
    changes = [*_device_changes(drives, fallback, clock), *(overrides or ())]
    plan = _plan(path, rig, motion, map_, clock, changes)
    leave(run_and_show(plan, folder, report_too=report_too, as_json=as_json, operator=operator))


@app.command()
@verb
def check(
    scenario: ScenarioArg = None,
    rig: RigOption = None,
    motion: MotionOption = None,
    map_: MapOption = None,
    overrides: SetOption = None,
    as_json: Json = False,
) -> None:
    """Prove a whole motion before anything moves: every limit of the envelope, then the gate."""
    path, kind = station_of(scenario)
    if path is not None and kind is not FileKind.PLATFORM_SCENARIO:
        refuse_options(path, kind, {"--rig": rig, "--motion": motion, "--map": map_})
        if kind is FileKind.TOGETHER_SCENARIO:
            leave(check_stations(path, overrides, as_json=as_json))
        from hil.stations.arm.command_line import arm_plan_of
        from hil.stations.arm.runner import check_arm_and_show

        leave(check_arm_and_show(arm_plan_of(path, overrides=overrides), as_json=as_json))
    from hil.stations.platform.runner import check_and_show

    plan = _plan(path, rig, motion, map_, None, overrides)
    leave(check_and_show(plan, as_json=as_json))


@app.command()
@verb
def doctor(
    duration_s: Annotated[
        float, typer.Option("--duration", help="Length of the latency test [s].", min=0.5)
    ] = 3.0,
    drives: Annotated[
        str | None, typer.Option("--drives", metavar="URL", help="Look at this link as well.")
    ] = None,
    bitrate: Annotated[int, typer.Option("--bitrate", help="Of the CAN bus [bit/s].")] = 1_000_000,
    as_json: Json = False,
) -> None:
    """Test this machine's latency and permissions; say what is missing and how to get it."""
    from hil.stations.platform.runner import doctor_and_show

    leave(doctor_and_show(duration_s, drives, bitrate, as_json=as_json))


@app.command()
@verb
def schema(
    what: Annotated[
        str,
        typer.Argument(
            metavar="KIND",
            help="scenario (of a platform), arm-scenario, together-scenario, robot, arm, rig; "
            "or `all`, one object with each of them by its name.",
        ),
    ] = "scenario",
) -> None:
    """Print the JSON schema of a kind of file, for editors and forms: bounds, units, defaults."""
    from hil.config.schema import KINDS, schema_of

    if what not in (*KINDS, "all"):
        raise ConfigError("schema", [f"{what!r} is unknown; there are {', '.join(KINDS)}, all"])
    told = {kind: schema_of(kind) for kind in KINDS} if what == "all" else schema_of(what)
    typer.echo(orjson.dumps(told, option=orjson.OPT_INDENT_2).decode())


@app.command()
@verb
def warm(as_json: Json = False) -> None:
    """Compile the kernels now, so that the next run starts at once."""
    from hil.stations.arm.runner import warm_arm_and_say
    from hil.stations.platform.runner import warm_and_say

    warm_and_say(quiet=as_json)
    warm_arm_and_say(quiet=as_json, classic=True, fine=True)
    if as_json:
        print_json({"ok": True})
    else:
        out.print("kernels are compiled")


def _device_changes(drives: str | None, fallback: str | None, clock: str | None) -> list[str]:
    """What ``--drives`` and ``--fallback`` change in the scenario."""
    changes: list[str] = []
    if drives is not None:
        changes.append(f'devices.drives="{drives}"')
        if drives != "sim:" and clock is None:
            changes.append('clock="real"')
    if fallback is not None:
        changes.append(f'devices.fallback="{fallback}"')
    return changes


def _plan(
    scenario: Path | None,
    rig: str | None,
    motion: Path | None,
    maps: list[str] | None,
    clock: str | None,
    overrides: list[str] | None,
) -> "Plan":
    """The plan that a command line describes: a scenario, or a rig and a recorded motion."""
    from hil.stations.platform.adhoc import recorded_table
    from hil.stations.platform.scenario import load_plan, plan_from_table

    changes = list(overrides or ())
    if clock is not None:
        changes.append(f'clock="{clock}"')
    if scenario is not None:
        if rig or motion or maps:
            raise ConfigError(
                "command line", ["give a SCENARIO, or --rig with --motion and --map, not both"]
            )
        return load_plan(scenario, changes)
    if rig is None or motion is None:
        raise ConfigError("command line", ["a SCENARIO is needed, or --rig and --motion"])
    table = recorded_table(rig, motion, maps or [])
    return plan_from_table(table, Path("command line"), changes)


__all__ = ["Exit", "app", "main"]
