"""Words and buttons that find room on a narrow screen: in several rows, or written smaller."""

import math
from collections.abc import Sequence
from typing import Any, Final

from PySide6.QtCore import QEvent, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QTextDocument
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

SMALLEST: Final = 0.5
"""Words are written smaller to fit, but never below this share of their size."""
_STEP: Final = 0.95
ROW_GAP_PX: Final = 3
_LEAST_EM: Final = 8.0
"""Width of a part that takes what is left of its row."""


class FlowRow(QWidget):
    """Widgets beside each other, in as many rows as they need.

    One whose horizontal policy is `Ignored` takes what is left of its row.

    Args:
        gap_px: between two.
        spread: whether all of a row share what is left of it.
    """

    def __init__(
        self, parts: Sequence[QWidget], gap_px: int, parent: QWidget, *, spread: bool = False
    ) -> None:
        super().__init__(parent)
        self._parts, self._gap, self._spread = tuple(parts), gap_px, spread
        for part in parts:
            part.setParent(self)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """All in one row; as high as it has to be now."""
        widths = [self._width(part) + self._gap for part in self.shown()]
        return QSize(sum(widths), self.height_for(self.width()))

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """The widest alone in a row."""
        least = max((part.minimumSizeHint().width() for part in self.shown()), default=0)
        return QSize(least, self.height_for(self.width()))

    def resizeEvent(self, event: Any) -> None:  # noqa: N802 - Qt's name
        """Break the rows anew."""
        super().resizeEvent(event)
        self._place()

    def event(self, event: QEvent) -> bool:
        """Break the rows anew when a part wants another size, comes or goes."""
        if event.type() == QEvent.Type.LayoutRequest:
            self._place()
        return super().event(event)

    def shown(self) -> list[QWidget]:
        """The parts that are not hidden."""
        return [part for part in self._parts if not part.isHidden()]

    def _width(self, part: QWidget) -> int:
        if part.sizePolicy().horizontalPolicy() is QSizePolicy.Policy.Ignored:
            return round(_LEAST_EM * self.fontMetrics().height())
        return part.sizeHint().width()

    def _rows(self, width: int) -> list[list[QWidget]]:
        rows: list[list[QWidget]] = [[]]
        taken = 0
        for part in self.shown():
            wide = self._width(part)
            if rows[-1] and taken + self._gap + wide > width:
                rows.append([])
                taken = 0
            taken += wide + (self._gap if rows[-1] else 0)
            rows[-1].append(part)
        return rows

    def _row_height(self, row: Sequence[QWidget], width: int) -> int:
        """The height of the highest; words that are too long for a row are broken."""
        return max(
            part.heightForWidth(width)
            if part.hasHeightForWidth() and self._width(part) > width
            else part.sizeHint().height()
            for part in row
        )

    def height_for(self, width: int) -> int:
        """The height that all rows take in a width [px]."""
        heights = [self._row_height(row, width) for row in self._rows(width) if row]
        return sum(heights) + ROW_GAP_PX * max(0, len(heights) - 1)

    def _place(self) -> None:
        top = 0
        for row in filter(None, self._rows(self.width())):
            high, x = self._row_height(row, self.width()), 0
            widths = [min(self._width(part), self.width()) for part in row]
            left = self.width() - sum(widths) - self._gap * (len(row) - 1)
            ignored = QSizePolicy.Policy.Ignored
            takers = [self._spread or part.sizePolicy().horizontalPolicy() is ignored
                      for part in row]  # fmt: skip
            for part, width, takes in zip(row, widths, takers, strict=True):
                wide = width + (max(0, left) // sum(takers) if takes else 0)
                part.setGeometry(QRect(x, top, wide, high))
                x += wide + self._gap
            top += high + ROW_GAP_PX
        self.updateGeometry()


class Words(QLabel):
    """Rich text that wants one line, and is broken where there is less room."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setWordWrap(True)

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Size of one line."""
        document = QTextDocument()
        document.setDocumentMargin(0.0)
        document.setDefaultFont(self.font())
        document.setHtml(self.text())
        return QSize(math.ceil(document.idealWidth()) + 2, self.fontMetrics().height())

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """A few words wide."""
        line = self.fontMetrics().height()
        return QSize(min(round(_LEAST_EM * line), self.sizeHint().width()), line)


class FittedLabel(QLabel):
    """Words on a colour, broken and written smaller if the room that there is wants it."""

    def __init__(
        self, parent: QWidget, across: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignHCenter
    ) -> None:
        super().__init__(parent)
        self._ground: QColor | None = None
        self._ink = QColor()
        self._flags = int((across | Qt.AlignmentFlag.AlignVCenter).value)
        self._flags |= int(Qt.TextFlag.TextWordWrap.value)
        self._fit: tuple[object, QFont] | None = None
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def fill(self, ground: str | None, ink: str) -> None:
        """Take colours on; without one for the ground, what is below is seen."""
        self._ground = None if ground is None else QColor(ground)
        self._ink = QColor(ink)
        self.update()

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """They fit wherever they are."""
        return QSize(0, self.fontMetrics().height())

    def fitting(self) -> QFont:
        """The bold font that they are written in now."""
        area = self._text_area()
        key = (self.text(), area, self.font().toString())
        if self._fit is not None and self._fit[0] == key:
            return self._fit[1]
        font = QFont(self.font())
        font.setBold(True)
        size_pt = font.pointSizeF()
        while font.pointSizeF() > SMALLEST * size_pt and not self._fits(font, area):
            font.setPointSizeF(_STEP * font.pointSizeF())
        self._fit = key, font
        return font

    def _text_area(self) -> QRect:
        return self.rect().adjusted(4, 1, -4, -1)

    def _fits(self, font: QFont, area: QRect) -> bool:
        wide = QRect(0, 0, max(1, area.width()), 10_000)
        taken = QFontMetrics(font).boundingRect(wide, self._flags, self.text())
        return taken.width() <= area.width() and taken.height() <= area.height()

    def paintEvent(self, event: Any) -> None:  # noqa: N802 - Qt's name
        """Draw them."""
        painter = QPainter(self)
        if self._ground is not None:
            painter.fillRect(self.rect(), self._ground)
        painter.setPen(self._ink)
        painter.setFont(self.fitting())
        painter.drawText(self._text_area(), self._flags, self.text())
        painter.end()
