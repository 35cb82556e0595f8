"""One loaded FMU, stepped: the only place that calls native code of others.

Co-simulation as FMI 2.0.4 (4) and FMI 3.0 (4) have it, without event mode, early return or
intermediate updates. Values go through arrays that are made once.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from fmpy.fmi1 import FMICallException
from fmpy.fmi2 import (
    FMU2Slave,
    fmi2CallbackAllocateMemoryTYPE,
    fmi2CallbackFreeMemoryTYPE,
    fmi2CallbackFunctions,
    fmi2CallbackLoggerTYPE,
    fmi2StepFinishedTYPE,
    fmi2Terminated,
)
from fmpy.fmi3 import FMU3Slave

from hil.fmu.description import Description, Variable
from hil.fmu.wire import StepStatus

DISCARD: Final = 2
"""Status of both standards for a step that was refused: fmi2Discard, fmi3Discard."""
STEP_ROUNDING: Final = 1e-9
"""Part of a step by which the last time of a model may fall short of its end."""
MAX_LOGGED: Final = 5
MAX_LOGGED_BYTES: Final = 1000
MAX_LOG_FILE: Final = 64 * 1024


class StepError(Exception):
    """A step, or the beginning, did not go well."""

    def __init__(self, status: StepStatus, text: str) -> None:
        super().__init__(text)
        self.status: StepStatus = status


class LoadedModel:
    """An FMU in this process, from instantiation to the end.

    Args:
        model: what it says of itself.
        folder: where it was unpacked.
        step_s: communication step [s].
        log: file for what it logs while it begins, for whoever finds this process ended.
    """

    def __init__(
        self, model: Description, folder: Path, step_s: float, log: Path | None = None
    ) -> None:
        self._step_s = step_s
        self._done = 0
        self._log: list[str] = []
        self._chatter: list[str] = []
        self._begins, self._file, self._written = True, log, 0
        self._three = model.major == "3"
        kind = FMU3Slave if self._three else FMU2Slave
        self._slave: Any = kind(
            guid=model.token,
            unzipDirectory=str(folder),
            modelIdentifier=model.identifier,
            instanceName="bench",
        )

    def begin(self, start: Mapping[Variable, float]) -> None:
        """Initialise it at time 0.

        Args:
            start: values of parameters and inputs, by variable.

        Raises:
            StepError: if it refuses.
        """
        try:
            if self._three:
                self._slave.instantiate(logMessage=self._log_3, loggingOn=True)
                self._set_all(start)
                self._slave.enterInitializationMode(startTime=0.0)
            else:
                self._callbacks = self._callbacks_2()
                self._slave.instantiate(callbacks=self._callbacks, loggingOn=True)
                self._set_all(start)
                self._slave.setupExperiment(startTime=0.0)
                self._slave.enterInitializationMode()
            self._slave.exitInitializationMode()
        except Exception as error:
            raise StepError(StepStatus.ERROR, self._why(error)) from None
        self._begins, self._chatter = False, []
        with suppress(Exception):  # many have no such function; steps have no time for talk
            self._slave.setDebugLogging(False, [])

    def values(self, variables: Sequence[Variable]) -> Values:
        """The way to the values of some variables."""
        return Values(self._slave, variables, "3" if self._three else "2")

    def step(self, count: int) -> None:
        """Do some steps; the time of each is its number times the step, never a sum.

        Raises:
            StepError: for whatever is no whole step.
        """
        for _ in range(count):
            try:
                self._step(self._done * self._step_s)
            except FMICallException as error:
                status = StepStatus.DISCARD if error.status == DISCARD else StepStatus.ERROR
                if status is StepStatus.DISCARD and self._wants_end():
                    status = StepStatus.END
                raise StepError(status, self._why(error)) from None
            self._done += 1

    def _step(self, time_s: float) -> None:
        if not self._three:
            self._slave.doStep(time_s, self._step_s)
            return
        _, end, early, last_s = self._slave.doStep(time_s, self._step_s)
        if end:
            raise StepError(StepStatus.END, f"the model ends at {last_s:.6g} s")
        if early or last_s < time_s + self._step_s * (1.0 - STEP_ROUNDING):
            text = f"returned at {last_s:.9g} s, and not at {time_s + self._step_s:.9g} s"
            raise StepError(StepStatus.EARLY, text)

    def _wants_end(self) -> bool:
        """FMI 2.0.4, 4.2.3: a discarded step may say that the model wants to end."""
        try:
            return not self._three and self._slave.getBooleanStatus(fmi2Terminated)
        except FMICallException:
            return False

    def _set_all(self, start: Mapping[Variable, float]) -> None:
        if start:
            self.values(tuple(start)).set(tuple(start.values()))

    def _why(self, error: Exception) -> str:
        said = "; ".join(self._log or self._chatter)
        return f"{error}{f' ({said})' if said else ''}"

    def _note(self, status: int, message: bytes | None) -> None:
        """Keep what it logs: what went wrong, and while it begins all else."""
        if status <= 1 and not self._begins:
            return
        text = " ".join((message or b"")[:MAX_LOGGED_BYTES].decode("utf-8", "replace").split())
        kept = self._log if status > 0 else self._chatter
        kept[:] = [*kept, text][-MAX_LOGGED:]
        if self._begins and self._file is not None and self._written < MAX_LOG_FILE:
            self._written += len(text)
            with suppress(OSError), self._file.open("a", encoding="utf-8") as file:
                file.write(text + "\n")

    def _log_3(self, _: Any, status: int, __: bytes, message: bytes) -> None:
        self._note(status, message)

    def _callbacks_2(self) -> fmi2CallbackFunctions:
        library = ctypes.CDLL(None)
        library.calloc.restype = ctypes.c_void_p
        library.calloc.argtypes = [ctypes.c_size_t, ctypes.c_size_t]
        library.free.argtypes = [ctypes.c_void_p]

        def logged(_: Any, __: bytes, status: int, ___: bytes, message: bytes) -> None:
            self._note(status, message)

        made = fmi2CallbackFunctions()
        made.logger = fmi2CallbackLoggerTYPE(logged)
        made.allocateMemory = fmi2CallbackAllocateMemoryTYPE(library.calloc)
        made.freeMemory = fmi2CallbackFreeMemoryTYPE(library.free)
        made.stepFinished = fmi2StepFinishedTYPE(lambda _, __: None)
        return made


class Values:
    """Values of some variables of a model, by type in one call each."""

    def __init__(self, slave: Any, variables: Sequence[Variable], major: str) -> None:
        self._count = len(variables)
        self._groups: list[_Group] = []
        for kind in dict.fromkeys(_accessor(one.type, major) for one in variables):
            places = [at for at, one in enumerate(variables) if _accessor(one.type, major) == kind]
            chosen = [variables[at] for at in places]
            self._groups.append(_Group(slave, kind, major, chosen, places))

    def get(self) -> tuple[float, ...]:
        """All of them; raises `FMICallException`."""
        values = [0.0] * self._count
        for group in self._groups:
            group.get(values)
        return tuple(values)

    def set(self, values: Sequence[float]) -> None:
        """Set all of them; raises `FMICallException`."""
        for group in self._groups:
            group.set(values)


class _Group:
    """Variables of one type."""

    def __init__(
        self, slave: Any, kind: str, major: str, chosen: Sequence[Variable], places: Sequence[int]
    ) -> None:
        self._whole = kind not in ("Real", "Float64", "Float32")
        begins: dict[int, int] = {}  # value reference → where its values begin
        total = 0
        for one in chosen:
            if one.reference not in begins:
                begins[one.reference] = total
                total += one.size
        slots = [begins[one.reference] + one.at for one in chosen]
        self._places = tuple(zip(slots, places, strict=True))
        self._values = (_c_type(kind, major) * total)()
        pointers = ((ctypes.c_uint * len(begins))(*begins), len(begins), self._values)
        sizes = (total,) if major == "3" else ()
        self._arguments = (slave.component, *pointers, *sizes)
        self._getter = getattr(slave, f"fmi{major}Get{kind}")
        self._setter = getattr(slave, f"fmi{major}Set{kind}")

    def get(self, values: list[float]) -> None:
        self._getter(*self._arguments)
        for slot, at in self._places:
            values[at] = float(self._values[slot])

    def set(self, values: Sequence[float]) -> None:
        for slot, at in self._places:
            self._values[slot] = round(values[at]) if self._whole else values[at]
        self._setter(*self._arguments)


def _accessor(kind: str, major: str) -> str:
    """End of the name of the functions for a type."""
    if kind == "Enumeration":
        return "Int64" if major == "3" else "Integer"
    return kind


def _c_type(kind: str, major: str) -> Any:
    if kind == "Boolean":
        return ctypes.c_bool if major == "3" else ctypes.c_int
    return _C_TYPES[kind]


_C_TYPES: Final[dict[str, Any]] = {
    "Real": ctypes.c_double,
    "Integer": ctypes.c_int,
    "Float64": ctypes.c_double,
    "Float32": ctypes.c_float,
    "Int8": ctypes.c_int8,
    "UInt8": ctypes.c_uint8,
    "Int16": ctypes.c_int16,
    "UInt16": ctypes.c_uint16,
    "Int32": ctypes.c_int32,
    "UInt32": ctypes.c_uint32,
    "Int64": ctypes.c_int64,
    "UInt64": ctypes.c_uint64,
}
