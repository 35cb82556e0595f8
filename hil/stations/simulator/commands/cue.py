"""``hil cue``: recorded rides through the whole chain, their score, tuning and the cueing test."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from hil.config.errors import ConfigError, MotionError
from hil.terminal.completion import offered
from hil.terminal.console import Json, leave, out, print_json, styled, verb, waiting
from hil.terminal.options import OutOption

if TYPE_CHECKING:
    from hil.stations.simulator.cue import CueResult, FittedGain
    from hil.stations.simulator.omct_run import OmctRun
    from hil.stations.simulator.tune import TuneRequest
    from platform6dof.cueing.score import Score
    from platform6dof.cueing.tuning import Tuned

RIDE = "ride"


class _RideFirst(TyperGroup):
    """A group whose first word may be a recording: ``cue RECORD`` is ``cue ride RECORD``."""

    default_verb: str = RIDE
    """What is meant where no verb is named."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Take the first word for a recording unless it names a verb."""
        known = {*self.commands, "--help", "--install-completion", "--show-completion"}
        if args and args[0] not in known:
            args = [self.default_verb, *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=_RideFirst,
    no_args_is_help=True,
    help="Motion cueing of recorded rides: dry run and score (hil cue RECORD), check, tune, "
    "compare, omct.",
)

RecordArg = Annotated[
    Path,
    typer.Argument(
        metavar="RECORD", help="Recorded ride, a CSV file; or a scenario of a ride, a TOML file."
    ),
]
MapOption = Annotated[
    str | None,
    typer.Option(
        "--map",
        metavar="MAP",
        help="Which column is what: a name in configs/rides, or a TOML file. Left out: columns "
        "named like f_x_m_s2.",
        autocompletion=offered("rides"),
    ),
]
RigOption = Annotated[
    str | None,
    typer.Option("--rig", metavar="RIG", help="Rig file or name.", autocompletion=offered("rigs")),
]
PresetOption = Annotated[
    str | None,
    typer.Option(
        "--preset",
        metavar="PRESET",
        help="A name in configs/cueing, or a TOML file.",
        autocompletion=offered("cueing"),
    ),
]
AlgorithmOption = Annotated[
    str | None,
    typer.Option(
        "--algorithm",
        metavar="NAME",
        help="classical, adaptive, optimal, mpc or direct, in place of the preset's.",
    ),
]
GainOption = Annotated[
    float | None,
    typer.Option(
        "--gain",
        metavar="SHARE",
        help="Share of the vehicle's forward force that is wanted; the rates keep the preset's "
        "ratio to it. Left out: the preset's own.",
    ),
]
PreviewOption = Annotated[
    float | None,
    typer.Option("--preview", metavar="S", help="How far mpc looks ahead in a recording [s]."),
]
NoGovernor = Annotated[
    bool,
    typer.Option("--no-governor", help="Ask for what the algorithm wants; only the gate is there."),
]
SeedOption = Annotated[int, typer.Option("--seed", min=0, max=2**32 - 1)]
NeatPicture = Annotated[
    Path | None, typer.Option("--picture", metavar="PNG", help="Write the picture there.")
]


@app.command(RIDE)
@verb
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
    no_governor: NoGovernor = False,
    seed: SeedOption = 0,
    folder: OutOption = Path("runs"),
    picture: NeatPicture = None,
    as_json: Json = False,
) -> None:
    """Ride a recording on the virtual clock with simulated drives, and judge what is felt."""
    from hil.stations.platform.runner import warm_and_say
    from hil.stations.simulator.cue import CueRequest, at_gain, plan_of, run_cue
    from hil.stations.simulator.cue import fit as fit_gain

    if fit and gain is not None:
        raise ConfigError("command line", [f"--gain {gain:g}: --fit finds it: give one of them"])
    request = CueRequest(
        record=record, rig=rig, algorithm=algorithm, preset=preset, map_name=map_name,
        gain=gain, preview_s=preview, governor=not no_governor, seed=seed,
    )  # fmt: skip
    plan = _asked(plan_of, request)
    warm_and_say(quiet=as_json)
    fitted = None
    if fit:
        with waiting("looking for the largest gain", quiet=as_json):
            fitted = fit_gain(plan)
        plan = at_gain(plan, fitted.gain)
    with waiting("riding on the virtual clock", quiet=as_json):
        result = run_cue(plan, folder)
    if picture is not None:
        _write(picture, _felt_png(result))
    if as_json:
        from hil.stations.simulator.cue_told import ride_told

        told = ride_told(result)
        print_json(told)
    else:
        _show_ride(result, fitted)
    leave(result.run.ok)


