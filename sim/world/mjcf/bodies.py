"""Bodies of a model as links and joints that know each other by names.

A link's frame lies on the joint that moves it: that of a body whose joint is elsewhere in it is
moved there. A body of several joints is as many links, of which the last is the body.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sim.world.mjcf.assets import ModelAssets
from sim.world.mjcf.geoms import body_fields
from sim.world.mjcf.inertials import bounded, bounded_nothing, given_inertia
from sim.world.mjcf.joints import MjcfJoint, read_joints
from sim.world.mjcf.values import MjcfValues, shift
from sim.world.robots.model import JointType
from sim.world.robots.named_parts import NamedJoint, NamedLink
from sim.world.robots.urdf_words import WORLD
from sim.world.robots.xml_nodes import XmlNode
from sim.world.robots.xml_values import triple

Array = NDArray[np.float64]

OWN: Final = {one: re.compile(rf"{one}(\d{{1,8}})") for one in "ljec"}
"""Names that our own models have, whose numbers are those of the document."""
Placed = tuple[XmlNode, Array]
"""An element and the frame around it in its body, shape (4, 4)."""


@dataclass(frozen=True, slots=True)
class PlacedSite:
    """A place on a link."""

    node: XmlNode
    """Its element."""
    link: str
    """On which it is."""
    pose: Array
    """In the link's frame, shape (4, 4)."""


@dataclass(slots=True)
class ModelBodies:
    """Of one model, by their names."""

    links: list[NamedLink] = field(default_factory=list)
    """The world first."""
    joints: list[NamedJoint] = field(default_factory=list)
    """Of the tree."""
    sites: dict[str, PlacedSite] = field(default_factory=dict)
    """That have a name."""
    offsets_m: dict[str, Array] = field(default_factory=dict)
    """Of the link's frame in that of the body of its name."""
    poses: dict[str, Array] = field(default_factory=dict)
    """Of links in the world where the model has them, shape (4, 4)."""
    moving: list[tuple[NamedJoint, MjcfJoint]] = field(default_factory=list)
    """Joints that move, in the order of the model's coordinates, with those of the model."""


