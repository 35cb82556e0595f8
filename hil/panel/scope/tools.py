"""The bar of tools above the scope, signals, pause, span, trigger, cursors, save; and its keys."""

from collections.abc import Callable, Mapping
from typing import Final

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QToolButton, QWidget

from hil.panel.scope.models.scope import ScopeModel
from hil.panel.widgets.key_codes import key_of

SPANS_S: Final = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 60.0, 120.0, 300.0, 600.0)
HISTORIES_S: Final = (10.0, 60.0, 120.0, 300.0, 600.0)


class ScopeTools(QWidget):
    """Buttons and lists; what they do is the scope's."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.choose = _button(
            self, "&Signals", "Choose the signals that are shown (S)", checkable=True
        )
        self.pause = _button(
            self,
            "Pause",
            "Let the picture stand still; samples are taken all the while (P)",
            checkable=True,
        )
        self.trigger = _button(
            self, "Trigger", "Settings of the trigger (G); T arms it", checkable=True
        )
        self.cursors = _button(
            self, "Cursors", "Two cursors (C); arrows move one, X takes the other", checkable=True
        )
        self.fit = _button(self, "Fit", "Fit the values' axes to what is seen (A)")
        self.export = _button(self, "Save", "Save what is seen as CSV and PNG (E)")
        self.span = _list(self, "Time shown")
        self.history = _list(self, "Samples kept")
        """How far back samples are kept; the scope puts it below the signals."""
        self.state = QLabel(self)
        """What is shown, in words."""
        bar = QHBoxLayout(self)
        bar.setContentsMargins(0, 0, 0, 0)
        bar.setSpacing(3)
        for tool in (self.choose, self.pause, self.span, self.fit, self.trigger, self.cursors):
            bar.addWidget(tool)
        bar.addWidget(self.export)
        bar.addStretch(1)
        bar.addWidget(self.state)

    def fill(self, model: ScopeModel) -> None:
        """Offer the spans and histories that a scope can have."""
        self.span.clear()
        self.span.addItem("", None)
        for span_s in SPANS_S:
            if span_s <= model.history_s:
                self.span.addItem(self.tr("{value:g} s").format(value=span_s), span_s)
        self.history.clear()
        per_s = 16.0 * len(model.channels) / model.facts.period_s / 1e6
        for history_s in HISTORIES_S:
            words = self.tr("keep {value:g} s ({memory:.0f} MB)").format(
                value=history_s, memory=history_s * per_s
            )
            self.history.addItem(words, history_s)
        self.history.setCurrentIndex(self.history.findData(model.history_s))

    def sync(self, model: ScopeModel) -> None:
        """Show what a scope has."""
        for button, on in ((self.pause, model.paused), (self.cursors, model.cursors is not None)):
            button.blockSignals(True)
            button.setChecked(on)
            button.blockSignals(False)
        self.pause.setText(self.tr("Go on") if model.paused else self.tr("Pause"))
        index = self.span.findData(model.span_s)
        if index < 0:  # a span of no round number has a place of its own, the first one
            words = self.tr("{value:g} s").format(value=float(f"{model.span_s:.3g}"))
            self.span.setItemText(0, words)
            index = 0
        self.span.setCurrentIndex(index)


def _list(parent: QWidget, words: str) -> QComboBox:
    made = QComboBox(parent)
    made.setAccessibleName(words)
    made.setToolTip(words)
    return made


def _button(parent: QWidget, words: str, tip: str, *, checkable: bool = False) -> QToolButton:
    button = QToolButton(parent)
    button.setText(words)
    button.setToolTip(tip)
    button.setCheckable(checkable)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return button


class ScopeKeys(QObject):
    """Keys of a scope: every tool has one, the arrows move the time or a cursor.

    As an event filter, it takes those of the plots as well.

    Args:
        arrow: takes -1 for left or 1 for right, and whether it is to be further.
    """

    def __init__(
        self, scope: QObject, actions: Mapping[Qt.Key, Callable[[], object]],
        arrow: Callable[[int, bool], object],
    ) -> None:  # fmt: skip
        super().__init__(scope)
        self._actions, self._arrow = actions, arrow

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Keys of what is watched are the scope's."""
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            return self.press(event)
        return super().eventFilter(watched, event)

    def press(self, event: QKeyEvent) -> bool:
        """Do what a key means; return whether it means something."""
        modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        shift = modifiers == Qt.KeyboardModifier.ShiftModifier
        if modifiers and not shift:
            return False
        key = key_of(event)
        if key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self._arrow(-1 if key is Qt.Key.Key_Left else 1, shift)
            return True
        action = self._actions.get(key)
        if action is None:
            return False
        action()
        return True
