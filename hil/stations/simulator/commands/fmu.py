"""``hil fmu``: inspect, try and run foreign models; export the bench's own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hil.config.errors import ConfigError, RefusedError
from hil.terminal.console import Json, leave, out, print_json, styled, verb, waiting
from hil.terminal.options import RigArg

if TYPE_CHECKING:
    from hil.fmu.description import Description

app = typer.Typer(no_args_is_help=True, help="FMUs: vehicles of others, and models of the bench.")

FileArg = Annotated[Path, typer.Argument(metavar="FILE", help="FMU, FMI 2.0 or 3.0.")]
Trust = Annotated[
    bool, typer.Option("--trust", help="Load the native code in it, in a process of its own.")
]
Rate = Annotated[
    float,
    typer.Option(
        "--rate", metavar="HZ", min=1.0, max=2000.0, help="Cycles of the loop per second."
    ),
]
Step = Annotated[
    float | None,
    typer.Option("--step", metavar="S", help="Communication step; a cycle if left out."),
]


@app.command()
@verb
def info(file: FileArg, as_json: Json = False) -> None:
    """Say what an FMU is, from its description; nothing of it is run."""
    from hil.fmu.description import read_description, require_runnable
    from hil.stations.simulator.commands.fmu_summaries import FmuInfoSummary, FmuVariableSummary

    model = read_description(file)
    try:
        require_runnable(model)
        why_not = ""
    except ConfigError as error:
        why_not = "; ".join(error.problems)
    if not as_json:
        _show(model, why_not)
        return
    variables = [
        FmuVariableSummary(
            name=one.name, type=one.type, causality=one.causality, variability=one.variability,
            unit=one.unit, start=one.start, description=one.description,
        )
        for one in model.variables
    ]  # fmt: skip
    print_json(
        FmuInfoSummary(
            ok=True, path=str(model.path), sha256=model.sha256, fmi=model.fmi, name=model.name,
            tool=model.tool, interfaces=list(model.interfaces), platforms=list(model.platforms),
            step_s=model.step_s, fixed_step_s=model.fixed_step_s, runnable=not why_not,
            why_not=why_not, losses=list(model.losses), variables=variables,
        )
    )  # fmt: skip


@app.command()
@verb
def check(
    file: FileArg,
    trust: Trust = False,
    rate: Rate = 500.0,
    step: Step = None,
    seconds: Annotated[
        float, typer.Option("--seconds", min=0.01, max=3600.0, help="How long to try it.")
    ] = 2.0,
    as_json: Json = False,
) -> None:
    """Judge whether the bench can run an FMU; with --trust, try it at the loop's rate."""
    from hil.fmu.pace import BETWEEN_WORDS
    from hil.fmu.trial import tried
    from hil.stations.simulator.commands.fmu_summaries import FmuCheckSummary

    period_s = 1.0 / rate
    with waiting("trying the model", quiet=as_json):
        found = tried(file, period_s, step, round(seconds * rate), load=trust)
    late = found.spent_s and found.p99_s > period_s * found.cycles_of_step
    ok = not found.failed and not late
    if as_json:
        spent = (found.median_s, found.p99_s, found.max_s) if found.spent_s else (None,) * 3
        print_json(
            FmuCheckSummary(
                ok=ok, path=str(file), loaded=trust, steps=found.steps, period_s=period_s,
                step_median_s=spent[0], step_p99_s=spent[1], step_max_s=spent[2],
                failed=found.failed,
            )
        )  # fmt: skip
        leave(ok)
    out.print(styled("green" if ok else "red", "ok" if ok else "refused"), f": {file}", sep="")
    if found.failed:
        out.print(f"after {found.steps} steps: {found.failed}", soft_wrap=True)
    if found.spent_s:
        span_s = period_s * found.cycles_of_step
        words = f"{found.steps} cycles of {1e3 * span_s:g} ms; a cycle's steps take "
        words += f"{1e6 * found.median_s:.0f} us, p99 {1e6 * found.p99_s:.0f} us, "
        out.print(f"{words}at most {1e6 * found.max_s:.0f} us", soft_wrap=True)
    if found.cycles_of_step > 1:
        words = f"a step takes {found.cycles_of_step} cycles of the loop: {BETWEEN_WORDS}"
        out.print(words, soft_wrap=True, markup=False)
    if not trust:
        out.print("its code was not loaded: --trust does, and tries it")
    leave(ok)


