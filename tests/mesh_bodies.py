"""Meshes for the tests: files as modelling programs write them, and robots that have them."""

import struct

import numpy as np

from sim.world.meshes.obj import write_obj
from sim.world.meshes.stl import read_stl
from sim.world.pictures.png import png

QUADS = """v -1 -1 -1\nv 1 -1 -1\nv 1 1 -1\nv -1 1 -1\nv -1 -1 1\nv 1 -1 1\nv 1 1 1\nv -1 1 1
f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n"""
"""A cube of quads, its edge 2."""
DOCUMENT = """[[link]]
number = 0
dh = { alpha_rad = 0, d_m = 0, theta_rad = 0, r_m = 0 }
leaving = [1]

[[link]]
number = 1
dh = { alpha_rad = 0, d_m = 0, theta_rad = 0, r_m = 0 }
shape = "mesh"
mesh = { file = "part.obj" }
density_kg_m3 = 1000

[[joint]]
number = 0
type = "fixed"
parent = -1
child = 0

[[joint]]
number = 1
type = "hinge"
axis = [0, 0, 1]
parent = 0
child = 1
"""
PAINT = np.zeros((64, 64, 3), np.uint8)
PAINT[:32, :32], PAINT[:32, 32:] = (255, 0, 0), (0, 255, 0)
PAINT[32:, :32], PAINT[32:, 32:] = (0, 0, 255), (255, 255, 0)
PAINTED = """# as exported: groups, indices from the end, two materials
mtllib look.mtl
o case
v -0.1 -0.1 0
v 0.1 -0.1 0
v 0.1 0.1 0
v -0.1 0.1 0
v -0.1 -0.1 0.4
v 0.1 -0.1 0.4
v 0.1 0.1 0.4
v -0.1 0.1 0.4
vt 0 0
vt 1 0
vt 1 1
vt 0 1
vn 0 0 1
s off
usemtl painted
g sides
f 1/1/1 2/2/1 6/3/1 5/4/1
f 2/1/1 3/2/1 7/3/1 6/4/1
f 3/1 4/2 8/3 7/4
f 4/1 1/2 5/3 8/4
usemtl steel
g ends
f -5//1 -6//1 \\
 -7//1 -8//1
f -4 -3 -2 -1
"""
LOOKS = "newmtl painted\nKd 1 1 1\nmap_Kd -o 0 0 0 -clamp on C:\\art\\paint.png\n"
LOOKS += "newmtl steel\nNs 200\nKd 0 1 1\n"


def files_of(**more):
    """What is in the files beside a document; names with _ for the point of the ending."""
    held = {name.replace("__", "/").replace("_", "."): data for name, data in more.items()}

    def read(path):
        if path not in held:
            raise FileNotFoundError(2, "No such file or directory", path)
        data = held[path]
        return data.encode() if isinstance(data, str) else data

    return read


def painted_files():
    return files_of(part_obj=PAINTED, look_mtl=LOOKS, paint_png=png(PAINT))


def box(size, at=(0.0, 0.0, 0.0), *, inside_out=False):
    """Corners of twelve triangles, shape (12, 3, 3)."""
    surface = np.array([float(w) for row in QUADS.splitlines()[:8] for w in row.split()[1:]])
    points = surface.reshape(8, 3) * 0.5 * np.array(size) + at
    found = []
    for row in QUADS.splitlines()[8:]:
        a, b, c, d = (int(word) - 1 for word in row.split()[1:])
        found += [points[[a, b, c]], points[[a, c, d]]]
    corners = np.array(found)
    return corners[:, ::-1] if inside_out else corners


def binary_stl(corners, head=b"solid of nothing"):
    rows = b"".join(
        struct.pack("<12fH", 0, 0, 0, *triangle.ravel().tolist(), 0) for triangle in corners
    )
    return head.ljust(80, b" ") + struct.pack("<I", len(corners)) + rows


def words_stl(corners):
    lines = ["solid a"]
    for triangle in corners.tolist():
        lines += [" facet normal 0 0 0", "  outer loop"]
        lines += [f"   vertex {x!r} {y!r} {z!r}" for x, y, z in triangle]
        lines += ["  endloop", " endfacet"]
    return "\n".join([*lines, "endsolid a", ""]).encode()


def obj_of(corners):
    surface = read_stl(words_stl(corners))
    return write_obj(surface.vertices, surface.triangles)


def channel():
    """A U of three boxes that share whole faces, open along z: 0.3 wide, 0.2 deep, 0.1 thick.

    Its floor is 0.3 x 0.1, its walls 0.1 x 0.1 each, all 0.4 long.
    """
    outline = np.array(
        [(0, 0), (0.3, 0), (0.3, 0.2), (0.2, 0.2), (0.2, 0.1), (0.1, 0.1), (0.1, 0.2), (0, 0.2)]
    )
    flat = [(0, 1, 4), (1, 3, 4), (1, 2, 3), (0, 4, 5), (0, 5, 7), (5, 6, 7)]
    low = np.column_stack([outline, np.zeros(8)])
    high = low + np.array([0.0, 0.0, 0.4])
    found = [low[[a, c, b]] for a, b, c in flat] + [high[[a, b, c]] for a, b, c in flat]
    for a in range(8):
        b = (a + 1) % 8
        found += [np.array([low[a], low[b], high[b]]), np.array([low[a], high[b], high[a]])]
    return np.array(found)
