"""Parts of a model that stand elsewhere or stand for several: ``<include>`` and ``<replicate>``.

The engine's manual, XML reference, "include" and "replicate": what is in an included file stands in
its place, each file once; copies have their number after their names, and each a frame that
is moved and turned from the one before it.
"""

from dataclasses import dataclass, field
from functools import partial
from typing import Final

import numpy as np

from sim.world.meshes.mesh_reader import MeshFiles, OutsideError
from sim.world.mjcf.values import MjcfValues
from sim.world.robots.faults import RobotDocumentError
from sim.world.robots.rotations import quaternion_of
from sim.world.robots.xml_nodes import DEPTH_MAX, ELEMENTS_MAX, SIZE_MAX, XmlNode, read_nodes
from sim.world.robots.xml_writer import numbers

FILES_MAX: Final = 64
"""Included files of a model at most."""
NAMED: Final = frozenset({"body", "joint", "freejoint", "geom", "site", "camera", "light", "frame"})
"""Elements whose copies have names of their own."""


@dataclass(slots=True)
class _IncludeState:
    """What was included so far."""

    files: MeshFiles
    names: set[str] = field(default_factory=set)
    characters: int = 0
    elements: int = 0


def include_files(values: MjcfValues, root: XmlNode, files: MeshFiles) -> None:
    """Put what is in included files in the places of their elements; faults where that fails."""
    _include(values, root, _IncludeState(files), 1)


def _include(values: MjcfValues, node: XmlNode, so_far: _IncludeState, depth: int) -> None:
    if depth > DEPTH_MAX:  # each file alone has fewer
        values.fault(
            node, f"<{node.tag}>", f"more than {DEPTH_MAX} elements in each other", "fewer"
        )
        return
    children: list[XmlNode] = []
    for child in node.children:
        if child.tag == "include":
            inside = _had(values, child, so_far)
            if inside is not None:
                _include(values, inside, so_far, depth)
                children += inside.children
        else:
            _include(values, child, so_far, depth + 1)
            children.append(child)
    node.children[:] = children


def _had(values: MjcfValues, node: XmlNode, so_far: _IncludeState) -> XmlNode | None:
    """The outermost element of an included file; None after a fault."""
    file = values.word(node, "file").replace("\\", "/")
    if not file:
        return None
    if file in so_far.names or len(so_far.names) >= FILES_MAX:
        again = file in so_far.names
        problem = "it is included already" if again else f"more than {FILES_MAX} included files"
        values.fault(node, file, problem, "each file once, as the engine has it")
        return None
    so_far.names.add(file)
    found = read_part(values, node, file, so_far.files, SIZE_MAX - so_far.characters)
    if found is None:
        return None
    inside, characters = found
    so_far.characters += characters
    put_within(inside, node, file)
    so_far.elements += count_nodes(inside)
    if so_far.elements > ELEMENTS_MAX:
        values.fault(node, file, f"more than {ELEMENTS_MAX} elements", "fewer")
        return None
    return inside


def read_part(
    values: MjcfValues, node: XmlNode, file: str, files: MeshFiles, size_max: int
) -> tuple[XmlNode, int] | None:
    """The outermost element of a file that an element names, and its length; None after a fault.

    Args:
        size_max: of the file [characters].
    """
    try:
        text = files(file).decode("utf-8-sig")
        return read_nodes(text, file, size_max=size_max), len(text)
    except OutsideError as error:
        values.fault(node, file, str(error.strerror), "copy it into the folder of the document")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        values.fault(node, file, f"cannot be read: {reason}", "a file that is there")
    except RobotDocumentError as error:
        fault = error.faults[0]
        values.fault(node, f"{file}:{fault.line}:{fault.column}", fault.text, "mend that file")
    return None


def put_within(root: XmlNode, place: XmlNode, file: str) -> None:
    """Note that elements stand in a file that is included at some place."""
    for node in root.walk():
        if not node.within:
            node.within = f"{file}:{node.line}:{node.column}"
            node.line, node.column = place.line, place.column


def replicate(values: MjcfValues, root: XmlNode) -> None:
    """Write the copies of every ``<replicate>`` out, each in a frame; units are known already."""
    _replicate(values, root, [count_nodes(root)])


def _replicate(values: MjcfValues, node: XmlNode, total: list[int]) -> None:
    children: list[XmlNode] = []
    for child in node.children:
        _replicate(values, child, total)
        children += _copies(values, child, total) if child.tag == "replicate" else [child]
    node.children[:] = children


def _copies(values: MjcfValues, node: XmlNode, total: list[int]) -> list[XmlNode]:
    word = values.word(node, "count")
    count = int(word) if word.isdecimal() and len(word) < 7 else 0
    if count < 1:
        values.fault(node, word, "replicate count is not read", "a whole number above 0")
        return []
    total[0] += (count - 1) * count_nodes(node)
    if total[0] > ELEMENTS_MAX:
        values.fault(node, word, f"more than {ELEMENTS_MAX} elements", "fewer copies")
        return []
    step = np.eye(4)
    step[:3, 3] = values.numbers(node, "offset", (0.0, 0.0, 0.0))
    if node.get("euler") is not None:
        step[:3, :3] = values.euler(node, values.numbers(node, "euler", (0.0, 0.0, 0.0)))
    separator = node.get("sep") or ""
    pose = np.eye(4)
    found: list[XmlNode] = []
    for index in range(count):
        attributes = {"pos": numbers(pose[:3, 3]), "quat": numbers(quaternion_of(pose[:3, :3]))}
        frame = node.like("frame", attributes)
        suffix = f"{separator}{index:0{len(str(count - 1))}d}"
        frame.children += [child.copied(partial(_named, suffix)) for child in node.children]
        found.append(frame)
        pose = pose @ step
    return found


def _named(suffix: str, node: XmlNode) -> dict[str, str]:
    """Attributes of a copy."""
    own = node.tag in NAMED and "name" in node.attributes
    return {**node.attributes, **({"name": node.attributes["name"] + suffix} if own else {})}


def count_nodes(node: XmlNode) -> int:
    """How many elements an element is, with those in it."""
    return sum(1 for _ in node.walk())
