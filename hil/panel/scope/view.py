"""The scope: plots, the signals to choose from, trigger, cursors, and what saves them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from PySide6.QtCore import QBuffer, QIODevice, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QFileDialog,
    QFrame,
    QLabel,
    QScrollArea,
    QSplitter,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from hil.panel.scope.models.cursors import Cursors
from hil.panel.scope.models.export import ExportError, write_csv, write_new
from hil.panel.scope.models.scope import ScopeModel
from hil.panel.scope.plots import ScopePlots
from hil.panel.scope.readout import Readout
from hil.panel.scope.signals import SignalTree
from hil.panel.scope.tools import ScopeKeys, ScopeTools
from hil.panel.scope.trigger_bar import TriggerBar
from hil.panel.widgets.theme import Theme

_ZOOM: Final = 1.5
_MOVE: Final = 0.1
_NUDGE_PX: Final = 2
_NUDGE_MORE: Final = 10
_PHASES: Final = {
    "idle": "",
    "armed": "waits for an edge",
    "filling": "fills",
    "full": "triggered",
    "held": "held",
}


class ScopeView(QWidget):
    """The scope of one run."""

    def __init__(self, model: ScopeModel, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = model
        self._theme = theme
        self.plots = ScopePlots(model, theme)
        self._scroll = QScrollArea(self)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setWidgetResizable(True)
        self._scroll.setWidget(self.plots)
        self.signals = SignalTree(model, self)
        self.trigger_bar = TriggerBar(model, self)
        self.readout = Readout(theme, self)
        self._empty = QLabel(self.tr("No signals shown. Press S or “Signals” and tick some."), self)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._empty.setWordWrap(True)
        self.tools = ScopeTools(self)
        self._message = ""
        self._arrange()
        self._connect()
        self._keys = ScopeKeys(self, self._key_actions(), self._arrow)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFocusProxy(self.plots)
        self.plots.installEventFilter(self._keys)
        self.plots.setToolTip(
            self.tr(
                "P pause, T arm, G trigger, S signals, C cursors, X other cursor, A fit, E save, "
                "arrows move, + and − zoom, Home and End: beginning and end"
            )
        )
        self._choice_changed()

    # What the window calls.

    def set_model(self, model: ScopeModel) -> None:
        """Show another run."""
        self.model = model
        for part in (self.plots, self.signals, self.trigger_bar):
            part.set_model(model)
        self._message = ""
        self._choice_changed()

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        self._theme = theme
        self.plots.set_theme(theme)
        self.readout.set_theme(theme)

    def refresh(self) -> None:
        """Draw what the model has now; nothing while hidden."""
        if not self.isVisible():
            return
        self.plots.draw()
        self._write_state()

    def save(self, wanted: Path) -> tuple[Path, Path]:
        """Save what is seen as a table and a picture beside it.

        Args:
            wanted: the table; files that exist are never touched, a number is added.

        Returns:
            The table and the picture.

        Raises:
            ExportError: if nothing is shown, or the place cannot be written.
        """
        window, channels = self.model.seen()
        if not channels:
            raise ExportError(self.tr("Nothing to save: no signal is shown"))
        table = write_csv(wanted, window, channels)
        buffer = QBuffer()
        buffer.open(QIODevice.OpenModeFlag.WriteOnly)
        if not self.plots.grab().save(buffer, "PNG"):
            raise ExportError(
                self.tr("{path}: the picture cannot be encoded").format(
                    path=table.with_suffix(".png")
                )
            )
        return table, write_new(table.with_suffix(".png"), bytes(buffer.data().data()))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Keys that no button or field wanted are the scope's, too."""
        if not self._keys.press(event):
            super().keyPressEvent(event)

    # Parts.

    def _arrange(self) -> None:
        middle = QWidget(self)
        self._stack = QStackedLayout(middle)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self._scroll)
        left = QWidget(self)
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.signals)
        column.addWidget(self.tools.history)
        self._left = left
        split = QSplitter(Qt.Orientation.Horizontal, self)
        for part in (left, middle, self.readout):
            split.addWidget(part)
        split.setStretchFactor(1, 1)
        split.setSizes([230, 600, 300])
        whole = QVBoxLayout(self)
        whole.setContentsMargins(4, 4, 4, 4)
        whole.setSpacing(3)
        whole.addWidget(self.tools)
        whole.addWidget(self.trigger_bar)
        whole.addWidget(split, 1)
        for hidden in (left, self.trigger_bar, self.readout):
            hidden.hide()

    def _connect(self) -> None:
        self.tools.choose.toggled.connect(self._left.setVisible)
        self.tools.choose.toggled.connect(self._focus_signals)
        self.tools.trigger.toggled.connect(self.trigger_bar.setVisible)
        self.tools.pause.toggled.connect(self._pause)
        self.tools.cursors.toggled.connect(self._toggle_cursors)
        self.tools.fit.clicked.connect(self._fit)
        self.tools.export.clicked.connect(self._ask_where)
        self.tools.span.activated.connect(self._set_span)
        self.tools.history.activated.connect(self._set_history)
        self.signals.changed.connect(self._choice_changed)
        self.signals.refused.connect(self._show_message)
        self.trigger_bar.changed.connect(self.refresh)
        self.plots.zoomed.connect(self.zoom)
        self.plots.moved.connect(self.shift_time)
        self.plots.cursor_moved.connect(self.put_cursor)

    def _key_actions(self) -> dict[Qt.Key, Callable[[], object]]:
        key, tools = Qt.Key, self.tools
        return {
            key.Key_P: tools.pause.click,
            key.Key_T: self.trigger_bar.arm.click,
            key.Key_G: tools.trigger.click,
            key.Key_S: tools.choose.click,
            key.Key_C: tools.cursors.click,
            key.Key_X: self.other_cursor,
            key.Key_A: tools.fit.click,
            key.Key_E: tools.export.click,
            key.Key_Plus: lambda: self.zoom(_ZOOM),
            key.Key_Equal: lambda: self.zoom(_ZOOM),
            key.Key_Minus: lambda: self.zoom(1.0 / _ZOOM),
            key.Key_Home: lambda: self.shift_time(-1e9),
            key.Key_End: lambda: self.shift_time(1e9),
        }

    def _arrow(self, sign: int, more: bool) -> None:
        """Move the active cursor by pixels, never less than a sample; without cursors, the time."""
        cursors = self.model.cursors
        if cursors is None:
            self.shift_time(sign * _MOVE * (5.0 if more else 1.0))
            return
        width_px = max(50, self.plots.width())
        step_s = max(
            self.model.span_s * _NUDGE_PX / width_px * (_NUDGE_MORE if more else 1),
            self.model.facts.period_s,
        )
        self.put_cursor(cursors.active, cursors.at(cursors.active) + sign * step_s)

    # What is done.

    def _choice_changed(self) -> None:
        self._stack.setCurrentWidget(self._scroll if self.model.traces else self._empty)
        self.trigger_bar.refresh()
        self.tools.fill(self.model)
        self._sync()
        self.refresh()

    def _sync(self) -> None:
        """Tools show what the model has."""
        self.tools.sync(self.model)
        self.readout.setVisible(self.model.cursors is not None)

    def _focus_signals(self, shown: bool) -> None:
        (self.signals.search if shown else self.plots).setFocus()

    def _pause(self, paused: bool) -> None:
        self.model.set_paused(paused)
        self._sync()
        self.refresh()

    def _toggle_cursors(self, shown: bool) -> None:
        if shown != (self.model.cursors is not None):
            if shown and self.model.view().live:
                self.model.set_paused(True)  # what rolls by cannot be measured
            self.model.toggle_cursors()
        self._sync()
        self.refresh()

    def _fit(self) -> None:
        if self.isVisible():
            self.plots.draw(fit=True)

    def other_cursor(self) -> None:
        """Let the arrows move the other one of two cursors."""
        cursors = self.model.cursors
        if cursors is not None:
            self.model.cursors = Cursors(cursors.a_s, cursors.b_s, 1 - cursors.active)
            self.refresh()

    def zoom(self, factor: float) -> None:
        """Show less time (factor above 1) or more."""
        self.model.zoom(factor)
        self._sync()
        self.refresh()

    def shift_time(self, share: float) -> None:
        """Look at another time, by a share of what is seen."""
        self.model.move(share)
        self._sync()
        self.refresh()

    def put_cursor(self, which: int, t_s: float) -> None:
        """Put a cursor at a time [s]."""
        if self.model.cursors is not None:
            self.model.cursors = self.model.cursors.put(which, t_s)
            self.refresh()

    def _set_span(self, _: int) -> None:
        span_s = self.tools.span.currentData()
        if span_s is not None:
            self.model.set_span(span_s)
        self._sync()
        self.refresh()

    def _set_history(self, _: int) -> None:
        self.model.set_history(self.tools.history.currentData())
        self.tools.fill(self.model)
        self._sync()

    def _ask_where(self) -> None:
        wanted, _ = QFileDialog.getSaveFileName(
            self, self.tr("Save what is seen"), f"{self.model.facts.name}.csv",
            self.tr("Table (*.csv)"), options=QFileDialog.Option.DontConfirmOverwrite,
        )  # fmt: skip
        if wanted:
            self.save_and_show(Path(wanted))

    def save_and_show(self, wanted: Path) -> None:
        """Save what is seen and say so, or why it cannot be."""
        try:
            table, picture = self.save(wanted)
        except ExportError as error:
            self._show_message(str(error))
        else:
            self._show_message(
                self.tr("Saved {csv} and {png}").format(csv=table.name, png=picture.name)
            )

    def _show_message(self, words: str) -> None:
        self._message = words
        self._write_state()

    def _write_state(self) -> None:
        view = self.model.view()
        words: list[Any] = [self._message] if self._message else []
        if self.model.missed:
            words.append(self.tr("{count} frames missed").format(count=self.model.missed))
        words.append(self.tr(_PHASES[self.model.phase.value]))
        if self.model.paused:
            words.append(self.tr("PAUSED"))
        origin = "before now [s]" if view.live and view.origin_s == view.to_s else "motion time [s]"
        axis = "from the trigger [s]" if view.origin_s == view.edge_s else origin
        words.append(self.tr("t = {t:.3f} s").format(t=view.to_s))
        words.append(axis)
        self.tools.state.setText(" · ".join(word for word in words if word))
        if self.model.cursors is not None:
            self.readout.show_readings(self.model.cursors, self.model.readings(view), view.origin_s)
