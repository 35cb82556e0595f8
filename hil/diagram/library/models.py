"""A model of others as a block: an FMU, whose code is loaded by a run, with a person's trust.

Here only its description is read. The block stands for a `Bias` of 0 for each input, where the
model's is taken from, and for a `Constant` for each output, which who runs it sets in every tick.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

from hil.config.errors import ConfigError, RefusedError
from hil.config.named_files import EmbeddedPath
from hil.diagram.file.model import FMU, NAME, Diagram, DrawnBlock
from hil.diagram.file.units import UnitError, unit
from hil.diagram.library.files import PATH_MOST
from hil.diagram.library.kind import (
    NO_PAIRS,
    BlockKind,
    Example,
    ParameterKind,
    Parameters,
    PortKind,
    Ports,
)  # fmt: skip
from hil.fmu.description import Description, Variable, read_description, require_runnable

TEXT_MOST: Final = 2000
PORTS_MOST: Final = 64
"""Of inputs, and of outputs."""
BETWEEN: Final = ("hold", "line")
_ENTRY: Final = re.compile(r"(?:([A-Za-z]\w*)\s*=\s*)?(\S(?:.*\S)?)", re.ASCII)
_UNIT: Final = re.compile(r"(.*\S)\s+\[([^\[\]]*)\]")
_SPELT: Final = {"m/s2": "m/s^2", "rad/s2": "rad/s^2", "-": "1", "": "1"}


@dataclass(frozen=True, slots=True)
class ModelPort:
    """An input or output of the block."""

    name: str
    variable: str
    """Of the model."""
    unit: str
    """As the text says; empty to take the model's."""


def entries(text: str) -> tuple[ModelPort, ...]:
    """Ports as a text has them: ``v; a = body.acc[1]; q = yaw [deg/s]``."""
    found: list[ModelPort] = []
    for part in filter(None, map(str.strip, text.split(";"))):
        with_unit = _UNIT.fullmatch(part)
        match = _ENTRY.fullmatch(with_unit[1] if with_unit else part)
        name, variable = ("", part) if match is None else match.groups()
        found.append(ModelPort(name or variable, variable, with_unit[2] if with_unit else ""))
    return tuple(found)


def start_of(text: str) -> dict[str, float]:
    """Start values as a text has them: ``mass = 1200; body.v = 3.5``; raises `ValueError`."""
    pairs = (part.rpartition("=") for part in text.split(";") if part.strip())
    return {name.strip(): float(value) for name, _, value in pairs}


def _ports(p: Parameters) -> Ports:
    def port(one: ModelPort) -> PortKind:
        return PortKind(one.name, one.unit or f"?{one.name}", (), frame="")

    inputs, outputs = (tuple(map(port, entries(p[key] or ""))) for key in ("takes", "gives"))
    return Ports(inputs, outputs)


def _fault(p: Parameters) -> str:
    return next(_faults(p), "")


def _faults(p: Parameters) -> Iterator[str]:
    inputs, outputs = entries(p["takes"]), entries(p["gives"])
    if not outputs:
        yield "gives: at least one variable of the model is needed"
    names = [one.name for one in (*inputs, *outputs)]
    for one in (*inputs, *outputs):
        if not NAME.fullmatch(one.name):
            yield f"{one.name[:60]!r} is no name of a port: write NAME = {one.variable[:60]}"
        if names.count(one.name) > 1:
            yield f"{one.name} is given twice: write NAME = {one.variable[:60]} for another name"
        try:
            unit(one.unit or "1")
        except UnitError as error:
            yield f"{one.name}: {error}"
    if max(len(inputs), len(outputs)) > PORTS_MOST:
        yield f"{len(inputs)} inputs and {len(outputs)} outputs: at most {PORTS_MOST} of each"
    try:
        start_of(p["start"])
    except ValueError:
        yield f"start = {p['start'][:60]!r}: write it as mass = 1200; body.v = 3.5"


def described(path: Path) -> Description:
    """What an FMU says of itself; nothing of it is run.

    Raises:
        ConfigError: for a file that could never be run.
    """
    try:
        found = path.stat()
        return _described(path, found.st_mtime_ns, found.st_size)
    except (OSError, RefusedError) as error:
        raise ConfigError(str(path), [str(error)]) from None


@lru_cache(maxsize=16)
def _described(path: Path, changed_ns: int, size: int) -> Description:
    del changed_ns, size  # a file that was written anew is read anew
    model = read_description(path)
    require_runnable(model)
    return model


