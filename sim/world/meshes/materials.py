"""Materials of OBJ files (MTL): a colour and a picture of each, which are PNG.

Wavefront's Advanced Visualizer manual, appendix B4. Gloss, transparency and other maps than that of
the diffuse colour are not taken.
"""

import re
import struct
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final

from sim.world.meshes.surface import MeshMaterial

PNG: Final = b"\x89PNG\r\n\x1a\n"
SIDE_MAX: Final = 8192
"""Pixels of a texture's side at most."""
VALUES: Final = {
    "-blendu": 1, "-blendv": 1, "-boost": 1, "-bm": 1, "-cc": 1, "-clamp": 1, "-imfchan": 1,
    "-mm": 2, "-o": 3, "-s": 3, "-t": 3, "-texres": 1, "-type": 1,
}  # fmt: skip
"""How many words follow each option of a map, at most."""

_ABSOLUTE: Final = re.compile(r"/|[A-Za-z]:")


@dataclass(slots=True)
class MaterialText:
    """What libraries say of materials."""

    materials: dict[str, MeshMaterial] = field(default_factory=dict)
    """By their names."""
    notes: list[str] = field(default_factory=list)
    """What is left out."""


def read_materials(libraries: Iterable[str], beside: Callable[[str], bytes | None]) -> MaterialText:
    """The materials of some libraries.

    Args:
        beside: what is in a file; None if that is not there.
    """
    found = MaterialText()
    for library in libraries:
        if (data := beside(library)) is None:
            found.notes.append(f"materials: {library} is not there; put it beside the mesh")
            continue
        name = ""
        for words in _rows(data):
            if words[0] == "newmtl":
                name = " ".join(words[1:])
                found.materials[name] = MeshMaterial()
            elif name:
                _read(found, name, words, library, beside)
    return found


def textures_of(data: bytes, library: str) -> list[str]:
    """Pictures that a library names, as paths from where the library's own is from."""
    rows = (words for words in _rows(data) if words[0] == "map_Kd")
    return [path for words in rows if (path := _path(words, library))]


def texture_problem(data: bytes | None) -> str:
    """Why a picture cannot be laid on anything; empty if it can."""
    if data is None:
        return "is not there; put it beside the mesh"
    if data[:8] != PNG or len(data) < 33 or data[12:16] != b"IHDR":
        return "is no PNG; convert it"
    width, height = struct.unpack_from(">II", data, 16)
    if not 0 < width <= SIDE_MAX or not 0 < height <= SIDE_MAX:
        return f"has {width} x {height} pixels; at most {SIDE_MAX} each way"
    return ""


def beside_path(file: str, name: str) -> str:
    """Path of a file that another one names; an absolute one is looked for beside it, too."""
    name = name.replace("\\", "/")
    if _ABSOLUTE.match(name):
        name = name.rpartition("/")[2]
    folder, slash, _ = file.rpartition("/")
    return f"{folder}{slash}{name}"


def _rows(data: bytes) -> Iterable[list[str]]:
    lines = data.decode("utf-8", "replace").splitlines()
    return [words for line in lines if (words := line.partition("#")[0].split())]


def _read(
    found: MaterialText, name: str, words: list[str], library: str,
    beside: Callable[[str], bytes | None],
) -> None:  # fmt: skip
    material = found.materials[name]
    if words[0] == "Kd":
        try:
            r, g, b = (min(max(float(word), 0.0), 1.0) for word in words[1:4])
        except ValueError:
            found.notes.append(f"material {name}: {' '.join(words)[:40]} is no colour")
            return
        found.materials[name] = MeshMaterial((r, g, b), material.texture)
    elif words[0] == "map_Kd" and (path := _path(words, library)):
        if problem := texture_problem(beside(path)):
            found.notes.append(f"texture {path} of material {name}: it {problem}")
            return
        found.materials[name] = MeshMaterial(material.colour, path)


def _path(words: list[str], library: str) -> str:
    """Of a map, after its options; from where the library is."""
    rest = words[1:]
    while rest and rest[0] in VALUES:
        option, *rest = rest
        taken = 0
        while rest and taken < VALUES[option] and (taken == 0 or _is_number(rest[0])):
            rest, taken = rest[1:], taken + 1
    return beside_path(library, " ".join(rest)) if rest else ""


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True
