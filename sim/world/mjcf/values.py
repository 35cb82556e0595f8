"""Values of MJCF's elements: angles in the model's unit, frames said in five ways."""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sim.world.meshes.mesh_reader import MeshFiles, no_files
from sim.world.robots.body import Numbers
from sim.world.robots.tree import rotation_of, turn
from sim.world.robots.xml_nodes import XmlNode
from sim.world.robots.xml_values import XmlValues

Array = NDArray[np.float64]

ORIENTATIONS: Final = {"quat": 4, "axisangle": 4, "euler": 3, "xyaxes": 6, "zaxis": 3}
"""Attributes that turn a frame, and how many numbers each has."""


@dataclass(frozen=True, slots=True)
class ModelUnits:
    """What the element ``compiler`` says of the others."""

    degrees: bool = True
    """Whether angles are in degrees."""
    euler: str = "xyz"
    """Axes of three angles, small letters for those that turn along."""
    has_limits: bool = True
    """Whether a range is one of itself."""
    mesh_folder: str = ""
    """Before the paths of meshes."""
    bare_names: bool = False
    """Whether folders in the paths of meshes do not count."""
    total_kg: float = -1.0
    """What all bodies weigh together; below 0 for what they tell."""
    weighs_bodies: bool | None = None
    """Whether bodies weigh what their shapes do; None where they have no ``inertial``."""
    groups: tuple[int, int] = (0, 5)
    """The first and last group of shapes by which bodies weigh."""
    least_kg: float = 0.0
    """Mass of a body at least."""
    least_kg_m2: float = 0.0
    """Principal moment of a body at least."""
    balances: bool = False
    """Whether moments that are no body's become three equal ones."""

    @property
    def bounds_bodies(self) -> bool:
        """Whether bodies weigh otherwise than they tell."""
        return bool(self.least_kg or self.least_kg_m2 or self.balances)


class MjcfValues(XmlValues):
    """What is read of one model."""

    def __init__(self, source: str, files: MeshFiles = no_files) -> None:
        super().__init__(source, files)
        self.units: ModelUnits = ModelUnits()

    def listed(self, node: XmlNode, name: str, most: int) -> Numbers:
        """As many numbers as stand there, none if the attribute is not there."""
        word = node.get(name)
        count = len(word.split()) if word is not None else 0
        if count > most:
            right = f"at most {most} numbers"
            self.fault(node, word, f"{node.tag} {name} is not read", right)
            return ()
        return self.numbers(node, name, (0.0,) * count) if count else ()

    def flag(self, node: XmlNode, name: str, instead: bool) -> bool:
        """Whether an attribute is true."""
        if node.get(name) is None:
            return instead
        return self.word(node, name, {"true": None, "false": None}) == "true"

    def units_of(self, node: XmlNode) -> ModelUnits:
        """How numbers of an element are read: as the model says that it comes from."""
        return node.units if isinstance(node.units, ModelUnits) else self.units

    def angle(self, node: XmlNode, value: float) -> float:
        """In rad, of one in the unit of an element."""
        return math.radians(value) if self.units_of(node).degrees else value

    def frame(self, node: XmlNode) -> Array:
        """Of an element by its position and orientation, shape (4, 4)."""
        pose = np.eye(4)
        pose[:3, 3] = self.numbers(node, "pos", (0.0, 0.0, 0.0))
        pose[:3, :3] = self.turned(node)
        return pose

    def turned(self, node: XmlNode) -> Array:
        """Rotation of an element, of its own words or else of its defaults', shape (3, 3)."""
        for source in (node, *node.fallbacks):
            for name, count in ORIENTATIONS.items():
                source.asked.add(name)
                if name in source.attributes:
                    numbers = self.numbers(source, name, (0.0,) * count)
                    if (found := self._rotation(source, name, numbers)) is not None:
                        return found
                    right = "directions of a length above 0, two of them not parallel"
                    self.fault(source, source.attributes[name], f"{name} turns nothing", right)
                    return np.eye(3)
        return np.eye(3)

    def _rotation(self, node: XmlNode, name: str, numbers: Numbers) -> Array | None:
        match name:
            case "quat":
                return rotation_of(numbers) if any(numbers) else None
            case "axisangle":
                known = any(numbers[:3])
                return turn(numbers[:3], self.angle(node, numbers[3])) if known else None
            case "euler":
                return self.euler(node, numbers)
            case "zaxis":
                return upright(np.array(numbers))
            case _:
                return _spanned(np.array(numbers[:3]), np.array(numbers[3:]))

    def euler(self, node: XmlNode, numbers: Numbers) -> Array:
        """Rotation of three angles of an element, shape (3, 3).

        Small letters turn about axes that are turned along, capitals about fixed ones.
        """
        found = np.eye(3)
        for letter, value in zip(self.units_of(node).euler, numbers, strict=True):
            axis = [float(letter.lower() == one) for one in "xyz"]
            one = turn(axis, self.angle(node, value))
            found = found @ one if letter.islower() else one @ found
        return found


def upright(z: Array) -> Array | None:
    """The smallest turn that takes z to a direction."""
    length = float(np.linalg.norm(z))
    if length == 0.0:
        return None
    axis = np.cross((0.0, 0.0, 1.0), z / length)
    sine, cosine = float(np.linalg.norm(axis)), float(z[2] / length)
    if sine < 1e-14:
        return np.eye(3) if cosine > 0.0 else np.diag([1.0, -1.0, -1.0])
    return turn(axis.tolist(), math.atan2(sine, cosine))


def _spanned(x: Array, y: Array) -> Array | None:
    if not x.any():
        return None
    x = x / np.linalg.norm(x)
    y = y - (x @ y) * x
    if not np.linalg.norm(y) > 1e-12:
        return None
    y = y / np.linalg.norm(y)
    return np.stack([x, y, np.cross(x, y)], axis=1)


def shift(position_m: Array) -> Array:
    """A frame that is only elsewhere, shape (4, 4)."""
    pose = np.eye(4)
    pose[:3, 3] = position_m
    return pose