def _unit_of(one: ModelPort, variable: Variable, path: Path, key: str) -> str:
    """Unit of a port: as the text says, else as the model does, in the words of diagrams."""
    if one.unit:
        return one.unit
    spelling = _SPELT.get(variable.unit, variable.unit.replace(".", "*"))
    try:
        unit(spelling)
    except UnitError as error:
        line = f"{key}: the unit of {variable.name} in {path.name} is none of a diagram ({error})"
        raise ConfigError(str(path), [f"{line}: write {one.name} = {one.variable} [m/s]"]) from None
    return spelling


def _drawn(p: Parameters) -> Diagram:
    """What the block stands for.

    Raises:
        ConfigError: if the model has no such variables, or is none.
    """
    path = p["file"]
    model = None if isinstance(path, EmbeddedPath) else described(Path(path))
    blocks, wires = dict[str, DrawnBlock](), dict[str, str]()
    for key, causality in (("takes", "input"), ("gives", "output")):
        for one in entries(p[key]):
            of = one.unit or "1" if model is None else _unit_in(model, one, key, causality)
            inner = inner_name(one, p)
            if key == "takes":
                blocks |= {one.name: DrawnBlock("In"), inner: DrawnBlock("Bias", {"unit": of})}
                wires[f"{inner}.u"] = f"{one.name}.y"
            else:
                held = DrawnBlock("Constant", {"value": 0.0, "unit": of})
                blocks |= {one.name: DrawnBlock("Out"), inner: held}
                wires[f"{one.name}.u"] = f"{inner}.y"
    if model is not None:
        for name in start_of(p["start"]):
            model.settable(name, "start")
    return Diagram(blocks, wires)


def _unit_in(model: Description, one: ModelPort, key: str, causality: str) -> str:
    """Unit of a port, which must be an input or output of the model."""
    variable, path = model.variable(one.variable, key), model.path
    if variable.causality != causality:
        line = f"{key}: {one.variable} is a {variable.causality} of {path.name}"
        raise ConfigError(str(path), [f"{line}; an {causality} is needed"])
    return _unit_of(one, variable, path, key)


def describe_model(p: Parameters) -> dict[str, str]:
    """Parameters of a block that tell what its file would: units of all ports, and its digest.

    Raises:
        ConfigError: as when it is drawn.
    """
    model, ports_of = described(Path(p["file"])), dict[str, str]()
    for key, causality in (("takes", "input"), ("gives", "output")):
        ports = [f"{one.name} = {one.variable} [{_unit_in(model, one, key, causality)}]"
                 for one in entries(p[key])]  # fmt: skip
        ports_of[key] = "; ".join(ports)
    return {**ports_of, "sha256": model.sha256}


def inner_name(port: ModelPort, p: Parameters) -> str:
    """Name of the block inside that has the numbers of a port."""
    taken = {one.name for key in ("takes", "gives") for one in entries(p[key])}
    name = f"{port.name[:50]}_now"
    while name in taken:
        name += "_"
    return name


KINDS: Final = (
    BlockKind(
        name=FMU, group="models", about="An FMU for co-simulation, native code of others, in a "
        "process of its own, where a person says --trust: `hil diagram run`, `hil diagram edit`, "
        "a world's run.",
        equation="y[k] = the model after k steps of H, its inputs u[k-1] held from k-1 to k; "
        "y[0] its initial outputs",
        ports=_ports, direct=NO_PAIRS, check=_fault, drawn=_drawn,
        parameters=(
            ParameterKind("file", "file", high=PATH_MOST, about="beside the diagram"),
            ParameterKind("gives", "text", "", high=TEXT_MOST,
                          about="variables of the model, ; between: v; a = body.acc [m/s^2]"),
            ParameterKind("takes", "text", "", high=TEXT_MOST, about="likewise"),
            ParameterKind("start", "text", "", high=TEXT_MOST,
                          about="start values: mass = 1200; body.v = 3.5"),
            ParameterKind("step_s", default=0.0, low=0.0, high=1.0, unit="s",
                          about="communication step; 0: H, or the model's fixed step if longer"),
            ParameterKind("between", "text", "", choices=("", *BETWEEN),
                          about="between steps longer than H: hold the newest, or a line to it, "
                          "a step later"),
            ParameterKind("deadline_s", default=0.05, low=0.001, high=1.0, unit="s",
                          about="in real time, an answer later than this stops the diagram"),
            ParameterKind("sha256", "text", "", about="of the file, as `hil fmu info` says it"),
        ),
        example=Example(
            {"file": "FmuCar.fmu", "gives": "f_x; r", "takes": ""},
        ),
    ),
)  # fmt: skip