@app.command()
@verb
def check(record: RecordArg, map_name: MapOption = None, as_json: Json = False) -> None:
    """Hold a recording's columns against each other: a wrong sign or unit is found by its slope."""
    from hil.stations.simulator.cue_told import CueCheckTold, agreement_told, disagreeing
    from hil.stations.simulator.ride_file import read_ride_file

    found = _asked(lambda one: read_ride_file(one, map_name).agreements(), record)
    wrong = disagreeing(found)
    if as_json:
        lines = [agreement_told(one) for one in found]
        print_json(CueCheckTold(ok=not wrong, lines=lines))
    else:
        for one in found:
            out.print(one.text, style="red" if one in wrong else None, soft_wrap=True)
        if not found:
            out.print("nothing to hold against each other: neither speed nor attitude is told")
    leave(not wrong)


@app.command()
@verb
def tune(
    record: Annotated[
        Path | None,
        typer.Argument(metavar="[RECORD]", help="Recorded ride; left out for --objective omct."),
    ] = None,
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
    from hil.stations.simulator.cue_told import tune_told
    from hil.stations.simulator.tune import OBJECTIVES, TuneRequest, tuned_preset

    if objective not in OBJECTIVES:
        line = f"--objective {objective}: it must be one of {', '.join(OBJECTIVES)}"
        raise ConfigError("command line", [line])
    request = TuneRequest(
        preset=_preset(preset or ("base" if objective == "omct" else "tight")),
        record=record, map_name=map_name, objective="omct" if objective == "omct" else "ride",
        gain=gain, travel_m=travel, tilt_deg_s=tilt, rates=rates, trials=trials, seed=seed,
    )  # fmt: skip
    with waiting("trying sets of parameters", quiet=as_json):
        found = _asked(tuned_preset, request)
    if write is not None:
        from hil.stations.simulator.tune import preset_text

        _write(write, preset_text(request, found, write.stem).encode())
    if as_json:
        told = tune_told(found, write)
        print_json(told)
    else:
        _show_tuned(request, found, write)


@app.command()
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
    no_governor: NoGovernor = False,
    seed: SeedOption = 0,
    as_json: Json = False,
) -> None:
    """Several algorithms on one ride at one gain, without a platform; says which was best."""
    from hil.stations.platform.runner import warm_and_say
    from hil.stations.simulator.compare import compare as compare_all
    from hil.stations.simulator.cue import PRESET, CueRequest
    from hil.stations.simulator.cue_told import compare_told

    request = CueRequest(
        record=record, rig=rig, map_name=map_name, gain=gain, preview_s=preview,
        governor=not no_governor, seed=seed,
    )  # fmt: skip
    pairs = tuple(
        (name.strip(), own.strip() or preset or PRESET)
        for name, _, own in (text.partition(":") for text in algorithms.split(",") if text.strip())
    )
    warm_and_say(quiet=as_json)
    with waiting("riding each of them", quiet=as_json):
        found = _asked(lambda one: compare_all(one, pairs), request)
    if as_json:
        told = compare_told(found)
        print_json(told)
        return
    rows = [
        (f"{one.algorithm} ({one.preset})", one.score, one.travel_m, one.governed_share)
        for one in found.rows
    ]
    from rich.table import Table

    table = Table("algorithm", "surge", "sway", "mean", "travel m", "governed %", box=None)
    for name, scored, travel_m, share in rows:
        figures = [scored.of(axis).nrmse for axis in ("surge", "sway")]
        table.add_row(
            name, *(f"{one:.3f}" for one in (*figures, sum(figures) / 2)), f"{travel_m:.4f}",
            f"{100 * share:.1f}",
        )  # fmt: skip
    out.print(table)
    out.print(f"gain {found.gain:g}; NRMSE of the inner ear's signals")
    out.print(styled("green", found.words), soft_wrap=True)


