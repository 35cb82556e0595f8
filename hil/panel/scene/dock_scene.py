"""The dock of the picture in space."""

from collections.abc import Callable
from typing import Final

import numpy as np

from hil.panel.live.dock_views import Plain
from hil.panel.live.session import Session, Turn
from hil.panel.scene.view import SceneView
from hil.panel.widgets.theme import Theme
from hil.run.preview import STEP_S, Preview

ROWS_KEPT: Final = 2000
"""Most rows of one turn for the picture in space; after a jump in a replay there are many more."""
TURNS_KEPT: Final = 4


class SceneDock(Plain[SceneView]):
    """The picture in space."""

    of_run = True

    def __init__(self, theme: Theme, now_s: Callable[[], float]) -> None:
        super().__init__(SceneView(theme=theme))
        self._now_s = now_s
        self._rows: list[np.ndarray] = []
        self._preview: Preview | None = None
        self._begun_s = 0.0
        self._empty = True

    def set_session(self, session: Session | None) -> None:
        """Show another run's machines, or none."""
        self._rows, self._preview, self._empty = [], None, session is None
        self.widget.set_run(None if session is None else session.facts)

    def preview(self, preview: Preview | str) -> None:
        """Show once what a scenario will look like, or say this, unless a run is shown."""
        if not self._empty:
            return
        self._preview = None if isinstance(preview, str) else preview
        self._begun_s = self._now_s()
        if isinstance(preview, str):
            self.widget.set_run(None, preview)
        else:
            self.widget.set_preview(preview.header, preview.words)

    def say(self, words: str) -> None:
        """Say this where no machine is shown."""
        self.widget.say(words)

    def take(self, turn: Turn) -> None:
        """Keep the rows for the next picture."""
        batch = turn.batch
        if batch.restart:
            self._rows = []
        if len(batch.rows):
            self._rows.append(batch.rows[-ROWS_KEPT:].copy())  # not the whole batch
            del self._rows[:-TURNS_KEPT]  # hidden for long: only the newest matter

    def refresh(self) -> None:
        """Draw where the machines are now, or where they will be."""
        now_s = self._now_s()
        if self._preview is not None:
            last = len(self._preview.rows) - 1
            at = min(int((now_s - self._begun_s) / STEP_S), last)
            self._rows = [self._preview.rows[at : at + 1]]
        rows = np.concatenate(self._rows) if self._rows else np.empty((0, 0))
        self._rows = []
        self.widget.refresh(rows, now_s)
