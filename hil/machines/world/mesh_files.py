"""Files of meshes beside a robot's document, and those of the package that it is in."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from hil.config.named_files import OutsideError, read_named_file
from sim.world.meshes.mesh_reader import FILE_MAX
from sim.world.meshes.mesh_reader import OutsideError as OutsideMeshError

if TYPE_CHECKING:
    from sim.world.meshes.mesh_reader import MeshFiles

PACKAGES: Final = ("package://", "model://")
"""Begin paths whose first part is a package's folder."""
MARKS: Final = ("package.xml", "model.config")
"""Files that make a folder a package, of ROS and of Gazebo."""


def files_beside(document: Path) -> MeshFiles:
    """What is in the files that a document names, relative to its folder.

    A package is in that folder, or it is a folder above that has the name and one of `MARKS`.
    """
    folder = document.absolute().parent

    def read(path: str) -> bytes:
        place, also = _place(folder, path)
        try:
            return read_named_file(place, document, FILE_MAX, also, name=path, kind="materials")
        except OutsideError as error:
            raise OutsideMeshError(error.errno, error.strerror) from None

    return read


def _place(folder: Path, path: str) -> tuple[Path, tuple[Path, ...]]:
    """Where a file is, and the package that it may be in."""
    for begin in PACKAGES:
        if path.startswith(begin):
            package, _, rest = path.removeprefix(begin).partition("/")
            for above in (folder, *folder.parents):
                if above.name == package and any((above / mark).is_file() for mark in MARKS):
                    return above / rest, (above,)
            if (folder / package).is_dir():
                return folder / package / rest, ()
            raise FileNotFoundError(2, "no folder above the document has it", path)
    return folder / path.removeprefix("file://"), ()
