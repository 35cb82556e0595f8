"""Elements of MJCF, the engine's own text, with all digits of every number.

The engine's own writer keeps about six: a model that is read back from it drifts away within
some hundred steps.
"""

import math
from collections.abc import Iterable, Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def numbers(values: Iterable[float]) -> str:
    """As the engine reads them; each comes back bit by bit."""
    return " ".join(repr(float(value)) for value in values)


def add(parent: Element, tag: str, **attributes: object) -> Element:
    """Append an element; numbers and sequences of them are written out, None is left out."""
    return SubElement(
        parent, tag, {key: _text(value) for key, value in attributes.items() if value is not None}
    )


def document(root: Element) -> str:
    """The whole text, an element a line."""
    indent(root)
    return tostring(root, encoding="unicode") + "\n"


def place(pose: Array) -> dict[str, str]:
    """Attributes ``pos`` and ``quat`` of a frame, shape (4, 4); what is at rest is left out."""
    found: dict[str, str] = {}
    if np.any(pose[:3, 3]):
        found["pos"] = numbers(pose[:3, 3])
    if not np.array_equal(pose[:3, :3], np.eye(3)):
        found["quat"] = numbers(quaternion_of(pose[:3, :3]))
    return found


def quaternion_of(rotation: Array) -> tuple[float, float, float, float]:
    """Unit quaternion w, x, y, z of a rotation, shape (3, 3); w ≥ 0.

    S. W. Shepperd, Quaternion from rotation matrix (1978): the largest of the four is found first,
    so that nothing is lost near half a turn.
    """
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = np.asarray(rotation).tolist()
    squares = (1 + xx + yy + zz, 1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz)
    largest = max(range(4), key=squares.__getitem__)
    rows = (
        (squares[0], zy - yz, xz - zx, yx - xy),
        (zy - yz, squares[1], xy + yx, xz + zx),
        (xz - zx, xy + yx, squares[2], yz + zy),
        (yx - xy, xz + zx, yz + zy, squares[3]),
    )
    length = math.copysign(math.hypot(*rows[largest]), rows[largest][0])
    w, x, y, z = (one / length for one in rows[largest])
    return w, x, y, z


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return numbers((value,))
    if isinstance(value, (Sequence, np.ndarray)):
        return numbers(value)
    raise TypeError(f"no MJCF value: {value!r}")
