"""Interface of an exercise: a law, faults that can be put into it, a plant, and its judgement."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Protocol

from hil.diagram.check.seam import Endpiece
from hil.diagram.exercises.law import DrawnLaw


def draw_of(*what: object) -> Random:
    """Return a sequence of draws of its own for each seed and purpose."""
    return Random("/".join(map(str, what)))  # noqa: S311 - exercises are no secrets


Values = Mapping[str, Sequence[float]]
"""Name of an input or output of the diagram → its numbers."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A quantity that was measured in a scene, and its limit."""

    name: str
    value: float
    most: float
    unit: str
    """Unit of both; empty for a count."""

    @property
    def ok(self) -> bool:
        """Whether it is a number, and not above."""
        return self.value <= self.most


class Plant(Protocol):
    """Plant of the law, in one scene."""

    def inputs(self, time_s: float) -> Values:
        """Return the inputs of the law."""
        ...

    def step(self, time_s: float, outputs: Values) -> None:
        """Advance by one tick with the outputs of the law."""
        ...

    def measures(self) -> Sequence[Measure]:
        """Return the measures of the law's behaviour, at the end of the scene."""
        ...


@dataclass(frozen=True, slots=True)
class LawFault:
    """A fault that changes how a law behaves."""

    name: str
    hints: tuple[str, str, str]
    """Hints, each more than the one before: where to search, what to measure, what is wrong."""
    put: Callable[[DrawnLaw, Random], None]
    """Puts it into a law."""


@dataclass(frozen=True, slots=True, eq=False)
class Exercise:
    """A law to be repaired."""

    name: str
    family: str
    about: str
    """Behaviour of a working law, for the student."""
    inputs: tuple[Endpiece, ...]
    outputs: tuple[Endpiece, ...]
    seconds: float
    """Duration of a scene [s]."""
    law: Callable[[Random], DrawnLaw]
    """A working one, its numbers drawn."""
    plant: Callable[[Random], Plant]
    """A scene, drawn."""
    faults: tuple[LawFault, ...]
    base_s: float = 0.002
    """Period of the law, and of the plant [s]."""
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """Part → names of which one is drawn, beside those that all exercises have."""
