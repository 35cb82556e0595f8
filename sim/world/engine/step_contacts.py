"""Contacts of a world's last step, read once for all who watch or judge them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.world.engine.world import World


class StepContacts:
    """Geoms that touch, and the rows of their forces; sorted anew only where they change."""

    def __init__(self, world: World) -> None:
        self._data: Any = world._data  # noqa: SLF001  # parts of one thing
        self._touching = b""
        self.version: int = 0
        """Number of changes of `geoms` and `rows` so far."""
        self.geoms: list[tuple[int, int]] = []
        """Numbers of the two geoms of each contact, in the engine's order."""
        self.rows: list[int] = []
        """Row of each contact's normal force among the engine's; below 0 if it does not press."""
        self.read()

    def read(self) -> int:
        """Read the contacts of the last step; returns the version of what touches."""
        data = self._data
        if not data.ncon or not data.nefc:
            if self._touching:
                self._touching, self.geoms, self.rows = b"", [], []
                self.version += 1
            return self.version
        contacts = data.contact
        geoms, rows = contacts.geom, contacts.efc_address
        touching = geoms.tobytes() + rows.tobytes()
        if touching != self._touching:
            self._touching = touching
            self.geoms, self.rows = [(one, other) for one, other in geoms.tolist()], rows.tolist()
            self.version += 1
        return self.version

    def forces_n(self, rows: NDArray[np.intp]) -> list[float]:
        """Normal forces at some rows in the last step [N]."""
        return self._data.efc_force[rows].tolist()
