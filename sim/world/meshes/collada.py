"""What of a COLLADA file is judged before another reader gets it.

COLLADA 1.4.1, chapter 5: ``asset/unit`` has metres per unit; geometry stands in nodes, and a node
may stand in many others. So a short file can stand for any number of triangles: they are counted.
"""

import io
import re
import zipfile
from typing import Final

from sim.world.meshes.surface import (
    FEWER,
    TRIANGLES_MAX,
    VERTICES_MAX,
    MeshError,
    brief,
    pictures_left_out,
)
from sim.world.robots.faults import RobotDocumentError
from sim.world.robots.xml_nodes import DEPTH_MAX, XmlNode, read_nodes

SIZE_MAX: Final = 64_000_000
"""Characters of a file at most."""
DRAWN: Final = ("triangles", "polylist", "polygons")
"""Elements of a mesh that hold faces."""
UNREAD: Final = ("tristrips", "trifans", "convex_mesh", "spline", "brep")
"""Elements with faces that the reader passes over."""
UNMOVED: Final = ("lookat",)
"""Ways to place a node that the reader passes over, as of cameras."""
STANDING: Final = ("instance_geometry", "instance_node")
"""Elements of a node that stand for parts."""
SCALE_MIN, SCALE_MAX = 1e-9, 1e9
"""Metres per unit of a file."""
_COUNT: Final = re.compile(rb"<(?:triangles|polylist|polygons)\b[^>]{0,400}?\bcount=\"(\d{1,9})\"")
_PICTURE: Final = re.compile(
    r"<image\b[^>]{0,400}>[^<]{0,100}<init_from\b[^>]{0,100}>(?:\s{0,100}<ref>)?([^<]{0,400})<"
)
_DECLARATION: Final = re.compile(r"\A\s{0,100}<\?xml[^>?]{0,400}\?>")


_LOOKS: Final = re.compile(
    rb"<(bind_material|library_(?:effects|materials|images))\b[^>]*(?:/>|>.*?</\1\s*>)", re.DOTALL
)


def strip_materials(data: bytes) -> bytes:
    """A file without its materials, whose damage would hide the shape."""
    return _LOOKS.sub(b"", data)


def check_collada(data: bytes) -> tuple[bytes, float, tuple[str, ...]]:
    """A file as UTF-8 without a declaration, metres per unit of it, and what is left out.

    Raises:
        MeshError: if it is no COLLADA, declares entities, or stands for too much.
    """
    if zipfile.is_zipfile(io.BytesIO(data)):
        raise MeshError("it is an archive (zip)", "unpack it, and name the file in it")
    if (count := sum(map(int, _COUNT.findall(data)))) > TRIANGLES_MAX:  # before it takes its time
        raise MeshError(f"{count} faces", FEWER)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise MeshError(f"no UTF-8 at byte {error.start}", "COLLADA in UTF-8") from None
    text = _DECLARATION.sub("", text, count=1)  # so that every reader takes it as UTF-8
    try:
        root = read_nodes(text, "", size_max=SIZE_MAX)
    except RobotDocumentError as error:
        fault = error.faults[0]
        problem = f"line {fault.line}: {fault.text}" if fault.line else fault.text
        raise MeshError(brief(problem, 200), "COLLADA that is whole, without entities") from None
    if _bare(root.tag) != "COLLADA":
        raise MeshError(f"the outermost element is <{brief(_bare(root.tag), 40)}>", "<COLLADA>")
    notes = (*_count_triangles(root), *pictures_left_out(_pictures(root, text)))
    return text.encode(), _metres(root), notes


def _pictures(root: XmlNode, text: str) -> list[str]:
    """Files of its images; what else they are called, where one is not told by a file."""
    nodes = [one for one in root.walk() if _bare(one.tag) == "image"]
    files = [one.strip() for one in _PICTURE.findall(text)] if nodes else []
    if len(files) == len(nodes) and all(files):
        return files
    return [one.attributes.get("name", one.attributes.get("id", "image")) for one in nodes]


