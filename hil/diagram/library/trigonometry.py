"""Trigonometry, in radians, and conversion of units."""

from __future__ import annotations

from typing import Final

from hil.diagram.file.units import UnitError, conversion
from hil.diagram.library.kind import (
    BlockKind,
    Example,
    ParameterKind,
    Parameters,
    Ports,
    one_in,
    two_in,
)

GROUP: Final = "trigonometry"
ONE: Final = Example(inputs={"u": 0.5})


def _convert_ports(parameters: Parameters) -> Ports:
    return one_in(parameters["from"], parameters["to"])


def _convert_fault(parameters: Parameters) -> str:
    try:
        conversion(parameters["from"], parameters["to"])
    except UnitError as error:
        return f"{error}; both must measure the same"
    return ""


def _plain(name: str, about: str, equation: str) -> BlockKind:
    return BlockKind(name=name, group=GROUP, about=about, equation=equation,
                     ports=one_in("1", "1"), example=ONE)  # fmt: skip


KINDS: Final = (
    _plain("Sin", "Sine of an angle.", "y = sin u"),
    _plain("Cos", "Cosine of an angle.", "y = cos u"),
    _plain("Tan", "Tangent of an angle.", "y = tan u"),
    _plain("Asin", "Angle of a sine; not finite beyond 1.", "y = asin u"),
    _plain("Acos", "Angle of a cosine; not finite beyond 1.", "y = acos u"),
    _plain("Atan", "Angle of a tangent.", "y = atan u"),
    _plain("Tanh", "Hyperbolic tangent.", "y = tanh u"),
    _plain("WrapAngle", "The same angle within [-pi, pi).",
           "y = u - 2 pi floor(u / (2 pi) + 1/2)"),
    BlockKind(name="Atan2", group=GROUP, about="Angle of a vector (u2, u1).",
              equation="y = atan2(u1, u2)", ports=two_in("?a", "?a", "1"),
              example=Example(inputs={"u1": 1.0, "u2": 2.0})),
    BlockKind(
        name="Convert", group=GROUP, about="From one unit into another of the same thing.",
        equation="y = factor u", ports=_convert_ports, check=_convert_fault,
        parameters=(ParameterKind("from", "unit", "deg"), ParameterKind("to", "unit", "rad")),
        numbers=lambda p, _: (conversion(p["from"], p["to"]),),
        example=Example({"from": "deg", "to": "rad"}, {"u": 90.0}),
    ),
)  # fmt: skip
