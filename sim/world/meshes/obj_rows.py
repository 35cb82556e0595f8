"""OBJ files whose rows are alike, as programs write them, read as arrays: six times as fast.

Statements of other kinds, and whatever is not alike or wrong, are for `sim.world.meshes.obj`, which
takes one after another and tells the line of what it refuses.
"""

import re
from typing import Final, NamedTuple

import numpy as np

from sim.world.meshes.surface import TRIANGLES_MAX, VERTICES_MAX, Array, Whole

LINES_MAX: Final = 2 * VERTICES_MAX
"""Of a file whose rows are read at once."""
ROW_MAX: Final = 8
"""Numbers of such a row at most."""
CORNERS_MAX: Final = 6 * TRIANGLES_MAX
"""Of such faces together at most; more than `TRIANGLES_MAX` are refused afterwards."""
_SIGNS: Final = b"0123456789.eE+- \n"
"""Of rows of numbers."""
_DIGITS: Final = re.compile(rb"\d+")


class ObjRows(NamedTuple):
    """What the rows of a file say."""

    vertices: Array
    """Shape (vertices, 3)."""
    places: Array
    """On the texture, shape (places, 2)."""
    corners: Whole
    """Indices of a vertex and of a place, -1 for none, shape (triangles, 3, 2)."""
    lines: Whole = np.zeros(0, np.intp)
    """Of each triangle the line of its face, from 0, shape (triangles,)."""
    others: tuple[tuple[int, bytes], ...] = ()
    """Lines that are no rows, with their numbers."""


def read_rows(data: bytes) -> ObjRows | None:
    """The rows of a file; None if they are not alike, or one of them is wrong."""
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
    """Of rows that have equally many, as many as are wanted of each."""
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
    """Of faces whose corners are written alike: vertex and place of each corner, 0 for none.

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
    """Corners of triangles, each of a face's from its first, shape (triangles, 3)."""
    counts = sizes - 2
    first = (np.cumsum(sizes) - sizes).repeat(counts)
    second = first + 1 + np.arange(len(first)) - (np.cumsum(counts) - counts).repeat(counts)
    return np.stack([first, second, second + 1], axis=1)