def _bare(tag: str) -> str:
    """A name without its namespace."""
    return tag.rpartition(":")[2].rpartition("}")[2]


def _metres(root: XmlNode) -> float:
    """Metres per unit; 1 where none is told."""
    for asset in root.children:
        for unit in asset.children if _bare(asset.tag) == "asset" else ():
            word = unit.attributes.get("meter")
            if _bare(unit.tag) != "unit" or word is None:
                continue
            try:
                value = float(word)
            except ValueError:
                value = 0.0
            if not SCALE_MIN <= value <= SCALE_MAX:
                right = f"metres per unit, {SCALE_MIN:g} to {SCALE_MAX:g}"
                raise MeshError(f"unit meter = {brief(word, 40)}", right)
            return value
    return 1.0


class _Instances:
    """Triangles that nodes stand for, with those that they name."""

    def __init__(self, elements: list[XmlNode]) -> None:
        self._nodes = {
            one.attributes["id"]: one for one in elements
            if _bare(one.tag) == "node" and "id" in one.attributes
        }  # fmt: skip
        self._meshes = {
            one.attributes["id"]: sum(map(_declared, one.walk())) for one in elements
            if _bare(one.tag) == "geometry" and "id" in one.attributes
        }  # fmt: skip
        self._known: dict[int, int] = {}
        self._open: set[int] = set()

    def count(self, node: XmlNode) -> int:
        """Of an element and all that is in it, by name too; a part counts as one at least."""
        if (found := self._known.get(id(node))) is not None:
            return found
        if id(node) in self._open or len(self._open) > DEPTH_MAX:
            problem = f"a node stands in itself, or in {DEPTH_MAX} others"
            raise MeshError(problem, "nodes that are a tree")
        self._open.add(id(node))
        target = node.attributes.get("url", "").removeprefix("#")
        match _bare(node.tag):
            case "instance_geometry":
                total = self._meshes.get(target, 0) + 1
            case "instance_node" if target in self._nodes:
                total = self.count(self._nodes[target]) + 1
            case _:
                total = 1
        total += sum(map(self.count, node.children))
        self._open.discard(id(node))
        self._known[id(node)] = total
        return total


def _count_triangles(root: XmlNode) -> tuple[str, ...]:
    elements = [*root.walk()]
    instances = _Instances(elements)
    for scene in elements:
        if _bare(scene.tag) == "visual_scene" and (
            (count := instances.count(scene)) > TRIANGLES_MAX + 10_000
        ):
            raise MeshError(f"its nodes stand for {count} faces and parts", FEWER)
    for one in elements:
        if _bare(one.tag) == "float_array":
            _whole(one, 16 * VERTICES_MAX)
    unread = sorted({_bare(one.tag) for one in elements} & {*UNREAD})
    if unread:
        right = "triangles, polylist or polygons: triangulate it in a modelling program"
        raise MeshError(f"<{unread[0]}> is not read", right)
    for one in elements:
        moved = next((each for each in one.children if _bare(each.tag) in UNMOVED), None)
        if moved is not None and any(_bare(each.tag) in STANDING for each in one.walk()):
            right = "translate, rotate, scale or matrix: apply it in a modelling program"
            raise MeshError(f"line {moved.line}: <{_bare(moved.tag)}> places a part", right)
    skins = any(_bare(one.tag) == "instance_controller" for one in elements)
    return ("a skin that bones move: it is not read",) if skins else ()


def _declared(node: XmlNode) -> int:
    return _whole(node, TRIANGLES_MAX) if _bare(node.tag) in DRAWN else 0


def _whole(node: XmlNode, most: int) -> int:
    word = node.attributes.get("count", "0")
    if not word.strip().isdecimal() or len(word) > 9 or int(word) > most:
        problem = f"line {node.line}: {_bare(node.tag)} count = {brief(word, 40)}"
        raise MeshError(problem, f"a whole number, at most {most}")
    return int(word)
