"""State of the workspace page: map and proof of the machine that a form edits.

What was computed stays until its successor arrives, and is known to be old as soon as the table is
another one. An edit ends the computation of the table before.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from hil.panel.scenarios.models.form import FormModel
from hil.panel.scenarios.models.workspace_run import (
    PROOF_S,
    WorkspaceNews,
    WorkspaceParts,
    WorkspaceRun,
)
from hil.run.workspace import WorkspaceMap, WorkspaceProof

SILENT_S: Final = 2.0
"""Time after which a computation says what is waited for [s]."""
Table = dict[str, Any]
BeginRun = Callable[[Path, Table, WorkspaceParts], WorkspaceRun]


class WorkspaceWork:
    """Map and proof of one machine, as its table is edited.

    Args:
        begin: starts a computation.
    """

    def __init__(self, now_s: Callable[[], float], begin: BeginRun = WorkspaceRun) -> None:
        self._now_s, self._begin = now_s, begin
        self._model: FormModel | None = None
        self._file = Path()
        self._wanted, self._allowed = False, True
        self._run: WorkspaceRun | None = None
        self._run_table: Table | None = None
        self._begun_s = 0.0
        self._map_of: tuple[Table, str] | None = None
        self._proof_of: Table | None = None
        self.quantities: tuple[str, ...] = ()
        """Names of the quantities that a map may show; empty until the first computation."""
        self.quantity = ""
        """Quantity that is wanted; empty: the first."""
        self.map: WorkspaceMap | str | None = None
        """The last map, or why there is none; None while there was none."""
        self.proof: WorkspaceProof | str | None = None
        """The last proof, or why there is none; None while there was none."""

    # --- what is wanted -------------------------------------------------------------------------

    def set_model(self, model: FormModel | None, file: Path) -> None:
        """Take another machine; nothing of the one before stays."""
        self._end()
        self._model, self._file, self._wanted = model, file, False
        self.map = self.proof = self._map_of = self._proof_of = None

    def want(self) -> None:
        """Compute from now on, until there is another machine: somebody has opened the page."""
        self._wanted = True
        self.follow()

    def allow(self, allowed: bool) -> None:
        """Allow computations, or end them: not beside a run."""
        self._allowed = allowed
        if not allowed:
            self._end()
        self.follow()

    def choose(self, quantity: str) -> None:
        """Map another quantity; the proof stays if it is there."""
        if quantity != self.quantity:
            self.quantity = quantity
            self._end()
            self.follow()

    def follow(self) -> None:
        """Take the table as it is now: an edit ends what goes on, a whole table is computed."""
        model = self._model
        if model is None or not self._wanted or not self._allowed:
            return
        if self._run is not None and self._run_table is not model.table:
            self._end()
        if self._run is None and model.judged == model.revision and not model.problems:
            parts = WorkspaceParts(self.quantity, map=self.map_is_old, proof=self.proof_is_old)
            if parts.map or parts.proof:
                self._run = self._begin(self._file, model.table, parts)
                self._run_table, self._begun_s = model.table, self._now_s()

    # --- what is known --------------------------------------------------------------------------

    @property
    def model(self) -> FormModel | None:
        """Form of the machine; None if none has a workspace."""
        return self._model

    @property
    def map_is_old(self) -> bool:
        """Whether the map is of another table or quantity, or there is none."""
        of, model = self._map_of, self._model
        same = of is not None and model is not None and of[0] is model.table
        return not (same and of is not None and of[1] == self.quantity)

    @property
    def proof_is_old(self) -> bool:
        """Whether the proof is of another table, or there is none."""
        return self._model is None or self._proof_of is not self._model.table

    @property
    def table_is_old(self) -> bool:
        """Whether something that is shown is of the table before the last edits."""
        model = self._model
        of = [] if self.map is None or self._map_of is None else [self._map_of[0]]
        of += [] if self.proof is None or self._proof_of is None else [self._proof_of]
        return model is not None and any(one is not model.table for one in of)

    @property
    def faults(self) -> int:
        """Number of problems of the table; nothing is computed while there are any."""
        return 0 if self._model is None else len(self._model.problems)

    @property
    def problems(self) -> tuple[str, ...]:
        """Problems of the table for people."""
        found = () if self._model is None else self._model.problems
        return tuple(
            f"{'.'.join(map(str, one.place))}: {one.message}" if one.place else one.message
            for one in found
        )

    @property
    def allowed(self) -> bool:
        """Whether computations are allowed now."""
        return self._allowed

    @property
    def busy(self) -> bool:
        """Whether something is computed."""
        return self._run is not None

    @property
    def share(self) -> float | None:
        """Share of the map that is done; None during a proof, whose end nobody knows."""
        return None if self._run is None or self._run.proving else self._run.share

    @property
    def waits_for(self) -> str:
        """Sentence of what is waited for; empty if nothing is, or only for a moment."""
        if self._run is None:
            return ""
        waited_s = self._now_s() - self._begun_s
        if waited_s <= SILENT_S:
            return ""
        if self._run.proving or not self._run.parts.map:
            return (
                f"Waiting for the proof of the pose box: {waited_s:.0f} s; it ends after "
                f"{PROOF_S:.0f} s of its own at the latest."
            )
        what = self.quantity or "the workspace"
        return f"Waiting for the map of {what}: {100.0 * self._run.share:.0f} %."

    # --- its process ----------------------------------------------------------------------------

    def poll(self) -> bool:
        """Take what the computation has reported; return whether something is new."""
        run, table = self._run, self._run_table
        if run is None or table is None:
            return False
        news = run.poll()
        if news.quantities:
            self.quantities = news.quantities
            self.quantity = self.quantity or news.quantities[0]
        self._take(news, table, run.parts.quantity or self.quantity)
        if run.done:
            self._end()
        return any(one is not None for one in (news.quantities, news.map, news.proof))

    def _take(self, news: WorkspaceNews, table: Table, quantity: str) -> None:
        if news.map is not None:
            self.map, self._map_of = news.map, (table, quantity)
        if news.proof is not None:
            self.proof, self._proof_of = news.proof, table

    def _end(self) -> None:
        if self._run is not None:
            self._run.end()
        self._run = self._run_table = None

    def close(self) -> None:
        """End what goes on: the window closes."""
        self._model = None
        self._end()
