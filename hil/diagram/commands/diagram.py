"""``hil diagram``: control laws that are drawn, checked, run and explained."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hil.config.errors import ConfigError, RefusedError
from hil.config.inputs import collected
from hil.diagram.commands.bench import bench
from hil.diagram.commands.choices import (
    FileArg,
    InputOption,
    PressOption,
    SetOption,
    SlideOption,
    diagram_of,
    load_diagram_for_actions,
)
from hil.diagram.commands.diff import diff
from hil.diagram.commands.draw import draw
from hil.diagram.commands.exercise import app as exercises
from hil.diagram.commands.linear import linear
from hil.diagram.commands.signals import signals
from hil.diagram.run.input_plan import InputPlan  # fmt: skip
from hil.terminal.console import Json, leave, out, print_json, verb

if TYPE_CHECKING:
    from hil.diagram.run.fault import StoppedError
    from hil.diagram.show.summaries import DiagramRunSummary, KindSummary, PortSummary, StopSummary

ForOption = Annotated[
    float, typer.Option("--for", metavar="S", min=1e-5, max=1e5, help="How long [s].")
]
OutOption = Annotated[
    Path | None, typer.Option("--out", metavar="FILE.csv", help="Outputs of every tick.")
]
RecordOption = Annotated[
    Path | None,
    typer.Option("--record", metavar="FOLDER", help="Record it, for hil panel and hil report."),
]
TrustOption = Annotated[
    bool, typer.Option("--trust", help="Load the native code of its FMUs, if it has some.")
]
app = typer.Typer(no_args_is_help=True, help="Functional diagrams: control laws that are drawn.")
app.command()(bench)
app.command()(draw)
app.command()(diff)
app.command()(linear)
app.command()(signals)
app.add_typer(exercises, name="exercise")


@app.command()
@verb
def check(file: FileArg, settings: SetOption = None, as_json: Json = False) -> None:
    """Types, units, frames, loops and rates of a diagram, and what a tick costs."""
    from hil.diagram.analysis.cost import tick_cost
    from hil.diagram.analysis.explanation import summarize_ports
    from hil.diagram.show.summaries import DiagramCheckSummary
    from hil.timing.realtime import RealClock

    path, sound = diagram_of(file, settings or [])
    inputs, outputs = summarize_ports(sound, inputs=True), summarize_ports(sound, inputs=False)
    flat, cost_s = sound.flat, tick_cost(sound, RealClock().now_s).median_s
    if as_json:
        print_json(
            DiagramCheckSummary(
                ok=True, path=path, base_s=flat.base_s, blocks=len(flat.blocks),
                wires=len(flat.wires), inputs=inputs, outputs=outputs, cost_us=1e6 * cost_s,
                period_part=cost_s / flat.base_s,
            )
        )  # fmt: skip
        leave(True)
    for what, ports in (("in ", inputs), ("out", outputs)):
        for port in ports:
            out.print(f"{what} {port['name']}: {_port_words(port)}", soft_wrap=True)
    for name, one in flat.models.items():
        words = f"{name}: {one.file.name} is native code; `hil diagram run FILE --trust` loads it"
        out.print(words, soft_wrap=True)
    out.print(
        f"{len(flat.blocks)} blocks, {len(flat.wires)} wires; a tick costs {1e6 * cost_s:.1f} us "
        f"of {1e3 * flat.base_s:g} ms",
        soft_wrap=True,
    )
    leave(True)


def _port_words(port: PortSummary) -> str:
    shape = " by ".join(map(str, port["shape"])) or "scalar"
    frame = f", axes {port['frame']}" if port["frame"] else ""
    return f"{port['type']}, {shape} [{port['unit']}]{frame}"


@app.command()
@verb
@collected()
def run(
    file: FileArg,
    seconds: ForOption = 10.0,
    settings: SetOption = None,
    inputs: InputOption = None,
    pressed: PressOption = None,
    slid: SlideOption = None,
    table: OutOption = None,
    record: RecordOption = None,
    trust: TrustOption = False,
    as_json: Json = False,
) -> None:
    """Run a diagram alone, as fast as it can; exit status 1 if a number became not finite."""
    from contextlib import ExitStack

    from hil.config.settings import settings_text
    from hil.diagram.run.player import play
    from hil.diagram.show.summaries import DiagramRunSummary

    path, version, acts = load_diagram_for_actions(file, settings or [], pressed or [], slid or [])
    sound = version.sound
    plan = InputPlan(sound, inputs or [])
    ticks = max(int(seconds / sound.flat.base_s + 0.5), 1)
    recording = ""
    with ExitStack() as stack:
        written = None
        if record is not None:
            from hil.diagram.run.recording import recorded

            given = {"set": settings or [], "input": inputs or [], "press": pressed or [],
                     "slide": slid or [], "for_s": seconds}  # fmt: skip
            text = settings_text(version.file.path)
            written, folder = stack.enter_context(recorded(version, text, given, record))
            recording = str(folder / "recording.mcap")
        models = None
        if sound.flat.models:
            from hil.diagram.run.models import ALONE_WAIT_S, DiagramModels

            models = DiagramModels(sound.flat, trusted=trust, wait_s=ALONE_WAIT_S)
            stack.enter_context(models)
        engine, stop = play(version, plan, acts, ticks, table, written, models)
    summary = DiagramRunSummary(
        ok=stop is None, path=path, ticks=engine.tick, time_s=engine.tick * sound.flat.base_s,
        outputs={name: engine.output(name).tolist() for name in engine.outputs},
        stop=None if stop is None else _summarize_stop(stop),
        written="" if table is None else str(table), recording=recording,
    )  # fmt: skip
    if as_json:
        print_json(summary)
        leave(stop is None)
    _print_run(summary)
    if stop is not None:
        raise RefusedError(str(stop))
    leave(True)


def _summarize_stop(stop: StoppedError) -> StopSummary:
    return {"block": stop.path, "tick": stop.tick, "time_s": stop.time_s}


def _print_run(summary: DiagramRunSummary) -> None:
    """Print the last outputs of a run, and what it has written."""
    for name, values in summary["outputs"].items():
        out.print(f"{name} = {', '.join(f'{value:.9g}' for value in values)}", soft_wrap=True)
    for what in ("written", "recording"):
        if summary[what]:
            out.print(f"{what}: {summary[what]}", soft_wrap=True)


@app.command()
@verb
def explain(file: FileArg, settings: SetOption = None, as_json: Json = False) -> None:
    """The order of computation, rates, costs, and what each output hangs on within a tick."""
    from hil.diagram.analysis.explanation import feed_through, summarize_order
    from hil.diagram.show.summaries import ExplainSummary
    from hil.timing.realtime import RealClock

    path, sound = diagram_of(file, settings or [])
    order, through = summarize_order(sound, RealClock().now_s), feed_through(sound)
    if as_json:
        print_json(ExplainSummary(ok=True, path=path, order=order, feed_through=through))
        leave(True)
    for number, one in enumerate(order, 1):
        part = f".{one['part']}" if one["part"] else ""
        often = f", every {one['rate']} ticks from {one['offset']}" if one["rate"] > 1 else ""
        when = f", while {one['condition']}" if one["condition"] else ""
        words = f"{one['block']}{part}  {one['kind']}, {1e3 * one['cost_us']:.0f} ns{often}{when}"
        out.print(f"{number:4} {words}", soft_wrap=True)
    for one in through:
        inputs = ", ".join(one["inputs"]) or "no input"
        out.print(f"{one['output']} hangs within a tick on {inputs}", soft_wrap=True)
    leave(True)


@app.command()
@verb
def blocks(
    kind: Annotated[
        str | None, typer.Argument(metavar="KIND", help="All kinds if it is left out.")
    ] = None,
    as_json: Json = False,
) -> None:
    """The kinds of blocks: equation, ports, units, limits, an example that runs."""
    from hil.config.similar_names import nearest
    from hil.diagram.analysis.explanation import all_kinds, summarize_kind
    from hil.diagram.library.registry import kinds
    from hil.diagram.show.summaries import BlocksSummary

    if kind is not None and kind not in kinds():
        problem = f"{kind[:60]!r}: no such kind{nearest(kind, kinds())}"
        raise ConfigError("KIND", [problem])
    found = all_kinds() if kind is None else [summarize_kind(kinds()[kind])]
    if as_json:
        print_json(BlocksSummary(ok=True, kinds=found))
    elif kind is None:
        for one in found:
            out.print(f"{one['group']:13} {one['name']:18} {one['about']}", soft_wrap=True)
    else:
        _show_kind(found[0])
    leave(True)


def _show_kind(kind: KindSummary) -> None:
    from hil.config.toml_text import toml_value

    out.print(f"{kind['name']}: {kind['about']}", soft_wrap=True)
    out.print(f"  {kind['equation']}", soft_wrap=True)
    for what, ports in (("in ", kind["inputs"]), ("out", kind["outputs"])):
        for one in ports:
            words = f"{one['type']}, {one['shape']} [{one['unit']}]"
            out.print(f"  {what} {one['name']}: {words}", soft_wrap=True)
    for one in kind["parameters"]:
        bounds = [
            f"{word} {one[key]:g}"
            for key, word in (("above", "above"), ("low", "from"), ("high", "to"))
            if one[key] is not None
        ]
        default = "must be given" if one["default"] is None else f"= {one['default']!r}"
        choices = f" ({' | '.join(one['choices'])})" if one["choices"] else ""
        words = " ".join([f"{one['name']} [{one['unit']}] {default}{choices}", *bounds])
        out.print(f"  {words}{'; ' if one['about'] else ''}{one['about']}", soft_wrap=True)
    example = {"kind": kind["name"], **kind["example"]["parameters"]}
    out.print(f'  "b" = {toml_value(example)}', soft_wrap=True)
