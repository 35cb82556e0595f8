"""What an FMU says of itself, read without loading any of its native code.

The file is a zip archive with ``modelDescription.xml`` (FMI 2.0.4, 2.2; FMI 3.0, 2.4). Refused
here: what could never be run by the bench, with the reason, before anything of it is trusted.
"""

from __future__ import annotations

import difflib
import hashlib
import itertools
import math
import os
import re
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

from hil.config.errors import ConfigError
from hil.config.files import open_regular
from hil.fmu.extra import require_fmpy

if TYPE_CHECKING:
    from fmpy.model_description import ModelDescription, ModelVariable

MAX_FILE_BYTES: Final = 1 << 30
MAX_DESCRIPTION_BYTES: Final = 8 << 20
"""Some fifty thousand variables; its parser takes thirty times as much memory for dense XML."""
DESCRIPTION: Final = "modelDescription.xml"
REAL: Final = frozenset({"Real", "Float64", "Float32"})
WHOLE: Final = frozenset(
    {"Integer", "Int8", "UInt8", "Int16", "UInt16", "Int32", "UInt32", "Int64", "UInt64"}
)
LOGICAL: Final = frozenset({"Boolean"})
NUMERIC: Final = REAL | WHOLE | LOGICAL | {"Enumeration"}
"""Types whose values can be a number of the bench."""
PLATFORMS: Final = {"2": "linux64", "3": "x86_64-linux"}
"""Folder of the binaries that the bench loads, by the major version."""
MAX_ARRAY: Final = 4096
"""An array is read whole for each of its elements that is wanted."""
MAX_LOSSES: Final = 20
"""So many faults of a description that do not matter are told."""
_UNDEFINED_UNIT: Final = re.compile('The (display )?unit ".*" of .*variable .* not defined')
_INDICES: Final = re.compile(r"\[([0-9]{1,6}(?:,[0-9]{1,6}){0,7})\]$")


@dataclass(frozen=True, slots=True)
class Variable:
    """One variable of a model."""

    name: str
    type: str
    """As FMI names it: Real, Float64, Integer, …"""
    causality: str
    """parameter, input, output, local, independent, …"""
    variability: str
    unit: str
    """As the file says; empty if it does not."""
    start: str
    """Its start value as text; empty if there is none."""
    reference: int
    """Value reference."""
    shape: tuple[int, ...]
    """Of an array (FMI 3); empty for a scalar, and for one element."""
    description: str
    size: int = 1
    """Values that its reference has; more than one for an array and for an element of it."""
    at: int = 0
    """Which of them it is, of an element; row after row, as FMI 3 has them (2.2.6.1)."""


@dataclass(frozen=True, slots=True)
class Description:
    """What an FMU is."""

    path: Path
    sha256: str
    """Digest of the whole file, hexadecimal."""
    fmi: str
    """Version of the standard, such as "2.0"."""
    name: str
    token: str
    """GUID or instantiation token."""
    identifier: str
    """Of its co-simulation library; empty if it has none."""
    tool: str
    interfaces: tuple[str, ...]
    """Of: co-simulation, model exchange, scheduled execution."""
    platforms: tuple[str, ...]
    """Folders of its binaries."""
    step_s: float | None
    """Step of its default experiment [s]."""
    fixed_step_s: float | None
    """Internal step that a communication step must be a multiple of [s]; None if any is taken."""
    stop_s: float | None
    """End of its default experiment [s]."""
    may_return_early: bool
    variables: tuple[Variable, ...]
    needs_tool: bool
    """Whether it wants the program that made it, or an interpreter, on the machine."""
    losses: tuple[str, ...] = ()
    """What is wrong in its description and does not matter."""

    @property
    def major(self) -> str:
        """Major version of the standard."""
        return self.fmi.partition(".")[0]

    def variable(self, name: str, place: str) -> Variable:
        """A variable by its name, or an element of an array: ``acc[1]`` is the first, ``J[2,3]``.

        Args:
            place: key of the settings that names it.

        Raises:
            ConfigError: with the names that come nearest.
        """
        for one in self.variables:
            if one.name == name:
                return one
        if (found := _INDICES.search(name)) is not None:
            array = next((one for one in self.variables if one.name == name[: found.start()]), None)
            if array is not None and array.shape:
                return self._element(array, name, [int(at) for at in found[1].split(",")], place)
        known = [one.name for one in self.variables]
        close = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
        near = f"; near ones: {', '.join(close)}" if close else f"; it has {len(known)} others"
        raise ConfigError(str(self.path), [f"{place} = {name!r}: no such variable{near}"])

    def settable(self, name: str, place: str) -> Variable:
        """A variable that takes a start value: no array, and no element of one.

        Raises:
            ConfigError: also with the names that come nearest.
        """
        one = self.variable(name, place)
        if one.shape or one.size > 1:
            line = f"{place} = {name!r}: is an array or an element of one; only scalars can be set"
            raise ConfigError(str(self.path), [line])
        return one

    def _element(self, array: Variable, name: str, indices: list[int], place: str) -> Variable:
        within = len(indices) == len(array.shape) and all(
            1 <= at <= size for at, size in zip(indices, array.shape, strict=True)
        )
        if not within:
            line = f"{place} = {name!r}: no such element; {array.name} has {span_of(array)}"
            raise ConfigError(str(self.path), [line])
        if array.size > MAX_ARRAY:
            line = f"{place} = {name!r}: {array.size} elements, at most {MAX_ARRAY} are read"
            raise ConfigError(str(self.path), [line])
        at = 0
        for index, size in zip(indices, array.shape, strict=True):
            at = at * size + index - 1
        return replace(array, name=name, shape=(), at=at)


