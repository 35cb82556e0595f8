"""Kinematics of serial arms that turn, by their D-H rows, and of the hexapod.

A row of an arm is theta [rad], d [m], a [m], alpha [rad] (Denavit and Hartenberg 1955, distal): a
joint's axes in those before it are Rz(theta + q) Tz(d) Tx(a) Rx(alpha). A fifth number says whether
the row turns, by 1, or stands, by 0, such as a mount, a tool.
"""

from __future__ import annotations

import math
from typing import Final

from hil.diagram.library.kind import (
    COMPOSITE,
    BlockKind,
    BlockSetting,
    Example,
    ParameterKind,
    Parameters,
    PortKind,
    Ports,
    flat,
    pose,
)  # fmt: skip
from hil.diagram.library.vectors import JOINTS_MOST

GROUP: Final = "kinematics"
DH: Final = ParameterKind("dh", "matrix", unit="rad, m, m, rad",
                          about="a row for each joint: theta, d, a, alpha; a fifth number 0 for "
                          "one that stands")  # fmt: skip
FRAME: Final = 12
"""Numbers of a pose: a matrix row after row, and a place."""
SQUARE: Final = 42
"""Numbers that the solution of six equations needs."""
SIXFOLD: Final = ((0.5, 0.0, 0.0), (0.0, 0.5, 0.0), (-0.5, 0.0, 0.0),
                  (0.0, -0.5, 0.0), (0.4, 0.4, 0.0), (-0.4, -0.4, 0.0))  # fmt: skip
TWO_LINKS: Final = ((0.0, 0.3, 0.0, math.pi / 2), (0.0, 0.0, 0.5, 0.0), (0.0, 0.0, 0.4, 0.0))


def joints_of(p: Parameters) -> int:
    """How many the arm has."""
    return sum(turns(row) for row in p["dh"])


def turns(row: tuple[float, ...]) -> bool:
    """Whether a row is of a joint."""
    return len(row) == 4 or row[4] != 0.0


def _dh_fault(p: Parameters) -> str:
    rows = p["dh"]
    if any(len(row) not in (4, 5) or row[4:] not in ((), (0.0,), (1.0,)) for row in rows):
        return "dh: rows of theta, d, a and alpha are needed, and of 0 or 1 behind them"
    if not 1 <= joints_of(p) <= JOINTS_MOST or len(rows) > 2 * JOINTS_MOST:
        text = f"{len(rows)} rows, {joints_of(p)} of them turn"
        return f"dh: {text}; 1 to {JOINTS_MOST} that turn are needed, {2 * JOINTS_MOST} in all"
    return ""


def _chain_numbers(p: Parameters, _: BlockSetting) -> list[float]:
    """Rows, and joints; theta, d, a, cos and sin of alpha, whether it turns; room for the poses."""
    found = [float(len(p["dh"])), float(joints_of(p))]
    for row in p["dh"]:
        theta, d, a, alpha = row[:4]
        found += [theta, d, a, math.cos(alpha), math.sin(alpha), float(turns(row))]
    return found + [0.0] * (FRAME * (len(p["dh"]) + 1))


def _angles(p: Parameters) -> PortKind:
    return PortKind("q", "1", (joints_of(p),))


def _forward(p: Parameters) -> Ports:
    return Ports((_angles(p),), (pose("pose", "?g"),))


def _jacobian(p: Parameters) -> Ports:
    shape = (3, joints_of(p))
    linear = PortKind("linear", "m", shape, frame="?g")
    return Ports((_angles(p),), (linear, PortKind("angular", "1", shape, frame="?r")))


def _squares(p: Parameters) -> Ports:
    shape = (3, p["joints"])
    return Ports(
        (
            PortKind("linear", "m", shape, frame="?g"), PortKind("angular", "1", shape, frame="?r"),
            PortKind("shift", "m*?t", (3,), frame="?v"), PortKind("turn", "?t", (3,), frame="?w"),
        ),
        (PortKind("y", "?t", (p["joints"],), frame="?q"),),
    )  # fmt: skip


def _squares_numbers(p: Parameters, _: BlockSetting) -> list[float]:
    return [p["joints"], p["damping"], p["length_m"], *(SQUARE * [0.0])]


def _descent(p: Parameters) -> Ports:
    return Ports(
        (pose("pose", "?g"),),
        (PortKind("y", "1", (joints_of(p),), frame="?q"),
         PortKind("distance", "m", (), frame="?d")),
    )  # fmt: skip


def _descent_fault(p: Parameters) -> str:
    if fault := _dh_fault(p):
        return fault
    joints = joints_of(p)
    for name in ("start", "low", "high"):
        if len(p[name]) not in (1, joints):
            return f"{name}: 1 or {joints} numbers are needed, one for each joint"
    values = zip(*(_each(p, name) for name in ("low", "start", "high")), strict=True)
    for number, (low, start, high) in enumerate(values, 1):
        if not low <= start <= high:
            return f"joint {number}: start = {start:g} is not within {low:g} to {high:g} rad"
    return ""


def _each(p: Parameters, name: str) -> tuple[float, ...]:
    """A number for each joint."""
    given, joints = p[name], joints_of(p)
    return given * joints if len(given) == 1 else given


