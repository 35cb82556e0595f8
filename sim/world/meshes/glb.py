"""Parts of a binary glTF file that another reader gets: positions, triangles, colours, no more.

glTF 2.0, Khronos Group, sections 3 and 4: a head, a chunk of JSON, a chunk of bytes. The JSON is
written anew from what is understood, so that no name of a file, no picture and no extension is left
in it; what would change the shape and is not understood is refused.
"""

import json
import struct
from collections.abc import Mapping
from typing import Any, Final

from sim.world.meshes.surface import (
    FEWER,
    TRIANGLES_MAX,
    VERTICES_MAX,
    MeshError,
    brief,
    pictures_left_out,
)

HEAD: Final = struct.Struct("<4sII")
CHUNK: Final = struct.Struct("<I4s")
JSON_MAX: Final = 8_000_000
"""Most bytes of the JSON."""
NODES_MAX: Final = 10_000
DEPTH_MAX: Final = 200
"""Most nodes of a file, and greatest depth of nodes in each other."""
FLOAT, INDICES = 5126, {5121: 1, 5123: 2, 5125: 4}
"""Types of numbers: of places, and of indices with their bytes."""
LIST, STRIP = 4, 5
"""Ways to draw triangles; lines and points (below) have no surface."""
HARMLESS: Final = ("KHR_materials_", "KHR_texture_", "EXT_texture_", "KHR_lights_")
"""Prefixes of extensions that change looks alone."""
PLACED: Final = ("matrix", "translation", "rotation", "scale")
Table = dict[str, Any]


def check_glb(data: bytes) -> tuple[bytes, tuple[str, ...]]:
    """Check a file; return one with only the parts that are taken, and what is left out.

    Raises:
        MeshError: if it is none, means too many triangles, or has a shape that is not understood.
    """
    text, binary = _chunks(data)
    try:
        document = json.loads(text)
        taken, notes = _Taker(document, len(binary)).taken()
    except MeshError:
        raise
    except RecursionError:
        raise MeshError("JSON too deep", "a file as modelling programs write it") from None
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        said = brief(f"{type(error).__name__} {error}", 120)
        raise MeshError(f"its JSON is not read: {said}", "glTF 2.0 that is whole") from None
    head = json.dumps(taken, allow_nan=False).encode()
    head += b" " * (-len(head) % 4)
    binary += b"\0" * (-len(binary) % 4)
    parts = CHUNK.pack(len(head), b"JSON") + head + CHUNK.pack(len(binary), b"BIN\0") + binary
    return HEAD.pack(b"glTF", 2, HEAD.size + len(parts)) + parts, notes


def _chunks(data: bytes) -> tuple[bytes, bytes]:
    """Split a file into its JSON and its bytes."""
    if len(data) < HEAD.size or data[:4] != b"glTF":
        raise MeshError("no binary glTF", "a file that begins with glTF")
    _, version, length = HEAD.unpack_from(data)
    if version != 2 or length != len(data):
        problem = f"version {version}, {length} bytes, and it has {len(data)}"
        raise MeshError(problem, "glTF of version 2 that is whole")
    found: dict[bytes, bytes] = {}
    at = HEAD.size
    while at + CHUNK.size <= length:
        size, kind = CHUNK.unpack_from(data, at)
        at += CHUNK.size
        if at + size > length:
            raise MeshError(f"a chunk of {size} bytes, and {length - at} are left", "a whole file")
        found.setdefault(kind, data[at : at + size])
        at += size
    if b"JSON" not in found or len(found[b"JSON"]) > JSON_MAX:
        raise MeshError("no JSON of its own", f"one chunk of it, at most {JSON_MAX} bytes")
    return found[b"JSON"], found.get(b"BIN\0", b"")