def elements_of(array: Variable) -> Iterator[str]:
    """Names of the elements of an array, row after row."""
    for indices in itertools.product(*(range(1, size + 1) for size in array.shape)):
        yield f"{array.name}[{','.join(map(str, indices))}]"


def span_of(array: Variable) -> str:
    """The first and the last element of an array, as a person names them."""
    first, last = (",".join(map(str, ends)) for ends in ((1,) * len(array.shape), array.shape))
    return f"{array.name}[{first}] to {array.name}[{last}]"


def read_description(path: Path) -> Description:
    """Read what an FMU says of itself; nothing of it is run.

    Raises:
        ConfigError: for a file that is none, or whose description is not valid.
        RefusedError: if the library that reads it is missing.
    """
    require_fmpy()
    with _opened(path) as file:  # once: what is told, and what was judged, are of the same bytes
        sha256 = _digest(file)
        names = _names(path, file)
        model, losses = _model(path, file)
    kinds = {
        "co-simulation": model.coSimulation,
        "model exchange": model.modelExchange,
        "scheduled execution": model.scheduledExecution,
    }
    slave, trial = model.coSimulation, model.defaultExperiment
    step_s = _time(None if trial is None else trial.stepSize)
    platforms = {name.split("/")[1] for name in names if name.count("/") > 1 and _binary(name)}
    return Description(
        path=path,
        sha256=sha256,
        fmi=str(model.fmiVersion),
        name=str(model.modelName),
        token=str(model.instantiationToken or model.guid),
        identifier="" if slave is None else str(slave.modelIdentifier),
        tool=str(model.generationTool or ""),
        interfaces=tuple(name for name, kind in kinds.items() if kind is not None),
        platforms=tuple(sorted(platforms)),
        step_s=step_s,
        fixed_step_s=_fixed_step_s(model, step_s),
        stop_s=_time(None if trial is None else trial.stopTime),
        may_return_early=bool(slave is not None and slave.mightReturnEarlyFromDoStep),
        variables=tuple(_variable(one) for one in model.modelVariables),
        needs_tool=bool(slave is not None and slave.needsExecutionTool),
        losses=losses,
    )


