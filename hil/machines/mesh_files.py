"""Files of meshes beside a robot's document, and those of packages above it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from hil.config.files import read_regular
from sim.world.meshes.reading import FILE_MAX

if TYPE_CHECKING:
    from sim.world.meshes.reading import MeshFiles

PACKAGES: Final = ("package://", "model://")
"""Begin paths whose first part is a package's folder."""


def files_beside(document: Path) -> MeshFiles:
    """What is in the files that a document names, relative to its folder.

    The folder of a package is looked for in every folder above the document, and among them.
    """
    folder = document.absolute().parent

    def read(path: str) -> bytes:
        return read_regular(_place(folder, path), FILE_MAX)

    return read


def _place(folder: Path, path: str) -> Path:
    for begin in PACKAGES:
        if path.startswith(begin):
            package, _, rest = path.removeprefix(begin).partition("/")
            for above in (folder, *folder.parents):
                inside = above if above.name == package else above / package
                if (inside / rest).is_file():
                    return inside / rest
            raise FileNotFoundError(2, "no folder above the document has it", path)
    return folder / path.removeprefix("file://")
