"""Whether the values of links and joints are right, each by itself; all findings are collected.

How they are tied to each other is judged by :mod:`sim.world.robots.tie_checks`.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, Final

from sim.world.meshes.checks import mesh_problems, too_many_triangles
from sim.world.robots.body import BodyShape, LinkInertia, LinkVisual
from sim.world.robots.dh import COUNTS, NAMES, is_angle
from sim.world.robots.faults import Finding
from sim.world.robots.model import (
    AXES,
    JOINTS_MAX,
    LINKS_MAX,
    REST,
    JointType,
    Robot,
    RobotJoint,
    RobotLink,
)
from sim.world.robots.shapes import SIZES, principal_moments

ROUNDING: Final = 1e-9
"""Error of a unit quaternion's length, and of moments of inertia in parts of the largest."""
TURN_MAX_RAD: Final = math.tau
"""Greatest angle that a document may name."""
IN_RAD: Final = "at most 2π rad either way; angles are in rad, not in degrees"

NUMBER_MAX: Final = 1e12
"""Magnitude of any number at most, so that products of some are finite."""
NOT_FINITE: Final = ("not finite, or beyond 1e12", "numbers are finite and at most 1e12")

Problem = tuple[str, object, str, str]
"""Field, value, what is wrong, what would be right."""


def value_findings(robot: Robot) -> Iterator[Finding]:
    """What is wrong with the values of each link and each joint."""
    heavy = list(too_many_triangles(robot.links[:LINKS_MAX]))
    yield from heavy
    for kind, rows, most in (("link", robot.links, LINKS_MAX), ("joint", robot.joints, JOINTS_MAX)):
        if len(rows) > most:
            problem = f"there are more {kind}s than {most}"
            yield Finding((kind, most, "number"), kind, len(rows), problem, f"leave out {kind}s")
        seen: dict[int, int] = {}
        free = max((row.number for row in rows), default=0) + 1
        for index, row in enumerate(rows[:most]):
            subject = f"{kind} {row.number}"
            if row.number < 0:
                right = "numbers are 0 and more"
                yield Finding((kind, index, "number"), subject, row.number, "below 0", right)
            if (first := seen.setdefault(row.number, index)) != index:
                problem = f"entry {first + 1} of the {kind}s has the same number"
                right = f"{free} is free"
                yield Finding((kind, index, "number"), subject, row.number, problem, right)
            problems = _of_link(row) if isinstance(row, RobotLink) else _of_joint(row)
            if isinstance(row, RobotLink) and not heavy:
                problems = chain(problems, mesh_problems(row))
            for field, value, problem, remedy in problems:
                yield Finding((kind, index, field), subject, value, problem, remedy)


def finite(value: object) -> bool:
    """Whether every number of a value is finite, and not beyond `NUMBER_MAX`."""
    if isinstance(value, tuple | list):
        return all(map(finite, value))
    return not isinstance(value, float) or abs(value) <= NUMBER_MAX


def _of_link(link: RobotLink) -> Iterator[Problem]:
    fields = ("dh", "size_m", "colour", "density_kg_m3", "mass_kg")
    broken = [field for field in fields if not finite(getattr(link, field))]
    yield from _not_finite(link, broken)
    if "dh" not in broken:
        yield from _of_dh(link.dh)
    if "size_m" not in broken:
        yield from _of_size(link.shape, link.size_m)
    if "colour" not in broken and not all(0.0 <= one <= 1.0 for one in link.colour):
        yield "colour", link.colour, "outside 0 … 1", "red, green and blue are 0 … 1 each"
    if "density_kg_m3" not in broken and link.density_kg_m3 < 0.0:
        yield "density_kg_m3", link.density_kg_m3, "below 0 kg/m3", "above 0 kg/m3 (steel: 7850)"
    if link.mass_kg is not None and "mass_kg" not in broken and link.mass_kg < 0.0:
        yield "mass_kg", link.mass_kg, "below 0 kg", "0 kg or more"
    weights = (link.density_kg_m3 != 0.0) + (link.mass_kg is not None) + (link.inertia is not None)
    if weights > 1:
        problem = "the link's mass is told more than once"
        yield "density_kg_m3", link.density_kg_m3, problem, "a density, a mass, or an inertia"
    if link.shape is BodyShape.NONE and (link.density_kg_m3 or link.mass_kg):
        right = "give it a shape, or centre and inertia as well"
        yield "shape", link.shape.value, "no body has this density or mass", right
    if link.inertia is not None:
        yield from _of_inertia(link.inertia)
    if link.place is not None:
        yield from _of_place("place", link.place.position_m, link.place.quaternion)
    if link.visual is not None:
        yield from _of_visual(link.visual)


