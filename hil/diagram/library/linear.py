"""Linear systems: made discrete when a diagram is loaded, run as a state space."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

from hil.diagram.library.kind import (
    BlockKind,
    BlockSetting,
    Example,
    Pairs,
    ParameterKind,
    Parameters,
    PortKind,
    Ports,
    flat,
)  # fmt: skip

GROUP: Final = "linear"
METHODS: Final = ("zoh", "foh", "bilinear", "backward_diff")
ORDER_MOST: Final = 30
PORTS_MOST: Final = 16
METHOD: Final = ParameterKind("method", "text", "zoh", choices=METHODS, about="made discrete by")

Matrix = tuple[tuple[float, ...], ...]
System = tuple[Matrix, Matrix, Matrix, Matrix]


@lru_cache(maxsize=1024)
def discrete(system: Any, period_s: float, method: str) -> System:
    """Discretise (A, B, C, D), or (numerator, denominator), of continuous time at a period."""
    import numpy as np
    from scipy.signal import cont2discrete, tf2ss

    matrices: Any = tf2ss(*system) if len(system) == 2 else tuple(np.array(one) for one in system)
    found: Any = cont2discrete(matrices, period_s, method)
    a, b, c, d = (
        tuple(tuple(float(value) for value in row) for row in np.atleast_2d(one))
        for one in found[:4]
    )
    return a, b, c, d


def _transfer(parameters: Parameters, setting: BlockSetting) -> list[float]:
    system = (parameters["numerator"], parameters["denominator"])
    return _numbers(discrete(system, setting.period_s, parameters["method"]))


def _numbers(system: System) -> list[float]:
    a, b, _, d = system
    order = len(a) if a and a[0] else 0
    return [
        order,
        len(b[0]) if order else len(d[0]),
        len(d),
        *(n for one in system for n in flat(one)),
    ]


def _transfer_fault(parameters: Parameters) -> str:
    above, below = parameters["numerator"], parameters["denominator"]
    if not 2 <= len(below) <= ORDER_MOST + 1 or below[0] == 0.0:
        return f"denominator: 2 to {ORDER_MOST + 1} numbers, of falling powers, the first not 0"
    if not 1 <= len(above) <= len(below):
        return f"numerator: 1 to {len(below)} numbers, of falling powers (as the denominator)"
    return ""


def _transfer_pairs(parameters: Parameters) -> Pairs:
    above, below = parameters["numerator"], parameters["denominator"]
    strictly = len(above) < len(below) or above[0] == 0.0
    delayed = strictly and parameters["method"] == "zoh"
    return frozenset() if delayed else frozenset({("u", "y")})


def _space_ports(parameters: Parameters) -> Ports:
    d = parameters["D"]
    inputs = (PortKind(f"u{j}", f"?u{j}", ()) for j in range(1, len(d[0]) + 1))
    outputs = (PortKind(f"y{i}", f"?y{i}", ()) for i in range(1, len(d) + 1))
    return Ports(tuple(inputs), tuple(outputs))


def _space_fault(parameters: Parameters) -> str:
    a, b, c, d = (parameters[name] for name in "ABCD")
    n, m, p = len(a), len(d[0]), len(d)
    wanted = {"A": (n, n), "B": (n, m), "C": (p, n), "D": (p, m)}
    for (name, (rows, columns)), one in zip(wanted.items(), (a, b, c, d), strict=True):
        if len(one) != rows or any(len(row) != columns for row in one):
            return f"{name} is {len(one)} by {len(one[0])}; {rows} by {columns} fits A and D"
    if n > ORDER_MOST or m > PORTS_MOST or p > PORTS_MOST:
        return f"at most {ORDER_MOST} states, {PORTS_MOST} inputs and outputs"
    return ""


def _space(parameters: Parameters) -> System:
    return tuple(parameters[name] for name in "ABCD")  # pyright: ignore[reportReturnType]


def _space_pairs(parameters: Parameters) -> Pairs:
    return frozenset(
        (f"u{j}", f"y{i}")
        for i, row in enumerate(parameters["D"], 1)
        for j, value in enumerate(row, 1)
        if value != 0.0
    )


KINDS: Final = (
    BlockKind(
        name="TransferFunction", group=GROUP, about="A rational function of s, falling powers.",
        equation="x[k+1] = A x[k] + B u[k], y[k] = C x[k] + D u[k], discrete by the method",
        ports=lambda p: Ports(
            (PortKind("u", "?a", ()),), (PortKind("y", f"?a*({p['unit']})", ()),)
        ),
        direct=_transfer_pairs, check=_transfer_fault, numbers=_transfer,
        parameters=(
            ParameterKind("numerator", "reals"), ParameterKind("denominator", "reals"), METHOD,
            ParameterKind("unit", "unit", "1", about="unit of output per input"),
        ),
        states=lambda p, _: 2 * (len(p["denominator"]) - 1),
        example=Example({"numerator": (1.0,), "denominator": (0.1, 1.0)}, {"u": 1.0}),
    ),
    BlockKind(
        name="StateSpace", group=GROUP,
        about="A discrete linear system; feed-through where D is not 0, pair by pair.",
        equation="x[k+1] = A x[k] + B u[k], y[k] = C x[k] + D u[k], x[0] = 0",
        ports=_space_ports, direct=_space_pairs, check=_space_fault,
        parameters=tuple(ParameterKind(name, "matrix") for name in "ABCD"),
        states=lambda p, _: 2 * len(p["A"]), numbers=lambda p, _: _numbers(_space(p)),
        example=Example(
            {"A": ((0.9,),), "B": ((0.1,),), "C": ((1.0,),), "D": ((0.0,),)}, {"u1": 1.0}
        ),
    ),
)  # fmt: skip
