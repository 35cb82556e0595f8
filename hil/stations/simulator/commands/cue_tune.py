"""``hil cue tune`` and ``compare``: parameters for a ride, and a comparison of algorithms."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hil.config.errors import ConfigError
from hil.stations.simulator.commands.cue_options import (
    GainOption,
    MapOption,
    NoGovernorOption,
    PresetOption,
    PreviewOption,
    RecordArg,
    RigOption,
    SeedOption,
    asked,
    require_place,
    write_file,
)
from hil.terminal.completion import offered
from hil.terminal.console import Json, out, print_json, styled, verb, waiting

if TYPE_CHECKING:
    from hil.stations.simulator.cue.compare import CueComparison
    from hil.stations.simulator.cue.tune import TuneRequest
    from platform6dof.cueing.tuning import Tuned


MaybeRecordArg = Annotated[
    str | None,
    typer.Argument(
        metavar="[RECORD]",
        help="As for a ride; left out for --objective omct.",
        autocompletion=offered("scenarios", "motions", endings=(".toml", ".csv")),
    ),
]


@verb
def tune(
    record: MaybeRecordArg = None,
    objective: Annotated[
        str, typer.Option("--objective", metavar="ride|omct", help="What is made best.")
    ] = "ride",
    preset: PresetOption = None,
    map_name: MapOption = None,
    gain: GainOption = None,
    travel: Annotated[
        float,
        typer.Option("--travel", metavar="M", help="Largest surge and sway [m]; omct: for 1 m/s²."),
    ] = 0.09,
    tilt: Annotated[
        float, typer.Option("--tilt", metavar="DEG_S", help="Largest rate of tilt [deg/s].")
    ] = 3.0,
    rates: Annotated[
        bool,
        typer.Option("--rates", help="Ride the vehicle's rates, too; else its force alone."),
    ] = False,
    trials: Annotated[
        int | None,
        typer.Option("--trials", help="Sets that are tried; 480, and 4000 for omct."),
    ] = None,
    seed: SeedOption = 0,
    write: Annotated[
        Path | None, typer.Option("-o", "--write", metavar="TOML", help="Write the preset there.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Find the classical parameters for a ride, or for an even response, within bounds."""
    from hil.machines.cueing.preset import read_preset
    from hil.stations.simulator.cue.summaries import summarize_tune
    from hil.stations.simulator.cue.tune import OBJECTIVES, TuneRequest, tune_preset
    from hil.stations.simulator.sources.record_file import record_file

    if objective not in OBJECTIVES:
        line = f"--objective {objective}: it must be one of {', '.join(OBJECTIVES)}"
        raise ConfigError("command line", [line])
    require_place(write)
    request = TuneRequest(
        preset=read_preset(preset or ("base" if objective == "omct" else "tight")),
        record=None if record is None else record_file(record), map_name=map_name,
        objective="omct" if objective == "omct" else "ride",
        gain=gain, travel_m=travel, tilt_deg_s=tilt, rates=rates, trials=trials, seed=seed,
    )  # fmt: skip
    with waiting("trying sets of parameters", quiet=as_json):
        found = asked(lambda: tune_preset(request))
    if write is not None:
        from hil.stations.simulator.cue.tune import preset_text

        write_file(write, preset_text(request, found, write.stem).encode())
    if as_json:
        summary = summarize_tune(found, write)
        print_json(summary)
    else:
        _show_tuned(request, found, write)


@verb
def compare(
    record: RecordArg,
    rig: RigOption = None,
    map_name: MapOption = None,
    algorithms: Annotated[
        str,
        typer.Option(
            "--algorithms",
            metavar="A[:PRESET],…",
            help="Algorithms, each perhaps with a preset of its own.",
        ),
    ] = "classical,adaptive,optimal,mpc",
    preset: PresetOption = None,
    gain: GainOption = None,
    preview: PreviewOption = None,
    no_governor: NoGovernorOption = False,
    seed: SeedOption = 0,
    as_json: Json = False,
) -> None:
    """Several algorithms on one ride at one gain, without a platform; says which was best."""
    from hil.stations.platform.cycle.kernel_warmup import warm_and_say
    from hil.stations.simulator.cue.compare import compare as compare_all
    from hil.stations.simulator.cue.score import PRESET, CueRequest
    from hil.stations.simulator.cue.summaries import summarize_comparison
    from hil.stations.simulator.sources.record_file import record_file

    request = CueRequest(
        record=record_file(record), rig=rig, map_name=map_name, gain=gain, preview_s=preview,
        governor=not no_governor, seed=seed,
    )  # fmt: skip
    pairs = tuple(
        (name.strip(), own.strip() or preset or PRESET)
        for name, _, own in (text.partition(":") for text in algorithms.split(",") if text.strip())
    )
    warm_and_say(quiet=as_json)
    with waiting("riding each of them", quiet=as_json):
        found = asked(lambda: compare_all(request, pairs))
    if as_json:
        summary = summarize_comparison(found)
        print_json(summary)
    else:
        _show_compared(found)


def _show_tuned(request: TuneRequest, found: Tuned, written: Path | None) -> None:
    from rich.table import Table

    whole = request.objective == "omct"
    what = "smallest modulus" if whole else "mean NRMSE"
    table = Table("", what, "travel m", "wn", "z", "wb", "wl", box=None, pad_edge=False)
    for name, one in (("start", found.start), ("best", found.best)):
        knobs = one.knobs
        error = 1.0 - one.error if whole else one.error
        numbers = (error, one.travel_m, knobs.wn_rad_s, knobs.damping, knobs.wb_rad_s)
        table.add_row(name, *(f"{value:.4g}" for value in (*numbers, knobs.wl_rad_s)))
    out.print(table)
    names = ("surge", "sway") if not whole else tuple(f"{w:g}" for w in _frequencies())
    pairs = zip(names, found.best.parts, strict=True)
    out.print(", ".join(f"{name} {value:.3f}" for name, value in pairs), soft_wrap=True)
    out.print(f"{len(found.trials)} sets tried; what less travel costs (Pareto front):")
    for one in _thinned(found.front):
        error = 1.0 - one.error if whole else one.error
        out.print(f"  {one.travel_m:.4f} m  {what} {error:.3f}")
    if written is not None:
        out.print(f"preset: {written}", soft_wrap=True)


def _frequencies() -> tuple[float, ...]:
    from platform6dof.cueing.omct import FREQUENCIES_RAD_S

    return FREQUENCIES_RAD_S


def _thinned(front: tuple[Any, ...], most: int = 12) -> list[Any]:
    """At most so many of a front, its ends among them."""
    if len(front) <= most:
        return list(front)
    return [front[round(k * (len(front) - 1) / (most - 1))] for k in range(most)]


def _show_compared(found: CueComparison) -> None:
    from rich.table import Table

    names = ("algorithm", "surge", "sway", "mean", "travel m", "governed %")
    table = Table(*names, box=None)
    for one in found.rows:
        errors = [one.score.of(axis).nrmse for axis in ("surge", "sway")]
        table.add_row(
            f"{one.algorithm} ({one.preset})", *(f"{e:.3f}" for e in (*errors, sum(errors) / 2)),
            f"{one.travel_m:.4f}", f"{100 * one.governed_share:.1f}",
        )  # fmt: skip
    out.print(table)
    out.print(f"gain {found.gain:g}; NRMSE of the inner ear's signals")
    out.print(styled("green", found.words), soft_wrap=True)
