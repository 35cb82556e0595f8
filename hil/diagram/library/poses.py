"""Rotations in their forms, and poses: a rotation matrix and a place, each a wire of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from hil.diagram.kind import BlockKind, Example, Pairs, Parameters, PortKind, Ports
from hil.diagram.model import Diagram, DrawnBlock

GROUP: Final = "poses"
QUARTER: Final = ((0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0))


def _matrix(name: str = "rotation") -> PortKind:
    return PortKind(name, "1", (3, 3), frame="?r")


def _place(name: str = "position", frame: str = "?f") -> PortKind:
    return PortKind(name, "m", (3,), frame=frame)


def _diagram(inputs: str, outputs: str, blocks: Mapping[str, str], wires: str) -> Diagram:
    """Blocks by name and kind, and wires as ``target<source``, all in words."""
    drawn = {name: DrawnBlock(kind) for name, kind in blocks.items()}
    drawn |= {name: DrawnBlock("In") for name in inputs.split()}
    drawn |= {name: DrawnBlock("Out") for name in outputs.split()}
    pairs = ((a, b) for a, _, b in (one.partition("<") for one in wires.split()))
    return Diagram(drawn, dict(pairs))


def _product(_: Parameters) -> Diagram:
    return _diagram(
        "R1 p1 R2 p2", "rotation position",
        {"both": "MatrixProduct", "turned": "Rotate", "sum": "Sum"},
        "both.u1<R1.y both.u2<R2.y rotation.u<both.y turned.rotation<R1.y turned.v<p2.y "
        "sum.u1<p1.y sum.u2<turned.y position.u<sum.y",
    )  # fmt: skip


def _inverse(_: Parameters) -> Diagram:
    return _diagram(
        "R p", "rotation position",
        {"back": "Transpose", "turned": "RotateBack", "negative": "Negate"},
        "back.u<R.y rotation.u<back.y turned.rotation<R.y turned.v<p.y negative.u<turned.y "
        "position.u<negative.y",
    )  # fmt: skip


def _point(_: Parameters) -> Diagram:
    return _diagram(
        "R p point", "y", {"turned": "Rotate", "sum": "Sum"},
        "turned.rotation<R.y turned.v<point.y sum.u1<p.y sum.u2<turned.y y.u<sum.y",
    )  # fmt: skip


def _error(_: Parameters) -> Diagram:
    made = _diagram(
        "R_wanted p_wanted R p", "turn shift",
        {"back": "Transpose", "between": "MatrixProduct", "turned": "RotationVector",
         "less": "Sum"},
        "back.u<R.y between.u1<R_wanted.y between.u2<back.y turned.rotation<between.y "
        "turn.u<turned.y less.u1<p_wanted.y less.u2<p.y shift.u<less.y",
    )  # fmt: skip
    return Diagram({**made.blocks, "less": DrawnBlock("Sum", {"signs": "+-"})}, made.wires)


def _two(*names: str) -> dict[str, Any]:
    """Inputs of an example: a quarter of a turn about z, and a place."""
    return {
        name: QUARTER if name.startswith("R") or name == "rotation" else (0.1, 0.2, 0.3)
        for name in names
    }  # fmt: skip


def _pairs(**outputs: str) -> Pairs:
    """What each output hangs on, in words."""
    return frozenset((one, name) for name, inputs in outputs.items() for one in inputs.split())


def _pose(inputs: tuple[str, ...], outputs: tuple[PortKind, ...]) -> Ports:
    return Ports(
        tuple(_matrix(one) if one.startswith("R") else _place(one) for one in inputs), outputs
    )


KINDS: Final = (
    BlockKind(
        name="Transpose", group=GROUP, about="A 3 by 3 matrix with rows for columns; a rotation's "
        "inverse.",
        equation="y_ij = u_ji", ports=Ports((PortKind("u", "?a", (3, 3)),),
                                            (PortKind("y", "?a", (3, 3)),)),
        example=Example({}, {"u": QUARTER}),
    ),
    BlockKind(
        name="RotationFromAngles", group=GROUP, about="Roll, pitch and yaw as a matrix.",
        equation="y = Rz(u_3) Ry(u_2) Rx(u_1)",
        ports=Ports((PortKind("u", "1", (3,)),), (_matrix("y"),)),
        example=Example({}, {"u": (0.1, 0.2, 0.3)}),
    ),
    BlockKind(
        name="AnglesFromRotation", group=GROUP, about="Roll, pitch and yaw of a matrix.",
        equation="y = (atan2(R_32, R_33), atan2(-R_31, sqrt(R_11^2 + R_21^2)), "
        "atan2(R_21, R_11)): pitch from -pi/2 to pi/2, not defined at its ends",
        ports=Ports((_matrix(),), (PortKind("y", "1", (3,), frame="?g"),)),
        example=Example({}, {"rotation": QUARTER}),
    ),
    BlockKind(
        name="RotationVector", group=GROUP, about="Axis times angle of a matrix, 0 to pi.",
        equation="y = n theta with R = exp([n theta]); at pi one of the two",
        ports=Ports((_matrix(),), (PortKind("y", "1", (3,), frame="?g"),)),
        example=Example({}, {"rotation": QUARTER}),
    ),
    BlockKind(
        name="RotationFromVector", group=GROUP, about="A matrix of axis times angle (Rodrigues).",
        equation="y = 1 + sin(theta) [n] + (1 - cos(theta)) [n]^2, theta = |u|, n = u/theta",
        ports=Ports((PortKind("u", "1", (3,)),), (_matrix("y"),)),
        example=Example({}, {"u": (0.0, 0.0, 0.5)}),
    ),
    BlockKind(
        name="QuaternionFromRotation", group=GROUP,
        about="Unit quaternion (w, x, y, z) of a matrix (Shepperd 1978).",
        equation="y = (cos(theta/2), n sin(theta/2)); the greatest of the four is above 0",
        ports=Ports((_matrix(),), (PortKind("y", "1", (4,), frame="?g"),)),
        example=Example({}, {"rotation": QUARTER}),
    ),
    BlockKind(
        name="RotationFromQuaternion", group=GROUP,
        about="A matrix of a quaternion (w, x, y, z) of any length but 0.",
        equation="y v = q v q^-1",
        ports=Ports((PortKind("u", "1", (4,)),), (_matrix("y"),)),
        example=Example({}, {"u": (1.0, 0.0, 0.0, 1.0)}),
    ),
    BlockKind(
        name="PoseProduct", group=GROUP, about="A pose given in another pose's axes.",
        equation="rotation = R1 R2, position = p1 + R1 p2", drawn=_product,
        ports=_pose(("R1", "p1", "R2", "p2"), (_matrix(), _place())),
        direct=_pairs(rotation="R1 R2", position="R1 p1 p2"),
        example=Example({}, _two("R1", "p1", "R2", "p2")),
    ),
    BlockKind(
        name="PoseInverse", group=GROUP, about="The other way round.",
        equation="rotation = R^T, position = -R^T p", drawn=_inverse,
        ports=_pose(("R", "p"), (_matrix(), _place())),
        direct=_pairs(rotation="R", position="R p"), example=Example({}, _two("R", "p")),
    ),
    BlockKind(
        name="TransformPoint", group=GROUP, about="A point given in a pose's axes.",
        equation="y = p + R point", drawn=_point,
        ports=_pose(("R", "p", "point"), (_place("y"),)),
        example=Example({}, _two("R", "p", "point")),
    ),
    BlockKind(
        name="PoseError", group=GROUP, about="What is missing to a wanted pose.",
        equation="turn = RotationVector(R_wanted R^T), shift = p_wanted - p", drawn=_error,
        ports=_pose(("R_wanted", "p_wanted", "R", "p"),
                    (PortKind("turn", "1", (3,), frame="?g"), _place("shift"))),
        direct=_pairs(turn="R_wanted R", shift="p_wanted p"),
        example=Example({}, _two("R_wanted", "p_wanted", "R", "p")),
    ),
)  # fmt: skip
