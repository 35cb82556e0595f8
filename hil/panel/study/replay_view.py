"""The controls of a replay: where it is, how fast it goes, and from event to event."""

from typing import Final, Protocol

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QSlider,
    QStyle,
    QStyleOptionSlider,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from hil.panel.study.models.replay import RATES, FileFeed
from hil.panel.widgets.key_codes import key_of
from hil.panel.widgets.theme import Theme
from hil.recording.events import EventKind

STEPS: Final = 100_000
"""Places of the slider: more than any screen has pixels."""
_SECOND_S, _FAR_S = 1.0, 10.0
_ROLES: Final = {EventKind.MODE: "dim", EventKind.VIOLATION: "warn", EventKind.FAULT: "fault"}


class Clickable(Protocol):
    """Button that a key presses."""

    def __call__(self) -> object:
        """Press it."""
        ...


class ReplayView(QWidget):
    """Controls of a recording."""

    def __init__(self, feed: FileFeed | None, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._feed = feed
        self._rate = 1.0
        self.slider = _EventSlider(theme, self)
        self.slider.setRange(0, STEPS)
        self.slider.setAccessibleName(self.tr("Time of the run"))
        self.slider.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # its keys are those of the view
        self.play = QToolButton(self)
        self.play.setToolTip(self.tr("Play or pause (space)"))
        self.rate = QComboBox(self)
        self.rate.setAccessibleName(self.tr("Rate"))
        for value in RATES:
            self.rate.addItem(self.tr("{value:g}×").format(value=value), value)
        self.rate.setCurrentIndex(RATES.index(1.0))
        self.time = QLabel(self)
        self.at_event = QLabel(self)
        self.at_event.setTextFormat(Qt.TextFormat.PlainText)
        self.note = QLabel(self)
        self.note.setWordWrap(True)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._arrange()
        self.slider.valueChanged.connect(self._slid)
        self.play.clicked.connect(self._play_or_pause)
        self.rate.currentIndexChanged.connect(self._set_rate)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setToolTip(
            self.tr(
                "Space play, arrows one frame, with Shift one second, Page up and down "
                "ten seconds, Home and End, [ and ] slower and faster, N and B next "
                "event and the one before"
            )
        )
        self.set_feed(feed)

    def set_feed(self, feed: FileFeed | None) -> None:
        """Show another recording's controls, or none."""
        self._feed = feed
        for part in (self.slider, self.play, self.rate):
            part.setEnabled(feed is not None)
        self.slider.set_feed(feed)
        self.at_event.setText("")
        self._write()

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        self.slider.set_theme(theme)

    def refresh(self) -> None:
        """Show where the replay is; nothing while hidden."""
        if self.isVisible():
            self._write()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Keys that no field wanted."""
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        action = self._actions(shift).get(key_of(event))
        others = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
        if action is None or self._feed is None or event.modifiers() & others:
            super().keyPressEvent(event)
            return
        action()
        self._write()

    def _actions(self, shift: bool) -> dict[Qt.Key, Clickable]:
        feed = self._feed
        if feed is None:
            return {}
        key = Qt.Key
        return {
            key.Key_Space: self._play_or_pause,
            key.Key_Left: lambda: self._jump(-_SECOND_S) if shift else feed.step(-1),
            key.Key_Right: lambda: self._jump(_SECOND_S) if shift else feed.step(1),
            key.Key_PageUp: lambda: self._jump(-_FAR_S),
            key.Key_PageDown: lambda: self._jump(_FAR_S),
            key.Key_Home: lambda: feed.seek(feed.span_s[0]),
            key.Key_End: lambda: feed.seek(feed.span_s[1]),
            key.Key_BracketLeft: lambda: self._faster(-1),
            key.Key_BracketRight: lambda: self._faster(1),
            key.Key_N: lambda: self._to_event(1),
            key.Key_B: lambda: self._to_event(-1),
        }

    def _arrange(self) -> None:
        row = QHBoxLayout()
        for part in (self.play, self.rate, self.time):
            row.addWidget(part)
        row.addWidget(self.at_event, 1)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(4, 4, 4, 4)
        whole.addWidget(self.slider)
        whole.addLayout(row)
        whole.addWidget(self.note)

    def _write(self) -> None:
        feed = self._feed
        if feed is None:
            self.time.setText(self.tr("No recording open"))
            self.note.hide()
            self.play.setText(self.tr("Play"))
            return
        start_s, end_s = feed.span_s
        share = (feed.t_s - start_s) / (end_s - start_s) if end_s > start_s else 0.0
        if not self.slider.isSliderDown():
            with QSignalBlocker(self.slider):
                self.slider.setValue(round(STEPS * share))
        self.time.setText(self.tr("{t:.3f} s of {end:.3f} s").format(t=feed.t_s, end=end_s))
        self.play.setText(self.tr("Pause") if feed.rate > 0.0 else self.tr("Play"))
        notes: list[str] = []
        if feed.truncated:
            notes.append(self.tr("Cut off: only what was complete is shown"))
        if feed.damage:
            notes.append(self.tr("Damaged: {why}").format(why=feed.damage))
        if feed.dropped:
            notes.append(self.tr("{count} entries are missing").format(count=feed.dropped))
        self.note.setText("\n".join(notes))
        self.note.setVisible(bool(notes))

    def _slid(self, value: int) -> None:
        if self._feed is not None:
            start_s, end_s = self._feed.span_s
            self._feed.seek(start_s + (end_s - start_s) * value / STEPS)
            self._write()

    def _play_or_pause(self) -> None:
        feed = self._feed
        if feed is None:
            return
        if feed.rate > 0.0:
            feed.play(0.0)
        else:
            if feed.t_s >= feed.span_s[1]:
                feed.seek(feed.span_s[0])
            feed.play(self._rate)
        self._write()

    def _set_rate(self, index: int) -> None:
        self._rate = RATES[index]
        if self._feed is not None and self._feed.rate > 0.0:
            self._feed.play(self._rate)

    def _faster(self, by: int) -> None:
        self.rate.setCurrentIndex(min(max(self.rate.currentIndex() + by, 0), len(RATES) - 1))

    def _jump(self, by_s: float) -> None:
        if self._feed is not None:
            self._feed.seek(self._feed.t_s + by_s)

    def _to_event(self, direction: int) -> None:
        found = self._feed.to_event(direction) if self._feed is not None else None
        if found is not None:
            self.at_event.setText(
                self.tr("{t:.3f} s  {message}").format(t=found.t_s, message=found.message)
            )


class _EventSlider(QSlider):
    """A slider with a stroke at each event; a click goes there at once."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._theme = theme
        self._feed: FileFeed | None = None
        self.setMinimumHeight(30)
        self.setPageStep(STEPS // 50)

    def set_feed(self, feed: FileFeed | None) -> None:
        """Show another recording's events."""
        self._feed = feed
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        self._theme = theme
        self.update()

    def paintEvent(self, ev: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Draw the slider, and the events above its groove."""
        super().paintEvent(ev)
        feed = self._feed
        if feed is None or feed.span_s[1] <= feed.span_s[0]:
            return
        left, width = self._travel()
        start_s, end_s = feed.span_s
        painter = QPainter(self)
        for event in feed.events:
            role = _ROLES.get(event.kind)
            if role is not None:
                x = left + round(width * (event.t_s - start_s) / (end_s - start_s))
                painter.setPen(QColor(getattr(self._theme, role)))
                painter.drawLine(x, 0, x, 6 if role == "dim" else 9)
        painter.end()

    def _travel(self) -> tuple[int, int]:
        """Left end and length of the way of the handle's middle [px]."""
        option = QStyleOptionSlider()
        self.initStyleOption(option)
        handle = self.style().subControlRect(
            QStyle.ComplexControl.CC_Slider, option, QStyle.SubControl.SC_SliderHandle, self
        )
        return handle.width() // 2, self.width() - handle.width()
