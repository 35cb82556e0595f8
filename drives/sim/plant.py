"""What six simulated cylinders may be coupled by: a body that answers forces with motion."""

from collections.abc import Sequence
from typing import Protocol


class Plant(Protocol):
    """A body on six rods: what their motors push goes in, where they are comes out."""

    def begin(self, extensions_m: Sequence[float]) -> None:
        """Stand at rest with the rods at these extensions from their inner ends [m], brakes closed.

        Args:
            extensions_m: Six [m].
        """
        ...

    def advance(self, forces_n: Sequence[float], locked: Sequence[bool], dt_s: float) -> None:
        """Go on by a time [s].

        Args:
            forces_n: Of the motors, positive outwards [N], 6.
            locked: Which brakes are closed, 6.
            dt_s: Time that passes [s].
        """
        ...

    def touches(self) -> Sequence[tuple[str, float, float, tuple[float, ...]]]:
        """What pressed on it since `begin`: names, since when [s], time of a value [s], forces.

        Each value is the greatest force in its time [N].
        """
        ...

    def extensions_m(self) -> Sequence[float]:
        """How far each rod is out [m], 6."""
        ...

    def speeds_m_s(self) -> Sequence[float]:
        """Of each rod, outwards positive [m/s], 6."""
        ...
