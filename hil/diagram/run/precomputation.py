"""A diagram that nobody feeds while it runs, computed ahead, with what a person does in it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from hil.diagram.run.live import followed

if TYPE_CHECKING:
    from hil.diagram.run.engine import Engine
    from hil.diagram.run.live import Version
    from hil.diagram.run.operator_actions import Timed


def precompute(version: Version, acts: Sequence[Timed], ticks: int) -> Iterator[Engine]:
    """Compute some ticks; what ran, after each. After an act another one runs.

    Args:
        acts: changes with their times [s], in order; each before the tick that is nearest.

    Raises:
        ConfigError: if an act is refused.
        NonFiniteError: if a block made a number that is not finite.
    """
    waiting, base_s = deque(acts), version.sound.flat.base_s
    for tick in range(ticks):
        while waiting and waiting[0][0] <= (tick + 0.5) * base_s:
            version, _ = followed(version, waiting.popleft()[1].changes)
        version.engine.step()
        yield version.engine
