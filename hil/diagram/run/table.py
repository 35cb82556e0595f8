"""A diagram as a table: rows in order of computation, and one array with all numbers.

The array: base period, zeros for inputs that nothing is wired to, the diagram's inputs, ports,
states, numbers of the equations. States of a sub-diagram are together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hil.diagram.check.diagram import KEPT, SoundDiagram
from hil.diagram.check.flat import Endpoint, FlatBlock
from hil.diagram.check.order import WHOLE
from hil.diagram.library.foreign_blocks import addresses
from hil.diagram.library.foreign_blocks import numbers_of as called_with
from hil.diagram.library.kind import COMPOSITE, BlockKind, BlockSetting, Parameters

LISTED_LEAST: Final = 3
"""Places of inputs that each row has: the kernel reads up to so many without asking."""


@dataclass(frozen=True, slots=True, eq=False)
class BlockTable:
    """Table that the kernel runs, and the places of everything in it."""

    rows: NDArray[np.int64]
    """Shape (R, 15): columns as in the kernel."""
    index: NDArray[np.int64]
    """Places and number of rows with states; places of inputs; those rows."""
    start: NDArray[np.float64]
    """All numbers before the first tick."""
    ports: Mapping[Endpoint, slice]
    """Places of the blocks' outputs, and of the inputs of the diagram by their faces."""
    states: Mapping[str, slice]
    """Places of states, by path of the block."""
    numbers: Mapping[str, slice]
    """Places of numbers, by path of the block."""
    paths: tuple[str, ...]
    """Path of each row's block."""

    def has_rows_of(self, other: BlockTable) -> bool:
        """Return whether it computes the same blocks likewise, with other numbers at most."""
        return (
            self.paths == other.paths
            and np.array_equal(self.rows, other.rows)
            and np.array_equal(self.index, other.index)
        )


def numbers_of(kind: BlockKind, parameters: Parameters, setting: BlockSetting) -> list[float]:
    """Return the numbers of a block for the kernel beside its places."""
    if kind.functions is None:
        return kind.numbers_of(parameters, setting)
    return called_with(kind, parameters, setting)


@lru_cache(maxsize=KEPT)
def build(sound: SoundDiagram) -> BlockTable:
    """Return the table of a diagram; the same one for the same diagram, and not to be changed."""
    return _Builder(sound).table()


class _Builder:
    def __init__(self, sound: SoundDiagram) -> None:
        self._sound = sound
        self._flat = sound.flat
        self._zeros = 1
        self._end = 1 + max((one.size for one in sound.types.values()), default=1)
        self._ports: dict[Endpoint, slice] = {}
        self._states: dict[str, slice] = {}
        self._initial: dict[str, list[float]] = {}
        self._numbers: dict[str, slice] = {}
        self._filled: list[tuple[slice, list[float]]] = []

    def table(self) -> BlockTable:
        from hil.diagram.kernel import COLUMNS, WHOLES_FIRST, code_of

        self._place_ports()
        self._place_states()
        self._place_numbers()
        index, rows, paths, updated = [0, 0], [], [], []
        last = dict(self._sound.order)
        for path, part in self._sound.order:
            block = self._flat.blocks[path]
            code = code_of(block.kind)
            alone = code < WHOLES_FIRST
            for element in range(self._sound.setting(block).size if alone else 1):
                if self._has_states(path) and last[path] == part:
                    updated.append(len(rows))
                places = self._places(block, element)
                row = self._row(block, part, code, len(index), element)
                rows.append(row + places[:LISTED_LEAST])
                index += places
                paths.append(path)
        index[0], index[1] = len(index), len(updated)
        index += updated
        start = np.zeros(self._end)
        start[0] = self._flat.base_s
        for where, values in self._filled:
            start[where] = values
        table = np.array(rows, dtype=np.int64).reshape(-1, COLUMNS)
        return BlockTable(
            np.ascontiguousarray(table), np.array(index, dtype=np.int64), start, self._ports,
            self._states, self._numbers, tuple(paths),
        )  # fmt: skip

    def _take(self, count: int) -> slice:
        taken = slice(self._end, self._end + count)
        self._end += count
        return taken

    def _place_ports(self) -> None:
        ends = [(face.path, "y") for face in self._flat.inputs()]
        for path, block in self._flat.blocks.items():
            ends += [(path, port.name) for port in block.ports.outputs]
        for end in ends:
            type_ = self._sound.types[end]
            self._ports[end] = self._take(type_.size)
            if type_.type in COMPOSITE:
                self._filled.append((self._ports[end], type_.start))

    def _place_states(self) -> None:
        for path, block in self._flat.blocks.items():
            initial = block.kind.initial_of(block.parameters, self._sound.setting(block))
            self._states[path] = self._take(len(initial))
            self._initial[path] = initial
            self._filled.append((self._states[path], initial))

    def _place_numbers(self) -> None:
        restarted = self._flat.restarted()
        for path, block in self._flat.blocks.items():
            if path in restarted:
                numbers = self._restarted(restarted[path])
            else:
                numbers = numbers_of(block.kind, block.parameters, self._sound.setting(block))
            self._numbers[path] = self._take(len(numbers))
            self._filled.append((self._numbers[path], numbers))

    def _restarted(self, inside: list[str]) -> list[float]:
        """Find place, number and start of a sub-diagram's states, which are together."""
        values = [number for path in inside for number in self._initial[path]]
        first = self._states[inside[0]].start if inside else 0
        return [float(first), float(len(values)), *values]

    def _has_states(self, path: str) -> bool:
        return self._states[path].stop > self._states[path].start

    def _places(self, block: FlatBlock, element: int) -> list[int]:
        """Return the places of a block's inputs for one element; a scalar serves all."""
        places = []
        for port in block.ports.inputs:
            source = self._flat.drivers.get((block.path, port.name))
            moved = element if self._sound.types[block.path, port.name].size > 1 else 0
            places.append(self._zeros if source is None else self._ports[source].start + moved)
        if block.kind.functions is not None:
            places += addresses(block.kind)
        return places + [self._zeros] * (LISTED_LEAST - len(places))

    def _row(self, block: FlatBlock, part: int, code: int, listed: int, element: int) -> list[int]:
        """Return the columns of a row up to the first inputs."""
        path, outputs = block.path, block.ports.outputs
        where = [self._ports[path, port.name] for port in outputs]
        first = where[0].start if where else 0
        checked, count = first, where[-1].stop - first if where else 0
        if part != WHOLE:
            checked, count = where[part].start, where[part].stop - where[part].start
        enable = -1 if block.enable is None else self._ports[block.enable].start
        size = self._sound.setting(block).size
        states, numbers = self._states[path], self._numbers[path]
        own = block.kind.constant or block.kind.shape_of_each(block.parameters)
        each = (numbers.stop - numbers.start) // size if own else 0
        return [
            code, block.rate, block.offset, part, listed, first + element, checked, count,
            states.start + element * ((states.stop - states.start) // size),
            numbers.start + element * each, size, enable,
        ]  # fmt: skip
