"""A block that runs in plain Python: its numbers, its states, and what computes them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from hil.diagram.check.diagram import SoundDiagram
from hil.diagram.check.flat import FlatBlock
from hil.diagram.library.kind import Parameters
from interpreter.navigation import NAVIGATION
from interpreter.spatial import SPATIAL
from interpreter.stateful import STATEFUL, Element
from interpreter.stateless import CONSTANTS, SOURCES, STATELESS
from interpreter.whole import WHOLE, PythonBlock, WholeBlock

Act = Callable[[], None]
EVERY: Final = {**WHOLE, **SPATIAL, **NAVIGATION}
"""Blocks whose elements hang together, by the kind's name."""


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
    """A block with the numbers of its outputs and its states.

    Args:
        tick: gives the base tick.
    """

    def __init__(self, sound: SoundDiagram, block: FlatBlock, tick: Callable[[], int]) -> None:
        self.block = block
        self._sound = sound
        self._tick = tick
        types = [sound.types[block.path, one.name] for one in block.ports.outputs]
        self.sizes = [one.size for one in types]
        self.values = [number for one in types for number in one.start]
        self.readings: list[InputNumbers] = []
        self.setting = self._sound.setting(block)
        self.initial = block.kind.initial_of(block.parameters, self.setting)
        self.states: list[list[float]] = []
        self.output: Act = lambda: None
        self.update: Act = lambda: None
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
            parts = self.block.kind.elements(parameters, setting.size)
            self.output = self._elements([STATELESS[name](one, setting) for one in parts])
        elif name in STATEFUL:
            self.states = [kept[every * i : every * (i + 1)] for i in range(setting.size)]
            parts = self.block.kind.elements(parameters, setting.size)
            pairs = zip(parts, self.states, strict=True)
            made = [STATEFUL[name](one, setting, x) for one, x in pairs]
            self.output = self._elements([one.output for one in made])
            self.update = self._updates(made)
        elif name in EVERY or self.block.kind.functions is not None:
            self.states = [kept]
            whole = self._whole(parameters, kept)
            self.output = lambda: self._set_all(whole.output(*(r.all() for r in self.readings)))
            if kept:
                self.update = lambda: whole.update(*(r.all() for r in self.readings))
        elif name == "Restart":
            self.states = [kept]
            self.output, self.update = self._restart, self._remember
        else:
            raise LookupError(f"{self.block.path}: the interpreter has no equation of {name}")

    def _whole(self, parameters: Parameters, states: list[float]) -> WholeBlock:
        kind = self.block.kind
        if kind.functions is None:
            return EVERY[kind.name](parameters, self.setting, states)
        return PythonBlock(parameters, self.setting, states, kind, len(self.values))

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
            self.values[0] = equation(self._tick())

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
