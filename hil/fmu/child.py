"""The process in which an FMU runs: ``python -m hil.fmu.child DESCRIPTOR FOLDER``.

It has one end of a socket pair, does a step when it is asked for one, and ends when the other end
is closed or its parent dies. What an FMU writes to a terminal goes nowhere; what it does to this
process is seen by the parent as an answer that does not come.
"""

from __future__ import annotations

import ctypes
import math
import resource
import signal
import socket
import struct
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

from hil.fmu.wire import COPY, LOG, MAX_BYTES, ModelOrder, Packer, StepAnswer, StepStatus

PR_SET_PDEATHSIG: Final = 1


def serve(link: socket.socket, folder: Path, now_s: Callable[[], float]) -> None:
    """Load what the first message says, then step until the link is closed.

    Args:
        link: of kind SOCK_SEQPACKET.
        folder: of nobody else; the copy of the FMU in it (`COPY`) is judged and unpacked there.
        now_s: monotonic clock [s].
    """
    order = ModelOrder.model_validate_json(link.recv(MAX_BYTES))
    packer = Packer(len(order.inputs), len(order.outputs))
    begun = now_s()
    try:
        stepper = _Stepper(order, folder)
        answer = stepper.answer(0, now_s() - begun)
    except Exception as error:  # whatever a foreign library does while it is loaded
        text = str(error) or type(error).__name__
        link.send(packer.answer(StepAnswer(StepStatus.ERROR, 0, (), text)))
        return
    link.send(packer.answer(answer))
    while datagram := link.recv(MAX_BYTES):
        try:
            index, inputs = packer.asked(datagram)
        except struct.error:
            return
        begun = now_s()
        stepper.step(inputs)
        link.send(packer.answer(stepper.answer(index, now_s() - begun)))


class _Stepper:
    """The model with the values that are wanted."""

    def __init__(self, order: ModelOrder, folder: Path) -> None:
        from fmpy import extract

        from hil.fmu.description import read_description, require_runnable
        from hil.fmu.model import LoadedModel, StepError

        self._failed: type[StepError] = StepError
        model = replace(read_description(folder / COPY), path=Path(order.path))
        if model.sha256 != order.sha256:
            raise ValueError(f"{order.path} is another file than the one that was trusted")
        require_runnable(model)
        unpacked = folder / "unpacked"
        extract(folder / COPY, unpacked)
        self._model = LoadedModel(model, unpacked, order.step_s, folder / LOG)
        start = {model.settable(name, "start"): value for name, value in order.start.items()}
        self._model.begin(start)
        self._out = self._model.values([model.variable(name, "outputs") for name in order.outputs])
        self._in = self._model.values([model.variable(name, "inputs") for name in order.inputs])
        self._substeps = order.substeps
        self._names = order.outputs
        self._wrong: tuple[StepStatus, str] | None = None

    def step(self, inputs: tuple[float, ...]) -> None:
        """Set the inputs and do one step of the bench; what fails is kept."""
        try:
            if inputs:
                self._in.set(inputs)
            self._model.step(self._substeps)
        except self._failed as error:
            self._wrong = error.status, str(error)
        except Exception as error:
            self._wrong = StepStatus.ERROR, str(error) or type(error).__name__

    def answer(self, index: int, spent_s: float) -> StepAnswer:
        """The outputs now, or what was wrong."""
        values: tuple[float, ...] = ()
        if self._wrong is None:
            try:
                values = self._out.get()
            except Exception as error:
                self._wrong = StepStatus.ERROR, str(error) or type(error).__name__
        if self._wrong is not None:
            return StepAnswer(self._wrong[0], index, (), self._wrong[1], spent_s)
        for name, value in zip(self._names, values, strict=True):
            if not math.isfinite(value):
                return StepAnswer(StepStatus.NOT_FINITE, index, (), f"{name} = {value}", spent_s)
        return StepAnswer(StepStatus.OK, index, values, "", spent_s)


def _die_with_parent() -> None:
    """Leave no process behind, whatever the FMU does; leave no file of a crash either."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main() -> None:
    """Serve on the descriptor, and in the folder, that are named."""
    from hil.timing.realtime import RealClock

    _die_with_parent()
    with socket.socket(fileno=int(sys.argv[1])) as link:
        try:
            serve(link, Path(sys.argv[2]), RealClock().now_s)
        except (BrokenPipeError, ConnectionResetError):
            return


if __name__ == "__main__":
    main()
