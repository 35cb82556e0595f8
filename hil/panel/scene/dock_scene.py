"""The dock of the picture in space."""

from collections.abc import Callable
from typing import Final

import numpy as np

from hil.panel.live.session import Session, Turn
from hil.panel.scene.view import SceneView
from hil.panel.shell.dock_views import Plain
from hil.panel.shell.theme import Theme

ROWS_KEPT: Final = 2000
"""Of one turn for the picture in space; after a jump in a replay there are many more."""
TURNS_KEPT: Final = 4


class SceneDock(Plain[SceneView]):
    """The picture in space."""

    def __init__(self, theme: Theme, now_s: Callable[[], float]) -> None:
        super().__init__(SceneView(theme=theme))
        self._now_s = now_s
        self._rows: list[np.ndarray] = []

    def set_session(self, session: Session | None) -> None:
        """Show another run's machines, or none."""
        self._rows = []
        self.widget.set_run(None if session is None else session.facts)

    def take(self, turn: Turn) -> None:
        """Keep the rows for the next picture."""
        batch = turn.batch
        if batch.restart:
            self._rows = []
        if len(batch.rows):
            self._rows.append(batch.rows[-ROWS_KEPT:])
            del self._rows[:-TURNS_KEPT]  # hidden for long: only the newest matter

    def refresh(self) -> None:
        """Draw where the machines are now."""
        rows = np.concatenate(self._rows) if self._rows else np.empty((0, 0))
        self._rows = []
        self.widget.refresh(rows, self._now_s())
