"""Messages between the bench and the process of an FMU: a datagram each way for each step.

Little-endian. To the child: the index of the next step (u64), then the inputs (f64). From it: a
status (u8) and a reserved byte, the length of a text (u16), four more reserved, the index of the
step that is done (u64), the time spent in it (f64, s), the outputs (f64), the text in UTF-8.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from pydantic import Field

from hil.config.settings import Settings

ASK: Final = struct.Struct("<Q")
ANSWER: Final = struct.Struct("<BxHxxxxQd")
MAX_TEXT: Final = 2000
COPY: Final = "model.fmu"
"""The FMU in the folder of its process: what is judged there is what is run."""
LOG: Final = "log.txt"
"""Name of its log while it begins, in the same folder."""
MAX_BYTES: Final = 64 * 1024
MAX_VALUES: Final = 1000
"""Most inputs, and most outputs; a thousand are 8 kB."""


class StepStatus(IntEnum):
    """Status of a step, or of the beginning."""

    OK = 0
    DISCARD = 1
    """The model refused the step."""
    ERROR = 2
    EARLY = 3
    """It returned before the end of the step."""
    END = 4
    """It wants the simulation to end."""
    NOT_FINITE = 5
    """An output is no finite number."""
    CRASHED = 6
    """Its process ended; set by the parent, never by the child."""
    HUNG = 7
    """It gave no answer in time; set by the parent."""


class ModelOrder(Settings):
    """What the child is to load, as its first message says, in JSON."""

    path: str
    sha256: str
    step_s: float
    """Communication step [s]."""
    substeps: int
    """Communication steps in each answer."""
    outputs: tuple[str, ...]
    inputs: tuple[str, ...]
    start: dict[str, float] = Field(default_factory=dict)
    """Start values of parameters and inputs."""


@dataclass(frozen=True, slots=True)
class StepAnswer:
    """Result of a step."""

    status: StepStatus
    index: int
    """Number of steps of the bench that are done; 0: the initial values."""
    values: tuple[float, ...]
    """Outputs in the order asked for; empty unless the status is OK."""
    text: str = ""
    """Reason why it is not."""
    spent_s: float = 0.0
    """Time that the model took [s]."""


class Packer:
    """The two datagrams of one model, whose numbers of values are fixed."""

    def __init__(self, inputs: int, outputs: int) -> None:
        self._ask = struct.Struct(f"<Q{inputs}d")
        self._answer = struct.Struct(f"{ANSWER.format}{outputs}d")
        self._outputs = outputs

    def ask(self, index: int, values: tuple[float, ...]) -> bytes:
        """The step with this index, with these inputs."""
        return self._ask.pack(index, *values)

    def asked(self, datagram: bytes) -> tuple[int, tuple[float, ...]]:
        """Index and inputs; raises `struct.error` for any other length."""
        index, *values = self._ask.unpack(datagram)
        return index, tuple(values)

    def answer(self, answer: StepAnswer) -> bytes:
        """A datagram of one that the child gives."""
        text = answer.text.encode("utf-8", "replace")[:MAX_TEXT]
        values = answer.values if answer.status is StepStatus.OK else (0.0,) * self._outputs
        head = self._answer.pack(answer.status, len(text), answer.index, answer.spent_s, *values)
        return head + text

    def answered(self, datagram: bytes) -> StepAnswer:
        """Answer in a datagram of the child; one that is damaged means that its process failed."""
        if len(datagram) < self._answer.size:
            return StepAnswer(StepStatus.CRASHED, 0, (), "its process answered what is no answer")
        status, length, index, spent_s, *values = self._answer.unpack_from(datagram)
        text = datagram[self._answer.size :].decode("utf-8", "replace")
        if len(datagram) != self._answer.size + length or status > StepStatus.NOT_FINITE:
            return StepAnswer(
                StepStatus.CRASHED, index, (), "its process answered what is no answer"
            )
        if status == StepStatus.OK:
            return StepAnswer(StepStatus.OK, index, tuple(values), text, spent_s)
        return StepAnswer(StepStatus(status), index, (), text, spent_s)
