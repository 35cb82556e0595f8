"""The workspace page of a form: map and proof of the machine that is edited.

A process of its own computes both; the page polls it and draws what has arrived.
"""

from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPixmap, QShowEvent
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from hil.panel.scenarios.models.form import FormModel
from hil.panel.scenarios.models.workspace_picture import limits_shown, scale_ends
from hil.panel.scenarios.models.workspace_work import WorkspaceWork
from hil.panel.scenarios.workspace_plots import WorkspacePlots, scale_picture
from hil.panel.widgets.theme import Theme
from hil.run.registry import workspace_maker
from hil.run.workspace import WorkspaceMap, WorkspaceProof

MOST_FAULTS: Final = 5
"""Problems of the form that are shown here; the form has all."""
VERDICTS: Final = {
    "holds": ("✔", "ok", "The pose box holds"),
    "violated": ("✖", "fault", "The pose box is violated"),
    "undecided": ("?", "warn", "The pose box is undecided"),
}
"""Verdict → sign, role of its colour, words."""


class WorkspacePage(QScrollArea):
    """Map and proof of the machine of a form."""

    titled = Signal(str)
    """Title of the page, with the sign of the verdict."""

    def __init__(self, now_s: Callable[[], float], theme: Theme) -> None:
        super().__init__()
        self.work = WorkspaceWork(now_s)
        """State of map and proof."""
        self._theme = theme
        self._build()
        self._show_all()

    def _build(self) -> None:
        self.chooser = QComboBox()
        self.chooser.setAccessibleName(self.tr("Quantity of the map"))
        self.chooser.activated.connect(self._chosen)
        self.state, self.old = _label(), _label()
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        self.verdict, self.proof_words, self.map_words = _label(), _label(), _label()
        self.title, self.legend, self.under = _label(), _label(), _label()
        for label in (self.state, self.proof_words, self.map_words, self.title, self.under):
            label.setTextFormat(Qt.TextFormat.PlainText)
        self.under.setMinimumHeight(2 * self.fontMetrics().lineSpacing())
        self.least, self.greatest, self.scale = QLabel(), QLabel(), QLabel()
        self.scale.setScaledContents(True)
        self.scale.setMinimumWidth(1)
        self.scale.setFixedHeight(self.fontMetrics().height() // 2)
        self.plots = WorkspacePlots(self._theme, self._read_out)
        self._read_out("")
        row, bar = QHBoxLayout(), QHBoxLayout()
        row.addWidget(QLabel(self.tr("Map of")))
        row.addWidget(self.chooser)
        row.addWidget(self.progress, 1)
        for widget in (self.least, self.scale, self.greatest):
            bar.addWidget(widget, int(widget is self.scale))
        inner = QWidget()
        layout = QVBoxLayout(inner)
        layout.addLayout(row)
        for widget in (self.state, self.old, self.verdict, self.title):
            layout.addWidget(widget)
        layout.addLayout(bar)
        for widget in (self.plots, self.under, self.legend, self.map_words, self.proof_words):
            layout.addWidget(widget)
        layout.addStretch(1)
        self.setWidget(inner)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def _read_out(self, words: str) -> None:
        """Show the words about the cell under the mouse."""
        self.under.setText(words or self.tr("Point at a picture to read what is there."))

    # --- what is edited -------------------------------------------------------------------------

    def set_model(self, model: FormModel | None, file: Path | None) -> bool:
        """Take another form; return whether its machine has a workspace."""
        known = model is not None and file is not None and workspace_maker(model.kind) is not None
        self.work.set_model(model if known else None, file or Path())
        if known and self.isVisible():
            self.work.want()
        self._show_all()
        return known

    def follow(self) -> None:
        """Take the table, and what is known of its problems, as they are now."""
        self.work.follow()
        self._show_all()

    def allow(self, allowed: bool) -> None:
        """Allow computations, or end them: not beside a run."""
        self.work.allow(allowed)
        self._show_all()

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        self._theme = theme
        self.plots.set_theme(theme)
        self._show_all()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802 - Qt's name
        """Compute as soon as somebody opens the page."""
        super().showEvent(event)
        self.work.want()
        self._show_all()

    def _chosen(self, row: int) -> None:
        self.work.choose(self.chooser.itemText(row))
        self._show_all()

    def refresh(self) -> None:
        """Take what has been computed; called at each turn of the window."""
        if self.work.poll():
            self._show_all()
        elif self.work.busy:
            self._show_state()

    def close_work(self) -> None:
        """End what is computed: the window closes."""
        self.work.close()

    # --- what is shown --------------------------------------------------------------------------

    def _show_all(self) -> None:
        self._show_state()
        self._show_chooser()
        self._show_proof(self.work.proof)
        self._show_map(self.work.map)

    def _show_state(self) -> None:
        work = self.work
        lines: list[str] = []
        if work.faults:
            lines.append(self.tr("Not computed: put right what is marked in the form."))
            lines += work.problems[:MOST_FAULTS]
        elif not work.allowed:
            lines.append(self.tr("Not computed beside a run."))
        lines.append(work.waits_for)
        _set(self.state, "\n".join(filter(None, lines)))
        old = self.tr("▲ What is shown is of the file before the last changes.")
        _set(self.old, f'<b style="color:{self._theme.warn}">{old}</b>' * work.table_is_old)
        self.progress.setVisible(work.busy)
        if (share := work.share) is None:
            self.progress.setRange(0, 0)
        else:
            self.progress.setRange(0, 1000)
            self.progress.setValue(round(1000.0 * share))

    def _show_chooser(self) -> None:
        names = [self.chooser.itemText(row) for row in range(self.chooser.count())]
        if names != list(self.work.quantities):
            self.chooser.clear()
            self.chooser.addItems(list(self.work.quantities))
        self.chooser.setEnabled(self.chooser.count() > 0)
        self.chooser.setCurrentText(self.work.quantity)

    def _show_proof(self, proof: WorkspaceProof | str | None) -> None:
        title, old = self.tr("workspace"), self.work.proof_is_old
        if isinstance(proof, WorkspaceProof):
            sign, role, words = VERDICTS[proof.verdict]
            shown = f"{sign} {self.tr(words)}"
            if proof.scale is not None:
                shown += self.tr("; largest proved: {scale:.4f} of it").format(scale=proof.scale)
            colour = self._theme.dim if old else getattr(self._theme, role)
            _set(self.verdict, f'<b style="color:{colour}">{escape(shown)}</b>')
            _set(self.proof_words, "\n".join(proof.lines))
            title += "" if old else f" {sign}"
        else:
            _set(self.verdict, "")
            _set(self.proof_words, proof and self.tr("No proof: {why}").format(why=proof))
        self.proof_words.setEnabled(not old)
        self.titled.emit(title)

    def _show_map(self, found: WorkspaceMap | str | None) -> None:
        known = found if isinstance(found, WorkspaceMap) else None
        old = self.work.map_is_old
        self.plots.show_map(known, old=old)
        for widget in (self.plots, self.scale, self.least, self.greatest, self.under):
            widget.setVisible(known is not None)
        for label in (self.title, self.legend, self.map_words):
            label.setEnabled(not old)
        if known is None:
            _set(self.title, found and self.tr("No map: {why}").format(why=found))
            _set(self.legend, "")
            _set(self.map_words, "")
            return
        for label, words in zip((self.least, self.greatest), scale_ends(known), strict=True):
            label.setText(words)
        self.scale.setPixmap(QPixmap.fromImage(scale_picture(known.worst)))
        _set(self.title, self.tr(
            "{what}, in slices through the neutral pose; and the limit that binds, pale where it "
            "binds next. Dashed: the pose box."
        ).format(what=known.title))  # fmt: skip
        _set(self.legend, self._legend(known))
        _set(self.map_words, "\n".join(known.lines))

    def _legend(self, found: WorkspaceMap) -> str:
        """Numbers, colours and names of the limits that bind somewhere."""
        chips = [
            f'<span style="background:{found.limits[k].colour}">&nbsp;&nbsp;&nbsp;</span>'
            f"&nbsp;{k + 1}&nbsp;{escape(found.limits[k].name).replace(' ', '&nbsp;')}"
            for k in limits_shown(found.slices)
        ]
        return "&nbsp;&nbsp; ".join(chips)


def _label() -> QLabel:
    label = QLabel()
    label.setWordWrap(True)
    label.setMinimumWidth(1)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


def _set(label: QLabel, words: str | None) -> None:
    """Show words, or leave the label out without any."""
    label.setText(words or "")
    label.setVisible(bool(words))