def _not_finite(row: RobotLink | RobotJoint, fields: Iterable[str]) -> Iterator[Problem]:
    for field in fields:
        yield field, getattr(row, field), *NOT_FINITE


def _of_dh(dh: Sequence[float]) -> Iterator[Problem]:
    if len(dh) not in COUNTS:
        right = "4 (α, d, θ, r) or 6 (γ, b, α, d, θ, r)"
        yield "dh", tuple(dh), f"{len(dh)} numbers", right
        return
    for name, value in zip(NAMES[-len(dh) :], dh, strict=True):
        if is_angle(name) and abs(value) > TURN_MAX_RAD:
            yield "dh", tuple(dh), f"{name} is {value!r}", IN_RAD


def _of_size(shape: BodyShape, size_m: Sequence[float]) -> Iterator[Problem]:
    names = SIZES[shape]
    least = len(names) - (bool(names) and names[-1] == "length")
    if not least <= len(size_m) <= len(names):
        wanted = ", ".join(names[:least]) + (", and the length if" if least < len(names) else "")
        right = f"{shape} has {wanted or 'none'}{' joints do not tell it' * (least < len(names))}"
        yield "size_m", tuple(size_m), f"{len(size_m)} numbers", right
    for name, value in zip(names, size_m, strict=False):
        if value < 0.0 or (value == 0.0 and (shape, name) != (BodyShape.CAPSULE, "length")):
            yield "size_m", tuple(size_m), f"{name} is {value!r} m", "above 0 m"


def _of_inertia(inertia: LinkInertia) -> Iterator[Problem]:
    mass, entries = inertia.mass_kg, inertia.inertia_kg_m2
    if not finite((mass, *inertia.centre_m, *entries)):
        yield "inertia", (mass, *inertia.centre_m, *entries), *NOT_FINITE
        return
    if mass <= 0.0:
        yield "inertia", mass, "its mass is not above 0 kg", "above 0 kg"
    least, middle, greatest = principal_moments(entries).tolist()
    slack = ROUNDING * max(greatest, 0.0)
    if least < -slack or greatest > least + middle + slack or (greatest <= 0.0 and any(entries)):
        problem = f"principal moments {least:.6g}, {middle:.6g}, {greatest:.6g} kg m2 are no body's"
        right = "each is above 0 and at most the sum of the other two"
        yield "inertia", tuple(entries), problem, right


def _of_visual(visual: LinkVisual) -> Iterator[Problem]:
    yield from _of_place("visual", visual.position_m, visual.quaternion)
    if not finite(visual.size_m):
        yield "visual", visual.size_m, *NOT_FINITE
    elif len(visual.size_m) != (count := len(SIZES[visual.shape])):
        right = f"{count}: {', '.join(SIZES[visual.shape]) or 'none'}"
        yield "visual", visual.size_m, f"{len(visual.size_m)} numbers", right
    else:
        for _, value, problem, right in _of_size(visual.shape, visual.size_m):
            yield "visual", value, problem, right


def _of_place(
    field: str, position: Sequence[float], quaternion: Sequence[float]
) -> Iterator[Problem]:
    if not finite((*position, *quaternion)):
        yield field, (*position, *quaternion), *NOT_FINITE
    else:
        yield from _of_quaternion(field, quaternion)


def _of_quaternion(field: str, quaternion: Sequence[float]) -> Iterator[Problem]:
    if abs(math.hypot(*quaternion) - 1.0) > ROUNDING:
        problem = f"the quaternion's length is {math.hypot(*quaternion):.9g}"
        yield field, tuple(quaternion), problem, "w, x, y, z of length 1 (to 1e-9)"


