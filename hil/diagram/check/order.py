"""The order in which a diagram's outputs are computed: each after all that it depends on.

A block whose outputs depend on different inputs has a part for each of them, so that no loop is
seen where there is none. Of those that are ready, the first by path comes next, so that the order
is that of the law and not of the file.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from hil.diagram.check.flat import FlatBlock, FlatDiagram

WHOLE: Final = -1
"""Part of a block that is computed in one piece."""
Step = tuple[str, int]
"""Path of a block and its part: the number of an output, or `WHOLE`."""


@dataclass(frozen=True, slots=True)
class AlgebraicLoop:
    """Outputs that depend on each other in the same tick."""

    path: tuple[str, ...]
    """Paths in the direction of flow, the first one again at the end."""

    @property
    def words(self) -> str:
        """Description of the fault, and the remedy."""
        return (
            f"algebraic loop: {' -> '.join(self.path)}; each hangs on itself within one tick: put "
            f"a UnitDelay (or an IntegralForward) between {self.path[-2]} and {self.path[-1]}"
        )


def parts_of(block: FlatBlock) -> dict[int, frozenset[str]]:
    """Return the parts of a block, each with the inputs that it depends on."""
    pairs = block.kind.direct_of(block.parameters)
    inputs = [frozenset(i for i, o in pairs if o == output.name) for output in block.ports.outputs]
    if len(set(inputs)) <= 1:
        names = frozenset(port.name for port in block.ports.inputs)
        return {WHOLE: inputs[0] if inputs else names}
    return dict(enumerate(inputs))


def sort(flat: FlatDiagram) -> tuple[list[Step], AlgebraicLoop | None]:
    """Return all parts in order; and a loop, if there is one."""
    parts = {path: parts_of(block) for path, block in flat.blocks.items()}
    before = _before(flat, parts)
    after: dict[Step, list[Step]] = defaultdict(list)
    for step, needed in before.items():
        for one in needed:
            after[one].append(step)
    open_count = {step: len(needed) for step, needed in before.items()}
    ready = [step for step, number in open_count.items() if number == 0]
    heapq.heapify(ready)
    order: list[Step] = []
    while ready:
        step = heapq.heappop(ready)
        order.append(step)
        for one in after[step]:
            open_count[one] -= 1
            if open_count[one] == 0:
                heapq.heappush(ready, one)
    rest = {step for step, number in open_count.items() if number > 0}
    return order, _loop(rest, before) if rest else None


def _before(flat: FlatDiagram, parts: Mapping[str, Mapping[int, frozenset[str]]]
            ) -> dict[Step, set[Step]]:  # fmt: skip
    """Find the parts that each part comes after."""
    numbers = {
        path: {port.name: number for number, port in enumerate(block.ports.outputs)}
        for path, block in flat.blocks.items()
    }

    def step_of(path: str, port: str) -> Step:
        return (path, WHOLE) if WHOLE in parts[path] else (path, numbers[path][port])

    found: dict[Step, set[Step]] = {}
    restarts: dict[str, set[Step]] = defaultdict(set)
    for restart, inside in flat.restarted().items():
        for path in inside:
            restarts[path].add((restart, WHOLE))
    for path, block in flat.blocks.items():
        above = set(restarts[path])
        if block.enable is not None:
            above.add(step_of(*block.enable))
        for part, inputs in parts[path].items():
            sources = (flat.drivers.get((path, name)) for name in inputs)
            found[path, part] = above | {
                step_of(*source) for source in sources if source and source[0] in flat.blocks
            }
    return found


def _loop(rest: set[Step], before: Mapping[Step, set[Step]]) -> AlgebraicLoop:
    """Return a cycle within what could not be ordered, in the direction of flow."""
    step = min(rest)
    steps: list[Step] = []
    while step not in steps:
        steps.append(step)
        step = min(one for one in before[step] if one in rest)
    cycle = [path for path, _ in reversed(steps[steps.index(step) :])]
    first = cycle.index(min(cycle))
    cycle = cycle[first:] + cycle[:first]
    return AlgebraicLoop((*cycle, cycle[0]))
