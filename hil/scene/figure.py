"""What a view draws of a machine: where its parts are now, and which colours they have.

A `Scene` is made once for a run, with the `Build` of its parts. Each refresh gives a `Figure`: one
placement a part and one colour role a slot. Colours are named by their role, so the same scene
stands in a light window and in a dark one.
"""

from dataclasses import dataclass, field
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from hil.scene.parts import Build

Array = NDArray[np.float64]

TRACE_POINTS: Final = 1500
"""Points of a path at most: at 0.35 s a point, nine minutes."""


@dataclass(frozen=True, slots=True, eq=False)
class Figure:
    """Where everything is now; arrays are read-only."""

    transforms: Array
    """Placement of each part, shape (parts, 4, 4); all zero where it is not seen."""
    roles: tuple[str, ...]
    trace_m: Array = field(default_factory=lambda: np.zeros((0, 3)))
    """Path of what is followed [m], shape (N, 3), oldest first."""
    trace_serial: int = 0
    note: str = ""

    def __post_init__(self) -> None:
        self.transforms.setflags(write=False)
        self.trace_m.setflags(write=False)


def same_figure(first: Figure, second: Figure) -> bool:
    """Whether two figures look the same."""
    return (
        first.trace_serial == second.trace_serial
        and first.roles == second.roles
        and np.array_equal(first.transforms, second.transforms)
    )


class Scene(Protocol):
    """A machine that can be drawn: what it is, and where it is."""

    @property
    def title(self) -> str:
        """What it is, and the machine's own name."""
        ...

    @property
    def build(self) -> Build:
        """What is drawn, built once."""
        ...

    def take(self, rows: Array, now_s: float) -> None:
        """Learn of new frames.

        Args:
            rows: values of frames in the layout's order, oldest first, shape (N, values).
            now_s: monotonic time at which they came [s].
        """
        ...

    def figure(self, now_s: float) -> Figure:
        """Where everything is at a moment [s] of the same clock."""
        ...
