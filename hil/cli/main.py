"""The command line: ``hil VERB``. Each verb is a thin layer over a function of the bench."""

import platform
import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hil.cli import diagram_edit, shipped_files
from hil.cli import panel as cli_panel
from hil.cli import recordings as cli_recordings
from hil.cli import stations as cli_stations
from hil.cli.command_summaries import DoctorSummary, WarmSummary
from hil.cli.stations import refuse_foreign, with_station_options
from hil.cli.together import check_together, refuse_for_several, run_together_and_print
from hil.config.build import check_build, describe_build
from hil.config.errors import ConfigError
from hil.config.file_kind import FileKind
from hil.config.installation import InstallationError
from hil.diagram.commands.diagram import app as diagrams
from hil.run.file_kinds import TOGETHER, run_file
from hil.run.registry import station_of_kind, stations
from hil.run.station import Request
from hil.terminal.console import (
    Exit,
    Json,
    leave,
    out,
    print_json,
    report_bad_usage,
    styled,
    verb,
    waiting,
)
from hil.terminal.given_once import OnceGroup
from hil.terminal.options import (
    ClockOption,
    FallbackOption,
    OperatorOption,
    OutOption,
    ReportOption,
    ScenarioArg,
    SeedOption,
    SetOption,
)
from hil.terminal.run_end import show_and_leave

if TYPE_CHECKING:
    from hil.timing.doctor import Finding

MARKS = {"ok": "green", "warn": "yellow", "bad": "red"}
"""Colour of each verdict."""
Options = Mapping[str, Any]
"""Those of the stations that are given, by their flags."""

app = typer.Typer(
    name="hil",
    cls=OnceGroup,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    help="Hardware-in-the-loop bench for motion platforms: **check** a motion, **run** it on "
    "simulated drives, and read the **report** of what happened.\n\n"
    "Exit status: 0 well, 1 the machine or the motion was refused or tripped, 2 bad usage or "
    "configuration, 3 a fault of the program.",
)
cli_stations.add_verbs(app)


def _show_version(wanted: bool) -> None:
    if wanted:
        from hil.run.facts import DISTRIBUTION, revision, version_of

        out.print(f"{DISTRIBUTION} {version_of(DISTRIBUTION)}, {revision()}", soft_wrap=True)
        out.print(f"Python {platform.python_version()}, {sys.prefix}", soft_wrap=True)
        raise typer.Exit


VersionOption = Annotated[
    bool,
    typer.Option(
        "--version", "-v", help="Show the version and end.", callback=_show_version, is_eager=True
    ),
]


@app.callback()
def hil(version: VersionOption = False) -> None:  # its help is the program's
    pass


