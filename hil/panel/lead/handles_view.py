"""Two three-axis handles as pads for a mouse, with keys and a gamepad, for an arm station."""

from collections.abc import Callable
from typing import Final

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QFocusEvent, QHideEvent, QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget

from hil.panel.lead.models.handles import HandlesModel
from hil.panel.widgets.key_codes import key_of, place_of
from hil.panel.widgets.theme import LIGHT, Theme
from hil.run.lead import HandlesWriter, Steered

KNOB_PX: Final = 10
_OF_SHORTCUTS: Final = (
    Qt.KeyboardModifier.ControlModifier
    | Qt.KeyboardModifier.AltModifier
    | Qt.KeyboardModifier.MetaModifier
)


class Pad(QWidget):
    """One handle: two axes as a square, the third as a strip beside it; let go is zero.

    Args:
        first: axis that the pad's up is (the next is its left, the one after the strip's up).
    """

    def __init__(self, model: HandlesModel, first: int, theme: Theme) -> None:
        super().__init__()
        self._model, self._first, self.theme = model, first, theme
        self._on_strip = self._drawn = False
        self.setMinimumSize(150, 130)

    def _square(self) -> float:
        return float(min(self.width() - 30, self.height()))

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Take hold of the square or the strip."""
        if event.button() is Qt.MouseButton.LeftButton:
            self._on_strip = event.position().x() > self._square()
            self._drawn = True
            self._draw_to(event.position())
        if (owner := self.parentWidget()) is not None:
            owner.setFocus(Qt.FocusReason.MouseFocusReason)  # whose loss lets go of everything

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Deflect, unless everything was let go of since the button went down."""
        if self._drawn and event.buttons() & Qt.MouseButton.LeftButton:
            self._draw_to(event.position())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Let go."""
        self.let_go()

    def let_go(self) -> None:
        """Zero, until a button goes down here anew."""
        self._drawn = False
        for axis in range(self._first, self._first + 3):
            self._model.pad(axis, 0.0)
        self.update()

    def _draw_to(self, at: QPointF) -> None:
        half = 0.5 * self._square()
        up, left = (half - at.y()) / half, (half - at.x()) / half
        if self._on_strip:
            self._model.pad(self._first + 2, up)
        else:
            self._model.pad(self._first, up)
            self._model.pad(self._first + 1, left)
        self.update()

    def paintEvent(self, event: object) -> None:  # noqa: N802
        """Draw square, strip and knobs where the handles are."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        side, theme = self._square(), self.theme
        painter.setPen(QColor(theme.line))
        painter.setBrush(QColor(theme.base))
        painter.drawRect(0, 0, int(side) - 1, int(side) - 1)
        painter.drawRect(int(side) + 8, 0, 20, int(side) - 1)
        half = 0.5 * side
        painter.drawLine(QPointF(half, 0), QPointF(half, side))
        painter.drawLine(QPointF(0, half), QPointF(side, half))
        up, left, third = self._model.deflections[self._first : self._first + 3]
        moved = bool(up or left or third)
        painter.setBrush(QColor(theme.accent if moved else theme.dim))
        travel = half - KNOB_PX
        painter.drawEllipse(QPointF(half - left * travel, half - up * travel), KNOB_PX, KNOB_PX)
        painter.drawEllipse(QPointF(side + 18, half - third * travel), 8, 8)
        painter.setPen(QColor(theme.dim))
        names = ("x", "y", "z") if self._first == 0 else ("↻x", "↻y", "↻z")
        for name, x, y in zip(
            names, (half + 4, 4, side + 10), (12, half - 4, side - 4), strict=True
        ):
            painter.drawText(QPointF(x, y), name)


