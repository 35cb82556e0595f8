"""Peers of the diagrams' engine, pathsim and bdsim: each makes its own of a diagram's file.

Both integrate by Euler's forward rule with a fixed step, as `IntegralForward` does. Kinds that a
peer lacks (`Sin`, `Abs` in bdsim) are its blocks of a Python function.
"""

import io
import math
import os
import sys
import warnings
from contextlib import redirect_stderr, redirect_stdout
from typing import Any

import numpy as np

from hil.diagram.file.model import DiagramFile

FOLDER = "HIL_DIAGRAM_PEERS"
"""Variable of the environment: where the peers are, if not among the installed packages."""
HOW = (
    "pip install --target /tmp/diagram_peers pathsim==0.27.1 bdsim==1.4.0, "
    f"then {FOLDER}=/tmp/diagram_peers"
)


def find_peers() -> None:
    """Let them be imported, after everything that is installed."""
    folder = os.environ.get(FOLDER)
    if folder and folder not in sys.path:
        sys.path.append(folder)


class Pathsim:
    """A diagram in pathsim."""

    ahead = 1
    """Its outputs after a step are those of so many ticks later."""

    def __init__(self, file: DiagramFile) -> None:
        from pathsim import Connection, Simulation  # pyright: ignore[reportMissingImports]
        from pathsim.blocks import Abs, Adder, Amplifier, Integrator, Sin, SinusoidalSource  # pyright: ignore[reportMissingImports]
        from pathsim.solvers import EUF  # pyright: ignore[reportMissingImports]

        make: dict[str, Any] = {
            "Sine": lambda p: SinusoidalSource(frequency=p["frequency_hz"], amplitude=1.0),
            "Sum": lambda p: Adder(p["signs"]),
            "Gain": lambda p: Amplifier(p["k"]),
            "IntegralForward": lambda _: Integrator(0.0),
            "Sin": lambda _: Sin(),
            "Abs": lambda _: Abs(),
        }
        top = file.top
        self.blocks = {name: make[one.kind](one.parameters) for name, one in top.blocks.items()}
        wires = [
            Connection(self.blocks[source.partition(".")[0]], self.blocks[name][_number(port)])
            for (name, port), source in _ends(file)
        ]
        self._step_s = file.base_s
        self._simulation = Simulation(
            list(self.blocks.values()), wires, dt=file.base_s, Solver=EUF, log=False
        )

    def step(self) -> None:
        """One step."""
        self._simulation.timestep(self._step_s)

    def output(self, name: str) -> float:
        """Of a block after the last step."""
        return float(self.blocks[name].outputs[0])


class Bdsim:
    """A diagram in bdsim."""

    ahead = 0

    def __init__(self, file: DiagramFile) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from bdsim import BDSim  # pyright: ignore[reportMissingImports]

            drawn = BDSim(graphics=False, banner=False, progress=False).blockdiagram()
        make: dict[str, Any] = {
            "Sine": lambda p: drawn.WAVEFORM("sine", freq=p["frequency_hz"], amplitude=1.0),
            "Sum": lambda p: drawn.SUM(p["signs"]),
            "Gain": lambda p: drawn.GAIN(p["k"]),
            "IntegralForward": lambda _: drawn.INTEGRATOR(x0=0.0),
            "Sin": lambda _: drawn.FUNCTION(lambda u: math.sin(u)),
            "Abs": lambda _: drawn.FUNCTION(lambda u: abs(u)),
        }
        self._blocks = {
            name: make[one.kind](one.parameters) for name, one in file.top.blocks.items()
        }
        for (name, port), source in _ends(file):
            one = self._blocks[source.partition(".")[0]]
            drawn.connect(one, self._blocks[name][_number(port)])
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            drawn.compile(report=False)  # tells each output that nobody takes
        self._drawn, self._step_s, self._tick = drawn, file.base_s, 0
        self._state = drawn.getstate0()

    def step(self) -> None:
        """One evaluation of all blocks, and the states of the next."""
        time_s = self._tick * self._step_s
        states = self._drawn.state_map(self._state)
        self._drawn.evaluate(states, time_s)
        slopes = self._drawn.deriv(time_s, states)
        self._state = self._state + self._step_s * np.asarray(slopes)
        self._tick += 1

    def output(self, name: str) -> float:
        """Of a block after the last step."""
        return float(self._blocks[name].outport_value(0))


def _ends(file: DiagramFile) -> list[tuple[tuple[str, str], str]]:
    return [((*target.split(".", 1),), source) for target, source in file.top.wires.items()]  # type: ignore[misc]


def _number(port: str) -> int:
    """Place of an input among a block's."""
    return int(port[1:]) - 1 if port[1:].isdigit() else 0
