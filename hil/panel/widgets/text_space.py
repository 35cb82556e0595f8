"""Widgets of Qt that do not find room by themselves when the text becomes larger."""

from typing import Any, Final

from PySide6.QtCore import QEvent, QObject, QSize
from PySide6.QtGui import QFont, QFontMetricsF
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QLabel,
    QScrollArea,
    QStatusBar,
    QTableView,
    QWidget,
)

_ROW_EM: Final = 1.45
_BAR_EM: Final = 1.3
_LEAST_PT: Final = 8.0
"""A message is written smaller to fit, but not below this [pt]."""
_MARGIN_PX: Final = 12.0


class RowHeight(QObject):
    """Keeps the rows of a table as high as their text."""

    def __init__(self, table: QTableView) -> None:
        super().__init__(table)
        self._table = table
        table.installEventFilter(self)
        self._fit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Another size of text wants other rows."""
        if event.type() == QEvent.Type.FontChange:
            self._fit()
        return super().eventFilter(watched, event)

    def _fit(self) -> None:
        high = round(_ROW_EM * QFontMetricsF(self._table.font()).height())
        self._table.verticalHeader().setDefaultSectionSize(high)


class MessageBar(QStatusBar):
    """A status bar whose message is written smaller where it is too long; its hint has it all."""

    def __init__(self) -> None:
        super().__init__()
        self.setSizeGripEnabled(False)
        self.messageChanged.connect(self.fit)

    def resizeEvent(self, event: Any) -> None:  # noqa: N802 - Qt's name
        """Another width takes another size."""
        super().resizeEvent(event)
        self.fit()

    def fit(self) -> None:
        """Write the message as large as it fits, at most as large as all other text."""
        words, font = self.currentMessage(), QFont(QApplication.font())
        self.setMinimumHeight(round(_BAR_EM * QFontMetricsF(font).height()))
        beside = sum(one.width() for one in self.findChildren(QLabel) if one.isVisible())
        width = max(1.0, self.width() - beside - _MARGIN_PX)
        wanted = QFontMetricsF(font).horizontalAdvance(words)
        fits_pt = font.pointSizeF() * min(1.0, width / max(1.0, wanted))
        font.setPointSizeF(min(font.pointSizeF(), max(_LEAST_PT, fits_pt)))
        self.setFont(font)
        self.setToolTip(words)


class Scrolled(QScrollArea):
    """A content that may be larger than there is room for; it wants its own size, not more."""

    def __init__(self, content: QWidget) -> None:
        super().__init__()
        self._content = content
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setWidget(content)
        self.setSizePolicy(content.sizePolicy())

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Size of the content."""
        return self._content.sizeHint()

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """A line of text, and the bar beside it."""
        line = self.fontMetrics().height()
        return QSize(4 * line, line)
