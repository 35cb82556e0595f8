"""Geoms of a body: one that touches others, one that is seen, and what they weigh together."""

import math
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sim.world.meshes.mass import encloses_no_volume, open_edges, solid_mesh
from sim.world.meshes.mesh_reader import surface_of
from sim.world.meshes.surface import MeshError
from sim.world.mjcf.assets import LEGACY, ModelAssets
from sim.world.mjcf.values import MjcfValues, shift, upright
from sim.world.robots.body import (
    BodyPlace,
    BodyShape,
    LinkInertia,
    LinkMesh,
    LinkVisual,
    Numbers,
    Triple,
)
from sim.world.robots.rotations import quaternion_of
from sim.world.robots.shapes import MassProperties, solid, volume_m3
from sim.world.robots.xml_nodes import XmlNode, named
from sim.world.robots.xml_values import triple

Array = NDArray[np.float64]

EXACT: Final = "exact"
"""How a closed mesh weighs whose triangles count as they go round."""
DENSITY_KG_M3: Final = 1000.0
"""Of a geom that tells none."""
COUNTS: Final = {"sphere": 1, "capsule": 2, "cylinder": 2, "box": 3, "ellipsoid": 3}
"""Numbers of a size."""
SHAPES: Final = {
    "sphere": BodyShape.SPHERE, "capsule": BodyShape.CAPSULE, "cylinder": BodyShape.CYLINDER,
    "box": BodyShape.BOX, "mesh": BodyShape.MESH,
}  # fmt: skip
"""Types that a link's body can have."""
TYPES: Final = {**SHAPES, "plane": None, "hfield": None, "ellipsoid": None, "sdf": None}
ONE_EACH: Final = "a link has one body that touches others, and one that is seen"


@dataclass(frozen=True, slots=True)
class _Form:
    """What of a geom weighs."""

    kind: str
    """Its type."""
    edges: Numbers
    """As in `_Geom`."""
    mesh: LinkMesh | None
    """Of a mesh."""
    rule: str
    """By which a mesh weighs."""


@dataclass(frozen=True, slots=True)
class _Geom:
    """One geom, in its link's frame."""

    node: XmlNode
    """Its element."""
    kind: str
    """Its type."""
    size: Numbers
    """Edges, or radius and length; half axes of an ellipsoid."""
    pose: Array
    """Shape (4, 4)."""
    mesh: LinkMesh | None
    """Of a mesh."""
    touches: bool
    """Whether it touches anything."""
    colour: Triple | None
    """If it tells one."""
    hidden: bool
    """Whether it is not seen."""
    mass: MassProperties | None
    """In the link's frame; None where it weighs nothing, or its weight is not asked for."""
    density: dict[str, float]
    """How its mass is told, as a field of a link."""


def body_fields(
    values: MjcfValues, assets: ModelAssets, body: XmlNode, geoms: list[tuple[XmlNode, Array]],
    offset_m: Array, *, weigh: bool,
) -> dict[str, Any]:  # fmt: skip
    """Shape, place, colour, visual and, if asked for, mass of a link.

    Args:
        geoms: elements of the body, each with the frame around it, shape (4, 4).
        offset_m: of the link's frame in the body's, shape (3,).
        weigh: whether the body weighs what its geoms do.
    """
    read = [_read(values, assets, *one, offset_m, weigh=weigh) for one in geoms]
    found = [one for one in read if one is not None]
    bodies = [one for one in found if one.kind in SHAPES]
    touched = next((one for one in bodies if one.touches), None)
    seen = next((one for one in bodies if not one.touches), None)
    fields: dict[str, Any] = {}
    used = [one for one in (touched, seen) if one is not None]
    if touched is not None:
        parts = [one for one in bodies if touched.mesh and _is_part(one, touched)]
        used += parts
        fields.update(shape=SHAPES[touched.kind], size_m=_size(touched), place=_place(touched))
        fields["mesh"] = _joined(touched.mesh, [one.mesh for one in parts if one.mesh])
    if seen is not None:
        at = _place(seen)
        fields["visual"] = LinkVisual(
            SHAPES[seen.kind], _size(seen), at.position_m, at.quaternion, seen.mesh
        )
    for one in (touched, seen):
        if one is not None and one.colour is not None:
            fields["colour"] = one.colour
    if touched is not None and seen is None and touched.hidden:
        fields["visual"] = LinkVisual(BodyShape.NONE)
    for one in found:
        if not any(one is other for other in used):
            reason = ONE_EACH if one.kind in SHAPES else "no link has a body of this type"
            values.losses.append(one.node.loss("<geom>", one.kind, reason, named(body)))
    weights = [one for one in found if one.mass is not None]
    is_bounded = values.units_of(body).bounds_bodies
    if len(weights) == 1 and weights[0] is touched and weights[0].density and not is_bounded:
        fields.update(weights[0].density)
    elif weights:
        fields["inertia"] = inertia_of([one.mass for one in weights if one.mass])
    return fields


