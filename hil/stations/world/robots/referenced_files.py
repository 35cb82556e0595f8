"""Files that a document names, written beside a new document of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from hil.config.errors import ConfigError
from hil.config.files import make_folder, read_regular, write_whole
from hil.config.named_files import OutsideError, judged

if TYPE_CHECKING:
    from sim.world.robots.model import Robot


def named_files(robot: Robot) -> dict[str, bytes]:
    """Path and bytes of every file of a robot's meshes, materials and textures too."""
    found: dict[str, bytes] = {}
    for link in robot.links:
        for mesh in (link.mesh, link.visual and link.visual.mesh):
            found.update(mesh.contents if mesh else ())
    return found


def carried(files: Mapping[str, bytes], folder: Path) -> Iterator[str]:
    """Write files into the folder of a new document; yield a line for each that leads out of it.

    Args:
        files: bytes by their paths as the document has them.
        folder: folder of the document.

    Raises:
        ConfigError: if one cannot be written, or another one is there already.
    """
    for path, data in files.items():
        parts = PurePosixPath(path)
        leads_out = parts.is_absolute() or ".." in parts.parts or ":" in path
        if leads_out or not _is_inside(folder / parts, folder):
            yield f"{path}: not written beside the document, as its path leads out of the folder"
            continue
        _write(folder, parts, data)


def _is_inside(place: Path, folder: Path) -> bool:
    try:
        judged(place, folder / "document")
    except OutsideError:
        return False
    return True


def _write(folder: Path, parts: PurePosixPath, data: bytes) -> None:
    path = folder / parts
    try:
        if path.exists():
            if read_regular(path, len(data)) != data:
                raise ConfigError(str(path), ["another file is there; write into a new folder"])
            return
        make_folder(folder, parts.parent)
        write_whole(path, data)
    except OSError as error:
        raise ConfigError(str(path), [f"cannot be written: {error}"]) from None
