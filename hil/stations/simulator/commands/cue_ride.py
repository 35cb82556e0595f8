"""``hil cue RECORD`` and ``check``: a recorded ride judged, by its score and by itself."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hil.config.errors import ConfigError
from hil.config.inputs import collected
from hil.stations.simulator.commands.cue_options import (
    AlgorithmOption,
    GainOption,
    MapOption,
    NoGovernorOption,
    PictureOption,
    PresetOption,
    PreviewOption,
    RecordArg,
    RigOption,
    SeedOption,
    asked,
    require_place,
    write_file,
)
from hil.terminal.console import Json, leave, out, print_json, verb, waiting
from hil.terminal.options import OutOption

if TYPE_CHECKING:
    from hil.stations.simulator.cue.score import CueResult, FittedGain


@verb
@collected()
def ride(
    record: RecordArg,
    rig: RigOption = None,
    algorithm: AlgorithmOption = None,
    preset: PresetOption = None,
    map_name: MapOption = None,
    gain: GainOption = None,
    fit: Annotated[
        bool,
        typer.Option("--fit", help="First find the largest gain at which the governor never acts."),
    ] = False,
    preview: PreviewOption = None,
    no_governor: NoGovernorOption = False,
    seed: SeedOption = 0,
    folder: OutOption = Path("runs"),
    picture: PictureOption = None,
    as_json: Json = False,
) -> None:
    """Ride a recording on the virtual clock with simulated drives, and judge what is felt."""
    from hil.stations.platform.cycle.kernel_warmup import warm_and_say
    from hil.stations.simulator.cue.score import CueRequest, at_gain, fit_gain, plan_of, run_cue
    from hil.stations.simulator.sources.record_file import record_file

    if fit and gain is not None:
        raise ConfigError("command line", [f"--gain {gain:g}: --fit finds it: give one of them"])
    request = CueRequest(
        record=record_file(record), rig=rig, algorithm=algorithm, preset=preset, map_name=map_name,
        gain=gain, preview_s=preview, governor=not no_governor, seed=seed,
    )  # fmt: skip
    require_place(picture)
    plan = asked(lambda: plan_of(request))
    warm_and_say(quiet=as_json)
    fitted = None
    if fit:
        with waiting("looking for the largest gain", quiet=as_json):
            fitted = fit_gain(plan)
        plan = at_gain(plan, fitted.gain)
    with waiting("riding on the virtual clock", quiet=as_json):
        result = run_cue(plan, folder)
    if picture is not None:
        from hil.stations.simulator.figures.felt_ride import describe_demand
        from hil.stations.simulator.report.felt_figure import felt_picture

        write_file(picture, felt_picture(result.ride, describe_demand(plan)).png)
    if as_json:
        from hil.stations.simulator.cue.summaries import summarize_ride

        summary = summarize_ride(result)
        print_json(summary)
    else:
        _show_ride(result, fitted)
    leave(result.run.ok)


@verb
def check(record: RecordArg, map_name: MapOption = None, as_json: Json = False) -> None:
    """Hold a recording's columns against each other: a wrong sign or unit is found by its slope."""
    from hil.stations.simulator.cue.summaries import (
        CueCheckSummary,
        disagreeing,
        summarize_agreement,
    )
    from hil.stations.simulator.sources.record_file import read_recorded, record_file

    file = record_file(record)
    found = asked(lambda: read_recorded(file, map_name)[0].agreements())
    wrong = disagreeing(found)
    if as_json:
        lines = [summarize_agreement(one) for one in found]
        print_json(CueCheckSummary(ok=not wrong, lines=lines))
    else:
        for one in found:
            out.print(one.text, style="red" if one in wrong else None, soft_wrap=True)
        if not found:
            text = "force or rates beside speed or attitude are needed"
            out.print(f"nothing to hold against each other: {text}")
    leave(not wrong)


@verb
def axes(
    record: Annotated[
        Path, typer.Argument(metavar="RECORD", help="Table of an unknown sensor, a CSV file.")
    ],
    first_bend: Annotated[
        str,
        typer.Option("--first-bend", metavar="SIDE", help="left or right: which way it goes."),
    ],
    speed_unit: Annotated[
        str | None,
        typer.Option("--speed-unit", metavar="UNIT", help="Of its speed: m_s, km_h, mph, kn, ..."),
    ] = None,
    file: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="Write the map there.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Find axes, signs and units of a sensor's record, and print the map that says so.

    Needed are three columns of force, three of rates and one of speed, of a drive that
    speeds up, brakes and takes bends.
    """
    from hil.machines.cueing.ride_map import SPEEDS
    from hil.stations.simulator.cue.axes_finder import find_axes

    if first_bend not in ("left", "right"):
        raise ConfigError("command line", [f"--first-bend {first_bend}: must be left or right"])
    if speed_unit is not None and speed_unit not in SPEEDS:
        names = ", ".join(SPEEDS)
        raise ConfigError("command line", [f"--speed-unit {speed_unit}: must be one of {names}"])
    require_place(file)
    found = asked(lambda: find_axes(record, first_bend, speed_unit))
    if file is not None:
        write_file(file, found.toml.encode())
    if as_json:
        from hil.stations.simulator.cue.summaries import summarize_axes

        summary = summarize_axes(found, file)
        print_json(summary)
        return
    out.print(found.toml, markup=False, highlight=False, soft_wrap=True, end="")


def _show_ride(result: CueResult, fitted: FittedGain | None) -> None:
    from hil.stations.simulator.figures.felt_ride import describe_demand, gain_of
    from hil.stations.simulator.figures.felt_tables import (
        SCORE_HEADS,
        WORST_HEADS,
        score_rows,
        travel_row,
        worst_rows,
    )

    plan, figures = result.plan, result.figures
    out.print(
        f"{plan.scenario.description or plan.scenario.name} on {plan.rig.name}, gain "
        f"{gain_of(plan):.4g} (in a scenario: cueing.gain = {plan.scenario.cueing.gain:.4g})",
        soft_wrap=True,
    )
    if fitted is not None:
        beyond = f"; beyond it {fitted.bound} binds" if fitted.bound else ""
        out.print(
            f"largest gain {fitted.gain:.4g}, margin {fitted.margin:.3f}{beyond}", soft_wrap=True
        )
    out.print(describe_demand(plan), soft_wrap=True)
    _show(SCORE_HEADS, score_rows(result.score))
    _show(WORST_HEADS, worst_rows(result.ride))
    away = ", ".join(f"{key} {value}" for key, value in travel_row(figures).items())
    out.print(f"largest way from neutral: {away}", soft_wrap=True)
    out.print(
        f"smallest share left of a limit {figures.margin_min:.3f}; governor active in "
        f"{100 * figures.governed_share:.1f} %; stops by the gate: {figures.gate_stops}"
    )
    if result.run.reason:
        out.print(result.run.reason, style="red", soft_wrap=True)
    out.print(f"recording: {result.run.recorder.path}", soft_wrap=True)


def _show(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    from rich.table import Table

    table = Table(*heads, box=None, pad_edge=False)
    for row in rows:
        table.add_row(*row)
    out.print(table)
