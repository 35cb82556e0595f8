"""Materials of OBJ files (MTL): a colour and a picture of each, which are PNG.

Wavefront's Advanced Visualizer manual, appendix B4. Gloss, transparency and other maps than that of
the diffuse colour are not taken.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Final

from sim.world.meshes.surface import MeshMaterial, brief

VALUES: Final = {
    "-blendu": 1, "-blendv": 1, "-boost": 1, "-bm": 1, "-cc": 1, "-clamp": 1, "-imfchan": 1,
    "-mm": 2, "-o": 3, "-s": 3, "-t": 3, "-texres": 1, "-type": 1,
}  # fmt: skip
"""How many words follow each option of a map, at most."""

_ABSOLUTE: Final = re.compile(r"/|[A-Za-z]:|file:")


@dataclass(slots=True)
class MaterialText:
    """What a library says of materials."""

    materials: dict[str, MeshMaterial] = field(default_factory=dict)
    """By their names; the path of a picture is from where the library's own is from."""
    notes: list[str] = field(default_factory=list)
    """What is left out."""


def read_library(data: bytes, library: str) -> MaterialText:
    """The materials of a file.

    Args:
        library: its path.
    """
    found, name = MaterialText(), ""
    for words in _rows(data):
        if words[0] == "newmtl":
            name = " ".join(words[1:])
            found.materials[name] = MeshMaterial()
        elif name:
            _read(found, name, words, library)
    return found


def write_library(materials: Mapping[str, MeshMaterial], library: str) -> bytes:
    """A file of materials with all that is taken of them; `read_library` reads the same."""
    folder = library[: library.rfind("/") + 1]
    lines: list[str] = []
    for name, one in materials.items():
        lines.append(f"newmtl {name}")
        if one.colour is not None:
            lines.append("Kd " + " ".join(map(repr, one.colour)))
        if one.texture:
            lines.append(f"map_Kd {one.texture.removeprefix(folder)}")
    return "".join(f"{line}\n" for line in lines).encode()


def materials_of(
    libraries: Iterable[str], beside: Callable[[str], bytes | None]
) -> dict[str, MeshMaterial]:
    """The materials of some libraries, of which some may be absent.

    Args:
        beside: what is in a file; None if that was not had.
    """
    found: dict[str, MeshMaterial] = {}
    for library in libraries:
        if (data := beside(library)) is not None:
            found.update(read_library(data, library).materials)
    return found


def beside_path(file: str, name: str) -> str:
    """Path of a file that another one names; an absolute one is looked for beside it, too."""
    name = name.strip("\"'").replace("\\", "/")
    if _ABSOLUTE.match(name):
        name = name.rpartition("/")[2]
    folder, slash, _ = file.rpartition("/")
    return f"{folder}{slash}{PurePosixPath(name)}"  # ./a and a are one file, and read once


def _rows(data: bytes) -> Iterable[list[str]]:
    lines = data.decode("utf-8", "replace").splitlines()
    return (words for line in lines if (words := line.partition("#")[0].split()))


def _read(found: MaterialText, name: str, words: list[str], library: str) -> None:
    material = found.materials[name]
    if words[0] == "Kd":
        try:
            r, g, b = (_share(word) for word in words[1:4])
        except ValueError:
            text = brief(" ".join(words), 40)
            found.notes.append(f"material {brief(name)}: {text} is no colour")
            return
        found.materials[name] = MeshMaterial((r, g, b), material.texture)
    elif words[0] == "map_Kd" and (path := _path(words, library)):
        found.materials[name] = MeshMaterial(material.colour, path)


def _path(words: list[str], library: str) -> str:
    """Of a map, after its options; from where the library is."""
    at = 1
    while at < len(words) and words[at] in VALUES:
        most, taken, at = VALUES[words[at]], 0, at + 1
        while at < len(words) and taken < most and (taken == 0 or _is_number(words[at])):
            taken, at = taken + 1, at + 1
    return beside_path(library, " ".join(words[at:])) if at < len(words) else ""


def _share(word: str) -> float:
    value = float(word)
    if not math.isfinite(value):
        raise ValueError(word)
    return min(max(value, 0.0), 1.0)


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True
