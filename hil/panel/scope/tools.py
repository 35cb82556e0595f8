"""The bar of tools above the scope: signals, pause, span, height, trigger, cursors, save."""

from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QToolButton, QWidget

from hil.panel.scope.models.scope import ScopeModel
from hil.panel.shell.texts import text

SPANS_S: Final = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 60.0, 120.0, 300.0, 600.0)
HISTORIES_S: Final = (10.0, 60.0, 120.0, 300.0, 600.0)


class ScopeTools(QWidget):
    """Buttons and lists; what they do is the scope's.

    Args:
        parent: widget that holds this one.
    """

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.choose = _button(self, "scope.signals", "scope.signals.tip", checkable=True)
        self.pause = _button(self, "scope.pause", "scope.pause.tip", checkable=True)
        self.trigger = _button(self, "scope.trigger", "scope.trigger.tip", checkable=True)
        self.cursors = _button(self, "scope.cursors", "scope.cursors.tip", checkable=True)
        self.fit = _button(self, "scope.autoscale", "scope.autoscale.tip")
        self.export = _button(self, "scope.export", "scope.export.tip")
        self.span = _list(self, "scope.span")
        self.history = _list(self, "scope.history")
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
                self.span.addItem(text("scope.span.value", value=span_s), span_s)
        self.history.clear()
        per_s = 16.0 * len(model.channels) / model.facts.period_s / 1e6
        for history_s in HISTORIES_S:
            words = text("scope.history.value", value=history_s, memory=history_s * per_s)
            self.history.addItem(words, history_s)
        self.history.setCurrentIndex(self.history.findData(model.history_s))

    def sync(self, model: ScopeModel) -> None:
        """Show what a scope has."""
        for button, on in ((self.pause, model.paused), (self.cursors, model.cursors is not None)):
            button.blockSignals(True)
            button.setChecked(on)
            button.blockSignals(False)
        self.pause.setText(text("scope.run" if model.paused else "scope.pause"))
        index = self.span.findData(model.span_s)
        if index < 0:  # a span of no round number has a place of its own, the first one
            words = text("scope.span.value", value=float(f"{model.span_s:.3g}"))
            self.span.setItemText(0, words)
            index = 0
        self.span.setCurrentIndex(index)


def _list(parent: QWidget, key: str) -> QComboBox:
    made = QComboBox(parent)
    made.setAccessibleName(text(key))
    made.setToolTip(text(key))
    return made


def _button(parent: QWidget, key: str, tip: str, *, checkable: bool = False) -> QToolButton:
    button = QToolButton(parent)
    button.setText(text(key))
    button.setToolTip(text(tip))
    button.setCheckable(checkable)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return button
