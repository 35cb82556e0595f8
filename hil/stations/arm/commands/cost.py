"""``hil arm cost``: operations of the space arm's simulation, counted; nothing moves."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hil.stations.arm.commands.space_arms import ArmArg, one_load_of, space_arm_of
from hil.stations.arm.commands.torque_summaries import (
    ArmCostSummary,
    DriveCostSummary,
    KernelCostSummary,
    OperationsSummary,
)
from hil.terminal.console import Json, err, leave, out, print_json, verb, waiting

if TYPE_CHECKING:
    from rich.table import Table

    from sim.world.space_arm.cost import KernelCost, TickCost
    from sim.world.space_arm.operation_count import Operations

PASSES = 5
KERNEL_CALLS = 1000
TICK_CALLS = 5


@verb
def cost(
    arm: ArmArg,
    payload: Annotated[
        str,
        typer.Option(
            "--payload", metavar="none|NAME|KG", help="none, a name of the arm's file, or kg."
        ),
    ] = "none",
    as_json: Json = False,
) -> None:
    """Operations of the space arm's dynamics and drive models, counted by running their code.

    Beside them the figures of 1993, and the least time of a call from Python.
    """
    from sim.world.space_arm.cost import kernel_costs, simplified_costs, tick_cost

    settings = space_arm_of(arm)
    load = one_load_of(settings, payload)
    model, home_rad, clock = settings.arm(), settings.home_rad(), _clock()
    with waiting("counting operations", quiet=as_json):
        kernels = [
            *kernel_costs(model, load.body),
            *simplified_costs(model, settings.payloads()),
        ]
        ticks = [tick_cost(model, home_rad, one, load.body) for one in model.models()]
        summary = ArmCostSummary(
            ok=True,
            arm=settings.name,
            payload_kg=load.mass_kg,
            kernels=[_kernel(one, clock) for one in kernels],
            models=[_tick(one, clock) for one in ticks],
        )
    if as_json:
        print_json(summary)
    else:
        _show(summary)
    leave(ok=True)


def _clock() -> Callable[[], float] | None:
    """Return the system's clock, or None where it is not known: then there are no times."""
    from hil.timing.realtime import RealClock

    try:
        return RealClock().now_s
    except OSError as error:
        err.print(f"no times: {error.strerror}")
        return None


def _least_us(
    calls: tuple[Callable[[], Any], ...], count: int, clock: Callable[[], float] | None
) -> float | None:
    """Return the least time of the calls one after the other [us]."""
    if clock is None:
        return None
    times = list[float]()
    for _ in range(PASSES):
        begin = clock()
        for _ in range(count):
            for call in calls:
                call()
        times.append((clock() - begin) / count)
    return 1e6 * min(times)


def _kernel(one: KernelCost, clock: Callable[[], float] | None) -> KernelCostSummary:
    return KernelCostSummary(
        what=one.what,
        operations=_operations(one.operations),
        needed=_operations(one.needed),
        published_1993=one.published_1993,
        time_us=_least_us(one.calls, KERNEL_CALLS, clock),
    )


def _tick(one: TickCost, clock: Callable[[], float] | None) -> DriveCostSummary:
    return DriveCostSummary(
        model=one.model.value,
        steps=one.steps,
        rejected=one.rejected,
        refreshed=one.refreshed,
        iterations=one.iterations,
        hits=one.hits,
        operations=_operations(one.operations),
        per_step=one.operations.total / one.steps,
        time_us=_least_us((one.call,), TICK_CALLS, clock),
    )


def _operations(one: Operations) -> OperationsSummary:
    return OperationsSummary(
        multiplications=one.multiplications,
        additions=one.additions,
        divisions=one.divisions,
        roots=one.roots,
        trigonometric=one.trigonometric,
    )


def _show(summary: ArmCostSummary) -> None:
    known = summary["models"][0]["time_us"] is not None
    times = ["us"] if known else []
    first = _table("one call", "×", "+", "sin cos", "of it needed ×", "+", "1993", *times)
    for row in summary["kernels"]:
        every, needed = row["operations"], row["needed"]
        first.add_row(
            row["what"],
            *(str(every[key]) for key in ("multiplications", "additions", "trigonometric")),
            *(str(needed[key]) for key in ("multiplications", "additions")),
            row["published_1993"],
            *([] if row["time_us"] is None else [f"{row['time_us']:.2f}"]),
        )
    out.print(first)
    out.print(f"needed: neither operand is 0 (or 1 in a product) for {summary['arm']}")
    out.print("1993: 12 sin cos too; that 837, 1269 and 951 are of these matrices is our reading")
    out.print("")
    second = _table(
        "tick of 0.35 s", "steps", "repeated", "D and h", "Newton", "blows",
        "×", "+", "/", "√", "sin cos", "a step", *times,
    )  # fmt: skip
    for row in summary["models"]:
        second.add_row(
            row["model"],
            *(str(row[key]) for key in ("steps", "rejected", "refreshed", "iterations", "hits")),
            *map(str, row["operations"].values()),
            f"{row['per_step']:.0f}",
            *([] if row["time_us"] is None else [f"{row['time_us']:.0f}"]),
        )
    out.print(second)


def _table(*headings: str) -> Table:
    from rich.table import Table

    table = Table(*headings, box=None)
    for column in table.columns[1:]:
        column.justify = "right"
    return table