class HandlesView(QWidget):
    """The handles of an arm.

    Args:
        writer: where their velocities go; None while no arm was started.
    """

    def __init__(
        self, model: HandlesModel, writer: HandlesWriter | None, now_s: Callable[[], float],
        theme: Theme = LIGHT,
    ) -> None:  # fmt: skip
        super().__init__()
        self._model, self.writer, self._now_s = model, writer, now_s
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.pads = (Pad(model, 0, theme), Pad(model, 3, theme))
        self._state, self._speed = QLabel(), QLabel()
        layout, bar, foot = QVBoxLayout(self), QHBoxLayout(), QHBoxLayout()
        for pad, name in zip(self.pads, ("Move", "Turn"), strict=True):
            column = QVBoxLayout()
            column.addWidget(QLabel(self.tr(name)))
            column.addWidget(pad, 1)
            bar.addLayout(column, 1)
        keys = QLabel(
            self.tr(
                "Hold Space to run. W S  A D  Q E move, U O  I K  J L turn while "
                "pressed; what is let go is zero."
            )
        )
        keys.setWordWrap(True)
        self._device = QLineEdit()
        self._device.setFocusPolicy(Qt.FocusPolicy.ClickFocus)  # keys are the handles' first
        self._device.setPlaceholderText(self.tr("Gamepad"))
        self._device.setToolTip(
            self.tr("Path of the device, or a part of its name; hold its left shoulder key")
        )
        use, end = QPushButton(self.tr("Use")), QPushButton(self.tr("End the motion"))
        use.clicked.connect(lambda: model.open_gamepad(self._device.text(), now_s))
        end.clicked.connect(lambda: self.writer is not None and self.writer.end())
        for widget in (self._device, use, end):
            foot.addWidget(widget)
        self._problem = QLabel()
        self._problem.setWordWrap(True)
        layout.addWidget(self._state)
        layout.addLayout(bar, 1)
        for widget in (self._speed, keys, self._problem):
            layout.addWidget(widget)
        layout.addLayout(foot)

    def steer(self, run: Steered) -> None:
        """Send the velocities there from now on."""
        self._model.handles, self.writer = run.handles, run.writer

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        for pad in self.pads:
            pad.theme = theme
            pad.update()

    def refresh(self) -> None:
        """Say what is wanted now, hidden or not; draw only if visible."""
        velocity = self._model.velocity()
        if self.writer is not None and velocity is not None:
            self.writer.send(velocity)
        if not self.isVisible():
            return
        if velocity is None:
            self._state.setText(self.tr("No station that handles steer is installed"))
            return
        there = self.writer is not None and self.writer.connected
        state = self.tr("The arm listens") if there else self.tr("No arm listens yet")
        self._state.setText(
            state if self.hasFocus() else f"{state}. {self.tr('Click here, then use the keys')}"
        )
        self._speed.setText(
            self.tr("{linear:.1f} mm/s, {angular:.2f} °/s").format(
                linear=1e3 * float(np.linalg.norm(velocity.linear_m_s)),
                angular=float(np.degrees(np.linalg.norm(velocity.angular_rad_s))),
            )
        )
        self._problem.setText(self._model.gamepad_error)
        for pad in self.pads:
            pad.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Take the keyboard."""
        self.setFocus(Qt.FocusReason.MouseFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Deflect an axis; the repeats of a held key change nothing."""
        if event.isAutoRepeat() or not self._model.press(place_of(event), _name(event)):
            event.setAccepted(event.isAutoRepeat())

    def keyReleaseEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Let go of an axis."""
        if not event.isAutoRepeat():
            self._model.let_go(place_of(event))

    def focusOutEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        """Without the keyboard a release could be missed: let go of everything."""
        self._let_go()
        super().focusOutEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802
        """Let go: handles that cannot be seen do not steer."""
        self._let_go()
        super().hideEvent(event)

    def _let_go(self) -> None:
        self._model.release()
        for pad in self.pads:
            pad.let_go()


def _name(event: QKeyEvent) -> str:
    """The key's letter; empty for a key of none, and for a letter that is part of a shortcut."""
    if event.modifiers() & _OF_SHORTCUTS:
        return ""
    key = key_of(event)
    return chr(key) if 0x41 <= key <= 0x5A else ""
