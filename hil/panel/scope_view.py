"""The scope: plots, the signals to choose from, trigger, cursors, and what saves them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from PySide6.QtCore import QBuffer, QEvent, QIODevice, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QSplitter,
    QStackedLayout,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from hil.panel.models.scope import ScopeModel
from hil.panel.models.scope_cursors import Cursors
from hil.panel.models.scope_export import ExportError, write_csv, write_new
from hil.panel.scope_plots import ScopePlots
from hil.panel.scope_readout import Readout
from hil.panel.scope_signals import SignalTree
from hil.panel.scope_trigger_bar import TriggerBar
from hil.panel.texts import text
from hil.panel.theme import Theme

SPANS_S: Final = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 60.0, 120.0, 300.0, 600.0)
HISTORIES_S: Final = (10.0, 60.0, 120.0, 300.0, 600.0)
_ZOOM: Final = 1.5
_MOVE: Final = 0.1
_NUDGE_PX: Final = 2
_NUDGE_MORE: Final = 10


class ScopeView(QWidget):
    """The scope of one run.

    Args:
        model: what is shown.
        theme: colours.
        parent: widget that holds this one.
    """

    def __init__(self, model: ScopeModel, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = model
        self._theme = theme
        self.plots = ScopePlots(model, theme, self)
        self.signals = SignalTree(model, self)
        self.trigger_bar = TriggerBar(model, self)
        self.readout = Readout(theme, self)
        self._empty = QLabel(text("scope.empty"), self)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._empty.setWordWrap(True)
        self.state = QLabel(self)
        self._told = ""
        self._make_tools()
        self._arrange()
        self._connect()
        self._keys = self._key_table()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFocusProxy(self.plots)
        self.plots.installEventFilter(self)
        self.plots.setToolTip(text("scope.keys"))
        self._choice_changed()

    # What the window calls.

    def set_model(self, model: ScopeModel) -> None:
        """Show another run."""
        self.model = model
        for part in (self.plots, self.signals, self.trigger_bar):
            part.set_model(model)
        self._told = ""
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
            raise ExportError(text("scope.export.nothing"))
        table = write_csv(wanted, window, channels)
        buffer = QBuffer()
        buffer.open(QIODevice.OpenModeFlag.WriteOnly)
        if not self.plots.grab().save(buffer, "PNG"):
            raise ExportError(text("scope.export.picture", path=table.with_suffix(".png")))
        return table, write_new(table.with_suffix(".png"), bytes(buffer.data().data()))

    # Keys.

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Keys of the plots are the scope's."""
        if (
            watched is self.plots
            and event.type() == QEvent.Type.KeyPress
            and isinstance(event, QKeyEvent)
        ):
            return self._pressed(event)
        return super().eventFilter(watched, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Keys that no button or field wanted are the scope's, too."""
        if not self._pressed(event):
            super().keyPressEvent(event)

    def _key_table(self) -> dict[Qt.Key, Callable[[], object]]:
        key = Qt.Key
        return {
            key.Key_P: self.pause.click,
            key.Key_T: self.trigger_bar.arm.click,
            key.Key_G: self.trigger.click,
            key.Key_S: self.choose.click,
            key.Key_C: self.cursors.click,
            key.Key_X: self._other_cursor,
            key.Key_A: self.fit.click,
            key.Key_E: self.export.click,
            key.Key_Plus: lambda: self._zoom(_ZOOM),
            key.Key_Equal: lambda: self._zoom(_ZOOM),
            key.Key_Minus: lambda: self._zoom(1.0 / _ZOOM),
            key.Key_Home: lambda: self._move(-1e9),
            key.Key_End: lambda: self._move(1e9),
        }

    def _pressed(self, event: QKeyEvent) -> bool:
        modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        shift = modifiers == Qt.KeyboardModifier.ShiftModifier
        if modifiers and not shift:
            return False
        key = Qt.Key(event.key())
        if key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self._arrow(-1 if key is Qt.Key.Key_Left else 1, more=shift)
            return True
        action = self._keys.get(key)
        if action is None:
            return False
        action()
        return True

    def _arrow(self, sign: int, *, more: bool) -> None:
        """Move the active cursor by pixels, never less than a sample; without cursors, the time."""
        cursors = self.model.cursors
        if cursors is None:
            self._move(sign * _MOVE * (5.0 if more else 1.0))
            return
        width_px = max(50, self.plots.width())
        step_s = max(
            self.model.span_s * _NUDGE_PX / width_px * (_NUDGE_MORE if more else 1),
            self.model.facts.period_s,
        )
        self._put_cursor(cursors.active, cursors.at(cursors.active) + sign * step_s)

    def _other_cursor(self) -> None:
        cursors = self.model.cursors
        if cursors is not None:
            self.model.cursors = Cursors(cursors.a_s, cursors.b_s, 1 - cursors.active)
            self.refresh()

    # Parts.

    def _make_tools(self) -> None:
        self.choose = _button(self, "scope.signals", "scope.signals.tip", checkable=True)
        self.pause = _button(self, "scope.pause", "scope.pause.tip", checkable=True)
        self.trigger = _button(self, "scope.trigger", "scope.trigger.tip", checkable=True)
        self.cursors = _button(self, "scope.cursors", "scope.cursors.tip", checkable=True)
        self.fit = _button(self, "scope.autoscale", "scope.autoscale.tip")
        self.export = _button(self, "scope.export", "scope.export.tip")
        self.span = QComboBox(self)
        self.span.setAccessibleName(text("scope.span"))
        self.span.setToolTip(text("scope.span"))
        self.history = QComboBox(self)
        self.history.setAccessibleName(text("scope.history"))
        self.history.setToolTip(text("scope.history"))

    def _arrange(self) -> None:
        bar = QHBoxLayout()
        bar.setSpacing(3)
        for tool in (self.choose, self.pause, self.span, self.fit, self.trigger, self.cursors):
            bar.addWidget(tool)
        bar.addWidget(self.export)
        bar.addStretch(1)
        bar.addWidget(self.state)
        middle = QWidget(self)
        self._stack = QStackedLayout(middle)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self.plots)
        left = QWidget(self)
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.signals)
        column.addWidget(self.history)
        self._left = left
        split = QSplitter(Qt.Orientation.Horizontal, self)
        for part in (left, middle, self.readout):
            split.addWidget(part)
        split.setStretchFactor(1, 1)
        split.setSizes([230, 600, 300])
        whole = QVBoxLayout(self)
        whole.setContentsMargins(4, 4, 4, 4)
        whole.setSpacing(3)
        whole.addLayout(bar)
        whole.addWidget(self.trigger_bar)
        whole.addWidget(split, 1)
        for hidden in (left, self.trigger_bar, self.readout):
            hidden.hide()

    def _connect(self) -> None:
        self.choose.toggled.connect(self._left.setVisible)
        self.choose.toggled.connect(self._focus_signals)
        self.trigger.toggled.connect(self.trigger_bar.setVisible)
        self.pause.toggled.connect(self._pause)
        self.cursors.toggled.connect(self._toggle_cursors)
        self.fit.clicked.connect(self._fit)
        self.export.clicked.connect(self._ask_where)
        self.span.activated.connect(self._set_span)
        self.history.activated.connect(self._set_history)
        self.signals.changed.connect(self._choice_changed)
        self.signals.refused.connect(self._tell)
        self.trigger_bar.changed.connect(self.refresh)
        self.plots.zoomed.connect(self._zoom)
        self.plots.moved.connect(self._move)
        self.plots.cursor_moved.connect(self._put_cursor)

    # What is done.

    def _choice_changed(self) -> None:
        self._stack.setCurrentWidget(self.plots if self.model.traces else self._empty)
        self.trigger_bar.refresh()
        self._fill_spans()
        self._sync()
        self.refresh()

    def _sync(self) -> None:
        """Buttons show what the model has."""
        for button, on in (
            (self.pause, self.model.paused),
            (self.cursors, self.model.cursors is not None),
        ):
            button.blockSignals(True)
            button.setChecked(on)
            button.blockSignals(False)
        self.pause.setText(text("scope.run" if self.model.paused else "scope.pause"))
        self.readout.setVisible(self.model.cursors is not None)
        index = self.span.findData(self.model.span_s)
        if index < 0:  # a span of no round number has a place of its own, the first one
            words = text("scope.span.value", value=float(f"{self.model.span_s:.3g}"))
            self.span.setItemText(0, words)
            index = 0
        self.span.setCurrentIndex(index)

    def _fill_spans(self) -> None:
        self.span.clear()
        self.span.addItem("", None)
        for span_s in SPANS_S:
            if span_s <= self.model.history_s:
                self.span.addItem(text("scope.span.value", value=span_s), span_s)
        self.history.clear()
        per_s = 16.0 * len(self.model.channels) / self.model.facts.period_s / 1e6
        for history_s in HISTORIES_S:
            words = text("scope.history.value", value=history_s, memory=history_s * per_s)
            self.history.addItem(words, history_s)
        self.history.setCurrentIndex(self.history.findData(self.model.history_s))

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

    def _zoom(self, factor: float) -> None:
        self.model.zoom(factor)
        self._sync()
        self.refresh()

    def _move(self, share: float) -> None:
        self.model.move(share)
        self._sync()
        self.refresh()

    def _put_cursor(self, which: int, t_s: float) -> None:
        if self.model.cursors is not None:
            self.model.cursors = self.model.cursors.put(which, t_s)
            self.refresh()

    def _set_span(self, _: int) -> None:
        span_s = self.span.currentData()
        if span_s is not None:
            self.model.set_span(span_s)
        self._sync()
        self.refresh()

    def _set_history(self, _: int) -> None:
        self.model.set_history(self.history.currentData())
        self._fill_spans()
        self._sync()

    def _ask_where(self) -> None:
        wanted, _ = QFileDialog.getSaveFileName(
            self, text("scope.export.title"), f"{self.model.facts.name}.csv",
            text("scope.export.csv"), options=QFileDialog.Option.DontConfirmOverwrite,
        )  # fmt: skip
        if wanted:
            self.save_and_tell(Path(wanted))

    def save_and_tell(self, wanted: Path) -> None:
        """Save what is seen and say so, or why it cannot be."""
        try:
            table, picture = self.save(wanted)
        except ExportError as error:
            self._tell(str(error))
        else:
            self._tell(text("scope.export.done", csv=table.name, png=picture.name))

    def _tell(self, words: str) -> None:
        self._told = words
        self._write_state()

    def _write_state(self) -> None:
        view = self.model.view()
        words: list[Any] = [self._told] if self._told else []
        if self.model.missed:
            words.append(text("scope.state.missed", count=self.model.missed))
        words.append(text(f"scope.phase.{self.model.phase.value}"))
        if self.model.paused:
            words.append(text("scope.state.paused"))
        origin = "now" if view.live and view.origin_s == view.to_s else "run"
        axis = text("scope.axis.edge" if view.origin_s == view.edge_s else f"scope.axis.{origin}")
        words.append(text("scope.state.live", t=view.to_s))
        words.append(axis)
        self.state.setText(" · ".join(word for word in words if word))
        if self.model.cursors is not None:
            self.readout.show_readings(self.model.cursors, self.model.readings(view), view.origin_s)


def _button(parent: QWidget, key: str, tip: str, *, checkable: bool = False) -> QToolButton:
    button = QToolButton(parent)
    button.setText(text(key))
    button.setToolTip(text(tip))
    button.setCheckable(checkable)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return button
