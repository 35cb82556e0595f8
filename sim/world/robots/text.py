"""A robot as the paper's text, read and written with all digits.

    units m rad kg/m3
    link  [No, D-H, JointD, JointT, Shape, Size, Color, Density, Inertia]
    joint [No, Type, Axis, LinkP, LinkN, AtP, AtN]

After Su and Xue; JointD is the joint that moves the link, JointT lists those that leave it. Ours
are the points AtP and AtN, both of a joint that closes a loop, the first of an end; and Inertia of
a link whose body and density do not give it: mass, centre, then xx, yy, zz, xy, xz, yz about that.
What the text has no column for is listed by `text_losses`.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, Final

import numpy as np

from sim.world.meshes.mesh_reader import surface_of
from sim.world.robots.bodies import PlacedBody, placed_bodies
from sim.world.robots.body import SOLIDS, BodyShape, LinkInertia
from sim.world.robots.faults import FaultList, Finding
from sim.world.robots.losses import Loss, losses_beside
from sim.world.robots.model import JointType, Robot, RobotJoint, RobotLink
from sim.world.robots.robot_checks import findings_of
from sim.world.robots.shapes import volume_m3
from sim.world.robots.text_cells import TextCell, TextRow, rows_of
from sim.world.robots.tree import drivers_of

SIZE_MAX: Final = 4_000_000
"""Most characters of a document."""
AS_WEIGHT: Final = "it is written as a density, or as mass and inertia"
"""Replacement of a mass in the text."""
FLAT_M: Final = 1e-6
"""Least edge of the box that replaces a mesh."""
UNITS: Final = ("m", "rad", "kg/m3")
LINK: Final = ("number", "dh", "joint_d", "leaving", "shape", "size_m", "colour", "density_kg_m3",
               "inertia")  # fmt: skip
"""Columns of a link, as fields of `RobotLink`; JointD is there by the graph's arcs; the last may be
left out."""
JOINT: Final = ("number", "type", "axis", "parent", "child", "at_parent_m", "at_child_m")
"""Columns of a joint, as fields of `RobotJoint`; the last two may be left out."""
LABELS: Final = {
    "number": "No", "dh": "D-H", "joint_d": "JointD", "leaving": "JointT", "shape": "Shape",
    "size_m": "Size", "colour": "Color", "density_kg_m3": "Density", "mass_kg": "Density",
    "inertia": "Inertia",
    "type": "Type", "axis": "Axis", "parent": "LinkP", "child": "LinkN", "at_parent_m": "AtP",
    "at_child_m": "AtN",
}  # fmt: skip
"""Headings of the columns."""


class _UnreadableError(Exception):
    """Cell without a value: what is wrong, and what would be right."""


def read_text(text: str, source: str) -> Robot:
    """Read the robot of a text.

    Args:
        source: the document, for error texts.

    Raises:
        RobotDocumentError: with every fault.
    """
    faults = FaultList(source, LABELS)
    if len(text) > SIZE_MAX:
        right = f"at most {SIZE_MAX}"
        faults.add(0, 0, f"{len(text)} characters", "the document is too long", right)
        faults.end()
    links: list[dict[str, Any]] = []
    joints: list[dict[str, Any]] = []
    has_units, whole = False, True
    for row in rows_of(text, faults):
        if row.keyword == "units":
            has_units = True
            _check_units(row, faults)
            continue
        if not has_units:
            right = f"the first line is: units {' '.join(UNITS)}"
            faults.add(row.line, row.column, row.keyword, "no units are named before it", right)
            has_units = True
        rows, columns = (links, LINK) if row.keyword == "link" else (joints, JOINT)
        whole = _read_row(row, columns, rows, faults) and whole
    robot = Robot(
        tuple(_without(row, "joint_d", RobotLink) for row in links),
        tuple(RobotJoint(**row) for row in joints),
    )
    whole = whole and not faults.faults
    faults.take(findings_of(robot, whole=whole))
    if whole:
        faults.take(_drivers_agree(robot, [row["joint_d"] for row in links]))
    faults.end()
    return robot


def write_text(robot: Robot) -> str:
    """Write the text of a robot; what it cannot express is left out (`text_losses`)."""
    drivers = drivers_of(robot)
    bodies = placed_bodies(robot)
    lines = [f"units {' '.join(UNITS)}"]
    for link in robot.links:
        body = bodies[link.number]
        shape, size_m = _shape_and_size(link, body)
        density, weight = _weight(link, body)
        cells = (
            str(link.number), _list(link.dh), str(drivers[link.number].number), _list(link.leaving),
            shape.value, _list(size_m), _list(link.colour), number_text(density), *weight,
        )  # fmt: skip
        lines.append(f"link  [{', '.join(cells)}]")
    for joint in robot.joints:
        ends = (joint.at_parent_m, joint.at_child_m)
        points = [_list(point) for point in ends if point is not None]
        cells = (
            str(joint.number), joint.type.value, _list(joint.axis), str(joint.parent),
            str(joint.child), *points,
        )  # fmt: skip
        lines.append(f"joint [{', '.join(cells)}]")
    return "\n".join(lines) + "\n"


def text_losses(robot: Robot) -> tuple[Loss, ...]:
    """List what the text cannot express of a robot."""
    reason = "the text has no column for it"
    boxes = "a box of its extents stands instead; its mass and inertia are kept"
    meshes = (
        Loss(f"link {link.number}", "shape", link.mesh, boxes)
        for link in robot.links
        if link.mesh is not None
    )
    beside = losses_beside(robot, {*LINK, "mesh"}, {*JOINT}, reason)
    return *(_loss_in_text(one) for one in beside), *meshes


def _loss_in_text(loss: Loss) -> Loss:
    return replace(loss, reason=AS_WEIGHT) if loss.field == "mass_kg" else loss


def _weight(link: RobotLink, body: PlacedBody) -> tuple[float, tuple[str, ...]]:
    """Density of a link, and its inertia if that of its body in the text differs."""
    volume = volume_m3(link.shape, body.size_m)
    if link.inertia is None and link.place is None and link.mesh is None:
        by_mass = link.mass_kg is not None and volume
        return (body.mass.mass_kg / volume if by_mass else link.density_kg_m3), ()
    if body.mass.mass_kg == 0.0:
        return 0.0, ()
    tensor = body.mass.inertia_kg_m2
    across = (tensor[0, 1], tensor[0, 2], tensor[1, 2])
    cells = (body.mass.mass_kg, *body.mass.centre_m, *np.diag(tensor), *across)
    return 0.0, (_list(map(float, cells)),)


def _shape_and_size(link: RobotLink, body: PlacedBody) -> tuple[BodyShape, tuple[float, ...]]:
    """Shape and size in the text: the box about a mesh."""
    if body.mesh is None:
        return link.shape, link.size_m
    points = surface_of(body.mesh).corners.reshape(-1, 3)
    edges = points.max(axis=0) - points.min(axis=0)
    return BodyShape.BOX, tuple(max(edge, FLAT_M) for edge in edges.tolist())


def number_text(value: float) -> str:
    """Format a number with all its digits, as short as possible; whole numbers without a point."""
    whole = value.is_integer() and abs(value) < 1e15 and not _is_minus_zero(value)
    return str(int(value)) if whole else float.__repr__(value)  # numpy's own is not TOML


def _is_minus_zero(value: float) -> bool:
    return value == 0.0 and math.copysign(1.0, value) < 0.0


def _list(values: Iterable[float]) -> str:
    return f"({', '.join(number_text(float(one)) for one in values)})"


def _check_units(row: TextRow, faults: FaultList) -> None:
    found = tuple(cell.text for cell in row.cells)
    if found != UNITS:
        right = f"units {' '.join(UNITS)}"
        faults.add(row.line, row.column, " ".join(found), "other units are not read", right)


def _read_row(
    row: TextRow, columns: tuple[str, ...], rows: list[dict[str, Any]], faults: FaultList
) -> bool:
    """Add the fields of a row; False if it has not all of its columns."""
    kind, index = row.keyword, len(rows)
    least = len(LINK) - 1 if columns is LINK else len(JOINT) - 2
    if not least <= len(row.cells) <= len(columns):
        names = ", ".join(LABELS[name] for name in columns)
        problem = f"{len(row.cells)} columns"
        faults.add(row.line, row.column, row.keyword, problem, f"{kind} [{names}]")
        return False
    faults.put((kind, index), row.line, row.column)
    fields = dict(_EMPTY[kind])
    for name, cell in zip(columns, row.cells, strict=False):
        faults.put((kind, index, name), row.line, cell.column)
        try:
            fields[name] = _READERS[name](cell)
        except _UnreadableError as error:
            faults.unreadable((kind, index, name), cell.text, *error.args)
            for other in _JUDGED_BY.get(name, ()):
                faults.ignore((kind, index, other))
    rows.append(fields)
    return True


def _drivers_agree(robot: Robot, stated: list[int]) -> Iterator[Finding]:
    """Compare JointD of each link with the joint whose LinkN it is."""
    if len({link.number for link in robot.links}) < len(robot.links):
        return
    joints = {joint.number: joint for joint in robot.joints}
    drivers = drivers_of(robot)
    for index, (link, number) in enumerate(zip(robot.links, stated, strict=True)):
        own = drivers.get(link.number)
        if own is not None and number != own.number:
            there = joints.get(number)
            problem = "no such joint" if there is None else f"it moves link {there.child}"
            if there is not None and there.closes:
                problem = "it closes a loop"
            right = f"{own.number}, whose LinkN is {link.number}"
            field = ("link", index, "joint_d")
            yield Finding(field, f"link {link.number}", number, problem, right)


def _without(row: dict[str, Any], name: str, make: Callable[..., RobotLink]) -> RobotLink:
    return make(**{key: value for key, value in row.items() if key != name})


def _number(word: str) -> float:
    try:
        value = float(word.replace("_", "?"))
    except ValueError:
        raise _UnreadableError("not a number", "a number such as 0.25 or 1e-3") from None
    return value


def _integer(cell: TextCell) -> int:
    word = cell.text
    if len(word) > 9 or not word.removeprefix("-").isdecimal() or not word.isascii():
        raise _UnreadableError("not a whole number", "a number such as 3, or -1 for nothing")
    return int(word)


def _scalar(cell: TextCell) -> float:
    if cell.is_list:
        raise _UnreadableError("a list", "one number without brackets")
    return _number(cell.text)


def _numbers(cell: TextCell) -> tuple[float, ...]:
    if not cell.is_list:
        raise _UnreadableError("not a list", "numbers in round brackets, such as (0, 0, 1)")
    return tuple(map(_number, cell.words))


def _three(cell: TextCell) -> tuple[float, ...]:
    values = _numbers(cell)
    if len(values) != 3:
        raise _UnreadableError(f"{len(values)} numbers", "three of them")
    return values


def _inertia(cell: TextCell) -> LinkInertia:
    values = _numbers(cell)
    if len(values) != 10:
        right = "mass, x, y, z of its centre, xx, yy, zz, xy, xz, yz about that"
        raise _UnreadableError(f"{len(values)} numbers", right)
    return LinkInertia(values[0], values[1:4], values[4:])  # type: ignore[arg-type]


def _integers(cell: TextCell) -> tuple[int, ...]:
    if not cell.is_list:
        raise _UnreadableError("not a list", "numbers in round brackets, such as (3), or ()")
    return tuple(_integer(TextCell(cell.column, (word,), is_list=False)) for word in cell.words)


def _one_of(kinds: Iterable[BodyShape] | Iterable[JointType]) -> Callable[[TextCell], str]:
    known = {one.value: one for one in kinds}

    def read(cell: TextCell) -> str:
        if cell.text not in known:
            raise _UnreadableError("no such word", f"one of {', '.join(known)}")
        return known[cell.text]

    return read


_READERS: Final[dict[str, Callable[[TextCell], Any]]] = {
    "number": _integer, "dh": _numbers, "joint_d": _integer, "leaving": _integers,
    "shape": _one_of(SOLIDS), "size_m": _numbers, "colour": _three, "density_kg_m3": _scalar,
    "inertia": _inertia,
    "type": _one_of(JointType), "axis": _numbers, "parent": _integer, "child": _integer,
    "at_parent_m": _three, "at_child_m": _three,
}  # fmt: skip
_EMPTY: Final[dict[str, dict[str, Any]]] = {
    "link": {"number": 0, "dh": (0.0,) * 4, "joint_d": 0},
    "joint": {"number": 0, "type": JointType.FIXED, "axis": (), "parent": 0, "child": 0},
}
"""Values of cells that cannot be read."""
_JUDGED_BY: Final = {"shape": ("size_m",), "type": ("axis", "at_parent_m", "at_child_m")}
"""Cells that have no meaning without another one."""
