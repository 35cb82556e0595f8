"""A lamp for each mode: its colour and its shape say the same, so neither is needed alone."""

from collections.abc import Mapping
from dataclasses import dataclass

from hil.run.pages import Role, Shape


@dataclass(frozen=True, slots=True)
class Lamp:
    """A lamp."""

    name: str
    """Name of the mode, as in the run's header."""
    role: Role
    """Colour of the theme that it is lit in."""
    shape: Shape
    """Shape of the lamp."""
    lit: bool
    """Whether the bench is in that mode."""


def lamp_of(lamps: Mapping[str, tuple[Role, Shape]], name: str, *, lit: bool) -> Lamp:
    """The lamp of a mode; one that its station does not know here is a dim circle."""
    role, shape = lamps.get(name, ("dim", Shape.REST))
    return Lamp(name, role, shape, lit)
