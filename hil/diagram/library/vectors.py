"""Vectors and matrices, rotations, and eq. (6): a wrench as joint torques."""

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
    flat,
    shape_of,
)  # fmt: skip

GROUP: Final = "vectors"
KINEMATICS: Final = "kinematics"
UNIT_MATRIX: Final = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
JOINTS_MOST: Final = 32


def _gain_ports(parameters: Parameters) -> Ports:
    k = parameters["k"]
    unit = f"?a*({parameters['unit']})"
    if not isinstance(k, tuple):
        return Ports((PortKind("u", "?a"),), (PortKind("y", unit),))
    return Ports((PortKind("u", "?a", (len(k[0]),)),), (PortKind("y", unit, (len(k),)),))


def _gain_numbers(parameters: Parameters, setting: BlockSetting) -> tuple[float, ...]:
    """Return the columns, and the matrix row after row."""
    k, n = parameters["k"], setting.size
    if isinstance(k, tuple):
        return len(k[0]), *flat(k)
    return n, *(k if row == column else 0.0 for row in range(n) for column in range(n))


def _rows_fault(parameters: Parameters) -> str:
    k = parameters["k"]
    if len(shape_of(k)) not in (0, 2):
        return "k is no number and no list of rows"
    if parameters["definite"] and not (is_definite(k) if isinstance(k, tuple) else k > 0.0):
        return "k is not symmetric and positive definite, which definite = true wants"
    return ""


def is_definite(k: tuple[tuple[float, ...], ...]) -> bool:
    """Return whether a matrix is symmetric and positive definite (Cholesky's pivots above 0)."""
    size = len(k)
    if any(len(row) != size for row in k) or any(
        k[i][j] != k[j][i] for i in range(size) for j in range(i)
    ):
        return False
    rest = [list(row) for row in k]
    for n in range(size):
        if not rest[n][n] > 0.0:
            return False
        for i in range(n + 1, size):
            factor = rest[i][n] / rest[n][n]
            rest[i] = [a - factor * b for a, b in zip(rest[i], rest[n], strict=True)]
    return True


def _rotation_ports(parameters: Parameters) -> Ports:
    before, after = parameters["from"] or "?f", parameters["to"] or "?g"
    matrix = PortKind("rotation", "1", (3, 3), frame="?r")
    return Ports((matrix, PortKind("v", "?a", (3,), frame=before)),
                 (PortKind("y", "?a", (3,), frame=after),))  # fmt: skip


def _force_ports(parameters: Parameters) -> Ports:
    joints, frame = parameters["joints"], parameters["frame"] or "?f"
    return Ports(
        (
            PortKind("f", "N", (3,), frame=frame), PortKind("mu", "N*m", (3,), frame=frame),
            PortKind("rotation", "1", (joints, 3, 3), frame="?r"),
            PortKind("position", "m", (joints, 3), frame="?p"),
        ),
        (PortKind("y", "N*m", (joints,), frame="?q"),),
    )  # fmt: skip


FRAMES: Final = (
    ParameterKind("from", "text", "", about="axes of v"),
    ParameterKind("to", "text", "", about="axes of y"),
)
TWO: Final = Example({}, {"u1": (1.0, 2.0, 3.0), "u2": (0.5, 0.0, -1.0)})

