"""``modelDescription.xml`` of a program (FMI 2.0.4, 2.2; FMI 3.0, 2.4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final
from xml.sax.saxutils import quoteattr

from hil.fmu.program import ModelProgram, Port

BASE_UNITS: Final[Mapping[str, Mapping[str, int]]] = {
    "1": {},
    "s": {"s": 1},
    "m": {"m": 1},
    "m/s": {"m": 1, "s": -1},
    "m/s2": {"m": 1, "s": -2},
    "rad": {"rad": 1},
    "rad/s": {"rad": 1, "s": -1},
    "rad/s2": {"rad": 1, "s": -2},
    "N": {"kg": 1, "m": 1, "s": -2},
}
"""Each unit as powers of SI base units."""
TIME: Final = Port("time", "s", "Time of the simulation")


def description(program: ModelProgram, major: int, token: str, version: str) -> str:
    """The whole file.

    Args:
        major: of FMI, 2 or 3.
        token: GUID or instantiation token.
        version: of the bench, as the tool that made it.
    """
    head = {
        "fmiVersion": f"{major}.0",
        "modelName": program.name,
        ("guid" if major == 2 else "instantiationToken"): token,
        "description": program.about,
        "generationTool": f"hil-bench {version}",
    }
    if major == 2:
        head["variableNamingConvention"] = "flat"
    return "\n".join((
        '<?xml version="1.0" encoding="UTF-8"?>',
        f"<fmiModelDescription{_attributes(head)}>",
        f"  <CoSimulation{_attributes(_interface(program, major))}/>",
        *_units(program),
        f'  <DefaultExperiment startTime="0" stopTime="10" stepSize="{program.default_step_s!r}"/>',
        "  <ModelVariables>",
        *(_variables_2(program) if major == 2 else _variables_3(program)),
        "  </ModelVariables>",
        "  <ModelStructure>",
        *(_structure_2(program) if major == 2 else _structure_3(program)),
        "  </ModelStructure>",
        "</fmiModelDescription>",
        "",
    ))  # fmt: skip


def _interface(program: ModelProgram, major: int) -> dict[str, str]:
    given = {
        "modelIdentifier": program.name,
        "canHandleVariableCommunicationStepSize": "true" if program.period_s is None else "false",
    }
    if major == 2:
        return given | {"canNotUseMemoryManagementFunctions": "true"}
    if program.period_s is not None:
        given["fixedInternalStepSize"] = repr(program.period_s)
    return given


def _units(program: ModelProgram) -> Iterable[str]:
    used = dict.fromkeys(port.unit for port in (TIME, *program.inputs, *program.outputs))
    yield "  <UnitDefinitions>"
    for unit in used:
        powers = _attributes({base: str(power) for base, power in BASE_UNITS[unit].items()})
        yield f"    <Unit name={quoteattr(unit)}><BaseUnit{powers}/></Unit>"
    yield "  </UnitDefinitions>"


def _numbered(program: ModelProgram) -> list[tuple[int, Port, str]]:
    """Value reference, variable and causality of each: inputs, then outputs."""
    inputs = [(1 + k, port, "input") for k, port in enumerate(program.inputs)]
    first = 1 + len(inputs)
    return inputs + [(first + k, port, "output") for k, port in enumerate(program.outputs)]


def _variables_2(program: ModelProgram) -> Iterable[str]:
    for reference, port, causality in _numbered(program):
        yield f"    <ScalarVariable{_named(reference, port, causality)}>"
        start = {"start": repr(port.start)} if causality == "input" else {}
        yield f"      <Real{_attributes({'unit': port.unit} | start)}/>"
        yield "    </ScalarVariable>"


def _variables_3(program: ModelProgram) -> Iterable[str]:
    yield f'    <Float64{_named(0, TIME, "independent")} unit="s"/>'
    for reference, port, causality in _numbered(program):
        start = {"start": repr(port.start)} if causality == "input" else {}
        more = _attributes({"unit": port.unit} | start)
        yield f"    <Float64{_named(reference, port, causality)}{more}/>"


def _named(reference: int, port: Port, causality: str) -> str:
    return _attributes({
        "name": port.name,
        "valueReference": str(reference),
        "description": port.about,
        "causality": causality,
        "variability": "continuous",
    })  # fmt: skip


def _structure_2(program: ModelProgram) -> Iterable[str]:
    first = 1 + len(program.inputs)
    unknowns = [f'<Unknown index="{first + k}"/>' for k in range(len(program.outputs))]
    for kind in ("Outputs", "InitialUnknowns"):
        yield f"    <{kind}>{''.join(unknowns)}</{kind}>"


def _structure_3(program: ModelProgram) -> Iterable[str]:
    for kind in ("Output", "InitialUnknown"):
        for reference, _, causality in _numbered(program):
            if causality == "output":
                yield f'    <{kind} valueReference="{reference}"/>'


def _attributes(values: Mapping[str, str]) -> str:
    return "".join(f" {name}={quoteattr(value)}" for name, value in values.items())
