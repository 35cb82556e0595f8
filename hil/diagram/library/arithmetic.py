"""Arithmetic, element by element."""

from __future__ import annotations

from typing import Final

from hil.diagram.library.kind import (
    BlockKind,
    Example,
    ParameterKind,
    Parameters,
    PortKind,
    Ports,
    each,
    one_in,
    two_in,
)  # fmt: skip

GROUP: Final = "arithmetic"
TERMS_MOST: Final = 32


def _sum_ports(parameters: Parameters) -> Ports:
    names = (f"u{number}" for number in range(1, len(parameters["signs"]) + 1))
    return Ports(tuple(PortKind(name) for name in names), (PortKind("y"),))


def _sum_fault(parameters: Parameters) -> str:
    signs = parameters["signs"]
    if set(signs) <= {"+", "-"} and 1 <= len(signs) <= TERMS_MOST:
        return ""
    return f"signs = {signs!r}: 1 to {TERMS_MOST} of + and -, one for each input"


def _gain_ports(parameters: Parameters) -> Ports:
    return one_in("?a", f"?a*({parameters['unit']})")


def _bias_ports(parameters: Parameters) -> Ports:
    return one_in(parameters["unit"], parameters["unit"])


TWO: Final = Example(inputs={"u1": 3.0, "u2": 2.0})
ONE: Final = Example(inputs={"u": 2.5})

KINDS: Final = (
    BlockKind(
        name="Sum", group=GROUP, about="Adds and subtracts, from the first input to the last.",
        equation="y = ±u1 ±u2 …", ports=_sum_ports, check=_sum_fault,
        parameters=(ParameterKind("signs", "text", "++", about="+ or - for each input"),),
        numbers=lambda p, _: (len(p["signs"]), *(1.0 if s == "+" else -1.0 for s in p["signs"])),
        example=Example({"signs": "+-"}, {"u1": 3.0, "u2": 1.0}),
    ),
    BlockKind(
        name="Multiply", group=GROUP, about="Product of two.", equation="y = u1 u2",
        ports=two_in("?a", "?b", "?a*?b"), example=TWO,
    ),
    BlockKind(
        name="Divide", group=GROUP, about="Quotient of two; not finite for u2 = 0.",
        equation="y = u1 / u2", ports=two_in("?a", "?b", "?a/?b"), example=TWO,
    ),
    BlockKind(
        name="Gain", group=GROUP, about="A constant factor.", equation="y = k u",
        ports=_gain_ports,
        parameters=(
            *each(ParameterKind("k", default=1.0, unit="unit")),
            ParameterKind("unit", "unit", "1", about="unit of k"),
        ),
        example=Example({"k": 2.0}, {"u": 1.5}),
    ),
    BlockKind(
        name="Bias", group=GROUP, about="A constant addend.", equation="y = u + bias",
        ports=_bias_ports,
        parameters=(
            *each(ParameterKind("bias", default=0.0, unit="unit")),
            ParameterKind("unit", "unit", "1", about="unit of input, bias and output"),
        ),
        example=Example({"bias": 1.0}, {"u": 1.5}),
    ),
    BlockKind(name="Negate", group=GROUP, about="Opposite.", equation="y = -u", ports=one_in(),
              example=ONE),
    BlockKind(name="Abs", group=GROUP, about="Magnitude.", equation="y = -u if u < 0 else u",
              ports=one_in(), example=ONE),
    BlockKind(name="Sign", group=GROUP, about="Sign: -1, 0 or 1.",
              equation="y = 1 if u > 0, -1 if u < 0, else 0", ports=one_in("?a", "1"), example=ONE),
    BlockKind(name="Square", group=GROUP, about="Product with itself.", equation="y = u u",
              ports=one_in("?a", "?a^2"), example=ONE),
    BlockKind(name="Sqrt", group=GROUP, about="Square root; not finite for u < 0.",
              equation="y = sqrt(u)", ports=one_in("?a^2", "?a"), example=ONE),
    BlockKind(name="Reciprocal", group=GROUP, about="Inverse; not finite for u = 0.",
              equation="y = 1 / u", ports=one_in("?a", "1/?a"), example=ONE),
    BlockKind(name="Power", group=GROUP, about="A constant power of a number.",
              equation="y = u^exponent", ports=one_in("1", "1"),
              parameters=(ParameterKind("exponent", default=2.0, low=-100.0, high=100.0),),
              example=ONE),
    BlockKind(name="Exp", group=GROUP, about="Exponential.", equation="y = e^u",
              ports=one_in("1", "1"), example=ONE),
    BlockKind(name="Log", group=GROUP, about="Natural logarithm; not finite for u <= 0.",
              equation="y = ln u", ports=one_in("1", "1"), example=ONE),
    BlockKind(name="Log10", group=GROUP, about="Decimal logarithm; not finite for u <= 0.",
              equation="y = log10 u", ports=one_in("1", "1"), example=ONE),
    BlockKind(name="Minimum", group=GROUP, about="The lesser of two.",
              equation="y = u1 if u1 < u2 else u2", ports=two_in(), example=TWO),
    BlockKind(name="Maximum", group=GROUP, about="The greater of two.",
              equation="y = u1 if u1 > u2 else u2", ports=two_in(), example=TWO),
    BlockKind(name="Hypot", group=GROUP, about="Length of a vector of two.",
              equation="y = m sqrt(1 + (n/m)^2), m and n the greater and the lesser magnitude",
              ports=two_in(), example=TWO),
    BlockKind(name="Modulo", group=GROUP, about="What is left of whole periods, in [0, period).",
              equation="y = u - period floor(u / period)", ports=_bias_ports,
              parameters=(
                  *each(ParameterKind("period", default=1.0, above=0.0, unit="unit")),
                  ParameterKind("unit", "unit", "1", about="unit of input, period and output"),
              ),
              example=ONE),
    BlockKind(name="Floor", group=GROUP, about="The whole number below.", equation="y = floor(u)",
              ports=one_in("1", "1"), example=ONE),
    BlockKind(name="Ceil", group=GROUP, about="The whole number above.", equation="y = -floor(-u)",
              ports=one_in("1", "1"), example=ONE),
    BlockKind(name="Round", group=GROUP, about="The nearest whole number, halves upwards.",
              equation="y = floor(u + 1/2)", ports=one_in("1", "1"), example=ONE),
)  # fmt: skip