def _of_joint(joint: RobotJoint) -> Iterator[Problem]:
    fields = ("axis", "at_parent_m", "at_child_m", "start", "limits", "friction", "damping",
              "armature")  # fmt: skip
    broken = {field for field in fields if not finite(getattr(joint, field))}
    yield from _not_finite(joint, sorted(broken))
    if "axis" not in broken:
        yield from _of_axis(joint)
    if joint.start is not None and "start" not in broken:
        yield from _of_start(joint.type, joint.start)
    if "limits" not in broken:
        yield from _of_limits(joint, can_start=not broken & {"start"})
    for field in ("friction", "damping", "armature"):
        value = getattr(joint, field)
        if field not in broken and value < 0.0:
            yield field, value, "below 0", "0 or more"
        elif value and not REST[joint.type]:
            yield field, value, f"a {joint.type} joint does not move", "leave it out"
    mimic = joint.mimic
    if mimic is not None and not finite((mimic.ratio, mimic.offset)):
        yield "mimic", (mimic.ratio, mimic.offset), *NOT_FINITE
    yield from _of_points(joint)


def _of_axis(joint: RobotJoint) -> Iterator[Problem]:
    count = AXES.get(joint.type, 0)
    allowed = (0, 3) if count == 0 else (3 * count,)
    if len(joint.axis) not in allowed:
        right = f"{allowed[-1]} numbers: {'two axes' if count == 2 else 'x, y, z'}"
        yield "axis", joint.axis, f"{len(joint.axis)} numbers for a {joint.type} joint", right
        return
    for first in range(0, 3 * count, 3):
        if not 1e-6 <= math.hypot(*joint.axis[first : first + 3]) <= 1e6:
            yield "axis", joint.axis, "it has no direction", "a length of 1e-6 … 1e6, 1 is usual"
            return
    if count == 2:
        one, two = joint.axis[:3], joint.axis[3:]
        cosine = sum(a * b for a, b in zip(one, two, strict=True)) / math.hypot(*one)
        if abs(cosine) / math.hypot(*two) > ROUNDING:
            yield "axis", joint.axis, "its two axes are not perpendicular", "such as x and y"


def _of_start(kind: JointType, start: Sequence[float]) -> Iterator[Problem]:
    if len(start) != len(REST[kind]):
        problem = f"{len(start)} numbers for a {kind} joint"
        yield "start", tuple(start), problem, f"{len(REST[kind])} numbers"
    elif kind in (JointType.BALL, JointType.FREE):
        yield from _of_quaternion("start", start[-4:])
    elif kind is not JointType.SLIDE and any(abs(one) > TURN_MAX_RAD for one in start):
        yield "start", tuple(start), "more than a turn", IN_RAD


def _of_limits(joint: RobotJoint, *, can_start: bool) -> Iterator[Problem]:
    if not joint.limits:
        return
    count = 1 if joint.type is JointType.BALL else AXES.get(joint.type, 0)
    if len(joint.limits) != count:
        problem = f"{len(joint.limits)} pairs for a {joint.type} joint"
        yield "limits", joint.limits, problem, f"{count} pairs of least and greatest"
        return
    start: Sequence[Any] = joint.start or REST[joint.type]
    for axis, (least, greatest) in enumerate(joint.limits):
        if joint.type is JointType.BALL and least != 0.0:
            yield (
                "limits",
                joint.limits,
                "a ball joint's least angle is 0 rad",
                "0 and its greatest",
            )
        elif least >= greatest:
            yield "limits", joint.limits, f"{least!r} is not below {greatest!r}", "least first"
        elif joint.type is not JointType.SLIDE and max(-least, greatest) > TURN_MAX_RAD:
            yield "limits", joint.limits, "more than a turn", IN_RAD
        elif joint.type is JointType.BALL or not can_start or len(start) != count:
            continue
        elif not least <= start[axis] <= greatest:
            problem = f"outside [{least!r}, {greatest!r}]"
            yield "start", tuple(start), problem, "it starts within its limits"


def _of_points(joint: RobotJoint) -> Iterator[Problem]:
    if joint.type is JointType.END:
        if joint.at_parent_m is None or joint.at_child_m is not None:
            yield "at_parent_m", joint.at_parent_m, "an end has one point", "its place on its link"
    elif (joint.at_parent_m is None) != (joint.at_child_m is None):
        field = "at_parent_m" if joint.at_child_m is None else "at_child_m"
        right = "none for a joint of the tree, one on each link for one that closes a loop"
        yield field, getattr(joint, field), "one point of two", right
    elif joint.closes and joint.type not in (JointType.HINGE, JointType.BALL, JointType.FIXED):
        right = "hinge, ball or fixed; let another joint of the loop close it"
        yield "type", joint.type.value, "no such joint can close a loop", right