class BodyReader:
    """Bodies of one model while they are read.

    Args:
        asked_for: names of joints that are driven or followed.
        ours: whether names tell the numbers of a document.
    """

    def __init__(
        self, values: MjcfValues, assets: ModelAssets, asked_for: frozenset[str], *, ours: bool
    ) -> None:
        self.found: ModelBodies = ModelBodies()
        self._values, self._assets = values, assets
        self._asked_for, self._ours = asked_for, ours
        self._names: set[str] = {WORLD}
        self._counts: dict[str, int] = {}
        """The last number behind a name that was given more than once."""

    def read(self, world: XmlNode) -> None:
        """All of them."""
        self._names |= {one.attributes.get("name", "") for one in world.walk()}
        self.found.links.append(NamedLink(world, WORLD, {"name": WORLD}))
        self.found.offsets_m[WORLD] = np.zeros(3)
        self.found.poses[WORLD] = np.eye(4)
        self._inside(world, WORLD)

    def _body(self, node: XmlNode, around: Array, parent: str) -> None:
        values = self._values
        name = node.get("name") or self._free(f"{parent}_body")
        if name in self.found.offsets_m:
            values.fault(node, name, "told twice", "a name that no other has")
            return
        inside = list(_elements(values, node, np.eye(4)))
        nodes = [one for one in inside if one[0].tag in ("joint", "freejoint")]
        joints = read_joints(values, name, nodes, self._asked_for)
        rest = shift(-self.found.offsets_m[parent]) @ around @ values.frame(node)
        offset = self._joints(node, name, joints, rest, parent)
        self.found.offsets_m[name] = offset
        link = NamedLink(node, name, {"name": name}, self._number("l", name))
        if link.number is not None:
            link.fields["name"] = ""
        geoms = [one for one in inside if one[0].tag == "geom"]
        inertial, around_it = next(
            (one for one in inside if one[0].tag == "inertial"), (None, np.eye(4))
        )
        by_shape = values.units_of(node).weighs_bodies
        weigh = by_shape if by_shape is not None else inertial is None
        link.fields.update(
            body_fields(values, self._assets, node, geoms, offset, weigh=weigh)
        )  # fmt: skip
        if inertial is not None and not weigh:
            if (found := given_inertia(values, node, inertial, around_it, offset)) is not None:
                link.fields["inertia"] = found
                for one in ("density_kg_m3", "mass_kg"):
                    link.fields.pop(one, None)
        elif inertial is not None:
            values.losses.append(
                inertial.loss("<inertial>", None, "bodies weigh what their geoms do")
            )
            inertial.asked.update(inertial.attributes)
        elif "inertia" in link.fields:
            link.fields["inertia"] = bounded(values.units_of(node), link.fields["inertia"])
        if not {"inertia", "density_kg_m3", "mass_kg"} & link.fields.keys():
            link.fields["inertia"] = bounded_nothing(values, node, offset)
        self.found.links.append(link)
        self._inside(node, name, inside)

    def _inside(self, node: XmlNode, name: str, inside: list[Placed] | None = None) -> None:
        """Sites of a body, and bodies in it."""
        offset = self.found.offsets_m[name]
        for one, around in inside or _elements(self._values, node, np.eye(4)):
            if one.tag == "body":
                self._body(one, around, name)
            elif one.tag == "site":
                pose = shift(-offset) @ around @ self._values.frame(one)
                label = one.get("name") or self._free(f"{name}_site")
                self.found.sites[label] = PlacedSite(one, name, pose)
            elif one.tag == "geom" and name == WORLD:
                reason = "floors and bodies of the world are a scene's"
                self._values.losses.append(one.loss("<geom>", one.get("type"), reason))
                one.asked.update(one.attributes)

    def _joints(
        self, node: XmlNode, name: str, joints: list[MjcfJoint], rest: Array, parent: str
    ) -> Array:
        """Add the joints of a body; where its link's frame is in the body's."""
        if not joints:
            joints = [MjcfJoint(node, self._free(f"{name}_joint"), JointType.FIXED)]
        before = np.zeros(3)
        pose = self.found.poses[parent]
        for index, joint in enumerate(joints):
            last = index == len(joints) - 1
            child = name if last else self._free(f"{name}_{index + 1}")
            at = np.array(joint.at_m)
            place = rest @ shift(at) if index == 0 else shift(at - before)
            made = NamedJoint(
                joint.node, joint.name, "" if joint.type is JointType.FIXED else joint.name,
                joint.type, parent, child, place, joint.axis, limits=joint.limits,
                friction=joint.friction, damping=joint.damping, armature=joint.armature,
                number=self._number("j", joint.name),
            )  # fmt: skip
            if made.number is not None:
                made.label = ""
            if parent == WORLD and self._ours and joint.type in (JointType.FIXED, JointType.FREE):
                made.number = 0 if made.number is None else made.number
            self.found.joints.append(made)
            if joint.type is not JointType.FIXED:
                self.found.moving.append((made, joint))
            if not last:
                self.found.links.append(NamedLink(joint.node, child, {"name": child}))
            pose = pose @ place
            self.found.poses[child] = pose
            parent, before = child, at
        return before

    def _number(self, kind: str, name: str) -> int | None:
        match = OWN[kind].fullmatch(name) if self._ours else None
        return int(match[1]) if match else None

    def _free(self, name: str) -> str:
        found, count = name, self._counts.get(name, 1)
        while found in self._names:
            count += 1
            found = f"{name}_{count}"
        self._names.add(found)
        self._counts[name] = count
        return found


def are_ours(world: XmlNode) -> bool:
    """Whether every body has a name that our own models give."""
    names = [one.attributes.get("name", "") for one in world.walk() if one.tag == "body"]
    return bool(names) and all(OWN["l"].fullmatch(name) for name in names)


def _elements(values: MjcfValues, node: XmlNode, around: Array) -> Iterator[Placed]:
    """What is in a body, frames taken away, each with the frame around it."""
    for child in node.children:
        if child.tag == "frame":
            node.take(child)
            child.get("name")
            yield from _elements(values, child, around @ values.frame(child))
        elif child.tag in ("body", "geom", "site", "joint", "freejoint", "inertial"):
            node.take(child)
            yield child, around


def end_of(label: str, site: PlacedSite, number: int | None) -> NamedJoint:
    """A place on a link as an end."""
    at: dict[str, Any] = {"place": shift(site.pose[:3, 3])}
    return NamedJoint(
        site.node, f"{label} site", "" if number is not None else label, JointType.END, site.link,
        f"{label} end", at["place"], number=number,
    )  # fmt: skip


def points_at(found: ModelBodies, link: str, pose: Array) -> tuple[float, float, float]:
    """A place in the world as one in a link's frame."""
    own = found.poses[link]
    return triple(own[:3, :3].T @ (pose - own[:3, 3]))
