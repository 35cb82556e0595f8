"""``hil diagram bench``: what a tick costs on this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from hil.diagram.commands.choices import FileArg, SetOption, diagram_of
from hil.terminal.console import Json, leave, out, print_json, verb

if TYPE_CHECKING:
    from hil.diagram.analysis.cost import TickCost
    from hil.diagram.show.summaries import CostSummary


@verb
def bench(
    file: FileArg,
    ticks: Annotated[
        int, typer.Option("--ticks", metavar="N", min=100, max=10_000_000, help="How many.")
    ] = 20_000,
    settings: SetOption = None,
    trust: Annotated[
        bool, typer.Option("--trust", help="Load the native code of its FMUs, if it has some.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Time the ticks of a diagram; exit status 1 if 1 of 1000 takes longer than its period."""
    from hil.diagram.analysis.cost import model_cost, tick_cost
    from hil.diagram.show.summaries import DiagramBenchSummary
    from hil.timing.realtime import RealClock

    path, sound = diagram_of(file, settings or [])
    if not trust:
        sound.flat.refuse_models("whose answers take time", "--trust loads its native code")
    now_s = RealClock().now_s
    kernel = tick_cost(sound, now_s, ticks)
    models = model_cost(sound, now_s, max(ticks // 20, 100)) if sound.flat.models else None
    ok = kernel.fits and (models is None or models.fits)
    if as_json:
        print_json(
            DiagramBenchSummary(
                ok=ok, path=path, blocks=len(sound.flat.blocks), base_s=kernel.base_s,
                kernel=_summarize(kernel), interpreter=None,
                with_models=None if models is None else _summarize(models),
            )
        )  # fmt: skip
        leave(ok)
    costs = [("kernel", kernel)]
    for name, cost in costs if models is None else [*costs, ("with FMUs", models)]:
        times = (cost.median_s, cost.p99_s, cost.p999_s, cost.worst_s)
        half, p99, p999, worst = (f"{1e6 * one:.4g}" for one in times)
        out.print(
            f"{name:11} median {half} us, p99 {p99}, p99.9 {p999}, worst of {cost.ticks} {worst}",
            soft_wrap=True,
        )
    verdict, slowest = "fits" if ok else "does not fit", models or kernel
    out.print(f"{len(sound.flat.blocks)} blocks: {slowest}: {verdict}", soft_wrap=True)
    leave(ok)


def _summarize(cost: TickCost) -> CostSummary:
    from hil.diagram.show.summaries import CostSummary

    return CostSummary(
        ticks=cost.ticks, median_us=1e6 * cost.median_s, p99_us=1e6 * cost.p99_s,
        p999_us=1e6 * cost.p999_s, worst_us=1e6 * cost.worst_s,
    )  # fmt: skip
