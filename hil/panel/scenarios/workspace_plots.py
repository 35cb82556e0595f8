"""Pictures of a workspace: slices of a quantity, and of the limit that binds, from arrays."""

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QImage, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QGridLayout, QSizePolicy, QWidget

from hil.panel.scenarios.models.workspace_picture import (
    LEVELS,
    cell_of,
    columns_of,
    height_px,
    levels_of,
    readout,
)
from hil.panel.widgets.plots import item_of, take_theme
from hil.panel.widgets.theme import Theme
from hil.run.workspace import WorkspaceMap, WorkspaceSlice

PICTURES: Final = 6
"""Three slices of the quantity, and the same three of the limits."""
SCALE_ROWS: Final = 16
"""Height of a scale's picture before it is stretched [px]."""
OLD_OPACITY: Final = 0.3
"""Opacity of a picture of the file before."""
PALE: Final = 0.28
"""Share of a limit's colour in a cell inside, where the limit only binds next."""
_Rgba = NDArray[np.uint8]


def scale_colours(worst: str) -> _Rgba:
    """Colours of a scale from the least to the greatest value, shape (LEVELS, 4)."""
    scale: Any = pg.colormap.get("viridis")
    table: _Rgba = np.asarray(scale.getLookupTable(nPts=LEVELS, alpha=True), np.uint8)
    return table if worst == "least" else table[::-1]


def scale_picture(worst: str) -> QImage:
    """Picture of a scale, from left to right."""
    rows = np.repeat(scale_colours(worst)[None], SCALE_ROWS, axis=0).tobytes()
    shape = LEVELS, SCALE_ROWS, 4 * LEVELS
    return QImage(rows, *shape, QImage.Format.Format_RGBA8888).copy()


