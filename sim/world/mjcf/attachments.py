"""Parts of other models that a model attaches: ``<attach model body prefix>``.

The engine's manual, XML reference, "body/attach": a body of another model, or all of its world,
stands in the place of the element; every name in it has a prefix; its defaults, assets, drives and
ties come with it. Its numbers are read as its own ``compiler`` says; ``settotalmass`` is that of
the document alone.
"""

import posixpath
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from sim.world.meshes.mesh_reader import MeshFiles
from sim.world.mjcf.defaults import MAIN
from sim.world.mjcf.includes import count_nodes, include_files, put_within, read_part
from sim.world.mjcf.reasons import REASONS
from sim.world.mjcf.values import MjcfValues, ModelUnits
from sim.world.robots.xml_nodes import ELEMENTS_MAX, SIZE_MAX, XmlNode

MODELS_MAX: Final = 64
"""Other models of a model at most, and attachments."""
SECTIONS: Final = ("equality", "actuator", "tendon", "contact", "sensor")
"""Of which elements come along whose names are all of the part."""
REFERENCES: Final = frozenset({
    "joint", "joint1", "joint2", "body", "body1", "body2", "geom", "geom1", "geom2", "site",
    "site1", "site2", "jointinparent", "refsite", "cranksite", "slidersite", "target", "tendon",
    "tendon1", "tendon2", "actuator",
})  # fmt: skip
"""Attributes that name an element of the bodies, or one that comes along."""
NAMES: Final = REFERENCES | {"name", "class", "childclass", "mesh", "material", "texture", "hfield"}
"""Attributes that get the prefix."""
IN_BODIES: Final = frozenset({"body", "joint", "freejoint", "geom", "site", "camera", "light"})


@dataclass(frozen=True, slots=True)
class _Other:
    """Another model, read."""

    root: XmlNode
    """Its elements, which know how their numbers are read."""
    characters: int


def attach_models(
    values: MjcfValues, root: XmlNode, files: MeshFiles, units_of: Callable[[XmlNode], ModelUnits]
) -> None:
    """Put what is attached in the places of its elements; what cannot be is told and left out.

    Args:
        units_of: reads what the ``compiler`` of a model says.
    """
    assets = [node for section in root.all("asset") for node in section.all("model")]
    named = {node.get("name") or "": node for node in assets}
    places = list(_places(root))
    if not places:
        return
    for node in places[MODELS_MAX:]:
        values.fault(node, None, f"more than {MODELS_MAX} attachments", "fewer")
        return
    if not root.all("default"):
        root.children.insert(0, root.like("default", {"class": MAIN}))
    known: dict[str, _Other | None] = {}
    total = count_nodes(root)
    for node in places:
        model = values.word(node, "model")
        if model not in named:
            there = ", ".join(sorted(named)[:8]) or "none"
            values.fault(node, model, "no such model among the assets", f"one of: {there}")
            continue
        if model not in known:
            left = SIZE_MAX - sum(one.characters for one in known.values() if one)
            known[model] = _read(values, named[model], files, left, units_of)
        other = known[model]
        if other is None:
            continue
        if (total := total + count_nodes(other.root)) > ELEMENTS_MAX:
            values.fault(node, model, f"more than {ELEMENTS_MAX} elements", "fewer attachments")
            return
        _attach(values, root, node, other)


def _places(node: XmlNode) -> Iterator[XmlNode]:
    for child in node.children:
        if child.tag == "attach" and node.tag in ("body", "frame", "worldbody"):
            yield child
        yield from _places(child)