def inertia_of(bodies: list[MassProperties]) -> LinkInertia:
    """Of several bodies that are fixed to each other, in the same frame."""
    mass = sum(one.mass_kg for one in bodies)
    centre = sum((one.mass_kg * one.centre_m for one in bodies), np.zeros(3)) / mass
    total = np.zeros((3, 3))
    for one in bodies:
        arm = one.centre_m - centre
        total += one.inertia_kg_m2
        total += one.mass_kg * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    (xx, yy, zz), across = np.diag(total).tolist(), (total[0, 1], total[0, 2], total[1, 2])
    xy, xz, yz = map(float, across)
    return LinkInertia(float(mass), triple(centre), (xx, yy, zz, xy, xz, yz))


def _read(
    values: MjcfValues, assets: ModelAssets, node: XmlNode, around: Array, offset_m: Array, *,
    weigh: bool,
) -> _Geom | None:  # fmt: skip
    kind = "sphere" if node.get("type") is None else values.word(node, "type", TYPES)
    first, last = values.units_of(node).groups
    weigh = weigh and first <= values.number(node, "group", 0.0) <= last
    node.get("name")
    name, mesh = node.get("mesh"), None
    if kind == "mesh" or (name is not None and kind in SHAPES):
        mesh = assets.meshes.get(name or "")
        unread = assets.unread.get(name or "", f"no mesh is named {name}")
        if mesh is not None and kind != "mesh":
            mesh, unread = None, f"a {kind} is fitted to its mesh"
        if mesh is None:
            return _left_out(values, node, name, unread, weigh=weigh)
    rule = assets.inertias.get(name or "", LEGACY)
    pose, size = values.frame(node), values.listed(node, "size", 3)
    if kind in COUNTS:
        pose, size = _spanned(values, node, kind, pose, size)
    if kind in COUNTS and (len(size) < COUNTS[kind] or min(size[: COUNTS[kind]]) <= 0.0):
        values.fault(node, node.get("size"), f"a {kind} has {COUNTS[kind]} sizes", "above 0 m")
        return None
    pose = shift(-offset_m) @ around @ pose
    mass_text = node.get("mass")
    bits = [values.number(node, one, 1.0) for one in ("contype", "conaffinity")]
    if mesh is not None and not any(bits) and (not weigh or mass_text == "0"):
        try:
            surface_of(mesh)
        except MeshError as error:  # nothing of the motion asks for what is only seen
            return _left_out(values, node, name, f"its mesh {mesh.file}: {error.problem}",
                             weigh=False)  # fmt: skip
    edges = _edges(kind, size[: COUNTS.get(kind, 0)])
    mass, weight_fields = None, dict[str, float]()
    if weigh:
        mass, weight_fields = _weight(values, node, _Form(kind, edges, mesh, rule), pose)
    else:
        node.asked.update(("mass", "density"))
    colour, hidden = _colour(values, assets, node)
    return _Geom(node, kind, edges, pose, mesh, any(bits), colour, hidden, mass, weight_fields)


def _left_out(
    values: MjcfValues, node: XmlNode, name: str | None, reason: str, *, weigh: bool
) -> None:  # fmt: skip
    """Tell a geom as a whole."""
    reason += "; what it weighs is left out, too" if weigh and node.get("mass") != "0" else ""
    values.losses.append(node.loss("<geom>", name, reason))
    _forget(node)


def _spanned(
    values: MjcfValues, node: XmlNode, kind: str, pose: Array, size: Numbers
) -> tuple[Array, Numbers]:
    """Frame and size of a geom that goes from one point to another."""
    ends = values.listed(node, "fromto", 6)
    if len(ends) != 6:
        return pose, size
    first, second = np.array(ends[:3]), np.array(ends[3:])
    apart = float(np.linalg.norm(second - first))
    if apart < 1e-12 or not size:
        values.fault(node, ends, "its ends are at one place, or it has no radius", "two places")
        return pose, (1.0, 1.0, 1.0)
    turned = shift(0.5 * (first + second))
    turned[:3, :3] = upright(first - second)  # the engine's way round
    across = size[:1] if kind in ("capsule", "cylinder") else (size[0], size[0])
    return turned, (*across, 0.5 * apart)


def _edges(kind: str, size: Numbers) -> Numbers:
    """As a document counts: whole edges and lengths."""
    match kind:
        case "box":
            return tuple(2.0 * one for one in size)
        case "capsule" | "cylinder":
            radius, half = size
            return radius, 2.0 * half
        case _:
            return size


