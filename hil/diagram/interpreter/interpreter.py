"""Runs a diagram tick by tick in plain Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from hil.diagram.check import SoundDiagram
from hil.diagram.fault import NonFiniteError
from hil.diagram.flatten import Endpoint, FlatBlock
from hil.diagram.interpreter.stateful import STATEFUL, Element
from hil.diagram.interpreter.stateless import CONSTANTS, SOURCES, STATELESS
from hil.diagram.interpreter.whole import WHOLE
from hil.diagram.kind import Parameters
from hil.diagram.order import WHOLE as WHOLE_PART

Act = Callable[[], None]


@dataclass(frozen=True, slots=True)
class InputNumbers:
    """An input: numbers of whatever drives it, and where in them it begins."""

    values: list[float]
    first: int
    size: int

    def all(self) -> list[float]:
        """Its numbers."""
        return self.values[self.first : self.first + self.size]


class RunningBlock:
    """A block with the numbers of its outputs and its states."""

    def __init__(self, interpreter: Interpreter, block: FlatBlock) -> None:
        self.block = block
        self.rate, self.offset = block.rate, block.offset
        self.number = len(interpreter.blocks)
        self._sound = interpreter.sound
        self._clock = interpreter
        self.sizes = [self._sound.types[block.path, one.name].size for one in block.ports.outputs]
        self.values = [0.0] * sum(self.sizes)
        self.readings: list[InputNumbers] = []
        self.setting = self._sound.setting(block)
        self.initial = block.kind.initial_of(block.parameters, self.setting)
        self.states: list[list[float]] = []
        self.output: Act = lambda: None
        self.update: Act | None = None
        self.restarted: list[RunningBlock] = []

    def first(self, port: str) -> int:
        """Where an output begins in the block's values."""
        names = [one.name for one in self.block.ports.outputs]
        return sum(self.sizes[: names.index(port)])

    def begin(self, parameters: Parameters, states: list[float] | None = None) -> None:
        """Make its equations of its parameters; its states stay what they are."""
        name, setting = self.block.kind.name, self.setting
        every = len(self.initial) // setting.size if self.initial else 0
        kept = list(self.initial if states is None else states)
        if name in CONSTANTS:
            self.output = self._constant(CONSTANTS[name](parameters))
        elif name in SOURCES:
            self.output = self._source(SOURCES[name](parameters, setting))
        elif name in STATELESS:
            equation = STATELESS[name](parameters, setting)
            self.output = self._elements([equation] * setting.size)
        elif name in STATEFUL:
            self.states = [kept[every * i : every * (i + 1)] for i in range(setting.size)]
            made = [STATEFUL[name](parameters, setting, x) for x in self.states]
            self.output = self._elements([one.output for one in made])
            self.update = self._updates(made)
        elif name in WHOLE:
            self.states = [kept]
            whole = WHOLE[name](parameters, setting, kept)
            self.output = lambda: self._set_all(whole.output(*(r.all() for r in self.readings)))
            if kept:
                self.update = lambda: whole.update(*(r.all() for r in self.readings))
        else:
            self.states = [kept]
            self.output, self.update = self._restart, self._remember

    def load(self, states: list[float]) -> None:
        """Put its states to given ones."""
        at = 0
        for one in self.states:
            one[:] = states[at : at + len(one)]
            at += len(one)

    def all_states(self) -> list[float]:
        """Its states, element after element."""
        return [number for one in self.states for number in one]

    def _set_all(self, values: list[float]) -> None:
        self.values[:] = values

    def _constant(self, values: list[float]) -> Act:
        return lambda: self._set_all(values)

    def _source(self, equation: Callable[[int], float]) -> Act:
        def act() -> None:
            self.values[0] = equation(self._clock.tick)

        return act

    def _elements(self, equations: list[Callable[..., Any]]) -> Act:
        size, values, two = self.setting.size, self.values, len(self.sizes) > 1
        arguments = self._arguments()

        def act() -> None:
            for i, equation in enumerate(equations):
                y = equation(*[one[first + i * stride] for one, first, stride in arguments])
                if two:
                    values[i], values[size + i] = y
                else:
                    values[i] = y
                if values[i] - values[i] != 0.0:
                    break  # where the kernel stops too

        return act if size > 1 or two or len(arguments) > 2 else self._scalar(equations[0])

    def _scalar(self, equation: Callable[..., float]) -> Act:
        """The same for the most frequent case, quicker."""
        values, arguments = self.values, self._arguments()
        if len(arguments) == 1:
            ((a, i, _),) = arguments

            def act() -> None:
                values[0] = equation(a[i])

            return act
        (a, i, _), (b, j, _) = arguments

        def act_of_two() -> None:
            values[0] = equation(a[i], b[j])

        return act_of_two

    def _arguments(self) -> list[tuple[list[float], int, int]]:
        """Numbers of each input, where it begins, and the stride from element to element."""
        return [(one.values, one.first, 1 if one.size > 1 else 0) for one in self.readings]

    def _updates(self, made: list[Element]) -> Act:
        arguments, values = self._arguments(), self.values
        if len(made) == len(arguments) == 1:
            (update,), ((a, j, _),) = [made[0].update], arguments
            return lambda: update((a[j],), values[0])

        def act() -> None:
            for i, one in enumerate(made):
                u = tuple(numbers[first + i * stride] for numbers, first, stride in arguments)
                one.update(u, values[i])

        return act

    def _restart(self) -> None:
        if self.readings[0].all()[0] and not self.states[0][0]:
            for one in self.restarted:
                one.load(one.initial)

    def _remember(self) -> None:
        self.states[0][0] = self.readings[0].all()[0]


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
        self._inputs = {one.path: [0.0] * sound.types[one.path, "y"].size for one in flat.inputs()}
        self.blocks: dict[str, RunningBlock] = {}
        for path, block in flat.blocks.items():
            self.blocks[path] = RunningBlock(self, block)
        for path, running in self.blocks.items():
            running.readings = [
                self._reading((path, one.name)) for one in running.block.ports.inputs
            ]
            running.begin(running.block.parameters)
        for path, sub in flat.restarts.items():
            inside = [one for one in flat.blocks if one.startswith(f"{sub}/")]
            self.blocks[path].restarted = [self.blocks[one] for one in inside]
        self._order = self._acts()

    def _reading(self, target: Endpoint) -> InputNumbers:
        size = self.sound.types[target].size
        source = self.sound.flat.drivers.get(target)
        if source is None:
            return InputNumbers([0.0] * size, 0, size)
        if source[0] in self._inputs:
            return InputNumbers(self._inputs[source[0]], 0, size)
        running = self.blocks[source[0]]
        return InputNumbers(running.values, running.first(source[1]), size)

    def _acts(self) -> list[tuple[RunningBlock, slice, list[float] | None, int]]:
        """Blocks in order, each with the outputs that come then, its condition and where it is."""
        found = []
        for path, part in self.sound.order:
            running = self.blocks[path]
            sizes = running.sizes
            if part == WHOLE_PART:
                outputs = slice(0, sum(sizes))
            else:
                outputs = slice(sum(sizes[:part]), sum(sizes[: part + 1]))
            condition, at = None, 0
            if running.block.enable is not None:
                driver = self.blocks[running.block.enable[0]]
                condition, at = driver.values, driver.first(running.block.enable[1])
            found.append((running, outputs, condition, at))
        return found

    def step(self) -> None:
        """Compute one tick.

        Raises:
            NonFiniteError: If a block made a number that is not finite.
        """
        tick = self.tick
        updated: dict[int, Act] = {}
        for running, outputs, condition, at in self._order:
            rate, values = running.rate, running.values
            if rate != 1 and (tick < running.offset or (tick - running.offset) % rate):
                continue
            if condition is not None and not condition[at]:
                continue
            if len(values) == 1:
                running.output()
                if values[0] - values[0] != 0.0:
                    raise self._fault(running)
            else:
                self._several(running, outputs)
            if running.update is not None:
                updated[running.number] = running.update
        for update in updated.values():
            update()
        self.tick += 1

    def _several(self, running: RunningBlock, outputs: slice) -> None:
        """Compute several outputs, or some of them: the others stay as they are."""
        values = running.values
        before = list(values)
        running.output()
        now = values[outputs]
        before[outputs] = now
        values[:] = before
        if any(number - number != 0.0 for number in now):
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
