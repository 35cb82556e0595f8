"""OBJ files whose rows are alike, as programs write them, read as arrays, which is faster.

Statements of other kinds, and whatever is not alike or wrong, are for `sim.world.meshes.obj`, which
takes one after another and names the line of what it refuses.
"""

import re
from typing import Final, NamedTuple

import numpy as np

from sim.world.meshes.surface import TRIANGLES_MAX, VERTICES_MAX, Array, Whole

LINES_MAX: Final = 2 * VERTICES_MAX
"""Most lines of a file whose rows are read at once."""
ROW_MAX: Final = 8
"""Most numbers of such a row."""
CORNERS_MAX: Final = 6 * TRIANGLES_MAX
"""Most corners of such faces together; more than `TRIANGLES_MAX` are refused afterwards."""
_SIGNS: Final = b"0123456789.eE+- \n"
"""Characters of rows of numbers."""
_DIGITS: Final = re.compile(rb"\d+")


class ObjRows(NamedTuple):
    """Contents of a file's rows."""

    vertices: Array
    """Vertices, shape (vertices, 3)."""
    places: Array
    """Places on the texture, shape (places, 2)."""
    corners: Whole
    """Indices of a vertex and of a place, -1 for none, shape (triangles, 3, 2)."""
    lines: Whole = np.zeros(0, np.intp)
    """Line of the face of each triangle, from 0, shape (triangles,)."""
    others: tuple[tuple[int, bytes], ...] = ()
    """Lines that are no rows, with their numbers."""


def read_rows(data: bytes) -> ObjRows | None:
    """Read the rows of a file; None if they are not alike, or one of them is wrong."""
    data = data.replace(b"\r\n", b"\n")
    while b"  " in data:
        data = data.replace(b"  ", b" ")
    data = data.replace(b" \n", b"\n") + b"\n\n\n"
    signs = np.frombuffer(data, np.uint8)
    if b"\\" in data or ((signs < 32) & (signs != 10)).any() or data.count(b"\n") > LINES_MAX:
        return None
    ends = np.flatnonzero(signs == 10)[:-2]
    starts = np.concatenate([[0], ends[:-1] + 1])
    heads = [signs[starts + at] for at in range(3)]
    lengths = ends - starts + 1  # with the end of the line
    which = {
        word: np.logical_and.reduce([head == one for head, one in zip(heads, word, strict=False)])
        for word in (b"v ", b"vt ", b"vn ", b"f ")
    }
    text: dict[bytes, bytes] = {}
    for word, lines in which.items():
        chosen = lines.repeat(lengths)
        chosen[(starts[lines][:, None] + np.arange(len(word))).ravel()] = False
        text[word] = signs[: len(chosen)][chosen].tobytes()
    vertices, places = _numbers(text[b"v "], 3), _numbers(text[b"vt "], 2)
    faces = _corners(text[b"f "])
    if vertices is None or places is None or faces is None:
        return None
    indices, sizes, least = faces
    above = np.stack([np.cumsum(which[b"v "]), np.cumsum(which[b"vt "])], axis=1)[which[b"f "]]
    if (
        sizes.min(initial=3) < 3
        or not ((indices >= least) & (indices <= above.repeat(sizes, 0))).all()
    ):
        return None
    others = np.flatnonzero(~np.logical_or.reduce([*which.values()]) & (lengths > 1))
    return ObjRows(
        vertices, places, (indices - 1)[_fans(sizes)],
        np.flatnonzero(which[b"f "]).repeat(sizes - 2),
        tuple((int(one), data[starts[one] : ends[one]]) for one in others),
    )  # fmt: skip


def _numbers(text: bytes, wanted: int) -> Array | None:
    """Read equally long rows of numbers, as many numbers as are wanted of each."""
    counts = {row.count(b" ") + 1 for row in text.split(b"\n")[:-1]} or {wanted}
    count = counts.pop()
    if counts or not wanted <= count <= ROW_MAX or text.translate(None, _SIGNS):
        return None
    try:
        found = np.fromstring(text, sep=" ")
    except ValueError:
        return None
    whole = len(found) == count * text.count(b"\n")
    return found.reshape(-1, count)[:, :wanted] if whole else None


def _corners(text: bytes) -> tuple[Whole, Whole, tuple[int, int]] | None:
    """Read faces whose corners are written alike: vertex and place of each corner, 0 for none.

    Corners of each face are the second, the least vertex and place the third.
    """
    form = _DIGITS.sub(rb"\\d{1,9}", text[: text.find(b" ")])
    if text.count(b" ") + text.count(b"\n") > CORNERS_MAX:
        return None
    if text and not re.fullmatch(rb"(?:%b[ \n])*+" % form, text):
        return None
    numbers = np.fromstring(text.replace(b"/", b" "), np.int64, sep=" ").astype(np.intp)
    numbers = numbers.reshape(-1, max(form.count(b"d"), 1))
    has_places = b"/\\" in form and b"//" not in form
    indices = np.zeros((len(numbers), 2), np.intp)
    indices[:, : 1 + has_places] = numbers[:, : 1 + has_places]
    sizes = [row.count(b" ") + 1 for row in text.split(b"\n")[:-1]]
    return indices, np.array(sizes, np.intp), (1, int(has_places))


def _fans(sizes: Whole) -> Whole:
    """Build triangles from a face's first corner, shape (triangles, 3)."""
    counts = sizes - 2
    first = (np.cumsum(sizes) - sizes).repeat(counts)
    second = first + 1 + np.arange(len(first)) - (np.cumsum(counts) - counts).repeat(counts)
    return np.stack([first, second, second + 1], axis=1)
