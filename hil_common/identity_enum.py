"""Enumerations whose members are found in a dictionary without a call of Python."""

from enum import Enum
from typing import TYPE_CHECKING


class IdentityEnum(Enum):
    """Enumeration whose members are hashed by identity.

    Members are unique, so identity serves as the hash. The inherited one is computed in Python, and
    the gate looks members up several times a cycle.
    """

    if not TYPE_CHECKING:
        __hash__ = object.__hash__
