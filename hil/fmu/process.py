"""An FMU in a process of its own, as the bench sees it: asked, read or given up; never waited for.

Whatever happens to that process, here it is a `StepAnswer` that says so.
"""

from __future__ import annotations

import shutil
import signal
import socket
from contextlib import suppress
from pathlib import Path
from typing import Final, Self

from hil.config.errors import RefusedError
from hil.config.files import open_regular
from hil.fmu.wire import (
    COPY,
    LOG,
    MAX_BYTES,
    MAX_VALUES,
    ModelOrder,
    Packer,
    StepAnswer,
    StepStatus,
)
from hil.ipc.child import DEVNULL, SINGLE_THREADED, ChildProcess, ChildTimeout, start_child
from hil.ipc.work_folder import WorkFolder

START_S: Final = 60.0
"""An FMU may take so long to load: some unpack gigabytes, others start an interpreter."""
LOG_SHOWN: Final = 600
"""Most of the last letters of a model's log that are shown."""
ENDING_S: Final = 1.0
"""Longest wait for the system to say how a process ended, while answers are waited for [s]."""


class ModelProcess:
    """The child that runs one FMU; a context.

    Args:
        order: what it loads. Its file is native code: the caller has made sure that it is trusted.
        start_s: time for loading and initialising [s].

    Raises:
        RefusedError: if it does not load, or does not begin.
    """

    def __init__(self, order: ModelOrder, start_s: float = START_S) -> None:
        if max(len(order.inputs), len(order.outputs)) > MAX_VALUES:
            raise RefusedError(f"{order.path}: more than {MAX_VALUES} inputs or outputs")
        packet = order.model_dump_json().encode()
        if len(packet) > MAX_BYTES:
            text = f"what its process is told takes {len(packet)} bytes, {MAX_BYTES} at most: "
            raise RefusedError(f"{order.path}: {text}fewer inputs, outputs or start values")
        self._packer = Packer(len(order.inputs), len(order.outputs))
        self._path = order.path
        self._folder = WorkFolder("hil-fmu-")
        try:
            copy = self._folder.path / COPY
            with open_regular(Path(order.path)) as file, copy.open("xb") as to:
                shutil.copyfileobj(file, to)
        except OSError as error:
            self._folder.remove()
            raise RefusedError(f"{order.path}: cannot be copied: {error.strerror}") from None
        self._link, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._child: ChildProcess = start_child(
                ["-m", "hil.fmu.child", str(theirs.fileno()), str(self._folder.path)],
                stdout=DEVNULL,
                stderr=DEVNULL,
                pass_fds=[theirs.fileno()],
                environment=SINGLE_THREADED,
                folder=self._folder.path,
            )
        self._failed: StepAnswer | None = None
        try:
            self._link.send(packet)
        except OSError:
            self._fail(self._gone())
        first = self.wait(start_s)
        if first.status is not StepStatus.OK:
            said = self._logged() if first.status in (StepStatus.CRASHED, StepStatus.HUNG) else ""
            self.close()
            raise RefusedError(f"{order.path}: does not begin: {first.text}{said}")
        self.first: StepAnswer = first
        """The initial values."""

    @property
    def pid(self) -> int:
        """Number of the child."""
        return self._child.pid

    def ask(self, index: int, inputs: tuple[float, ...]) -> None:
        """Ask for the step with this number; waits for nothing, and notices a dead child."""
        if self._failed is not None:
            return
        try:
            self._link.send(self._packer.ask(index, inputs), socket.MSG_DONTWAIT)
        except BlockingIOError:
            self._fail(StepAnswer(StepStatus.HUNG, 0, (), "does not take what it is asked"))
        except OSError:
            self._fail(self._gone())

    def take(self) -> StepAnswer | None:
        """The answer, if there is one by now; waits for nothing. A failure stays the answer."""
        if self._failed is not None:
            if self._failed.status is StepStatus.CRASHED:
                self._failed = self._gone()  # by now it may be known how
            return self._failed
        try:
            datagram = self._link.recv(MAX_BYTES, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return None
        except OSError:
            datagram = b""
        return self._answered(datagram)

    def wait(self, longest_s: float) -> StepAnswer:
        """The answer, waited for: for the virtual clock and for loading."""
        if self._failed is not None:
            return self._failed
        self._link.settimeout(longest_s)
        try:
            datagram = self._link.recv(MAX_BYTES)
        except TimeoutError:
            return self.give_up(longest_s)
        except OSError:
            datagram = b""
        finally:
            self._link.settimeout(None)
        if not datagram:
            with suppress(ChildTimeout):
                self._child.wait(ENDING_S)
        return self._answered(datagram)

    def give_up(self, after_s: float) -> StepAnswer:
        """Kill it, because it has not answered for so long [s]."""
        return self._fail(
            StepAnswer(StepStatus.HUNG, 0, (), f"gave no answer within {after_s:g} s")
        )

    def close(self) -> None:
        """End the process, and take away what it unpacked; harmless when repeated."""
        self._link.close()
        self._child.kill()
        self._child.end()
        self._folder.remove()

    def _logged(self) -> str:
        """The last that it logged while it began, where its process could not say it."""
        with suppress(OSError), open_regular(self._folder.path / LOG) as file:
            lines = file.read(MAX_BYTES * 2).decode("utf-8", "replace").split("\n")
            said = "; ".join(line for line in lines if line)[-LOG_SHOWN:]
            return f" (it logged: {said})" if said else ""
        return ""

    def __enter__(self) -> Self:
        """The process itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """End it."""
        self.close()

    def _answered(self, datagram: bytes) -> StepAnswer:
        answer = self._packer.answered(datagram) if datagram else self._gone()
        return answer if answer.status is StepStatus.OK else self._fail(answer)

    def _fail(self, answer: StepAnswer) -> StepAnswer:
        self._failed = answer
        if answer.status is not StepStatus.CRASHED:
            self._child.kill()  # it is waited for when this is closed
        return answer

    def _gone(self) -> StepAnswer:
        """Answer about how the process ended, as far as the system says by now."""
        return StepAnswer(StepStatus.CRASHED, 0, (), f"its process {_ending(self._child.poll())}")


def _ending(status: int | None) -> str:
    if status is None:
        return "ended"
    if status < 0:
        with suppress(ValueError):
            return f"was ended by {signal.Signals(-status).name}"
    return f"ended with status {status}"
