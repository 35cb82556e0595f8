"""Non-linear characteristics and tables."""

from __future__ import annotations

from typing import Final

from hil.diagram.library.kind import (
    BlockKind,
    BlockSetting,
    Example,
    ParameterKind,
    Parameters,
    PortKind,
    Ports,
    each,
    flag,
    flat,
    one_in,
)  # fmt: skip
from hil.diagram.library.sources import increasing_fault

GROUP: Final = "non-linear"
ONE: Final = Example(inputs={"u": 0.7})
UNIT: Final = ParameterKind("unit", "unit", "1", about="unit of input, output and limits")


def _same_ports(parameters: Parameters) -> Ports:
    return one_in(parameters["unit"], parameters["unit"])


def _saturation_ports(parameters: Parameters) -> Ports:
    unit = parameters["unit"]
    return Ports((PortKind("u", unit),), (PortKind("y", unit), flag("limited")))


def _flag_ports(parameters: Parameters) -> Ports:
    return Ports((PortKind("u", parameters["unit"]),), (flag("y"),))


def _order_fault(parameters: Parameters) -> str:
    low, high = parameters["low"], parameters["high"]
    return "" if low <= high else f"low = {low:g} is above high = {high:g}"


def _switch_fault(parameters: Parameters) -> str:
    on, off = parameters["on_at"], parameters["off_at"]
    return "" if off < on else f"off_at = {off:g} is not below on_at = {on:g}"


def _table_ports(parameters: Parameters) -> Ports:
    return one_in(parameters["unit_in"], parameters["unit_out"])


def _table_fault(parameters: Parameters) -> str:
    return increasing_fault("x", parameters["x"], "y", parameters["y"])


def _map_ports(parameters: Parameters) -> Ports:
    unit = parameters["unit_in"]
    return Ports(
        (PortKind("u1", unit), PortKind("u2", unit)), (PortKind("y", parameters["unit_out"]),)
    )


def _map_fault(parameters: Parameters) -> str:
    rows, columns, values = parameters["x1"], parameters["x2"], parameters["y"]
    if len(values) != len(rows) or any(len(row) != len(columns) for row in values):
        return f"y has not {len(rows)} rows (x1) of {len(columns)} numbers (x2)"
    return increasing_fault("x1", rows, "y", values) or increasing_fault(
        "x2", columns, "a row of y", columns
    )


def _map_numbers(parameters: Parameters, _: BlockSetting) -> list[float]:
    rows, columns = parameters["x1"], parameters["x2"]
    return [len(rows), len(columns), *rows, *columns, *flat(parameters["y"])]


UNITS: Final = (
    ParameterKind("unit_in", "unit", "1"), ParameterKind("unit_out", "unit", "1"),
)  # fmt: skip

KINDS: Final = (
    BlockKind(
        name="Saturation", group=GROUP, about="Limits a value, and says whether it did.",
        equation="y = low if u < low, high if u > high, else u; limited = u < low or u > high",
        ports=_saturation_ports, check=_order_fault, example=ONE,
        parameters=(
            *each(
                ParameterKind("low", default=-1.0, unit="unit"),
                ParameterKind("high", default=1.0, unit="unit"),
            ), UNIT,
        ),
    ),
    BlockKind(
        name="DeadZone", group=GROUP, about="Nothing near 0, moved by the width beyond.",
        equation="y = u - width if u > width, u + width if u < -width, else 0",
        ports=_same_ports, example=ONE,
        parameters=(*each(ParameterKind("width", default=0.5, low=0.0, unit="unit")), UNIT),
    ),
    BlockKind(
        name="Quantiser", group=GROUP, about="Whole multiples of a step, halves upwards.",
        equation="y = q floor(u/q + 1/2)", ports=_same_ports, example=ONE,
        parameters=(*each(ParameterKind("q", default=0.1, above=0.0, unit="unit")), UNIT),
    ),
    BlockKind(
        name="Hysteresis", group=GROUP, about="On above one limit, off below another.",
        equation="y[k] = true if u >= on_at, false if u <= off_at, else y[k-1]",
        ports=_flag_ports, check=_switch_fault, states=("x",), example=ONE,
        initial=lambda p, _: (p["initial"],),
        parameters=(
            *each(
                ParameterKind("on_at", default=0.5, unit="unit"),
                ParameterKind("off_at", default=-0.5, unit="unit"),
            ), UNIT,
            ParameterKind("initial", "boolean", False),
        ),
    ),
    BlockKind(
        name="Backlash", group=GROUP, about="Play of twice the half width.",
        equation="y[k] = u - w if u - w > y[k-1], u + w if u + w < y[k-1], else y[k-1]",
        ports=_same_ports, states=("x",), initial=lambda p, _: (p["initial"],), example=ONE,
        parameters=(
            *each(
                ParameterKind("half_width", default=0.1, low=0.0, unit="unit"),
                ParameterKind("initial", default=0.0, unit="unit"),
            ), UNIT,
        ),
    ),
    BlockKind(
        name="RateLimit", group=GROUP, about="Follows no faster than at two rates.",
        equation="y[k] = y[k-1] + rise H if u - y[k-1] > rise H, y[k-1] - fall H if < -fall H, "
        "else u",
        ports=_same_ports, states=("x",), initial=lambda p, _: (p["initial"],), example=ONE,
        parameters=(
            *each(
                ParameterKind("rise", default=1.0, low=0.0, unit="unit/s"),
                ParameterKind("fall", default=1.0, low=0.0, unit="unit/s"),
                ParameterKind("initial", default=0.0, unit="unit"),
            ), UNIT,
        ),
        numbers=lambda p, s: (p["rise"] * s.period_s, p["fall"] * s.period_s),
    ),
    BlockKind(
        name="Polynomial", group=GROUP, about="A polynomial, by Horner's scheme.",
        equation="y = c0 + c1 u + c2 u u + …", ports=_table_ports,
        parameters=(ParameterKind("coefficients", "reals", about="c0, c1, …"), *UNITS),
        numbers=lambda p, _: (len(p["coefficients"]), *p["coefficients"]),
        example=Example({"coefficients": (1.0, 2.0)}, {"u": 0.7}),
    ),
    BlockKind(
        name="Lookup1", group="tables", about="A table of one input, linear, ends held.",
        equation="y = y_i + (y_i+1 - y_i) ((u - x_i) / (x_i+1 - x_i))", ports=_table_ports,
        check=_table_fault,
        parameters=(ParameterKind("x", "reals"), ParameterKind("y", "reals"), *UNITS),
        numbers=lambda p, _: (len(p["x"]), *p["x"], *p["y"]),
        example=Example({"x": (0.0, 1.0), "y": (0.0, 2.0)}, {"u": 0.7}),
    ),
    BlockKind(
        name="Lookup2", group="tables", about="A table of two inputs, bilinear, ends held.",
        equation="y = linear along x2 of what is linear along x1", ports=_map_ports,
        check=_map_fault, numbers=_map_numbers,
        parameters=(
            ParameterKind("x1", "reals"), ParameterKind("x2", "reals"),
            ParameterKind("y", "matrix", about="a row for each of x1"), *UNITS,
        ),
        example=Example(
            {"x1": (0.0, 1.0), "x2": (0.0, 1.0), "y": ((0.0, 1.0), (2.0, 3.0))},
            {"u1": 0.5, "u2": 0.5},
        ),
    ),
)  # fmt: skip
