"""Rotations in their forms; poses and wrenches: made of parts, taken apart, in other axes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hil.diagram.file.model import Diagram, DrawnBlock
from hil.diagram.library.kind import (
    COMPOSITE,
    BlockKind,
    Example,
    ParameterKind,
    Parameters,
    PortKind,
    Ports,
    pose,
    wrench,
)  # fmt: skip

GROUP: Final = "poses"
QUARTER: Final = ((0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0))


STANDING: Final = COMPOSITE["pose"]
TURNED: Final = (0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.1, 0.2, 0.3)
"""A quarter of a turn about z, at a place."""
PULL: Final = (1.0, 0.0, 0.0, 0.0, 0.0, 0.5)


def _matrix(name: str = "rotation") -> PortKind:
    return PortKind(name, "1", (3, 3), frame="?r")


def _vector(name: str, unit: str, frame: str = "?f") -> PortKind:
    return PortKind(name, unit, (3,), frame=frame)


def _diagram(inputs: str, outputs: str, blocks: Mapping[str, str], wires: str) -> Diagram:
    """Return the blocks by name and kind, and wires as ``target<source``, all in words."""
    drawn = {name: DrawnBlock(kind) for name, kind in blocks.items()}
    drawn |= {name: DrawnBlock("In") for name in inputs.split()}
    drawn |= {name: DrawnBlock("Out") for name in outputs.split()}
    pairs = ((a, b) for a, _, b in (one.partition("<") for one in wires.split()))
    return Diagram(drawn, dict(pairs))


def _product(_: Parameters) -> Diagram:
    return _diagram(
        "pose1 pose2", "y",
        {"first": "PoseParts", "second": "PoseParts", "both": "MatrixProduct", "turned": "Rotate",
         "sum": "Sum", "whole": "Pose"},
        "first.pose<pose1.y second.pose<pose2.y both.u1<first.rotation both.u2<second.rotation "
        "turned.rotation<first.rotation turned.v<second.position sum.u1<first.position "
        "sum.u2<turned.y whole.rotation<both.y whole.position<sum.y y.u<whole.pose",
    )  # fmt: skip


def _inverse(_: Parameters) -> Diagram:
    return _diagram(
        "pose", "y",
        {"parts": "PoseParts", "back": "Transpose", "turned": "RotateBack", "negative": "Negate",
         "whole": "Pose"},
        "parts.pose<pose.y back.u<parts.rotation turned.rotation<parts.rotation "
        "turned.v<parts.position negative.u<turned.y whole.rotation<back.y "
        "whole.position<negative.y y.u<whole.pose",
    )  # fmt: skip


def _point(_: Parameters) -> Diagram:
    return _diagram(
        "pose point", "y",
        {"parts": "PoseParts", "turned": "Rotate", "sum": "Sum"},
        "parts.pose<pose.y turned.rotation<parts.rotation turned.v<point.y sum.u1<parts.position "
        "sum.u2<turned.y y.u<sum.y",
    )  # fmt: skip


def _wrench(_: Parameters) -> Diagram:
    return _diagram(
        "pose wrench", "y",
        {"parts": "PoseParts", "own": "WrenchParts", "force": "Rotate", "torque": "Rotate",
         "moment": "Cross", "sum": "Sum", "whole": "Wrench"},
        "parts.pose<pose.y own.wrench<wrench.y force.rotation<parts.rotation force.v<own.force "
        "torque.rotation<parts.rotation torque.v<own.torque moment.u1<parts.position "
        "moment.u2<force.y sum.u1<torque.y sum.u2<moment.y whole.force<force.y whole.torque<sum.y "
        "y.u<whole.wrench",
    )  # fmt: skip


def _error(_: Parameters) -> Diagram:
    made = _diagram(
        "wanted pose", "turn shift",
        {"goal": "PoseParts", "parts": "PoseParts", "back": "Transpose",
         "between": "MatrixProduct", "turned": "RotationVector", "less": "Sum"},
        "goal.pose<wanted.y parts.pose<pose.y back.u<parts.rotation between.u1<goal.rotation "
        "between.u2<back.y turned.rotation<between.y turn.u<turned.y less.u1<goal.position "
        "less.u2<parts.position shift.u<less.y",
    )  # fmt: skip
    return Diagram({**made.blocks, "less": DrawnBlock("Sum", {"signs": "+-"})}, made.wires)


FRAMES: Final = (
    ParameterKind("from", "text", "", about="axes of what is brought"),
    ParameterKind("to", "text", "", about="axes of the pose, and of y"),
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
        name="Pose", group=GROUP, about="A rotation and a place as a pose.",
        equation="pose = (rotation, position)",
        ports=Ports((_matrix(), _vector("position", "m")), (pose(),)),
        example=Example({}, {"rotation": QUARTER, "position": (0.1, 0.2, 0.3)}),
    ),
    BlockKind(
        name="PoseParts", group=GROUP, about="A pose's rotation and place.",
        equation="(rotation, position) = pose", size_port="pose",
        ports=Ports((pose(),), (_matrix(), _vector("position", "m"))),
        example=Example({}, {"pose": TURNED}),
    ),
    BlockKind(
        name="PoseProduct", group=GROUP, about="A pose given in another pose's axes.",
        equation="y = pose1 pose2: rotation R1 R2, position p1 + R1 p2", drawn=_product,
        ports=lambda p: Ports((pose("pose1", p["to"] or "?f"), pose("pose2", p["from"] or "?g")),
                              (pose("y", p["to"] or "?f"),)),
        parameters=FRAMES, example=Example({}, {"pose1": TURNED, "pose2": TURNED}),
    ),
    BlockKind(
        name="PoseInverse", group=GROUP, about="The other way round.",
        equation="y = pose^-1: rotation R^T, position -R^T p", drawn=_inverse,
        ports=Ports((pose(),), (pose("y", "?g"),)), example=Example({}, {"pose": TURNED}),
    ),
    BlockKind(
        name="TransformPoint", group=GROUP, about="A point given in a pose's axes.",
        equation="y = p + R point", drawn=_point,
        ports=lambda p: Ports((pose("pose", p["to"] or "?f"),
                               _vector("point", "m", p["from"] or "?g")),
                              (_vector("y", "m", p["to"] or "?f"),)),
        parameters=FRAMES, example=Example({}, {"pose": TURNED, "point": (0.1, 0.0, 0.0)}),
    ),
    BlockKind(
        name="PoseError", group=GROUP, about="What is missing to a wanted pose.",
        equation="turn = RotationVector(R_wanted R^T), shift = p_wanted - p", drawn=_error,
        ports=Ports((pose("wanted"), pose()), (_vector("turn", "1"), _vector("shift", "m"))),
        example=Example({}, {"wanted": TURNED, "pose": STANDING}),
    ),
    BlockKind(
        name="Wrench", group=GROUP, about="A force and a torque as a wrench.",
        equation="wrench = (force, torque)",
        ports=Ports((_vector("force", "N"), _vector("torque", "N*m")), (wrench(),)),
        example=Example({}, {"force": (1.0, 0.0, 0.0), "torque": (0.0, 0.0, 0.5)}),
    ),
    BlockKind(
        name="WrenchParts", group=GROUP, about="A wrench's force and torque.",
        equation="(force, torque) = wrench", size_port="wrench",
        ports=Ports((wrench(),), (_vector("force", "N"), _vector("torque", "N*m"))),
        example=Example({}, {"wrench": PULL}),
    ),
    BlockKind(
        name="TransformWrench", group=GROUP,
        about="A wrench at a pose, in the axes and about the origin in which the pose is given.",
        equation="force = R f, torque = R m + p × R f", drawn=_wrench,
        ports=lambda p: Ports((pose("pose", p["to"] or "?f"), wrench("wrench", p["from"] or "?g")),
                              (wrench("y", p["to"] or "?f"),)),
        parameters=FRAMES, example=Example({}, {"pose": TURNED, "wrench": PULL}),
    ),
)  # fmt: skip
