"""The command line: ``hil VERB``. Each verb is a thin layer over a function of the bench."""

import sys
from pathlib import Path
from typing import Annotated, Any

import orjson
import typer

from hil import cli_drives, cli_platform, cli_robot
from hil.cli_stations import TOGETHER, arm_plan_of, run_stations, station_of
from hil.console import Exit, Json, RefusedError, err, leave, out, print_json, tell_bad_usage, verb
from hil.settings import ConfigError

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
app.add_typer(cli_robot.app, name="arm")

ScenarioArg = Annotated[
    str | None,
    typer.Argument(
        metavar="SCENARIO", help="Scenario file, or the name of one that is shipped (demo)."
    ),
]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Change a key of the scenario (motion.duration_s=5), or of its rig "
        "(rig_settings.limits.speed_max_m_s=0.3). May be repeated.",
    ),
]
RigOption = Annotated[
    str | None, typer.Option("--rig", help="Rig file, for a motion without a scenario.")
]
MotionOption = Annotated[
    Path | None, typer.Option("--motion", help="CSV file to replay, for a run without a scenario.")
]
MapOption = Annotated[
    list[str] | None,
    typer.Option(
        "--map",
        metavar="AXIS=COLUMN[:UNIT[:BIAS[:SCALE]]]",
        help="Which column is which axis (x y z alpha beta gamma, t for time), e.g. "
        "x=disp_north_m,y=disp_east_m. The unit is taken from the column's name if left out. "
        "Comma-separated, or repeated.",
    ),
]
ClockOption = Annotated[
    str | None, typer.Option("--clock", metavar="virtual|real", help="Overrides the scenario's.")
]
DrivesOption = Annotated[
    str | None,
    typer.Option(
        "--drives",
        metavar="URL",
        help="Where the drives are: `sim:`, `rig` (where the rig says), slcan:…, socketcan:…, "
        "modbus-tcp:…, modbus-rtu:…. Drives on a wire take the real clock.",
    ),
]
FallbackOption = Annotated[
    str | None,
    typer.Option(
        "--fallback",
        metavar="refuse|sim",
        help="When the drives are not there: refuse, or go on with emulated ones, and say so.",
    ),
]


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
    arm_link: Annotated[
        str | None,
        typer.Option(
            "--arm-link",
            metavar="URL",
            help="Where the robot of an arm station is: `sim:`, serial:/dev/ttyS0?baud=9600, "
            "socket://host:port. A robot on a line takes the real clock.",
        ),
    ] = None,
    folder: Annotated[
        Path, typer.Option("--out", help="Folder that gets a new folder for this run.")
    ] = Path("runs"),
    overrides: SetOption = None,
    report_too: Annotated[
        bool, typer.Option("--report", help="Make the report at the end as well.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Run a scenario, recorded from the first cycle on.

    A platform homes, rises, plays the motion and parks; an arm station streams waypoints to its
    robot. Ctrl-C or SIGTERM stops smoothly along the path.
    """
    from hil.runner import run_and_show

    if station_of(scenario) == TOGETHER:
        leave(run_stations(str(scenario), folder, overrides, as_json=as_json))
    arm_plan = arm_plan_of(scenario, clock, arm_link, fallback, overrides)
    if arm_plan is not None:
        from hil.arm_runner import run_arm_and_show

        leave(run_arm_and_show(arm_plan, folder, report_too=report_too, as_json=as_json))
    changes = [*_device_changes(drives, fallback, clock), *(overrides or ())]
    plan = _plan(scenario, rig, motion, map_, clock, changes)
    leave(run_and_show(plan, folder, report_too=report_too, as_json=as_json))


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
    from hil.runner import check_and_show

    arm_plan = arm_plan_of(scenario, None, None, None, overrides)
    if arm_plan is not None:
        from hil.arm_runner import check_arm_and_show

        leave(check_arm_and_show(arm_plan, as_json=as_json))
    plan = _plan(scenario, rig, motion, map_, None, overrides)
    leave(check_and_show(plan, as_json=as_json))


@app.command()
@verb
def report(
    run_path: Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a run, or its file.")],
    folder: Annotated[
        Path | None, typer.Option("--out", help="Where to write; the run's folder if left out.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Make one self-contained HTML page of a run, with pictures and verdicts, and PNGs beside."""
    from hil.recording.arm_recording import ArmRecording
    from hil.recording.layouts import PLATFORM
    from hil.report.arm_page import write_arm_report
    from hil.report.page import write_report

    recording = _recording(run_path)
    where = folder or recording.path.parent
    if recording.layout is PLATFORM:
        page = write_report(recording, where)
    else:
        page = write_arm_report(ArmRecording(recording), where)
    if as_json:
        print_json({"ok": True, "report": str(page)})
    else:
        out.print(f"report: {page}", markup=False, soft_wrap=True)


@app.command()
@verb
def export(
    run_path: Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a run, or its file.")],
    to: Annotated[str, typer.Option("--to", metavar="csv", help="Format.")] = "csv",
    folder: Annotated[
        Path | None, typer.Option("--out", help="Where to write; the run's folder if left out.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Write a recording as CSV: one row a cycle, units in the column names; events beside."""
    from hil.recording.export import export_csv

    if to != "csv":
        raise ConfigError("--to", [f"{to!r} is no known format; there is csv"])
    recording = _recording(run_path)
    target = (folder or recording.path.parent) / "cycles.csv"
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        written = export_csv(recording, target)
    except OSError as error:
        raise RefusedError(f"{target}: cannot be written: {error.strerror}") from None
    if as_json:
        print_json({"ok": True, "csv": str(written), "rows": recording.cycles})
    else:
        out.print(f"{recording.cycles} rows: {written}", markup=False, soft_wrap=True)


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
    from hil.runner import doctor_and_show

    leave(doctor_and_show(duration_s, drives, bitrate, as_json=as_json))


@app.command()
@verb
def schema(
    what: Annotated[str, typer.Argument(metavar="scenario|rig")] = "scenario",
) -> None:
    """Print the JSON schema of scenario or rig files, for editors."""
    from hil.rig import Rig
    from hil.scenario import Scenario

    models = {"scenario": Scenario, "rig": Rig}
    if what not in models:
        raise ConfigError("schema", [f"{what!r} is unknown; there are {', '.join(models)}"])
    text = orjson.dumps(models[what].model_json_schema(), option=orjson.OPT_INDENT_2)
    typer.echo(text.decode())


@app.command()
@verb
def warm(as_json: Json = False) -> None:
    """Compile the kernels now, so that the next run starts at once."""
    from hil.runner import warm_all

    warm_all(quiet=as_json)
    if as_json:
        print_json({"ok": True})
    else:
        out.print("kernels are compiled")


def _recording(path: Path) -> Any:
    from hil.recording.reader import Recording

    recording = Recording.open(path)
    if recording.truncated:
        text = f"{recording.path}: cut off; read up to the last complete chunk"
        err.print(text, markup=False, soft_wrap=True)
    return recording


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
    scenario: str | None,
    rig: str | None,
    motion: Path | None,
    maps: list[str] | None,
    clock: str | None,
    overrides: list[str] | None,
) -> Any:
    """The plan that a command line describes: a scenario, or a rig and a recorded motion."""
    from hil.adhoc import recorded_table
    from hil.scenario import load_plan, plan_from_table
    from hil.shipped import find_file

    changes = list(overrides or ())
    if clock is not None:
        changes.append(f'clock="{clock}"')
    if scenario is not None:
        if rig or motion or maps:
            raise ConfigError(
                "command line", ["give a SCENARIO, or --rig with --motion and --map, not both"]
            )
        return load_plan(find_file(scenario, folder="scenarios", key="SCENARIO"), changes)
    if rig is None or motion is None:
        raise ConfigError("command line", ["a SCENARIO is needed, or --rig and --motion"])
    table = recorded_table(rig, motion, maps or [])
    return plan_from_table(table, Path("command line"), changes)


if __name__ == "__main__":
    main()


__all__ = ["Exit", "app", "main"]