def require_runnable(model: Description) -> None:
    """Refuse an FMU that the bench could never run.

    Raises:
        ConfigError: model exchange only, another version, no binary for this system.
    """
    source = str(model.path)
    if "co-simulation" not in model.interfaces:
        has = " and ".join(model.interfaces) or "no interface"
        raise ConfigError(
            source, [f"has {has} only: it brings no solver; export it for co-simulation"]
        )
    if model.major not in PLATFORMS:
        raise ConfigError(source, [f"is of FMI {model.fmi}; the bench runs FMI 2.0 and 3.0"])
    wanted = PLATFORMS[model.major]
    if wanted not in model.platforms:
        has = ", ".join(model.platforms) or "none"
        raise ConfigError(
            source,
            [f"has no Linux binary (binaries/{wanted}), but {has}; export it for 64-bit Linux"],
        )


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    try:
        if not path.is_file():
            raise ConfigError(str(path), ["cannot be read: no such file"])
        with open_regular(path) as file:
            if file.seek(0, os.SEEK_END) > MAX_FILE_BYTES:
                line = f"is larger than {MAX_FILE_BYTES >> 20} MiB; not read"
                raise ConfigError(str(path), [line])
            file.seek(0)
            yield file
    except OSError as error:
        raise ConfigError(str(path), [f"cannot be read: {error.strerror}"]) from None


def _digest(file: IO[bytes]) -> str:
    digest = hashlib.sha256()
    while data := file.read(1 << 20):
        digest.update(data)
    return digest.hexdigest()


def _names(path: Path, file: IO[bytes]) -> list[str]:
    try:
        with zipfile.ZipFile(file) as archive:
            info = archive.getinfo(DESCRIPTION)
            if info.file_size > MAX_DESCRIPTION_BYTES:
                raise ConfigError(
                    str(path), [f"{DESCRIPTION} is larger than {MAX_DESCRIPTION_BYTES >> 20} MiB"]
                )
            if locked := [one.filename for one in archive.infolist() if one.flag_bits & 1]:
                raise ConfigError(str(path), [f"is no FMU: {locked[0][:200]} is encrypted"])
            return archive.namelist()
    except KeyError:
        raise ConfigError(str(path), [f"is no FMU: it holds no {DESCRIPTION}"]) from None
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise ConfigError(str(path), [f"is no FMU: {error}"]) from None


def _model(path: Path, file: IO[bytes]) -> tuple[ModelDescription, tuple[str, ...]]:
    """What the library reads, and what it finds wrong that does not matter: names of units.

    A unit is taken by its name alone (`hil.fmu.variable_map`), so that one need not be defined.
    """
    from fmpy import read_model_description

    try:
        return read_model_description(file), ()
    except Exception as error:  # the library raises its own, and those of its parsers
        found = getattr(error, "problems", ())
        if not found or not all(_UNDEFINED_UNIT.match(str(one)) for one in found):
            problems = found[:3]  # joined by the library, they take hours
            lines = " ".join(" - ".join(map(str, problems or [str(error)])).split())
            raise ConfigError(str(path), [f"{DESCRIPTION} is not valid: {lines[:600]}"]) from None
    file.seek(0)
    losses = tuple(" ".join(str(one).split())[:200] for one in found[:MAX_LOSSES])
    return read_model_description(file, validate=False), losses


def _binary(name: str) -> bool:
    return name.startswith("binaries/") and not name.endswith("/")


def _variable(one: ModelVariable) -> Variable:
    kind = one.declaredType
    unit = one.unit or (kind.unit if kind is not None else None)
    return Variable(
        name=str(one.name),
        type=str(one.type),
        causality=str(one.causality or "local"),
        variability=str(one.variability or "continuous"),
        unit=str(unit or ""),
        start="" if one.start is None else str(one.start),
        reference=int(one.valueReference),
        shape=(shape := _shape(one)),
        size=math.prod(shape),
        description=str(one.description or ""),
    )


def _shape(one: ModelVariable) -> tuple[int, ...]:
    return tuple(int(size) for size in one.shape) if one.dimensions and one.shape else ()


def _fixed_step_s(model: ModelDescription, step_s: float | None) -> float | None:
    """FMI 3 has an attribute of its own; FMI 2 says only that a step may not vary.

    Its tools put the solver's fixed step into the default experiment then.
    """
    slave: Any = model.coSimulation
    if slave is None:
        return None
    if slave.fixedInternalStepSize is not None:
        return _time(slave.fixedInternalStepSize)
    fixed = not slave.canHandleVariableCommunicationStepSize
    return step_s if fixed and str(model.fmiVersion).startswith("2") else None


def _time(value: Any) -> float | None:
    """A positive time [s], if it is one."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) and number > 0.0 else None