@app.command()
@verb
def omct(
    rig: RigOption = None,
    preset: PresetOption = None,
    algorithm: AlgorithmOption = None,
    gain: GainOption = None,
    tests: Annotated[
        str | None,
        typer.Option("--tests", metavar="N,…", help="Some of the ten; all if left out."),
    ] = None,
    frequencies: Annotated[
        str | None,
        typer.Option("--frequencies", metavar="W,…", help="Some of the twelve [rad/s]."),
    ] = None,
    no_governor: NoGovernor = False,
    no_drives: Annotated[
        bool, typer.Option("--no-drives", help="Judge the setpoints, without simulated drives.")
    ] = False,
    picture: NeatPicture = None,
    as_json: Json = False,
) -> None:
    """Response of the whole chain to sinusoids, axis by axis; shown, never judged."""
    from hil.stations.platform.runner import warm_and_say
    from hil.stations.simulator.cue_told import omct_told
    from hil.stations.simulator.omct_setup import OmctRequest, run_asked

    request = OmctRequest(
        rig=rig, preset=preset, algorithm=algorithm, gain=gain,
        tests=_numbers_of(tests, "--tests"), frequencies=_numbers_of(frequencies, "--frequencies"),
        governor=not no_governor, drives=not no_drives,
    )  # fmt: skip
    warm_and_say(quiet=as_json)
    with waiting("driving each axis at each frequency", quiet=as_json):
        found = run_asked(request)
    if picture is not None:
        from hil.stations.simulator.report.omct_figure import omct_picture

        _write(picture, omct_picture(found.points).png)
    if as_json:
        told = omct_told(found)
        print_json(told)
    else:
        _show_omct(found)


def _asked(make: Any, request: Any) -> Any:
    """Call it; a recording that cannot be read is a refusal of what was asked."""
    try:
        return make(request)
    except MotionError as error:
        raise ConfigError("RECORD", [str(error)]) from None


def _preset(name: str) -> Any:
    from hil.machines.cueing_preset import read_preset

    return read_preset(name)


def _numbers_of(text: str | None, option: str) -> tuple[float, ...] | None:
    if text is None:
        return None
    from hil.terminal.console import numbers

    count = len(text.split(","))
    return tuple(numbers(text, count, option, "numbers, comma-separated"))


def _write(path: Path, content: bytes) -> None:
    from hil.config.errors import RefusedError

    try:
        path.write_bytes(content)
    except OSError as error:
        raise RefusedError(f"{path}: cannot be written: {error.strerror}") from None


def _felt_png(result: CueResult) -> bytes:
    from hil.stations.simulator.report.felt_figure import felt_picture

    return felt_picture(result.ride).png


def _show_ride(result: CueResult, fitted: FittedGain | None) -> None:
    from hil.stations.simulator.felt import gain_of

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
    _show_score(result.score)
    away = ", ".join(f"{key} {value:.4g}" for key, value in figures.peak.items())
    out.print(f"largest way from neutral: {away}")
    out.print(
        f"smallest share left of a limit {figures.margin_min:.3f}; governor active in "
        f"{100 * figures.governed_share:.1f} %; stops by the gate: {figures.gate_stops}"
    )
    if result.run.reason:
        out.print(result.run.reason, style="red", soft_wrap=True)
    out.print(f"recording: {result.run.recorder.path}", soft_wrap=True)


def _show_score(score: Score) -> None:
    from rich.table import Table

    names = ("axis", "NRMSE", "correlation", "false cues %", "error / threshold")
    table = Table(*names, box=None, pad_edge=False)
    for one in score.axes:
        table.add_row(
            one.axis, _figure(one.nrmse), _figure(one.correlation),
            f"{100 * one.false_cue_share:.1f}", f"{one.over_threshold:.2f}",
        )  # fmt: skip
    out.print(table)


def _figure(value: float) -> str:
    return f"{value:.3f}" if math.isfinite(value) else "-"


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


def _show_omct(found: OmctRun) -> None:
    from rich.table import Table

    from platform6dof.cueing.omct import TESTS

    names = ("test", "rad/s", "amplitude", "modulus", "phase deg", "coherence", "limited %")
    table = Table(*names, box=None, pad_edge=False)
    for one in found.points:
        test = TESTS[one.test - 1]
        angle = test.driven in ("roll", "pitch", "yaw")
        size = f"{math.degrees(one.amplitude):.3g} deg" if angle else f"{one.amplitude:g} m/s²"
        table.add_row(
            f"{one.test} {test.name}", f"{one.rad_s:g}", size, f"{one.modulus:.4f}",
            _figure(one.phase_deg), _figure(one.coherence), f"{100 * one.limited_share:.1f}",
            style="yellow" if one.coherence < 0.9 else None,
        )  # fmt: skip
    out.print(table)
    out.print(
        "curves of the chain as it was driven; where coherence is below 0.9 a modulus says little",
        soft_wrap=True,
    )
