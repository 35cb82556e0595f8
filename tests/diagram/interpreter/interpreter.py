"""Runs a diagram tick by tick in plain Python."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hil.diagram.check.diagram import SoundDiagram
from hil.diagram.check.flat import Endpoint
from hil.diagram.check.order import WHOLE as WHOLE_PART
from hil.diagram.library.kind import Parameters
from hil.diagram.run.fault import NonFiniteError
from interpreter.running import InputNumbers, RunningBlock


@dataclass(frozen=True, slots=True)
class Sometimes:
    """A block, or a part of one, that does not run at each tick, or has several numbers."""

    rate: int
    offset: int
    outputs: slice
    """Of its numbers, those that come then."""
    condition: list[float] | None
    at: int
    """Which of the condition's numbers it is."""

    def due(self, tick: int) -> bool:
        """Whether it runs in a tick."""
        if tick < self.offset or (tick - self.offset) % self.rate:
            return False
        return self.condition is None or bool(self.condition[self.at])


@dataclass(frozen=True, slots=True)
class InterpreterState:
    """An interpreter between two ticks."""

    tick: int
    values: Mapping[str, list[float]]
    states: Mapping[str, list[float]]
    inputs: Mapping[str, list[float]]


class Interpreter:
    """A diagram that runs, as `Engine` does, by other means.

    Args:
        sound: What was checked.
    """

    def __init__(self, sound: SoundDiagram) -> None:
        self.sound = sound
        self.tick = 0
        flat = sound.flat
        self._inputs = {one.path: sound.types[one.path, "y"].start for one in flat.inputs()}
        self.blocks: dict[str, RunningBlock] = {}
        for path, block in flat.blocks.items():
            self.blocks[path] = RunningBlock(sound, block, lambda: self.tick)
        for path, running in self.blocks.items():
            running.readings = [
                self._reading((path, one.name)) for one in running.block.ports.inputs
            ]
            running.begin(running.block.parameters)
        for path, inside in flat.restarted().items():
            self.blocks[path].restarted = [self.blocks[one] for one in inside]
        self._order = self._acts()
        plain = [running for running, _, more in self._order if more is None]
        self._updated = [running for running in plain if running.initial]

    def _reading(self, target: Endpoint) -> InputNumbers:
        size = self.sound.types[target].size
        source = self.sound.flat.drivers.get(target)
        if source is None:
            return InputNumbers([0.0] * size, 0, size)
        if source[0] in self._inputs:
            return InputNumbers(self._inputs[source[0]], 0, size)
        running = self.blocks[source[0]]
        return InputNumbers(running.values, running.first(source[1]), size)

    def _acts(self) -> list[tuple[RunningBlock, list[float], Sometimes | None]]:
        """Blocks in order with their numbers, and what is more than to compute the one of them."""
        found = []
        for path, part in self.sound.order:
            running = self.blocks[path]
            block, sizes = running.block, running.sizes
            if part == WHOLE_PART:
                outputs = slice(0, sum(sizes))
            else:
                outputs = slice(sum(sizes[:part]), sum(sizes[: part + 1]))
            condition, at = None, 0
            if block.enable is not None:
                driver = self.blocks[block.enable[0]]
                condition, at = driver.values, driver.first(block.enable[1])
            often = block.rate == 1 and condition is None and len(running.values) == 1
            more = None if often else Sometimes(block.rate, block.offset, outputs, condition, at)
            found.append((running, running.values, more))
        return found

    def step(self) -> None:
        """Compute one tick.

        Raises:
            NonFiniteError: If a block made a number that is not finite.
        """
        sometimes: dict[int, RunningBlock] = {}
        for running, values, more in self._order:
            if more is None:
                running.output()
                if values[0] - values[0] != 0.0:
                    raise self._fault(running)
            elif more.due(self.tick):
                self._several(running, more.outputs)
                sometimes[id(running)] = running
        for running in self._updated:
            running.update()
        for running in sometimes.values():
            running.update()
        self.tick += 1

    def _several(self, running: RunningBlock, outputs: slice) -> None:
        """Compute several outputs, or some of them: the others stay as they are."""
        values = running.values
        if outputs.stop - outputs.start == len(values):
            running.output()
            now = values
        else:
            before = list(values)
            running.output()
            now = values[outputs]
            before[outputs] = now
            values[:] = before
        for number in now:
            if number - number != 0.0:
                raise self._fault(running)

    def _fault(self, running: RunningBlock) -> NonFiniteError:
        return NonFiniteError(running.block.path, self.tick, self.tick * self.sound.flat.base_s)

    def set_input(self, name: str, value: list[float]) -> None:
        """Give an input its numbers for the ticks that come."""
        self._inputs[name][:] = value

    def port(self, path: str, port: str = "y") -> list[float]:
        """Numbers of a block's output after the last tick."""
        running = self.blocks[path]
        first = running.first(port)
        names = [one.name for one in running.block.ports.outputs]
        return running.values[first : first + running.sizes[names.index(port)]]

    def states(self, path: str) -> list[float]:
        """States of a block, element after element."""
        return self.blocks[path].all_states()

    def set_parameters(self, path: str, parameters: Parameters) -> None:
        """Give a block other parameters before the next tick; they were checked."""
        running = self.blocks[path]
        running.begin(parameters, running.all_states())

    def snapshot(self) -> InterpreterState:
        """Everything that says how it goes on, but for parameters."""
        return InterpreterState(
            self.tick,
            {path: list(one.values) for path, one in self.blocks.items()},
            {path: one.all_states() for path, one in self.blocks.items()},
            {name: list(one) for name, one in self._inputs.items()},
        )

    def restore(self, state: InterpreterState) -> None:
        """Go on from a state of this diagram."""
        self.tick = state.tick
        for path, one in self.blocks.items():
            one.values[:] = state.values[path]
            one.load(state.states[path])
        for name, values in state.inputs.items():
            self._inputs[name][:] = values