class _Taker:
    """State of the check of one file."""

    def __init__(self, document: Table, size: int) -> None:
        self._document, self._size = document, size
        self._accessors: list[Table] = []
        self._views: list[Table] = []
        self._known: dict[tuple[int, bool], int] = {}
        self._notes: dict[str, None] = {}
        self._triangles: list[int] = []

    def taken(self) -> tuple[Table, tuple[str, ...]]:
        document = self._document
        for name in document.get("extensionsRequired", ()):
            if not str(name).startswith(HARMLESS):
                right = "export it without: plain triangles, not packed"
                raise MeshError(f"it needs the extension {brief(str(name), 60)}", right)
        if any("uri" in one for one in document.get("buffers", ())[:1]):
            raise MeshError("its numbers are in another file", "one file (.glb) that holds them")
        meshes = [self._mesh(one) for one in document.get("meshes", ())]
        nodes, roots = self._nodes(len(meshes))
        pictures = enumerate(document.get("images", ()), 1)
        named = [str(one.get("name") or one.get("uri") or number)[:200] for number, one in pictures]
        self._notes |= dict.fromkeys(pictures_left_out(named))
        taken: Table = {
            "asset": {"version": "2.0"}, "buffers": [{"byteLength": self._size}],
            "bufferViews": self._views, "accessors": self._accessors, "meshes": meshes,
            "materials": [_material(one) for one in document.get("materials", ())],
            "nodes": nodes, "scenes": [{"nodes": roots}], "scene": 0,
        }  # fmt: skip
        return taken, tuple(self._notes)

    def _mesh(self, mesh: Table) -> Table:
        found: list[Table] = []
        count = 0
        for one in mesh["primitives"]:
            mode = one.get("mode", LIST)
            if mode not in (LIST, STRIP):
                if mode == 6:
                    raise MeshError("a fan of triangles", "a list: triangulate it")
                self._notes["lines and points: they have no surface"] = None
                continue
            if one.get("targets"):
                self._notes["shapes between which it is blended: the first is taken"] = None
            taken: Table = {"mode": mode}
            taken["attributes"] = {"POSITION": self._accessor(one["attributes"]["POSITION"], True)}
            corners = self._accessors[taken["attributes"]["POSITION"]]["count"]
            if "indices" in one:
                taken["indices"] = self._accessor(one["indices"], False)
                corners = self._accessors[taken["indices"]]["count"]
            if mode == LIST and corners % 3:
                raise MeshError(f"{corners} corners of triangles", "three of each")
            if (
                0
                <= (material := int(one.get("material", -1)))
                < len(self._document.get("materials", ()))
            ):
                taken["material"] = material
            found.append(taken)
            count += corners // 3 if mode == LIST else corners
        self._triangles.append(count)
        return {"primitives": found}

    def _accessor(self, index: int, places: bool) -> int:
        """Copy an accessor whose numbers are all there; return its new number."""
        if (known := self._known.get((index, places))) is not None:
            return known
        one = self._document["accessors"][_index(index)]
        kind, count = one["componentType"], int(one["count"])
        right = "places as VEC3 of floats, indices as SCALAR of whole numbers"
        if one["type"] != ("VEC3" if places else "SCALAR") or one.get("normalized"):
            raise MeshError(f"an accessor of {brief(str(one['type']), 20)}", right)
        if (kind != FLOAT) if places else (kind not in INDICES):
            raise MeshError(f"an accessor of type {brief(str(kind), 20)}", right)
        if "sparse" in one or "bufferView" not in one:
            raise MeshError("an accessor that is sparse", "one whose numbers are all there")
        most = VERTICES_MAX if places else 3 * TRIANGLES_MAX
        if not 0 < count <= most:
            raise MeshError(f"an accessor of {count}", f"1 to {most}")
        view = self._document["bufferViews"][_index(one["bufferView"])]
        item = 12 if places else INDICES[kind]
        stride = int(view.get("byteStride", item))
        offset, start = int(one.get("byteOffset", 0)), int(view.get("byteOffset", 0))
        needed = offset + (count - 1) * stride + item
        if int(view.get("buffer", 0)) or min(offset, start) < 0 or not item <= stride <= 255:
            raise MeshError("a view of another buffer, or of no place in it", "one of its own")
        if needed > int(view["byteLength"]) or start + needed > self._size:
            raise MeshError(f"{count} numbers, which lie beyond its end", "a file that is whole")
        self._views.append(
            {"buffer": 0, "byteOffset": start + offset, "byteLength": needed - offset}
        )
        if stride != item:
            self._views[-1]["byteStride"] = stride
        self._accessors.append({"bufferView": len(self._views) - 1, "componentType": kind,
                                "count": count, "type": one["type"]})  # fmt: skip
        self._known[index, places] = len(self._accessors) - 1
        return len(self._accessors) - 1

    def _nodes(self, meshes: int) -> tuple[list[Table], list[int]]:
        """Copy nodes that are a tree; return its roots. Their number of triangles is bounded."""
        nodes = self._document.get("nodes", ())
        if len(nodes) > NODES_MAX:
            raise MeshError(f"{len(nodes)} nodes", f"at most {NODES_MAX}")
        above: dict[int, int] = {}
        found: list[Table] = []
        for number, one in enumerate(nodes):
            taken: Table = {key: _floats(one[key]) for key in PLACED if key in one}
            children = [_index(child) for child in one.get("children", ())]
            for child in children:
                if child >= len(nodes) or above.setdefault(child, number) != number:
                    raise MeshError(f"node {child} is in two others, or not there", "a tree")
            if len({*children}) != len(children):
                raise MeshError(f"node {number} has a child twice", "a tree")
            if children:
                taken["children"] = children
            if "mesh" in one:
                taken["mesh"] = _index(one["mesh"])
                if taken["mesh"] >= meshes:
                    raise MeshError(f"mesh {one['mesh']} is not there", f"one of {meshes}")
                if "skin" in one:
                    self._notes["a skin that bones move: it is taken at rest"] = None
            found.append(taken)
        roots = [number for number in range(len(nodes)) if number not in above]
        if scenes := self._document.get("scenes"):
            roots = [_index(one) for one in scenes[_index(self._document.get("scene", 0))]["nodes"]]
        self._judge(found, roots)
        return found, roots

    def _judge(self, nodes: list[Table], roots: list[int]) -> None:
        seen, total = set[int](), 0
        waiting = [(root, 0) for root in roots]
        while waiting:
            number, depth = waiting.pop()
            if number in seen or depth > DEPTH_MAX:
                raise MeshError("a node that is in itself, or too deep", f"{DEPTH_MAX} at most")
            seen.add(number)
            node = nodes[number]
            total += self._triangles[node["mesh"]] if "mesh" in node else 0
            waiting += [(child, depth + 1) for child in node.get("children", ())]
        if total > TRIANGLES_MAX:
            raise MeshError(f"its nodes stand for {total} triangles", FEWER)


def _material(one: Mapping[str, Any]) -> Table:
    factor = one.get("pbrMetallicRoughness", {}).get("baseColorFactor", (1.0, 1.0, 1.0, 1.0))
    return {"pbrMetallicRoughness": {"baseColorFactor": _floats(factor)}}


def _floats(values: Any) -> list[float]:
    return [float(one) for one in values]


def _index(value: Any) -> int:
    """An index from 0.

    Raises:
        MeshError: if it is none.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise MeshError(f"{brief(repr(value), 20)} is no index", "a whole number from 0")
    return value
