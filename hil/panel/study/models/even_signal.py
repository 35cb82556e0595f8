"""A signal of a run at even times, which are looked at in blocks: of a long run it is in a file."""

from collections.abc import Callable, Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hil.panel.scope.models.channels import Channel
from hil.panel.scope.models.ring import GAP_PERIODS
from hil.panel.study.models.compare import CompareError, values_at
from hil.panel.study.models.compared_run import ComparedRun, rows_around
from hil.recording.row_arrays import gathered, let_go

Array = NDArray[np.float64]

_AT_REST: Final = 1e-12
_BLOCK: Final = 1 << 19
"""Samples that are inspected together."""
_MOST: Final = 1 << 28
"""Samples; 149 hours at 500 Hz."""


class EvenSignal:
    """A signal without its mean at even times; in holes and outside the run it is not known.

    Args:
        step_s: between two samples [s].
        report: called with the share that is done, 0 to 1; what it raises ends that.

    Raises:
        CompareError: if the run's times are none, or too far apart.
    """

    def __init__(
        self, run: ComparedRun, channel: Channel, step_s: float, report: Callable[[float], object]
    ) -> None:
        self._run = run
        self.step_s = step_s
        """Between two samples [s]."""
        self._values = gathered(self._report_parts(run.column(channel.column), report), run.folder)
        ends = (float(run.t_s[0]), float(run.t_s[-1])) if len(run) else (0.0, -step_s)
        samples = (ends[1] - ends[0]) / step_s
        if not samples < _MOST:
            raise CompareError(
                f"run {run.facts.name} lasts from {ends[0]:g} to {ends[1]:g} s, which is "
                f"{samples:g} samples; at most {_MOST} are aligned"
            )
        self.start_s = ends[0]
        """Time of the first sample [s]."""
        self.count = round(samples) + 1
        """Samples to the end of the run."""
        self._mean = 0.0
        self.moves = True
        """Whether it changes."""
        blocks = range(0, self.count, _BLOCK)
        total = known = squares = 0.0
        for at in blocks:
            values, there = self.block(at, min(at + _BLOCK, self.count))
            total, known = total + float(values[there > 0.0].sum()), known + float(there.sum())
        self._mean, self.known = total / max(known, 1.0), known
        """Number of samples that are known."""
        largest = 0.0
        for at in blocks:
            values, _ = self.block(at, min(at + _BLOCK, self.count))
            largest = max(largest, float(np.abs(values).max(initial=0.0)))
            squares += float(values @ values)
        self.moves, self.squares = largest > _AT_REST, squares
        """Sum of the squares of all samples."""

    def _report_parts(
        self, parts: Iterator[Array], report: Callable[[float], object]
    ) -> Iterator[Array]:
        done = 0
        for part in parts:
            report(done / max(len(self._run), 1))
            yield part
            done += len(part)

    def block(self, first: int, end: int) -> tuple[Array, Array]:
        """Samples from a number to before another: values, 0 where not known; and 1 or 0."""
        values, known = np.zeros(end - first), np.zeros(end - first)
        begin, to = max(first, 0), min(end, self.count)
        if begin < to:
            inside = slice(begin - first, to - first)
            values[inside], known[inside] = self._inside(begin, to)
        return values, known

    def _inside(self, first: int, end: int) -> tuple[Array, Array]:
        run = self._run
        wanted = self.start_s + self.step_s * np.arange(first, end, dtype=np.float64)
        low, high = rows_around(run.t_s, wanted)
        found = values_at(
            run.t_s[low:high], self._values[low:high], wanted,
            GAP_PERIODS * run.facts.period_s, held=False,
        )  # fmt: skip
        run.let_go()
        let_go(self._values)
        known = np.isfinite(found)
        return np.where(known, found - self._mean, 0.0), known.astype(np.float64)

    def means(self, size: int) -> tuple[Array, Array]:
        """Means over so many samples each, as of `block`: known where half of them are."""
        whole, step = -(-self.count // size), size * max(_BLOCK // size, 1)
        values, known = np.zeros(whole), np.zeros(whole)
        for at in range(0, self.count, step):
            to = min(at + step, whole * size)
            sums, there = (one.reshape(-1, size).sum(axis=1) for one in self.block(at, to))
            here = slice(at // size, at // size + len(sums))
            known[here] = there >= 0.5 * size
            values[here] = known[here] * sums / np.maximum(there, 1.0)
        return values, known
