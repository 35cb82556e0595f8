"""STL, binary and of words: triangles whose equal corners are made one vertex.

M. Burns, Automated Fabrication (1993), section 6.5. Normals are not taken: corners go round as seen
from outside. Binary files may begin with ``solid``, too: they are recognised by their length.
"""

import re
import struct
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sim.world.meshes.surface import MeshError, MeshSurface, alike, brief

HEAD: Final = struct.Struct("<80xI")
ROW: Final = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("more", "<u2")])
_VERTEX: Final = re.compile(rb"\bvertex\s+(\S+)\s+(\S+)\s+(\S+)")


def read_stl(data: bytes) -> MeshSurface:
    """Read the surface of a file.

    Raises:
        MeshError: if it is none.
    """
    if len(data) >= HEAD.size:
        (count,) = HEAD.unpack_from(data)
        if len(data) == HEAD.size + count * ROW.itemsize:
            rows = np.frombuffer(data, ROW, count, HEAD.size)
            return _surface(rows["corners"].astype(np.float64))
        if data.lstrip()[:5] != b"solid" or not _VERTEX.search(data):  # words have corners
            problem = f"{len(data)} bytes, and {count} triangles take "
            problem += f"{HEAD.size + count * ROW.itemsize}"
            raise MeshError(problem, "an STL file that is whole")
    if data.lstrip()[:5] != b"solid":
        raise MeshError("no STL", "a binary file, or words that begin with solid")
    return _surface(_words(data))


def _words(data: bytes) -> NDArray[np.float64]:
    """Read the corners of a text file, shape (triangles, 3, 3)."""
    found = _VERTEX.findall(data)
    facets = len(re.findall(rb"\bendfacet\b", data))
    if len(found) != 3 * facets:
        raise MeshError(f"{len(found)} corners of {facets} triangles", "three of each")
    try:
        values = np.array([[float(word) for word in row] for row in found])
    except ValueError as error:
        raise MeshError(f"a corner is not read: {brief(str(error))}", "vertex x y z") from None
    return values.reshape(-1, 3, 3)


def _surface(corners: NDArray[np.float64]) -> MeshSurface:
    count = len(corners)
    points = corners.reshape(-1, 3) + 0.0  # -0 and 0 are one place
    vertices, triangles = alike(points)
    same = np.zeros(count, np.intp)
    return MeshSurface(vertices, triangles.reshape(-1, 3), same, same.copy())
