"""Elements of XML with all digits of every number."""

from collections.abc import Iterable
from xml.etree.ElementTree import Element, SubElement, indent, tostring

import numpy as np


def numbers(values: Iterable[float]) -> str:
    """Words that come back bit by bit."""
    if isinstance(values, np.ndarray):
        values = values.ravel().tolist()
    return " ".join(map(repr, map(float, values)))


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
    match value:
        case str():
            return value
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float():
            return repr(float(value))
        case tuple() | list() | np.ndarray():
            return numbers(value)
        case _:
            raise TypeError(f"no value of an attribute: {value!r}")
