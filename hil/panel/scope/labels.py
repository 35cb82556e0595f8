"""Words at the scope's marks: the newest that fit beside each other; the rest are lines."""

from collections.abc import Sequence
from typing import Any, Final

import pyqtgraph as pg
from PySide6.QtGui import QColor, QFont, QFontMetricsF

from hil.panel.scope.models.marks import fitting, words_of
from hil.panel.scope.models.time_window import View
from hil.panel.widgets.theme import Theme
from hil.recording.events import EventKind, EventRecord

MAX_LABELS: Final = 8
"""Marks with words, at most."""
LOOKED_AT: Final = 64
"""Newest marks for which there may be room."""
MARK_ROLES: Final = {
    EventKind.MODE: "dim",
    EventKind.VIOLATION: "warn",
    EventKind.FAULT: "fault",
}
"""Colours of marks by their kind."""
_GAP_PX: Final = 4.0
_MARGIN_PX: Final = 8.0
"""Space around the words of a label, both sides together."""
_ALPHA: Final = 190


class Labels:
    """Labels below the upper edge of one plot."""

    def __init__(self, item: Any, theme: Theme, font: QFont) -> None:
        self._item, self._theme = item, theme
        self._metrics = QFontMetricsF(font)
        fill = QColor(theme.base)
        fill.setAlpha(_ALPHA)
        self.items: list[Any] = []
        for _ in range(MAX_LABELS):
            label = pg.TextItem(anchor=(0.0, 0.0), fill=fill)
            label.setFont(font)
            label.setVisible(False)
            item.addItem(label, ignoreBounds=True)
            self.items.append(label)

    def draw(self, view: View, marks: Sequence[EventRecord]) -> None:
        """Write the words of the newest marks that fit."""
        box = self._item.getViewBox()
        high = box.viewRange()[1][1]
        px_per_s = float(box.width()) / max(view.to_s - view.from_s, 1e-9)
        newest = marks[-LOOKED_AT:]
        spans = [self._span(mark, view, px_per_s) for mark in newest]
        shown = fitting(spans, _GAP_PX)[:MAX_LABELS]
        for label, index in zip(self.items, shown, strict=False):
            mark, words = newest[index], words_of(newest[index])
            colour = getattr(self._theme, MARK_ROLES[mark.kind])
            if label.toPlainText() != words or label.color != pg.mkColor(colour):
                label.setText(words, color=colour)
            label.setAnchor((0.0 if _before_middle(mark, view) else 1.0, 0.0))
            label.setPos(mark.t_s - view.origin_s, high)
            label.setVisible(True)
        for label in self.items[len(shown) :]:
            label.setVisible(False)

    def _span(self, mark: EventRecord, view: View, px_per_s: float) -> tuple[float, float]:
        """Left and right end of a mark's words [px]: they lie towards the picture's middle."""
        at = (mark.t_s - view.from_s) * px_per_s
        width = self._metrics.horizontalAdvance(words_of(mark)) + _MARGIN_PX
        return (at, at + width) if _before_middle(mark, view) else (at - width, at)


def _before_middle(mark: EventRecord, view: View) -> bool:
    return mark.t_s < 0.5 * (view.from_s + view.to_s)
