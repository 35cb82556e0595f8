"""Numbers and places of elements of XML; what cannot be read is noted as a fault."""

from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sim.world.meshes.mesh_reader import MeshFiles, MeshReader, no_files
from sim.world.robots.body import Numbers
from sim.world.robots.faults import FaultList
from sim.world.robots.losses import Loss
from sim.world.robots.rotations import rotation_of_rpy
from sim.world.robots.value_checks import NUMBER_MAX
from sim.world.robots.xml_nodes import XmlNode

Array = NDArray[np.float64]

NUMBER_DIGITS: Final = 9
"""Digits of a link's or joint's number at most."""
NAME_MAX: Final = 200
"""Characters of a name at most."""


class XmlValues:
    """What is read of one document.

    Args:
        source: the document, for error texts.
        files: where its meshes are had from.
    """

    def __init__(self, source: str, files: MeshFiles = no_files) -> None:
        self.meshes: MeshReader = MeshReader(files)
        self.faults: FaultList = FaultList(source, {})
        self.losses: list[Loss] = []
        self.faults.losses = self.losses

    def fault(self, node: XmlNode, value: object, problem: str, remedy: str) -> None:
        """Note what is wrong with an element."""
        problem = f"{node.within}: {problem}" if node.within else problem
        self.faults.add(node.line, node.column, value, problem, remedy)

    def numbers(self, node: XmlNode | None, name: str, instead: Numbers) -> Numbers:
        """As many as stand for an attribute that is not there."""
        if node is None or (word := node.get(name)) is None:
            return instead
        try:
            found = tuple(float(one.replace("_", "?")) for one in word.split())
        except ValueError:
            found = ()
        if len(found) != len(instead) or not all(abs(one) <= NUMBER_MAX for one in found):
            many = f"finite numbers up to {NUMBER_MAX:g}, {len(instead)} of them"
            right = f'{many}: {name}="{_shown(instead)}"'
            self.fault(node, word, f"{node.tag} {name} is not read", right)
            return instead
        return found

    def number(self, node: XmlNode | None, name: str, instead: float) -> float:
        """One."""
        return self.numbers(node, name, (instead,))[0]

    def some(self, node: XmlNode | None, name: str) -> float | None:
        """One, or None if the attribute is not there."""
        if node is None or node.get(name) is None:
            return None
        return self.number(node, name, 0.0)

    def needed(self, node: XmlNode | None, name: str) -> float:
        """One that must be there."""
        if node is not None and node.get(name) is None:
            self.absent(node, name)
        return self.number(node, name, 1.0)

    def word(self, node: XmlNode, name: str, known: Mapping[str, object] | None = None) -> str:
        """A text that must be there, one of some words if those are given; empty after a fault."""
        found = node.get(name)
        if found is None:
            self.absent(node, name)
            return ""
        if known is not None and found not in known:
            self.fault(
                node, found, f"{node.tag} {name}: no such word", f"one of {', '.join(known)}"
            )
            return ""
        return found

    def name(self, node: XmlNode) -> str:
        """Of a link or joint."""
        found = self.word(node, "name")
        if len(found) > NAME_MAX or not found.isprintable():
            right = f"printable, at most {NAME_MAX} characters"
            self.fault(node, found, f"{node.tag} name is not read", right)
        return found

    def own_number(self, node: XmlNode) -> int | None:
        """Of a link or joint, if the document tells it."""
        word = node.get("number")
        if word is None or (word.isdecimal() and len(word) < NUMBER_DIGITS):
            return None if word is None else int(word)
        self.fault(node, word, "number is not read", "a whole number of few digits")
        return None

    def absent(self, node: XmlNode, name: str) -> None:
        """Note an attribute that is missing, with those that nobody knows."""
        others = ", ".join(sorted(node.unknown(name)))
        problem = f"<{node.tag}> has no {name}" + (f", but {others}" if others else "")
        self.fault(node, None, problem, f'{name}="..."')

    def place(self, node: XmlNode | None) -> Array:
        """Frame of an element's ``<origin>``, shape (4, 4)."""
        pose = np.eye(4)
        if node is not None and (origin := node.one("origin")) is not None:
            pose[:3, 3] = self.numbers(origin, "xyz", (0.0, 0.0, 0.0))
            pose[:3, :3] = rotation_of_rpy(self.numbers(origin, "rpy", (0.0, 0.0, 0.0)))
        return pose


def triple(values: Numbers | Array) -> tuple[float, float, float]:
    """Three numbers."""
    x, y, z = (float(one) for one in values)
    return x, y, z


def _shown(values: Numbers) -> str:
    return " ".join(f"{one:g}" for one in values)


def is_beyond(word: str) -> bool:
    """Whether a word is one number beyond `NUMBER_MAX` either way; what is no number is not."""
    try:
        return abs(float(word.replace("_", "?"))) > NUMBER_MAX
    except ValueError:
        return False
