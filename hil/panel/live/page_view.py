"""The view of a station's own page: one widget for each of its values."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, Final

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSlider,
    QVBoxLayout,
    QWidget,
)

from hil.desk.messages import Motion
from hil.panel.live.models.page import PageModel
from hil.panel.widgets.theme import LIGHT, Theme
from hil.run.pages import (
    PageBar,
    PageButton,
    PageFlag,
    PageLamp,
    PageNumber,
    PageSlider,
    PageSwitch,
    PageTable,
    PageText,
    PageWidget,
    Shape,
)

SIGNS: Final = {
    Shape.REST: "●",
    Shape.MOVES: "▶",
    Shape.STOPS: "■",
    Shape.FAULT: "▲",
}
"""Shapes of a lamp, so that no state is told by colour alone."""


class PageView(QWidget):
    """The widgets of a page, from top to bottom."""

    requested = Signal(Motion)
    """A person asked for something: a message for the desk."""

    def __init__(
        self, model: PageModel, theme: Theme = LIGHT, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._model, self._theme = model, theme
        self._draws: list[Callable[[], None]] = []
        self._resets: list[Callable[[], None]] = []
        self._bars: list[BarLine] = []
        self._asks: list[QWidget] = []
        layout = QVBoxLayout(self)
        for one in model.page.widgets:
            for widget in self._made(one):
                layout.addWidget(widget)
        self.said = QLabel(self)
        self.said.setWordWrap(True)
        layout.addWidget(self.said)
        layout.addStretch()
        self.refresh()

    def set_theme(self, theme: Theme) -> None:
        """Draw in the colours of another theme."""
        self._theme = theme
        for bar in self._bars:
            bar.set_theme(theme)
        self.refresh()

    def set_owner(self, owns: bool) -> None:
        """Let a person ask for something, or not: only who owns the motion may."""
        for one in self._asks:
            one.setEnabled(owns)
            one.setToolTip("" if owns else self.tr("Take the motion first (F9)"))

    def put_back(self) -> None:
        """Show switches and sliders as they are granted."""
        for one in self._resets:
            one()

    def refresh(self) -> None:
        """Show the newest row."""
        for draw in self._draws:
            draw()
        said = self._model.said
        self.said.setText(self.tr("Nothing done. {why}").format(why=said) if said else "")

    # --- one maker for each kind ----------------------------------------------------------------

    def _made(self, one: PageWidget) -> Iterator[QWidget]:
        match one:
            case PageLamp():
                yield self._lamp(one)
            case PageBar():
                yield QLabel(one.label)
                for name, column in one.bars:
                    yield self._bar(one, name, column)
            case PageNumber():
                yield self._number(one)
            case PageFlag():
                yield self._flag(one)
            case PageText():
                label = QLabel(one.words)
                label.setWordWrap(True)
                yield label
            case PageTable():
                yield QLabel(one.label)
                yield from (self._number(row) for row in one.rows)
            case PageButton():
                yield self._button(one)
            case PageSwitch():
                yield self._switch(one)
            case PageSlider():
                yield self._slider(one)

    def _lamp(self, lamp: PageLamp) -> QWidget:
        label = QLabel(self)
        label.setTextFormat(Qt.TextFormat.RichText)
        label.setWordWrap(True)
        label.setAccessibleName(lamp.label)

        def draw() -> None:
            state, role, shape, why = self._model.lamp(lamp)
            colour = getattr(self._theme, role)
            reason = f": {why}" if why else ""
            label.setText(
                f'{lamp.label}: <span style="color:{colour}">{SIGNS[shape]}</span> '
                f"<b>{state}</b>{reason}"
            )

        self._draws.append(draw)
        return label

    def _flag(self, flag: PageFlag) -> QWidget:
        label = QLabel(self)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setAccessibleName(flag.label)

        def draw() -> None:
            value = self._model.value(flag.column)
            words = "-" if math.isnan(value) else flag.on if value > 0.5 else flag.off
            sign = SIGNS[Shape.MOVES if value > 0.5 else Shape.REST]
            label.setText(f"{flag.label}: {sign} {words}".rstrip())

        self._draws.append(draw)
        return label

    def _bar(self, bar: PageBar, name: str, column: str) -> QWidget:
        line = BarLine(bar, name, self._theme, self)
        self._bars.append(line)
        self._draws.append(lambda: line.show_value(self._model.value(column)))
        return line

    def _number(self, number: PageNumber) -> QWidget:
        frame = QFrame(self)
        layout = QHBoxLayout(frame)
        layout.setContentsMargins(0, 0, 0, 0)
        value = QLabel(frame)
        value.setAlignment(Qt.AlignmentFlag.AlignRight)
        value.setAccessibleName(number.label)
        layout.addWidget(QLabel(number.label, frame))
        layout.addWidget(value)
        self._draws.append(lambda: value.setText(self._figure(number)))
        return frame

    def _figure(self, number: PageNumber) -> str:
        value = self._model.value(number.column)
        words = "-" if math.isnan(value) else f"{value:.{number.digits}f}"
        name = number.names[round(value) - 1] if 1 <= value <= len(number.names) else ""
        return " ".join(part for part in (name, words, number.unit) if part)

    def _button(self, button: PageButton) -> QWidget:
        made = QPushButton(button.label, self)
        made.clicked.connect(lambda: self.requested.emit(self._model.press(button)))
        self._asks.append(made)
        return made

    def _switch(self, switch: PageSwitch) -> QWidget:
        made = QCheckBox(switch.label, self)
        made.setChecked(switch.on)
        made.clicked.connect(lambda on: self._ask({switch.key: bool(on)}))
        self._resets.append(lambda: made.setChecked(bool(self._model.wanted[switch.key])))
        self._asks.append(made)
        return made

    def _slider(self, slider: PageSlider) -> QWidget:
        frame = QFrame(self)
        layout = QHBoxLayout(frame)
        layout.setContentsMargins(0, 0, 0, 0)
        made, shown = QSlider(Qt.Orientation.Horizontal, frame), QLabel(frame)
        made.setRange(0, round((slider.high - slider.low) / slider.step))
        made.setAccessibleName(slider.label)

        def value() -> float:
            return round(slider.low + made.value() * slider.step, 9)

        def set_value() -> None:
            shown.setText(f"{value():g} {slider.unit}".rstrip())

        def put(number: float) -> None:
            made.setValue(round((number - slider.low) / slider.step))

        made.valueChanged.connect(set_value)
        made.sliderReleased.connect(lambda: self._ask({slider.key: value()}))
        made.actionTriggered.connect(
            lambda _: None if made.isSliderDown() else self._later({slider.key: value}, made)
        )
        put(slider.value)
        set_value()
        self._resets.append(lambda: put(float(self._model.wanted[slider.key])))
        layout.addWidget(QLabel(slider.label, frame))
        layout.addWidget(made, 1)
        layout.addWidget(shown)
        self._asks.append(made)
        return frame

    def _later(self, asks: dict[str, Callable[[], float]], slider: QSlider) -> None:
        """Keys and clicks beside the handle: the slider has its new place only afterwards."""
        slider.setValue(slider.sliderPosition())
        self._ask({key: value() for key, value in asks.items()})

    def _ask(self, changes: dict[str, Any]) -> None:
        self.requested.emit(self._model.ask(changes))


class BarLine(QWidget):
    """One bar with its name and its number."""

    def __init__(self, bar: PageBar, name: str, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._bar, self._name, self._theme = bar, name, theme
        self._value = math.nan
        self.setAccessibleName(f"{bar.label}: {name}")

    def set_theme(self, theme: Theme) -> None:
        """Draw in the colours of another theme."""
        self._theme = theme
        self.update()

    def show_value(self, value: float) -> None:
        """Show a number; draws only if it can be seen that it is another one."""
        span = self._bar.high - self._bar.low
        if value != value and self._value != self._value:
            return
        if abs(value - self._value) < 0.002 * span:
            return
        self._value = value
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """A line of text."""
        high = QFontMetricsF(self.font()).height()
        return QSize(round(20 * high), round(1.5 * high))

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """A line of text, however narrow."""
        high = QFontMetricsF(self.font()).height()
        return QSize(round(10 * high), round(1.5 * high))

    def paintEvent(self, event: Any) -> None:  # noqa: N802 - Qt's name
        """Draw name, bar and number."""
        del event
        bar, theme, painter = self._bar, self._theme, QPainter(self)
        em = QFontMetricsF(self.font()).height()
        whole = QRectF(self.rect())
        painter.setPen(QColor(theme.text))
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.drawText(whole, Qt.AlignmentFlag.AlignLeft | middle, self._name)
        known = not math.isnan(self._value)
        words = f"{self._value:.2f} {bar.unit}".rstrip() if known else "-"
        painter.drawText(whole, Qt.AlignmentFlag.AlignRight | middle, words)
        field = whole.adjusted(4.5 * em, 0.35 * em, -6.5 * em, -0.35 * em)
        painter.setPen(QPen(QColor(theme.line), 1.0))
        painter.setBrush(QColor(theme.base))
        painter.drawRect(field)
        rest = self._place(field, bar.rest)
        if known:
            end = self._place(field, self._value)
            beyond = not bar.low <= self._value <= bar.high
            colour = QColor(theme.warn if beyond else theme.accent)
            left, right = min(rest, end), max(rest, end)
            painter.fillRect(QRectF(left, field.top(), right - left, field.height()), colour)
        painter.setPen(QPen(QColor(theme.text), 1.0))
        painter.drawLine(round(rest), round(field.top()), round(rest), round(field.bottom()))
        painter.end()

    def _place(self, field: QRectF, value: float) -> float:
        share = (value - self._bar.low) / (self._bar.high - self._bar.low)
        return field.left() + min(max(share, 0.0), 1.0) * field.width()
