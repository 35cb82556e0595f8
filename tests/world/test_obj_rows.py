"""OBJ rows that are alike are read at once: what is known of a mesh comes back as it was.

Damaged files are read, or refused in the same words, as where each statement is read by itself.
"""

import random
import tracemalloc

import numpy as np
import pytest
from campaign import count

from sim.world.meshes.obj import read_obj
from sim.world.meshes.obj_rows import read_rows
from sim.world.meshes.surface import TRIANGLES_MAX, MeshError

CORNERS = {
    "vertices": "{v}", "places": "{v}/{t}", "normals": "{v}//1", "all": "{v}/{t}/1",
}  # fmt: skip
STYLES = {
    "plain": lambda text: text, "of Windows": lambda text: text.replace("\n", "\r\n"),
    "wide": lambda text: text.replace(" ", "  ").replace("\n", " \n"),
    "without an end": lambda text: text.rstrip("\n"),
}  # fmt: skip


def nothing(_path):
    return None


def made(seed, corner):
    """A file of two groups of faces of 3 to 6 corners, and what is in it."""
    rng = np.random.default_rng(seed)
    lines, places, want = ["# made", "mtllib a.mtl", "vn 0 0 1"], rng.random((9, 2)), []
    points = rng.normal(size=(14, 3)) * 10.0 ** rng.integers(-5, 5, (14, 1))
    for group, (first, end) in enumerate(((0, 8), (8, 14))):
        lines += [f"v {x!r} {y!r} {z!r}" for x, y, z in points[first:end].tolist()]
        lines += [f"vt {u!r} {v!r}" for u, v in places[: 9 * (1 - group)].tolist()]
        lines += [f"o part{group}", f"usemtl look{group}", "s off"]
        for _ in range(5):
            size = int(rng.integers(3, 7))
            v, t = rng.choice(end, size, replace=False), rng.integers(0, 9, size)
            told = (corner.format(v=a + 1, t=b + 1) for a, b in zip(v, t, strict=True))
            lines.append(f"f {' '.join(told)}")
            fan = [[0, k, k + 1] for k in range(1, size - 1)]
            want += [(points[v[one]], places[t[one]], group + 1) for one in fan]
    return "\n".join(lines) + "\n", want


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("corner", CORNERS)
@pytest.mark.parametrize("seed", range(3))
def test_what_is_known_of_a_mesh_comes_back(corner, style, seed):
    text, want = made(seed, CORNERS[corner])
    data = STYLES[style](text).encode()
    assert read_rows(data) is not None
    found = read_obj(data, "a.obj", nothing)
    np.testing.assert_array_equal(found.corners, [one for one, _, _ in want])
    assert found.groups.tolist() == found.material_ids.tolist() == [group for *_, group in want]
    if "{t}" in CORNERS[corner]:
        np.testing.assert_array_equal(found.laid, [one for _, one, _ in want])
    else:
        assert found.laid is None


def outcome(data):
    try:
        found = read_obj(data, "a.obj", nothing)
    except MeshError as error:
        return str(error)
    arrays = (found.vertices, found.triangles, found.groups, found.material_ids, found.laid)
    return [None if one is None else one.tolist() for one in arrays], found.materials, found.notes


RUBBISH = (
    *("0", "9", "-1", "99", "/", "//", " ", "\n", "x", "v ", "f 1 2 3\n", "1e999", "nan", "#"),
    *("\t", "_", ".", "e", "", "vt 0 0\n", "+", "usemtl b\n", "\x0c", "\x85"),
)


def damaged(text, rng):
    """A place of a text made worse."""
    at = rng.randrange(len(text))
    bad = rng.choice(RUBBISH)
    return text[:at] + bad + text[at + rng.randrange(3) :]


@pytest.mark.campaign
def test_damage_is_told_as_where_each_statement_is_read_by_itself():
    rng, alike = random.Random(3), 0
    for number in range(trials := count(4000, least=200)):
        text, _ = made(number % 7, rng.choice([*CORNERS.values()]))
        text = damaged(text, rng)
        by_itself = f"{text}\n# \\\n"  # a statement that may go on in the next line
        assert read_rows(by_itself.encode()) is None
        assert outcome(text.encode()) == outcome(by_itself.encode()), text
        alike += read_rows(text.encode()) is not None
    assert 0.1 * trials < alike < 0.9 * trials


def test_too_many_triangles_of_rows_are_refused_in_few_words():
    data = b"v 0 0 0\nv 1 0 0\nv 0 1 0\n" + b"f 1 2 3\n" * (TRIANGLES_MAX + 1)
    with pytest.raises(MeshError, match=f"more than {TRIANGLES_MAX} triangles; at most"):
        read_obj(data, "a.obj", nothing)


ROWS = (b"\n", b"v 1 1 1\n", b"v" + b" 1" * 11 + b"\n", b"f" + b" 1" * 8 + b"\n")


@pytest.mark.parametrize("row", ROWS)
def test_rows_without_end_ask_for_memory_by_the_size_of_the_file(row):
    data = row * (2_000_000 // len(row))
    tracemalloc.start()
    read_rows(data)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20 * len(data) + 70 * data.count(b"\n")
