"""The plant that may couple six simulated cylinders."""

from collections.abc import Sequence
from typing import Protocol

from hil_common.plant import Plant


class TouchedPlant(Plant, Protocol):
    """A body on six rods that says what pressed on it."""

    def touches(self) -> Sequence[tuple[str, float, float, tuple[float, ...]]]:
        """Contacts since `begin`: names, since when [s], time of a value [s], forces.

        Each value is the greatest force in its time [N].
        """
        ...
