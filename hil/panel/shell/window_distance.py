"""The display for three metres' distance, over all docks: mode, margin, time left, stop."""

import math
from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QTimer
from PySide6.QtGui import QFont, QFontMetricsF, QScreen
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from hil.panel.live.dock_views import ModelDock
from hil.panel.live.flow_row import FlowRow
from hil.panel.live.models.margins import MarginRow, MarginsModel
from hil.panel.live.session import LiveSession
from hil.panel.shell.docks import LazyViews
from hil.panel.shell.host import Host
from hil.panel.shell.models.far_display import CAPITAL_MM, DISTANCE_M, far_of, px_per_mm
from hil.panel.shell.window_appearance import TEXT_PT

MOST: Final = 3.0
"""Times what is wanted, where there is room for it."""
_LEAST_PX: Final = 12.0
"""Capitals do not become lower than this, however small the window is [px]."""
_STEP: Final = 0.96


class Distance(QWidget):
    """Large words over the docks of a window; the strip above them stays.

    Args:
        views: of the window, among them that of the margins.
    """

    def __init__(self, window: Host, views: LazyViews) -> None:
        super().__init__(window.main)
        self._window, self._views = window, views
        self._shown = ""
        self._capitals_px = 0.0
        self.mode, self.margin, self.left = (_Large(self) for _ in range(3))
        self._words = FlowRow((self.mode, self.left, self.margin), 12, self, spread=True)
        self.stop_button = QPushButton("STOP", self)
        self.stop_button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.stop_button.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)
        self.stop_button.pressed.connect(window.stop)
        self.note = QLabel(self)
        """That there is no room for capitals of that height; hidden where there is."""
        self.note.setWordWrap(True)
        note_font = self.note.font()
        note_font.setPointSize(TEXT_PT[0])  # for who stands before the screen
        self.note.setFont(note_font)
        column = QVBoxLayout()
        column.addWidget(self._words)
        column.addStretch()
        column.addWidget(self.note)
        layout = QHBoxLayout(self)
        layout.addLayout(column, 1)
        layout.addWidget(self.stop_button)
        self.setAutoFillBackground(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("Seen from afar"))
        window.main.installEventFilter(self)
        window.strip.installEventFilter(self)
        self.hide()

    def toggle(self) -> None:
        """Show it, or what is below it."""
        self.setVisible(self.isHidden())
        self._window.docks.covered = not self.isHidden()
        if not self.isHidden():
            self._cover()
            self.raise_()
            self.setFocus()
            self.refresh()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Stay below the strip, whatever becomes of it and of the window."""
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move) and not self.isHidden():
            QTimer.singleShot(0, self, self._cover)
        return super().eventFilter(watched, event)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """The note has the size of other text, and takes room."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and hasattr(self, "note"):
            QTimer.singleShot(0, self, self._cover)

    def refresh(self) -> None:
        """Show the present state; do nothing while hidden."""
        if self.isHidden():
            return
        session, theme = self._window.session, self._window.theme
        far = far_of(session, self._margins(), self._window.now_s())
        live = isinstance(session, LiveSession)
        said = f"{far} {theme.name} {live}"
        if said == self._shown:
            return
        self._shown = said
        self.mode.say(far.mode, getattr(theme, far.mode_role), theme.on_strong)
        urgent = far.margin_role in ("warn", "fault")
        ground = getattr(theme, far.margin_role) if urgent else theme.base
        self.margin.say(far.margin, ground, theme.on_strong if urgent else theme.text)
        self.left.say(far.left, theme.base, theme.text)
        self.stop_button.setVisible(live)
        self.stop_button.setStyleSheet(
            f"background: {theme.fault}; color: {theme.on_strong}; border: 3px solid {theme.text}; "
            "border-radius: 8px;"
        )
        self._fit()

    def _margins(self) -> Sequence[MarginRow]:
        """Remaining margins to limits, worst first."""
        view = self._views.made.get("margins")
        model = view.model if isinstance(view, ModelDock) else None
        return model.rows if isinstance(model, MarginsModel) else ()

    @property
    def wanted_px(self) -> float:
        """Height that capitals must have on this screen [px]."""
        return CAPITAL_MM * px_per_mm_of(self.screen())

    def _cover(self) -> None:
        main, strip = self._window.main, self._window.strip
        top = strip.mapTo(main, strip.rect().bottomLeft()).y() + 1
        self.setGeometry(0, top, main.width(), max(0, main.statusBar().y() - top))
        self._fit(anew=True)

    def _fit(self, *, anew: bool = False) -> None:
        """Write as large as there is space for, and say so if that is less than what is wanted.

        Args:
            anew: in another room; else words do not grow beyond what they are, or are wanted to be,
                so that they do not dance with every figure.
        """
        wanted = self.wanted_px
        capitals_px = MOST * wanted if anew else max(self._capitals_px, wanted)
        self._write(capitals_px)
        while capitals_px > _LEAST_PX and not self._fits(short=capitals_px < wanted):
            above = capitals_px > wanted
            capitals_px *= _STEP
            if above and capitals_px < wanted:
                capitals_px = wanted
            self._write(capitals_px)
        self._capitals_px = capitals_px
        short = capitals_px < wanted
        self.note.setVisible(short)
        if short:
            high_mm = CAPITAL_MM * QFontMetricsF(self.mode.font()).capHeight() / wanted
            self.note.setText(
                f"Capitals are {high_mm:.1f} mm high here; from {DISTANCE_M:g} m "
                f"{CAPITAL_MM:.1f} mm are wanted: a larger window or smaller text has room."
            )

    def _fits(self, *, short: bool) -> bool:
        area = self.contentsRect().adjusted(9, 9, -9, -9)
        beside = self.note.heightForWidth(area.width() // 2) + 6 if short else 0
        stop_px = 0 if self.stop_button.isHidden() else self.stop_button.minimumWidth() + 6
        wide = area.width() - stop_px
        widest = max((part.sizeHint().width() for part in self._words.shown()), default=0)
        return widest <= wide and self._words.height_for(wide) + beside <= area.height()

    def _write(self, capitals_px: float) -> None:
        font = font_of(capitals_px, self.font())
        for words in (self.mode, self.margin, self.left):
            words.setFont(font)
        self.stop_button.setFont(font)
        metrics = QFontMetricsF(font)
        self.stop_button.setFixedWidth(
            math.ceil(metrics.horizontalAdvance("STOP") + metrics.height() / 2.0)
        )


class _Large(QLabel):
    """Words on a colour, of their own size."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.hide()

    def say(self, words: str, ground: str, ink: str) -> None:
        """Show words, or nothing where there are none."""
        self.setText(words)
        self.setVisible(bool(words))
        self.setStyleSheet(f"background: {ground}; color: {ink}; border-radius: 8px;")

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Size of one line."""
        metrics = QFontMetricsF(self.font())
        wide = metrics.horizontalAdvance(self.text()) + 0.6 * metrics.capHeight()
        return QSize(math.ceil(wide), math.ceil(1.6 * metrics.capHeight()))

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """The whole of it is sized by what holds it."""
        return QSize(0, 0)


def px_per_mm_of(screen: QScreen) -> float:
    """Pixels of a window in a millimetre of a screen."""
    size = screen.physicalSize()
    return px_per_mm(screen.geometry().height(), size.height(), screen.logicalDotsPerInch())


def font_of(capitals_px: float, like: QFont) -> QFont:
    """A bold font whose capitals are at least so high [px]."""
    font = QFont(like)
    font.setBold(True)
    font.setPointSizeF(100.0)
    font.setPointSizeF(100.0 * capitals_px / QFontMetricsF(font).capHeight())
    while QFontMetricsF(font).capHeight() < capitals_px:
        font.setPointSizeF(font.pointSizeF() + 0.5)
    return font
