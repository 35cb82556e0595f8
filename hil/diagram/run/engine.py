"""Runs a diagram tick by tick by the compiled kernel."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hil.config.errors import ConfigError
from hil.diagram.check.diagram import SoundDiagram
from hil.diagram.check.drivers import source_of_port
from hil.diagram.check.flat import Endpoint
from hil.diagram.check.parameters import checked
from hil.diagram.run.fault import NonFiniteError
from hil.diagram.run.table import build, numbers_of


@dataclass(frozen=True, slots=True, eq=False)
class DiagramState:
    """A diagram between two ticks, to go on from there."""

    tick: int
    values: NDArray[np.float64]
    parameters: Mapping[str, Mapping[str, Any]]


class Engine:
    """A diagram that runs. Each `step` is one base tick.

    Args:
        sound: What was checked.
        models: Whether somebody sees to the outputs of its FMUs (`hil.diagram.run.models`), or none
            of its numbers matter.

    Raises:
        ConfigError: If it has FMUs, and nobody does.
    """

    def __init__(self, sound: SoundDiagram, *, models: bool = False) -> None:
        from hil.diagram import kernel

        if not models:
            sound.flat.refuse_models("which nothing steps here")
        self._kernel: Any = kernel.step
        self.sound = sound
        self.table = build(sound)
        self.values = self.table.start.copy()
        self.tick = 0
        """Base ticks computed so far."""
        self._rows, self._index = self.table.rows, self.table.index
        self._parameters = {path: one.parameters for path, one in sound.flat.blocks.items()}
        self._inputs = {one.path: self.table.ports[one.path, "y"] for one in sound.flat.inputs()}
        self._outputs = {
            one.path: self.table.ports[sound.flat.drivers[one.path, "u"]]
            for one in sound.flat.outputs()
        }

    def step(self) -> None:
        """Compute one tick.

        Raises:
            NonFiniteError: If a block made a number that is not finite.
        """
        row = self._kernel(self._rows, self._index, self.values, self.tick)
        if row >= 0:
            time_s = self.tick * self.sound.flat.base_s
            raise NonFiniteError(self.table.paths[row], self.tick, time_s)
        self.tick += 1

    @property
    def inputs(self) -> Mapping[str, slice]:
        """Names of the diagram's inputs, and where in `values` they stand."""
        return self._inputs

    @property
    def outputs(self) -> Mapping[str, slice]:
        """Names of the diagram's outputs, and where in `values` they stand."""
        return self._outputs

    def set_input(self, name: str, value: Any) -> None:
        """Give an input its numbers for the ticks that come."""
        self.values[self._inputs[name]] = np.asarray(value, dtype=np.float64).ravel()

    def output(self, name: str) -> NDArray[np.float64]:
        """Numbers of an output after the last tick, row after row; a copy."""
        return self.values[self._outputs[name]].copy()

    def port(self, path: str, port: str = "y") -> NDArray[np.float64]:
        """Numbers of a block's output, likewise; also of one that stands for other blocks.

        Raises:
            KeyError: If there is none.
        """
        return self.values[self.place(path, port)].copy()

    def place(self, path: str, port: str = "y") -> slice:
        """Where in `values` the numbers of an output stand; raises as `port`."""
        if (path, port) in self.table.ports:
            return self.table.ports[path, port]
        source = source_of_port(self.sound.flat, path, port)
        if source is None:
            raise KeyError(f"{path}.{port}")
        return self.table.ports[source]

    def states(self, path: str) -> NDArray[np.float64]:
        """States of a block; a copy."""
        return self.values[self.table.states[path]].copy()

    def snapshot(self) -> DiagramState:
        """Everything that says how it goes on."""
        return DiagramState(self.tick, self.values.copy(), dict(self._parameters))

    def restore(self, state: DiagramState) -> None:
        """Go on from a state of this diagram."""
        self.tick = state.tick
        self.values[:] = state.values
        self._parameters = dict(state.parameters)

    def set_parameters(self, changes: Mapping[Endpoint, Any]) -> None:
        """Change parameters before the next tick: all of them, or none.

        Args:
            changes: path of a block and name of its parameter → value.

        Raises:
            ConfigError: With a line for each that is refused; nothing is changed then.
        """
        problems: list[str] = []
        wanted: dict[str, dict[str, Any]] = {}
        for (path, name), value in changes.items():
            if path not in self._parameters:
                problems.append(f"{path}.{name}: no such block")
            else:
                wanted.setdefault(path, {})[name] = value
        numbers = {}
        for path, given in wanted.items():
            values = self._changed(path, given, problems)
            if values is not None:
                numbers[path] = values
        if problems:
            raise ConfigError("parameters", problems)
        for path, (parameters, values) in numbers.items():
            self._parameters[path] = parameters
            self.values[self.table.numbers[path]] = values

    def _changed(
        self, path: str, given: Mapping[str, Any], problems: list[str]
    ) -> tuple[Mapping[str, Any], list[float]] | None:
        """Parameters and numbers of a block after a change; None if it is refused."""
        block, faults = self.sound.flat.blocks[path], []
        kind, setting = block.kind, self.sound.setting(block)
        values = checked(kind, {**self._parameters[path], **given}, {}, faults)
        problems += [f"{path}.{fault}" for fault in faults]
        if values is None:
            return None
        numbers = numbers_of(kind, values, setting)
        before, where = self._parameters[path], self.table.numbers[path]
        same = (
            kind.ports_of(values) == block.ports
            and kind.direct_of(values) == kind.direct_of(before)
            and len(numbers) == where.stop - where.start
            and len(kind.initial_of(values, setting)) == len(self.states(path))
        )
        if not same:
            names = ", ".join(given)
            problems.append(f"{path}.{names}: changes ports, feed-through or the number of states; "
                            "load the diagram anew")  # fmt: skip
            return None
        return values, numbers

    def run(self, ticks: int, taps: Iterable[slice]) -> NDArray[np.float64]:
        """Run some ticks; what `values` has at the taps after each, shape (ticks, numbers)."""
        places = np.concatenate([np.arange(one.start, one.stop) for one in taps] or [[]])
        found = np.empty((ticks, len(places)))
        for number in range(ticks):
            self.step()
            found[number] = self.values[places.astype(np.intp)]
        return found