class WorkspacePlots(QWidget):
    """Six pictures; beside or below each other as there is space.

    Args:
        pointed: takes the words about the cell under the mouse.
    """

    def __init__(self, theme: Theme, pointed: Callable[[str], None]) -> None:
        super().__init__()
        self._theme, self._pointed = theme, pointed
        self._map: WorkspaceMap | None = None
        self._old = False
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(2)
        self.plots = [_Slice(pointed) for _ in range(PICTURES)]
        self.columns = 0
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)

    def show_map(self, found: WorkspaceMap | None, *, old: bool) -> None:
        """Draw a map.

        Args:
            old: whether it is of the file before; it is drawn pale.
        """
        if found is self._map and old == self._old:
            return
        again = found is not self._map
        self._map, self._old = found, old
        if again:
            self._draw()
            self._arrange()
        for plot in self.plots:
            plot.set_opacity(OLD_OPACITY if old else 1.0)

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        self._theme = theme
        self._draw()

    def _draw(self) -> None:
        found = self._map
        if found is None:
            return
        colours = scale_colours(found.worst)
        for number, plot in enumerate(self.plots):
            kind, at = divmod(number, 3)
            plot.setVisible(at < len(found.slices))
            if at >= len(found.slices):
                continue
            one = found.slices[at]
            image = self._values(one, found, colours) if kind == 0 else self._limits(one, found)
            plot.draw(found, one, image, self._theme, marked=kind == 1)

    def _values(self, one: WorkspaceSlice, found: WorkspaceMap, colours: _Rgba) -> _Rgba:
        image = colours[levels_of(found, one)]
        image[~np.isfinite(one.values)] = _rgba(self._theme.line)
        return image

    def _limits(self, one: WorkspaceSlice, found: WorkspaceMap) -> _Rgba:
        full = np.array([_rgba(kind.colour) for kind in found.limits], np.float64)
        pale = PALE * full + (1.0 - PALE) * _rgba(self._theme.base)
        return np.where(one.inside[..., None], pale[one.limits], full[one.limits]).astype(np.uint8)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Put the pictures where there is space."""
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        found, em = self._map, self.fontMetrics().height()
        if found is None:
            return
        columns = columns_of(self.width(), em)
        if columns != self.columns:
            self.columns = columns
            for number, plot in enumerate(self.plots):
                self._grid.addWidget(plot, *cell_of(number, columns), Qt.AlignmentFlag.AlignTop)
            for column in range(3):
                self._grid.setColumnStretch(column, int(column < columns))
        width = (self.width() - 2 * (columns - 1)) / columns
        for number, plot in enumerate(self.plots):
            if number % 3 < len(found.slices):
                plot.setFixedHeight(height_px(found.slices[number % 3], width, em))


def _rgba(colour: str) -> _Rgba:
    made = QColor(colour)
    return np.array([made.red(), made.green(), made.blue(), made.alpha()], np.uint8)


class _Slice(pg.PlotWidget):
    """One picture."""

    def __init__(self, pointed: Callable[[str], None]) -> None:
        super().__init__()
        self._pointed = pointed
        self._shown: tuple[WorkspaceMap, WorkspaceSlice] | None = None
        self.setMenuEnabled(False)
        self.hideButtons()
        self._item: Any = item_of(self)
        self._item.setMouseEnabled(False, False)
        self._item.getViewBox().setDefaultPadding(0.0)
        self._item.setAspectLocked(True)
        self._image = pg.ImageItem(axisOrder="row-major")
        self._item.addItem(self._image)
        self._box, self._ground = pg.PlotCurveItem(), pg.PlotCurveItem()
        self._box.setPen(pg.mkPen("#000000", width=2, style=Qt.PenStyle.DashLine))
        self._ground.setPen(pg.mkPen("#FFFFFF", width=4))
        self._item.addItem(self._ground)
        self._item.addItem(self._box)
        self._marks: list[Any] = []
        self.setMinimumWidth(1)
        self._item.scene().sigMouseMoved.connect(self._moved)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def draw(
        self, found: WorkspaceMap, one: WorkspaceSlice, image: _Rgba, theme: Theme, *, marked: bool
    ) -> None:
        """Draw a slice."""
        self._shown = found, one
        left, right, lower, upper = one.ends
        self._image.setImage(image, autoLevels=False)
        self._image.setRect(QRectF(left, lower, right - left, upper - lower))
        self._draw_box(one)
        take_theme(self, theme)
        title = pg.mkColor(theme.text).name()
        self._item.setTitle(one.title, color=title, size=f"{self.font().pointSizeF():g}pt")
        for side, name in (("bottom", one.right), ("left", one.up)):
            self._item.getAxis(side).enableAutoSIPrefix(False)
            self._item.setLabel(side, f"{name} [{one.unit}]", color=theme.text)
        for mark in self._marks:
            self._item.removeItem(mark)
        self._marks = [self._mark(one, k, theme) for k in range(len(one.marks))] if marked else []
        self._item.setRange(xRange=(left, right), yRange=(lower, upper), padding=0.0)

    def _draw_box(self, one: WorkspaceSlice) -> None:
        """Outline the pose box in black and white, legible on every colour."""
        x: list[float] = []
        y: list[float] = []
        if one.box is not None:
            left, right, lower, upper = one.box
            x, y = [left, right, right, left, left], [lower, lower, upper, upper, lower]
        for curve in (self._ground, self._box):
            curve.setData(x, y)

    def _mark(self, one: WorkspaceSlice, number: int, theme: Theme) -> Any:
        mark = one.marks[number]
        text = pg.TextItem(
            str(mark.limit + 1), color=theme.text, anchor=(0.5, 0.5), fill=QColor(theme.base)
        )
        text.setFont(self.font())
        text.setPos(mark.right, mark.up)
        self._item.addItem(text, ignoreBounds=True)
        return text

    def set_opacity(self, opacity: float) -> None:
        """Draw it pale, or as it is."""
        for item in (self._image, self._ground, self._box):
            item.setOpacity(opacity)

    def _moved(self, at: Any) -> None:
        if self._shown is not None:
            point = self._item.getViewBox().mapSceneToView(at)
            self._pointed(readout(*self._shown, point.x(), point.y()))

    def wheelEvent(self, ev: QWheelEvent) -> None:  # noqa: N802 - Qt's name
        """Leave the wheel to the page that scrolls."""
        ev.ignore()
