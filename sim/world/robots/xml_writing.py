"""Elements of XML with all digits of every number."""

from collections.abc import Iterable, Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

import numpy as np


def numbers(values: Iterable[float]) -> str:
    """Words that come back bit by bit."""
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
    raise TypeError(f"no value of an attribute: {value!r}")