def _weight(
    values: MjcfValues, node: XmlNode, form: _Form, pose: Array
) -> tuple[MassProperties | None, dict[str, float]]:
    """Mass in the link's frame, and how it is told."""
    kind = form.kind
    mass = values.some(node, "mass")
    density = values.number(node, "density", DENSITY_KG_M3)
    if kind not in SHAPES and kind != "ellipsoid":
        return None, {}
    weight_fields = {"density_kg_m3": density} if mass is None else {"mass_kg": mass}
    if not (density if mass is None else mass):
        return None, {}
    own = _solid(values, node, form, mass, density)
    if own is None:
        return None, weight_fields
    if form.mesh is not None and form.rule != EXACT and not _is_exact(form.mesh, own):
        weight_fields = {}  # its document would weigh it otherwise
    return own.seen_from(pose[:3, :3], pose[:3, 3]), weight_fields


def _is_exact(mesh: LinkMesh, found: MassProperties) -> bool:
    """Whether a closed mesh weighs the same by what its triangles bound, as a convex one does."""
    surface = surface_of(mesh)
    if open_edges(surface) or encloses_no_volume(surface):
        return False
    exact = solid_mesh(surface, found.mass_kg, 0.0)
    slack = 1e-9 * float(np.abs(found.inertia_kg_m2).max())
    return bool(np.allclose(exact.inertia_kg_m2, found.inertia_kg_m2, rtol=0.0, atol=slack))


def _solid(
    values: MjcfValues, node: XmlNode, form: _Form, mass_kg: float | None, density: float
) -> MassProperties | None:
    kind, edges, mesh = form.kind, form.edges, form.mesh
    if mesh is not None:
        try:
            surface = surface_of(mesh)
        except MeshError as error:
            values.fault(node, mesh.file, error.problem, error.remedy)
            return None
        if form.rule not in (LEGACY, EXACT):
            reason = f"a mesh weighs as a body, {LEGACY} or {EXACT}; this one as the first"
            values.losses.append(node.loss("inertia", form.rule, reason))
        is_open = bool(open_edges(surface)) if form.rule == EXACT else surface.is_flat
        if is_open or (form.rule == EXACT and encloses_no_volume(surface)):
            right = "close it, or give the body an <inertial>"
            values.fault(node, mesh.file, "it is not closed, so it has no volume", right)
            return None
        return solid_mesh(surface, mass_kg, density, unsigned=form.rule != EXACT)
    if kind == "ellipsoid":
        a, b, c = edges
        mass = 4.0 / 3.0 * math.pi * a * b * c * density if mass_kg is None else mass_kg
        moments = 0.2 * mass * np.array([b * b + c * c, a * a + c * c, a * a + b * b])
        return MassProperties(mass, np.zeros(3), np.diag(moments))
    shape = SHAPES[kind]
    mass = density * volume_m3(shape, edges) if mass_kg is None else mass_kg
    return solid(shape, edges, mass)


def _colour(values: MjcfValues, assets: ModelAssets, node: XmlNode) -> tuple[Triple | None, bool]:
    """Its own, or its material's, and whether it is not seen."""
    material = node.get("material")
    if node.get("rgba") is not None:
        r, g, b, alpha = values.numbers(node, "rgba", (0.5, 0.5, 0.5, 1.0))
        if alpha not in (0.0, 1.0):
            values.losses.append(node.loss("alpha", alpha, "bodies are not seen through"))
        return (r, g, b), alpha == 0.0
    return (None if material is None else assets.colours.get(material)), False


def _is_part(one: _Geom, first: _Geom) -> bool:
    """Whether a mesh touches at the place of another, as its convex parts do."""
    same = one.mesh is not None and one.touches and one is not first
    return same and bool(np.array_equal(one.pose, first.pose))


def _joined(mesh: LinkMesh | None, more: list[LinkMesh]) -> LinkMesh | None:
    """A mesh whose parts are itself and others."""
    if mesh is None or not more or any(one.scale != mesh.scale for one in more):
        return mesh
    contents = dict(pair for one in (mesh, *more) for pair in one.contents)
    files = tuple(one.file for one in (mesh, *more))
    return LinkMesh(mesh.file, mesh.scale, files, tuple(contents.items()))


def _size(geom: _Geom) -> Numbers:
    return () if geom.mesh is not None else geom.size


def _place(geom: _Geom) -> BodyPlace:
    return BodyPlace(triple(geom.pose[:3, 3]), quaternion_of(geom.pose[:3, :3]))


def _forget(node: XmlNode) -> None:
    """What a geom that is told as a whole says is not told again."""
    node.asked.update(node.attributes)
