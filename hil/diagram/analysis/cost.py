"""What a tick of a diagram costs on this machine, against its period."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from hil.config.errors import RefusedError
from hil.diagram.check.diagram import SoundDiagram
from hil.diagram.run.diagram_use import TooSlow
from hil.diagram.run.fault import NonFiniteError, StoppedError

if TYPE_CHECKING:
    from hil.diagram.run.engine import Engine

COPIES: Final = 100
"""How often a block is computed in a call that is timed."""
CALLS: Final = 15
WARM: Final = 50
"""Ticks that are computed before any is timed."""


@dataclass(frozen=True, slots=True)
class TickCost:
    """Times of single ticks, called from Python one by one."""

    ticks: int
    """How many were timed."""
    median_s: float
    p99_s: float
    p999_s: float
    """999 of 1000 ticks took no longer [s]."""
    worst_s: float
    base_s: float
    """The base period that a tick has [s]."""

    @property
    def fits(self) -> bool:
        """Whether 999 of 1000 ticks are over within the period."""
        return self.p999_s <= self.base_s

    def __str__(self) -> str:
        return (
            f"999 of 1000 ticks take up to {1e6 * self.p999_s:.4g} us on this machine; the period "
            f"is {1e6 * self.base_s:g} us"
        )


def tick_cost(sound: SoundDiagram, now_s: Callable[[], float], ticks: int = 2000) -> TickCost:
    """Time the ticks of a diagram by the compiled kernel; all its inputs are 0.

    Args:
        now_s: a clock that does not stand still.
        ticks: how many.
    """
    from hil.diagram.run.engine import Engine

    return timed(Engine(sound, models=True), sound.flat.base_s, now_s, ticks)


def model_cost(sound: SoundDiagram, now_s: Callable[[], float], ticks: int) -> TickCost:
    """Time ticks whose FMUs, which are trusted, are waited for; all its inputs are 0.

    Raises:
        RefusedError: if an FMU does not begin, or the diagram stops.
    """
    from hil.diagram.run.engine import Engine
    from hil.diagram.run.models import ALONE_WAIT_S, DiagramModels

    engine, found = Engine(sound, models=True), np.empty(ticks)
    with DiagramModels(sound.flat, trusted=True, wait_s=ALONE_WAIT_S) as models:
        for number in range(-WARM, ticks):
            before_s = now_s()
            try:
                models.before(engine)
                engine.step()
            except StoppedError as error:
                raise RefusedError(str(error)) from None
            models.after(engine)
            found[max(number, 0)] = now_s() - before_s
    return _cost(found, sound.flat.base_s)


def timed(runs: Any, base_s: float, now_s: Callable[[], float], ticks: int) -> TickCost:
    """Time the ticks of an engine.

    With inputs of 0 some laws divide by them: such a tick is timed up to there, and the diagram
    begins anew.

    Args:
        runs: has `step`, `snapshot` and `restore`.
        base_s: its period [s].
    """
    found, start = np.empty(ticks), runs.snapshot()
    for number in range(-WARM, ticks):
        before_s = now_s()
        try:
            runs.step()
        except NonFiniteError:
            found[max(number, 0)] = now_s() - before_s
            runs.restore(start)
            continue
        found[max(number, 0)] = now_s() - before_s
    return _cost(found, base_s)


def _cost(found: NDArray[np.float64], base_s: float) -> TickCost:
    median, p99, p999 = (float(one) for one in np.percentile(found, [50.0, 99.0, 99.9]))
    return TickCost(len(found), median, p99, p999, float(found.max()), base_s)


def part_costs(engine: Engine, now_s: Callable[[], float]) -> dict[tuple[str, int], float]:
    """What each block, or part of one, costs in a tick in which it is computed [s].

    Its rows of the table are computed many times over, with the numbers that stand there; the time
    of a call without rows is taken off. A block that stops at a number that is not finite is timed
    up to there.

    Args:
        engine: after a tick at least, so that what stands there is usual; it is not changed.
    """
    from hil.diagram.kernel.codes import ENABLE, OFFSET, PART, RATE

    table = engine.table
    updated = {int(one) for one in table.index[table.index[0] :]}
    rows_of: dict[tuple[str, int], list[int]] = {}
    for row, path in enumerate(table.paths):
        rows_of.setdefault((path, int(table.rows[row, PART])), []).append(row)
    empty = np.empty((0, table.rows.shape[1]), np.int64)
    nothing_s = _called(engine, empty, table.index[:0], now_s)
    found: dict[tuple[str, int], float] = {}
    for place, numbers in rows_of.items():
        rows = np.tile(table.rows[numbers], (COPIES, 1))
        rows[:, RATE], rows[:, OFFSET], rows[:, ENABLE] = 1, 0, -1
        again = [copy * len(numbers) + at for copy in range(COPIES)
                 for at, one in enumerate(numbers) if one in updated]  # fmt: skip
        took_s = _called(engine, rows, np.array(again, np.int64), now_s)
        found[place] = max(0.0, took_s - nothing_s) / COPIES
    return found


def _called(
    engine: Engine, rows: NDArray[np.int64], updated: NDArray[np.int64], now_s: Callable[[], float]
) -> float:
    """Median time of a call of the kernel with some rows; states are put back each time [s]."""
    from hil.diagram.kernel import step

    index = np.concatenate([engine.table.index[: engine.table.index[0]], updated])
    index[0], index[1] = len(index) - len(updated), len(updated)
    values, times = engine.values.copy(), np.empty(CALLS)
    for number in range(CALLS):
        values[:] = engine.values
        before_s = now_s()
        step(rows, index, values, engine.tick)
        times[number] = now_s() - before_s
    return float(np.median(times))


def judge_cost(cost: TickCost, policy: TooSlow, source: str) -> str:
    """What has to be told of a cost; empty if the diagram is quick enough.

    Args:
        policy: whether one that is too slow is refused.
        source: the diagram, for the text.

    Raises:
        RefusedError: if it is too slow, and that is refused.
    """
    if cost.fits:
        return ""
    problem = f"{source}: {cost}; give it a longer base_s, or slower rates to some of its blocks"
    if policy == "refuse":
        raise RefusedError(problem)
    return problem
