"""Quantities that a map may show, each a small function of a geometry and of many poses."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from platform6dof.geometry import HexapodGeometry

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Quantity:
    """A quantity of a pose."""

    name: str
    """Name in options and keys, such as `travel`."""
    title: str
    """Name for people, such as `travel left`."""
    unit: str
    """Unit of the values, empty if there is none."""
    worst: Literal["least", "greatest"]
    """Which end of its values is the bad one."""
    values: Callable[[HexapodGeometry, Array], Array] | None = None
    """Values at coordinates (N, 6) [m, rad], shape (N,); None for what a map has of every cell."""


TRAVEL = Quantity("travel", "travel left of the leg nearest to an end", "m", "least")
SIGMA = Quantity("sigma", "smallest singular value", "", "least")
SPEED = Quantity("speed", "fastest leg at the wished rates", "m/s", "greatest")
FORCE = Quantity("force", "greatest force of a leg's drive at rest", "N", "greatest")
"""Built in of a map that judges forces, `HoldingLimits`; no other has it."""
BUILT_IN = {one.name: one for one in (TRAVEL, SIGMA, SPEED)}
"""Quantities that every map computes for its limits."""