KINDS: Final = (
    BlockKind(
        name="MatrixGain", group=GROUP, about="A constant matrix times a vector.",
        equation="y_i = k_i1 u_1 + k_i2 u_2 + …; a number k is k times the unit matrix",
        ports=_gain_ports, check=_rows_fault,
        parameters=(
            ParameterKind("k", "value", unit="unit"), ParameterKind("unit", "unit", "1"),
            ParameterKind("definite", "boolean", False,
                          about="k must be symmetric and positive definite"),
        ),
        numbers=_gain_numbers,
        example=Example({"k": ((1.0, 2.0), (0.0, 1.0))}, {"u": (1.0, 1.0)}),
    ),
    BlockKind(
        name="Dot", group=GROUP, about="Scalar product.", equation="y = u1_1 u2_1 + u1_2 u2_2 + …",
        ports=Ports((PortKind("u1", "?a"), PortKind("u2", "?b")),
                    (PortKind("y", "?a*?b", (), frame="?g"),)),
        size_port="u1", example=TWO,
    ),
    BlockKind(
        name="Cross", group=GROUP, about="Vector product.", equation="y = u1 × u2",
        ports=Ports((PortKind("u1", "?a", (3,)), PortKind("u2", "?b", (3,))),
                    (PortKind("y", "?a*?b", (3,)),)),
        example=TWO,
    ),
    BlockKind(
        name="Norm", group=GROUP, about="Length of a vector.",
        equation="y = sqrt(u_1 u_1 + u_2 u_2 + …)",
        ports=Ports((PortKind("u"),), (PortKind("y", "?a", (), frame="?g"),)), size_port="u",
        example=Example({}, {"u": (3.0, 4.0)}),
    ),
    BlockKind(
        name="SumElements", group=GROUP, about="Sum of a vector's elements.",
        equation="y = u_1 + u_2 + …",
        ports=Ports((PortKind("u"),), (PortKind("y", "?a", (), frame="?g"),)), size_port="u",
        example=Example({}, {"u": (3.0, 4.0)}),
    ),
    BlockKind(
        name="Scale", group=GROUP, about="A number times a vector.", equation="y_i = k u_i",
        ports=Ports((PortKind("k", "?b", (), frame="?g"), PortKind("u", "?a")),
                    (PortKind("y", "?a*?b"),)),
        example=Example({}, {"k": 2.0, "u": (3.0, 4.0)}),
    ),
    BlockKind(
        name="MatrixProduct", group=GROUP, about="Product of two 3 by 3 matrices.",
        equation="y_ij = u1_i1 u2_1j + u1_i2 u2_2j + u1_i3 u2_3j",
        ports=Ports((PortKind("u1", "?a", (3, 3)), PortKind("u2", "?b", (3, 3))),
                    (PortKind("y", "?a*?b", (3, 3)),)),
        example=Example({}, {"u1": UNIT_MATRIX, "u2": UNIT_MATRIX}),
    ),
    BlockKind(
        name="Rotate", group=GROUP, about="A vector into other axes.", equation="y = R v",
        ports=_rotation_ports, parameters=FRAMES,
        example=Example({}, {"rotation": UNIT_MATRIX, "v": (1.0, 2.0, 3.0)}),
    ),
    BlockKind(
        name="RotateBack", group=GROUP, about="A vector back from other axes.",
        equation="y = R^T v", ports=_rotation_ports, parameters=FRAMES,
        example=Example({}, {"rotation": UNIT_MATRIX, "v": (1.0, 2.0, 3.0)}),
    ),
    BlockKind(
        name="RotationAbout", group=GROUP, about="Rotation by an angle about an axis.",
        equation="y = R_axis(u)",
        ports=Ports((PortKind("u", "1", (), frame="?g"),), (PortKind("y", "1", (3, 3)),)),
        parameters=(ParameterKind("axis", "text", "z", choices=("x", "y", "z")),),
        numbers=lambda p, _: ("xyz".index(p["axis"]),), example=Example({}, {"u": 0.5}),
    ),
    BlockKind(
        name="ForceTransform", group=KINEMATICS,
        about="Joint torques of a wrench at the end effector, eq. (6): the transposed Jacobian. "
        "R_i turns axes of joint i into those of the wrench; r_i is the end effector in joint i.",
        equation="y_i = f · (R_i v_i) + mu · (R_i n), v_i = (-r_iy, r_ix, 0), n = (0, 0, 1)",
        ports=_force_ports,
        parameters=(
            ParameterKind("joints", "integer", 1, 1, JOINTS_MOST),
            ParameterKind("frame", "text", "", about="axes of the wrench"),
        ),
        numbers=lambda _, __: (),
        example=Example({}, {
            "f": (1.0, 0.0, 0.0), "mu": (0.0, 0.0, 1.0), "rotation": (UNIT_MATRIX,),
            "position": ((0.0, 0.3, 0.0),),
        }),
    ),
)  # fmt: skip
