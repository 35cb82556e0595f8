"""Links of URDF: mass and inertia, what touches others, what is seen."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from sim.world.robots.body import (
    BodyPlace,
    BodyShape,
    LinkInertia,
    LinkMesh,
    LinkVisual,
    Numbers,
    Triple,
)
from sim.world.robots.named_parts import NamedLink
from sim.world.robots.rotations import quaternion_of
from sim.world.robots.shapes import SIZES, nearest_inertia, tensor_of
from sim.world.robots.urdf_meshes import read_mesh, unreadable
from sim.world.robots.urdf_words import INERTIA
from sim.world.robots.xml_nodes import XmlNode, named
from sim.world.robots.xml_values import XmlValues, triple

Array = NDArray[np.float64]

SOLIDS: Final = {
    one.value: one
    for one in (BodyShape.BOX, BodyShape.CYLINDER, BodyShape.CAPSULE, BodyShape.SPHERE)
}
"""Elements of a geometry that are read."""


def read_link(values: XmlValues, node: XmlNode, colours: dict[str, Triple]) -> NamedLink:
    """A link.

    Args:
        colours: of materials that the document names outside of links.
    """
    link = NamedLink(node, values.name(node), number=values.own_number(node))
    label = node.get("label")
    link.fields["name"] = link.name if label is None else label
    if (inertial := node.one("inertial")) is not None:
        inertia = _inertia(values, link, inertial)
        if inertia is not None:
            link.fields["inertia"] = inertia
    seen = _first(values, node, "visual")
    touched = _first(values, node, "collision")
    if seen is not None:
        link.fields.update(_colour(values, seen[0], colours))
    if touched is not None:
        _, shape, size_m, pose, mesh = touched
        turned = quaternion_of(pose[:3, :3])
        place = BodyPlace(triple(pose[:3, 3]), turned)
        link.fields.update(shape=shape, size_m=size_m, place=place, mesh=mesh)
    if seen is None and touched is not None:
        link.fields["visual"] = LinkVisual(BodyShape.NONE)
    elif seen is not None and (touched is None or not _same(seen, touched)):
        _, shape, size_m, pose, mesh = seen
        turned = quaternion_of(pose[:3, :3])
        link.fields["visual"] = LinkVisual(shape, size_m, triple(pose[:3, 3]), turned, mesh)
    return link


def read_colour(values: XmlValues, material: XmlNode) -> Triple | None:
    """Of a material; None if it has none of its own."""
    if (colour := material.one("color")) is None:
        return None
    *rgb, alpha = values.numbers(colour, "rgba", (0.7, 0.7, 0.7, 1.0))
    if alpha != 1.0:
        reason = "bodies are not seen through"
        values.losses.append(colour.loss("alpha", alpha, reason, named(material)))
    within = tuple(min(max(one, 0.0), 1.0) for one in rgb)
    if within != tuple(rgb):
        reason = "red, green and blue are 0 to 1 each: the nearest stand instead"
        values.losses.append(colour.loss("rgba", tuple(rgb), reason, named(material)))
    return triple(within)


Geometry = tuple[XmlNode, BodyShape, Numbers, Array, LinkMesh | None]
"""Its element, shape, size, frame and mesh."""


def _first(values: XmlValues, link: XmlNode, tag: str) -> Geometry | None:
    """The first of a link's bodies that can be had; others are left out and told."""
    found: Geometry | None = None
    for node in [one for one in link.children if one.tag == tag]:
        inside = [one for each in node.children if each.tag == "geometry" for one in each.children]
        shape = next((one for one in inside if one.tag in (*SOLIDS, "mesh")), None)
        mesh, unread = None, ""
        if found is None and shape is not None and shape.tag == "mesh":
            mesh, unread = read_mesh(values, shape)
            if mesh is not None and mesh.contents and tag == "visual":
                unread = unreadable(mesh)
        if found is None and shape is not None and not unread:
            found = _geometry(values, node, mesh)
            link.take(node)
            if (unread := _nothing(found, tag)) == "":
                continue
            found = None
        reason = unread or "a link has one body that touches others, and one that is seen"
        if shape is None:
            tags = [one.tag for one in inside]
            reason = (
                f"its geometry is {', '.join(tags) or 'none'}; read are {', '.join(SOLIDS)}, mesh"
            )
        values.losses.append(node.loss(f"<{tag}>", node.get("name"), reason, named(link)))
        link.take(node, whole=True)
    return found


def _nothing(body: Geometry, tag: str) -> str:
    """Why a body that stands where there is none is left out; empty of one that bounds something.

    Exporters write sizes of 0 for links that are only frames.
    """
    least = min(body[2], default=1.0)
    if least > 0.0 or (least < 0.0 and tag == "collision"):
        return ""
    return f"its {body[1].value} has a size of {least:g} m: there is nothing of it"


def _geometry(values: XmlValues, node: XmlNode, mesh: LinkMesh | None) -> Geometry:
    pose, geometry = values.place(node), node.one("geometry")
    assert geometry is not None  # noqa: S101  # the caller has seen its shape
    if mesh is not None:
        geometry.one("mesh")
        return node, BodyShape.MESH, (), pose, mesh
    solid = next(one for tag in SOLIDS if (one := geometry.one(tag)) is not None)
    shape = SOLIDS[solid.tag]
    if shape is BodyShape.BOX:
        if solid.get("size") is None:
            values.absent(solid, "size")
        return node, shape, values.numbers(solid, "size", (1.0, 1.0, 1.0)), pose, None
    return node, shape, tuple(values.needed(solid, name) for name in SIZES[shape]), pose, None


def _same(one: Geometry, other: Geometry) -> bool:
    return (*one[1:3], one[4]) == (*other[1:3], other[4]) and bool(np.array_equal(one[3], other[3]))


def _colour(values: XmlValues, visual: XmlNode, colours: dict[str, Triple]) -> dict[str, Triple]:
    if (material := visual.one("material")) is None:
        return {}
    name = material.get("name") or ""
    found = read_colour(values, material) or colours.get(name)
    if found is None:
        reason = "no material of this name has a colour"
        values.losses.append(material.loss("name", name, reason))
        return {}
    return {"colour": found}


def _inertia(values: XmlValues, link: NamedLink, inertial: XmlNode) -> LinkInertia | None:
    """Mass, centre and inertia in the link's axes; None of a link without mass."""
    pose = values.place(inertial)
    mass_node, tensor = inertial.one("mass"), inertial.one("inertia")
    if mass_node is None:
        values.fault(inertial, None, "<inertial> has no <mass>", "<mass .../>")
    if tensor is None:
        reason = "none is told: its mass is at a point"
        values.losses.append(inertial.loss("<inertia>", None, reason, named(link.node)))
    mass = values.needed(mass_node, "value")
    entries = tuple(values.number(tensor, name, 0.0) for name in INERTIA)
    if mass == 0.0:
        if any(entries):
            reason = "a link without mass has no inertia"
            values.losses.append(inertial.loss("inertia", entries, reason, named(link.node)))
        return None
    R = pose[:3, :3]
    physical = nearest_inertia(entries)
    if physical is not None:
        reason = "its principal moments are no body's; the nearest that are one's stand instead"
        values.losses.append(inertial.loss("inertia", entries, reason, named(link.node)))
    turned = R @ (tensor_of(entries) if physical is None else physical) @ R.T
    xx, yy, zz = np.diag(turned).tolist()
    across = (float(turned[0, 1]), float(turned[0, 2]), float(turned[1, 2]))
    return LinkInertia(mass, triple(pose[:3, 3]), (xx, yy, zz, *across))