def _descent_numbers(p: Parameters, s: BlockSetting) -> list[float]:
    """The chain; sweeps, step, weight of turns, limits; room for the next angles."""
    return [
        *_chain_numbers(p, s), float(p["sweeps"]), p["step_max_rad"], p["turn_m"],
        *_each(p, "low"), *_each(p, "high"), *(0.0 for _ in range(joints_of(p))),
    ]  # fmt: skip


def _descent_start(p: Parameters, _: BlockSetting) -> tuple[float, ...]:
    return _each(p, "start")


def _hexapod_fault(p: Parameters) -> str:
    if any(len(row) != 3 for row in (*p["lower"], *p["upper"])):
        return "lower and upper: rows of x, y and z are needed"
    if not 1 <= len(p["lower"]) == len(p["upper"]) <= JOINTS_MOST:
        return f"lower and upper: as many rows each are needed, 1 to {JOINTS_MOST}"
    return ""


def _hexapod(p: Parameters) -> Ports:
    return Ports((pose("pose", "?g"),), (PortKind("y", "m", (len(p["lower"]),), frame="?q"),))


def _hexapod_numbers(p: Parameters, _: BlockSetting) -> list[float]:
    return [*flat(p["lower"]), *flat(p["upper"])]


COLUMNS: Final = {"linear": ((0.0, 0.5), (0.5, 0.0), (0.0, 0.0)),
                  "angular": ((0.0, 0.0), (0.0, 0.0), (1.0, 1.0))}  # fmt: skip
STANDING: Final = COMPOSITE["pose"][:9]

KINDS: Final = (
    BlockKind(
        name="ForwardKinematics", group=GROUP, about="Where the end of an arm is.",
        equation="the product of Rz(theta_i + q_i) Tz(d_i) Tx(a_i) Rx(alpha_i)",
        ports=_forward, check=_dh_fault, numbers=_chain_numbers, parameters=(DH,),
        example=Example({"dh": TWO_LINKS}, {"q": (0.1, 0.2, -0.3)}),
    ),
    BlockKind(
        name="Jacobian", group=GROUP, about="Speeds of an arm's end by the speeds of its joints.",
        equation="linear_i = z_i × (p - p_i), angular_i = z_i, of each joint's axis",
        ports=_jacobian, check=_dh_fault, numbers=_chain_numbers, parameters=(DH,),
        example=Example({"dh": TWO_LINKS}, {"q": (0.1, 0.2, -0.3)}),
    ),
    BlockKind(
        name="DampedLeastSquares", group=GROUP,
        about="Joint speeds, or steps, for those of the end; bounded near where an arm is stiff.",
        equation="y = J^T (J J^T + damping^2 1)^-1 e, J = (linear/length; angular), e = "
        "(shift/length; turn) (Nakamura, Hanafusa 1986)",
        ports=_squares, numbers=_squares_numbers,
        parameters=(
            ParameterKind("joints", "integer", 6, low=1, high=JOINTS_MOST),
            ParameterKind("damping", default=0.01, low=1e-6, high=10.0),
            ParameterKind("length_m", default=1.0, low=1e-6, high=1e6, unit="m",
                          about="that counts as a radian"),
        ),
        example=Example({"joints": 2}, {**COLUMNS, "shift": (0.0, 0.1, 0.0),
                                        "turn": (0.0, 0.0, 0.0)}),
    ),
    BlockKind(
        name="CoordinateDescent", group=GROUP,
        about="Joint angles for a pose, some sweeps a tick, within limits; it keeps what it found.",
        equation="from the last joint to the first: the q_i that makes |p - p_wanted|^2 + "
        "turn_m^2 |R - R_wanted|^2/2 least, by step_max_rad at most",
        ports=_descent, check=_descent_fault, numbers=_descent_numbers,
        states=lambda p, _: joints_of(p), initial=_descent_start,
        parameters=(
            DH, ParameterKind("start", "reals", (0.0,), unit="rad", about="one, or for each joint"),
            ParameterKind("low", "reals", (-math.pi,), unit="rad", about="likewise"),
            ParameterKind("high", "reals", (math.pi,), unit="rad", about="likewise"),
            ParameterKind("sweeps", "integer", 1, low=1, high=50, about="in a tick"),
            ParameterKind("step_max_rad", default=0.05, above=0.0, high=math.pi, unit="rad",
                          about="of a joint in a sweep"),
            ParameterKind("turn_m", default=0.0, low=0.0, high=1e3, unit="m",
                          about="that counts as a radian; 0: the place alone"),
        ),
        example=Example({"dh": TWO_LINKS, "start": (0.0, 0.3, 0.3)},
                        {"pose": (*STANDING, 0.5, 0.2, 0.4)}),
    ),
    BlockKind(
        name="HexapodLengths", group=GROUP, about="Lengths of a platform's legs for its pose.",
        equation="y_i = |p + R upper_i - lower_i|",
        ports=_hexapod, check=_hexapod_fault, numbers=_hexapod_numbers,
        parameters=(
            ParameterKind("lower", "matrix", unit="m", about="a row for each lower joint"),
            ParameterKind("upper", "matrix", unit="m", about="a row for each upper joint, in "
                          "the platform's axes"),
        ),
        example=Example({"lower": SIXFOLD, "upper": SIXFOLD},
                        {"pose": (*STANDING, 0.0, 0.0, 1.0)}),
    ),
)  # fmt: skip
