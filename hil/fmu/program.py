"""The program of an FMU of our own: a compiled function with its constants and its variables.

One function does all: it begins, steps, or only says what its inputs mean. It is the same machine
code whether the bench calls it or an FMU does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class FmuTask(IntEnum):
    """Task that the function is called for."""

    BEGIN = 0
    """Begin where the inputs say, as if it had always been so."""
    STEP = 1
    """Do a step with the inputs as they are."""
    TELL = 2
    """Say what follows from the inputs without any time passing."""


@dataclass(frozen=True, slots=True)
class Port:
    """One real variable of an FMU."""

    name: str
    unit: str
    """Unit as FMI writes it: "m", "rad/s", "1"."""
    about: str
    start: float = 0.0
    """Start value of an input."""


@dataclass(frozen=True, slots=True, eq=False)
class ModelProgram:
    """A model to be exported."""

    name: str
    """Identifier of the model: letters, digits, underscores."""
    about: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    constants: Array
    """All numbers of the rig and of the parameters."""
    memory: int
    """Numbers that one instance remembers."""
    function: Callable[..., Any]
    """Compiled: (task, constants, given, told, memory, step_s) → 1, or 0 if an input is not
    finite; then nothing has changed."""
    period_s: float | None
    """Its only step; None if any is taken."""
    longest_step_s: float
    """Longer ones are refused [s]."""
    default_step_s: float
    """Step size that its default experiment names [s]."""

    def start(self) -> Array:
        """Start values of the inputs."""
        return np.array([port.start for port in self.inputs])


class Playing:
    """A program as the bench itself runs it: the judge of what was exported."""

    def __init__(self, program: ModelProgram) -> None:
        self._program = program
        self.outputs: Array = np.zeros(len(program.outputs))
        """Its outputs, shape (outputs,)."""
        self._memory = np.zeros(program.memory)
        self.begin(program.start())

    def begin(self, given: Array) -> bool:
        """Begin with inputs; whether they are finite."""
        self._memory[:] = 0.0
        self.outputs[:] = 0.0
        return self._call(FmuTask.BEGIN, given, 0.0)

    def step(self, given: Array, step_s: float) -> bool:
        """Do a step; return whether the inputs are finite."""
        return self._call(FmuTask.STEP, given, step_s)

    def _call(self, task: FmuTask, given: Array, step_s: float) -> bool:
        program = self._program
        given = np.ascontiguousarray(given, np.float64)
        constants = program.constants
        done = program.function(int(task), constants, given, self.outputs, self._memory, step_s)
        return bool(done)
