"""Comparison and logic, element by element."""

from __future__ import annotations

from typing import Final

from hil.diagram.library.kind import (
    BlockKind,
    Example,
    ParameterKind,
    Parameters,
    PortKind,
    Ports,
    count,
    each,
    flag,
)  # fmt: skip

COMPARE: Final = "comparison"
LOGIC: Final = "logic"


def _comparison(name: str, about: str, equation: str) -> BlockKind:
    ports = Ports((PortKind("u1"), PortKind("u2")), (flag("y"),))
    return BlockKind(name=name, group=COMPARE, about=about, equation=equation, ports=ports,
                     example=Example(inputs={"u1": 1.0, "u2": 2.0}))  # fmt: skip


def _logic(name: str, about: str, equation: str) -> BlockKind:
    ports = Ports((flag("u1"), flag("u2")), (flag("y"),))
    return BlockKind(name=name, group=LOGIC, about=about, equation=equation, ports=ports,
                     example=Example(inputs={"u1": True, "u2": False}))  # fmt: skip


def _range_ports(parameters: Parameters) -> Ports:
    return Ports((PortKind("u", parameters["unit"]),), (flag("y"),))


def _range_fault(parameters: Parameters) -> str:
    low, high = parameters["low"], parameters["high"]
    return "" if low <= high else f"low = {low:g} is above high = {high:g}"


def _tolerance_ports(parameters: Parameters) -> Ports:
    unit = parameters["unit"]
    return Ports((PortKind("u1", unit), PortKind("u2", unit)), (flag("y"),))


UNIT: Final = ParameterKind("unit", "unit", "1", about="unit of the inputs and of the limits")

KINDS: Final = (
    _comparison("Less", "Whether the first is less.", "y = u1 < u2"),
    _comparison("LessEqual", "Whether the first is no more.", "y = u1 <= u2"),
    _comparison("Greater", "Whether the first is greater.", "y = u1 > u2"),
    _comparison("GreaterEqual", "Whether the first is no less.", "y = u1 >= u2"),
    BlockKind(
        name="Near", group=COMPARE, about="Whether two are equal within a tolerance.",
        equation="y = |u1 - u2| <= tolerance", ports=_tolerance_ports,
        parameters=(*each(ParameterKind("tolerance", default=0.0, low=0.0, unit="unit")), UNIT),
        example=Example({"tolerance": 0.1}, {"u1": 1.0, "u2": 1.05}),
    ),
    BlockKind(
        name="Within", group=COMPARE, about="Whether a value lies between two limits.",
        equation="y = low <= u <= high", ports=_range_ports, check=_range_fault,
        parameters=(
            *each(
                ParameterKind("low", default=-1.0, unit="unit"),
                ParameterKind("high", default=1.0, unit="unit"),
            ), UNIT,
        ),
        example=Example(inputs={"u": 0.5}),
    ),
    _logic("And", "Both.", "y = u1 and u2"),
    _logic("Or", "One or both.", "y = u1 or u2"),
    _logic("Xor", "One, but not both.", "y = u1 != u2"),
    _logic("Nand", "Not both.", "y = not (u1 and u2)"),
    _logic("Nor", "Neither.", "y = not (u1 or u2)"),
    BlockKind(
        name="Not", group=LOGIC, about="The opposite.", equation="y = not u",
        ports=Ports((flag("u"),), (flag("y"),)), example=Example(inputs={"u": True}),
    ),
    BlockKind(
        name="BooleanToReal", group=LOGIC, about="1 for true, 0 for false.",
        equation="y = 1 if u else 0",
        ports=Ports((flag("u"),), (PortKind("y", "1", frame="?g"),)),
        example=Example(inputs={"u": True}),
    ),
    BlockKind(
        name="IntegerToReal", group=LOGIC, about="A whole number as a real one.",
        equation="y = u", ports=Ports((count("u"),), (PortKind("y", "1", frame="?g"),)),
        example=Example(inputs={"u": 3}),
    ),
    BlockKind(
        name="RealToInteger", group=LOGIC, about="The nearest whole number, halves upwards.",
        equation="y = floor(u + 1/2)",
        ports=Ports((PortKind("u", "1", frame="?g"),), (count("y"),)),
        example=Example(inputs={"u": 2.6}),
    ),
)  # fmt: skip