@verb
def doctor(
    duration_s: Annotated[
        float, typer.Option("--duration", help="Length of the latency test [s].", min=0.5)
    ] = 3.0,
    drives: Annotated[
        str | None, typer.Option("--drives", metavar="URL", help="Look at this link as well.")
    ] = None,
    bitrate: Annotated[int, typer.Option("--bitrate", help="Of the CAN bus [bit/s].")] = 1_000_000,
    chain: Annotated[
        bool, typer.Option("--chain", help="Run gate, control and emulated drives at 250, 500 Hz.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Test this machine's latency and permissions; say what is missing and how to get it."""
    from rich.table import Table

    from hil.timing.doctor import diagnose

    with waiting(f"testing latency for {duration_s:g} s"):
        findings = [_build_finding(), *diagnose(duration_s)]
    for station in stations() if drives is not None else ():
        if station.examine is not None and drives is not None:
            findings += station.examine(drives, bitrate)
    for station in stations() if chain else ():
        if station.examine_chain is not None:
            with waiting("running gate, control and emulated drives for a minute"):
                findings += station.examine_chain(CHAIN_RATES_HZ)
    ok = all(finding.verdict != "bad" for finding in findings)
    if as_json:
        print_json(DoctorSummary(ok=ok, findings=findings))
        leave(ok)
    table = Table("", "item", "found", "what to do", box=None, pad_edge=False)
    for finding in findings:
        verdict = styled(MARKS[finding.verdict], finding.verdict)
        table.add_row(verdict, finding.item, finding.detail, finding.remedy)
    out.print(table)
    leave(ok)


def _build_finding() -> "Finding":
    """Say which build this is, and whether it is whole."""
    from hil.timing.doctor import Finding, Grade

    try:
        check_build()
    except InstallationError as error:
        return Finding("build", Grade.BAD, str(error), "install hil-bench anew")
    return Finding("build", Grade.OK, describe_build())


CHAIN_RATES_HZ = (250.0, 500.0)
"""Rates at which `hil doctor --chain` runs [Hz]."""

diagrams.command()(diagram_edit.edit)
for command in (
    cli_recordings.report, cli_recordings.export, cli_stations.stations, doctor, cli_panel.panel
):  # fmt: skip
    app.command()(command)
app.command("list")(shipped_files.list_shipped)


def main() -> None:
    """Entry point of the program."""
    try:
        app(prog_name="hil")
    except SystemExit as end:
        if end.code == Exit.USAGE:
            report_bad_usage(sys.argv)
        raise


@verb
def run(
    scenario: ScenarioArg = None,
    clock: ClockOption = None,
    fallback: FallbackOption = None,
    folder: OutOption = Path("runs"),
    overrides: SetOption = None,
    seed: SeedOption = None,
    operator: OperatorOption = False,
    report_too: ReportOption = False,
    as_json: Json = False,
    *,
    options: Options,
) -> None:
    """Run a scenario, recorded from the first cycle on.

    A platform homes, rises, plays the motion and parks; an arm station streams waypoints to its
    robot. Ctrl-C or SIGTERM stops smoothly along the path.
    """
    from hil import service  # the help needs none of it

    path, kind = run_file(scenario)
    if path is not None and kind is TOGETHER:
        flags = {"--clock": clock, "--fallback": fallback, "--seed": seed is not None, **options}
        refuse_for_several(path, [flag for flag, value in flags.items() if value])
        leave(
            run_together_and_print(
                path, folder, overrides, report_too=report_too, as_json=as_json, operator=operator
            )
        )
    station = station_of_kind(kind)
    refuse_foreign(station, path, options)
    if operator and clock is None:
        clock = "real"  # a person lives in it
    request = Request(
        scenario=path, options=options, overrides=tuple(overrides or ()), clock=clock,
        fallback=fallback, folder=folder, report=report_too, operator=operator, as_json=as_json,
        seed=seed,
    )  # fmt: skip
    show_and_leave(service.run(station, request), as_json=as_json)


@verb
def check(
    scenario: ScenarioArg = None,
    overrides: SetOption = None,
    seed: SeedOption = None,
    as_json: Json = False,
    *,
    options: Options,
) -> None:
    """Prove a whole motion before anything moves: every limit of the envelope, then the gate."""
    from hil import service
    from hil.terminal.console import show_checked

    path, kind = run_file(scenario)
    if path is not None and kind is TOGETHER:
        refuse_for_several(path, [*options, *(["--seed"] if seed is not None else [])])
        leave(check_together(path, overrides, as_json=as_json))
    station = station_of_kind(kind)
    refuse_foreign(station, path, options)
    show_checked(
        service.check(
            station,
            Request(
                scenario=path,
                options=options,
                overrides=tuple(overrides or ()),
                as_json=as_json,
                seed=seed,
            ),
        ),
        as_json=as_json,
    )


app.command()(with_station_options(run, checks=False))
app.command()(with_station_options(check, checks=True))


@app.command()
@verb
def schema(
    what: Annotated[
        str,
        typer.Argument(
            metavar="KIND",
            help="scenario (of a platform), arm-scenario, together-scenario, robot, arm, rig, "
            "or a station's name for its scenario; or `all`, one object with each kind by its "
            "name.",
        ),
    ] = "scenario",
) -> None:
    """Print the JSON schema of a kind of file, for editors and forms: bounds, units, defaults."""
    import orjson

    from hil.config.editor_schema import for_editors
    from hil.run.file_kinds import kinds_by_name

    kinds = kinds_by_name()
    if what not in (*kinds, "all"):
        raise ConfigError("schema", [f"{what!r} is unknown; there are {', '.join(kinds)}, all"])
    if what == "all":
        schemas = {kind.schema: _whole_schema(kind) for kind in kinds.values()}
    else:
        schemas = _whole_schema(kinds[what])
    typer.echo(orjson.dumps(for_editors(schemas), option=orjson.OPT_INDENT_2).decode())


def _whole_schema(kind: FileKind) -> dict[str, Any]:
    """Schema of a kind of file; that of a scenario with its table `draw`, which no model has."""
    from hil.draw.table import draw_schema
    from hil.run.file_kinds import schema_of_forms

    schema = schema_of_forms(kind)
    if not kind.station or kind is TOGETHER:
        return schema
    drawn, definitions = draw_schema()
    for form in [case["then"] for case in schema.get("allOf", ())] or [schema]:
        form["properties"] = form["properties"] | {"draw": drawn}
    return schema | {"$defs": schema.get("$defs", {}) | definitions}


@app.command()
@verb
def warm(as_json: Json = False) -> None:
    """Compile the kernels now, so that the next run starts at once."""
    for station in stations():
        station.warm(as_json)
    import_module("hil.diagram.kernel")  # compiled as it is imported
    import_module("hil.config.quick_table").warm()
    if as_json:
        print_json(WarmSummary(ok=True))
    else:
        out.print("kernels are compiled")


__all__ = ["Exit", "app", "main"]