def _read(
    values: MjcfValues, node: XmlNode, files: MeshFiles, size_max: int,
    units_of: Callable[[XmlNode], ModelUnits],
) -> _Other | None:  # fmt: skip
    """The model of an asset; None after a fault."""
    file = values.word(node, "file").replace("\\", "/")
    folder = posixpath.dirname(file)
    node.get("content_type")

    def beside(path: str) -> bytes:
        return files(posixpath.join(folder, path))

    part = read_part(values, node, file, files, size_max)
    if part is None:
        return None
    root, characters = part
    if root.tag != "mujoco":
        values.fault(node, f"{file}: <{root.tag}>", "no MJCF", "<mujoco> is the outermost element")
        return None
    put_within(root, node, file)
    include_files(values, root, beside)
    units = units_of(root)
    units = replace(units, mesh_folder=posixpath.join(folder, units.mesh_folder))
    for one in root.walk():
        one.units = units
    for compiler in root.children:
        if compiler.tag == "compiler":
            values.losses += compiler.untaken(REASONS)
    return _Other(root, characters)


def _attach(values: MjcfValues, root: XmlNode, place: XmlNode, other: _Other) -> None:
    prefix = place.get("prefix") or ""
    worlds = [
        child for one in other.root.children if one.tag == "worldbody" for child in one.children
    ]
    word = place.get("body")
    bodies = [one for part in worlds for one in part.walk() if one.tag == "body"]
    parts = worlds if word is None else [one for one in bodies if one.get("name") == word][:1]
    if not parts:
        there = ", ".join(one.get("name") or "" for one in bodies)[:200]
        values.fault(place, word, "no such body in that model", f"one of: {there}")
        return
    main = f"{prefix}{MAIN}"
    names = {one.attributes["name"] for part in parts for one in part.walk()
             if one.tag in IN_BODIES and "name" in one.attributes}  # fmt: skip
    place.tag = "frame"
    place.attributes = {"childclass": main}
    prefixed = partial(_prefix_names, prefix)
    place.children = [part.copied(prefixed) for part in parts]
    _add_defaults(root, other, prefix, main)
    for section in other.root.children:
        if section.tag == "asset":
            _add(root, section, prefix, main, _named)
        elif section.tag in SECTIONS:
            _add(root, section, prefix, main, lambda node: node if _within(node, names) else None)
        elif section.tag in ("keyframe", "option"):
            reason = "that of the model counts to which it is attached"
            values.losses.append(section.loss(f"<{section.tag}>", None, reason, "attached model"))


def _add_defaults(root: XmlNode, other: _Other, prefix: str, main: str) -> None:
    """Its classes, the outermost beside this model's own; each prefix once."""
    if any(one.tag == "default" and one.attributes.get("class") == main for one in root.children):
        return
    found = [one for one in other.root.children if one.tag == "default"]
    made = [one.copied(partial(_prefix_names, prefix)) for one in found] or [
        root.like("default", {})
    ]
    for one, old in zip(made, found or made, strict=True):
        if old.attributes.get("class", MAIN) == MAIN or not found:
            one.attributes["class"] = main
    root.children += made


def _add(
    root: XmlNode, section: XmlNode, prefix: str, main: str,
    taken: Callable[[XmlNode], XmlNode | None],
) -> None:  # fmt: skip
    found = [one for node in section.children if (one := taken(node)) is not None]
    made = section.like(section.tag, {})
    for node in found:
        one = node.copied(partial(_prefix_names, prefix))
        if section.tag in ("asset", "equality", "actuator"):
            one.attributes.setdefault("class", main)
        made.children.append(one)
    root.children += [made] if found else []


def _named(node: XmlNode) -> XmlNode:
    """An asset with the name that it has without being told one."""
    if node.tag != "mesh" or "file" not in node.attributes:
        return node
    file = node.attributes["file"].replace("\\", "/")
    stem = posixpath.splitext(posixpath.basename(file))[0]
    return node.like(node.tag, {"name": stem, **node.attributes})


def _within(node: XmlNode, names: set[str]) -> bool:
    """Whether all that an element and those in it name is of the part."""
    return all(
        value in names for one in node.walk() for name, value in one.attributes.items()
        if name in REFERENCES
    )  # fmt: skip


def _prefix_names(prefix: str, node: XmlNode) -> dict[str, str]:
    """Attributes of a copy."""
    return {
        name: f"{prefix}{value}" if name in NAMES and value else value
        for name, value in node.attributes.items()
    }