@app.command()
@verb
def run(
    file: FileArg,
    trust: Trust = False,
    rate: Rate = 500.0,
    step: Step = None,
    seconds: Annotated[
        float, typer.Option("--seconds", min=0.001, max=36000.0, help="How long to run it.")
    ] = 10.0,
    start: Annotated[
        list[str] | None,
        typer.Option("--start", metavar="NAME=VALUE", help="Start value; may be repeated."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="CSV file for its outputs.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Run an FMU alone, as fast as it goes, and write its outputs."""
    from hil.fmu.trial import run_alone
    from hil.stations.simulator.commands.fmu_summaries import FmuRunSummary

    if not trust:
        raise RefusedError(f"{file} is native code, which can do all that you can do: --trust")
    period_s, values = 1.0 / rate, _starts(start or [])
    with waiting("running the model", quiet=as_json):
        found = run_alone(file, period_s, step, round(seconds * rate), values, output)
    written = "" if output is None else str(output)
    if as_json:
        print_json(
            FmuRunSummary(
                ok=not found.failed, steps=found.steps, written=written, last=found.last,
                failed=found.failed,
            )
        )  # fmt: skip
        leave(not found.failed)
    for name, value in found.last.items():
        out.print(f"{name} = {value:.9g}", soft_wrap=True)
    if found.failed:
        out.print(styled("red", "failed"), f" after {found.steps} steps: {found.failed}", sep="")
    if written:
        out.print(written, soft_wrap=True)
    leave(not found.failed)


@app.command()
@verb
def export(
    rig: RigArg,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="FILE", help="FMU to write.")],
    what: Annotated[
        str, typer.Option("--what", metavar="twin|cueing", help="The platform, or a filter.")
    ] = "twin",
    fmi: Annotated[int, typer.Option("--fmi", min=2, max=3, help="Version of the standard.")] = 2,
    preset: Annotated[
        str, typer.Option("--preset", help="Of --what cueing: name in configs/cueing, or a file.")
    ] = "tight",
    rate: Rate = 500.0,
    as_json: Json = False,
) -> None:
    """Make an FMU of a rig that needs no Python, and run it against the kernels."""
    from importlib.metadata import version

    from hil.config.file_search import find_file
    from hil.fmu.export import export as made
    from hil.fmu.extra import require_fmpy
    from hil.fmu.shared_library import require_compilers
    from hil.machines.cueing.preset import read_preset
    from hil.machines.rig.machine import load_rig
    from hil.stations.simulator.commands.fmu_summaries import FmuExportSummary

    if what not in ("twin", "cueing"):
        raise ConfigError("--what", [f"{what!r}: it must be twin or cueing"])
    require_fmpy()
    file = find_file(rig, folder="rigs", key="RIG")
    parsed = load_rig(file)
    require_compilers()
    with waiting("compiling the model", quiet=as_json):
        if what == "twin":
            from hil.fmu.twin import twin_program

            program = twin_program(parsed, file, 1.0 / rate)
        else:
            from hil.fmu.cueing import cueing_program

            program = cueing_program(parsed, read_preset(preset), preset, 1.0 / rate)
        done = made(program, fmi, output, version("hil-bench"))
    if as_json:
        print_json(
            FmuExportSummary(
                ok=True, path=str(done.path), sha256=done.sha256, fmi=f"{fmi}.0",
                variables=done.variables, judged_steps=done.judged_steps,
                largest_difference=done.largest_difference,
            )
        )  # fmt: skip
        return
    out.print(str(done.path), soft_wrap=True)
    words = f"{done.variables} variables; in {done.judged_steps} steps it differs from the kernels "
    out.print(f"{words}by {done.largest_difference:.3g} at most", soft_wrap=True)


def _starts(texts: list[str]) -> dict[str, float]:
    import math

    values: dict[str, float] = {}
    for text in texts:
        name, _, value = text.partition("=")
        try:
            values[name] = float(value)
        except ValueError:
            values[name] = math.nan
        if not math.isfinite(values[name]):
            raise ConfigError("--start", [f"{text!r}: NAME=VALUE with a finite number is needed"])
    return values


def _show(model: Description, why_not: str) -> None:
    from rich.table import Table

    out.print(f"{model.name}, FMI {model.fmi}, {' and '.join(model.interfaces)}")
    if model.tool:
        out.print(f"made by {model.tool}", soft_wrap=True)
    out.print(f"sha256 {model.sha256}", soft_wrap=True)
    out.print(f"binaries for {', '.join(model.platforms) or 'no system'}")
    if model.fixed_step_s is not None:
        out.print(f"fixed step {model.fixed_step_s:g} s")
    elif model.step_s is not None:
        out.print(f"default step {model.step_s:g} s, any is taken")
    for loss in model.losses:
        out.print(f"taken all the same: {loss}", soft_wrap=True, markup=False)
    table = Table("variable", "unit", "is", "type", "start", "about", box=None, pad_edge=False)
    for one in model.variables:
        shape = f"{list(one.shape)}" if one.shape else ""
        row = one.name, one.unit, one.causality, one.type + shape, one.start, one.description
        table.add_row(*row)
    out.print(table)
    out.print(f"cannot be run: {why_not}" if why_not else "can be run by the bench", soft_wrap=True)
