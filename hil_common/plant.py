"""Interface of a body that couples six simulated or emulated drives by the forces on it."""

from collections.abc import Sequence
from typing import Protocol


class Plant(Protocol):
    """A body on six rods: forces of their motors go in, positions of the rods come out."""

    def begin(self, extensions_m: Sequence[float]) -> None:
        """Rest with the rods at these extensions from their inner ends [m], brakes closed.

        Args:
            extensions_m: Six [m].
        """
        ...

    def advance(self, forces_n: Sequence[float], locked: Sequence[bool], dt_s: float) -> None:
        """Advance by a time [s].

        Args:
            forces_n: Of the motors, positive outwards [N], 6.
            locked: Which brakes are closed, 6.
            dt_s: Time that passes [s].
        """
        ...

    def extensions_m(self) -> Sequence[float]:
        """Extension of each rod [m], 6."""
        ...

    def speeds_m_s(self) -> Sequence[float]:
        """Speed of each rod, outwards positive [m/s], 6."""
        ...
