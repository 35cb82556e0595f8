"""Common settings of the panel's plots: the theme's colours, and no menu that hides keys."""

from typing import Any, Final

import pyqtgraph as pg
from PySide6.QtGui import QColor, QPen

from hil.panel.widgets.theme import Theme

_BEHIND: Final = -1000.0
"""Place of a grid in the pile: an opaque one must not hide a curve."""


def plot_of(axes: dict[str, Any] | None = None) -> pg.PlotWidget:
    """An empty plot.

    Args:
        axes: side → axis item that takes the usual one's place.
    """
    plot = pg.PlotWidget(axisItems=axes or {})
    plot.setMenuEnabled(False)
    plot.hideButtons()
    return plot


def item_of(plot: pg.PlotWidget) -> Any:
    """The item of a plot; its methods are made at run time, so no type knows them."""
    return plot.getPlotItem()


class Axis(pg.AxisItem):
    """An axis whose grid is quick to draw on a large screen.

    A half transparent line costs twenty times as much as an opaque one, sixty times if its pen is
    cosmetic, and Qt keeps no picture of the axis where a pixel of the window is more than one of
    the screen: a grid took a tenth of a second on a 4K screen. So the colours are mixed beforehand,
    and a line is as wide as a pixel of the window.
    """

    def __init__(self, side: str) -> None:
        super().__init__(side)
        self._ground = QColor()

    def set_theme(self, theme: Theme, line: str) -> None:
        """Draw in other colours.

        Args:
            line: colour of the line and of a grid that hides all.
        """
        self._ground = QColor(theme.base)
        self.setZValue(_BEHIND)  # here: a plot that takes an axis on puts it above its curves
        self.setPen(QPen(QColor(line), 1.0))
        self.setTextPen(QPen(QColor(theme.text)))

    def generateDrawSpecs(self, p: Any) -> Any:  # noqa: N802 - pyqtgraph's name
        """Return what is to be drawn, with opaque lines."""
        specs = super().generateDrawSpecs(p)
        if specs is None:
            return None
        line, ticks, words = specs
        return line, [(self._opaque(tick), start, end) for tick, start, end in ticks], words

    def _opaque(self, tick: QPen) -> QPen:
        """The pen of a tick with its transparency mixed into its colour."""
        part, above, below = tick.color().alphaF(), tick.color(), self._ground
        mixed = QColor.fromRgbF(
            below.redF() + part * (above.redF() - below.redF()),
            below.greenF() + part * (above.greenF() - below.greenF()),
            below.blueF() + part * (above.blueF() - below.blueF()),
        )
        return QPen(mixed, tick.widthF())


def grid_axes() -> dict[str, Any]:
    """The two axes of a plot, by their sides."""
    return {side: Axis(side) for side in ("left", "bottom")}


def take_theme(plot: pg.PlotWidget, theme: Theme) -> None:
    """Give a plot the colours of a theme."""
    plot.setBackground(theme.base)
    item = item_of(plot)
    for side in ("left", "bottom"):
        axis = item.getAxis(side)
        if isinstance(axis, Axis):
            axis.set_theme(theme, theme.dim)
            continue
        axis.setPen(line_style(theme.dim))
        axis.setTextPen(line_style(theme.text))


def line_style(colour: str, width: float = 1.0) -> QPen:
    """Style of a line of so many pixels, at any scale of the plot."""
    made = QPen(QColor(colour), width)
    made.setCosmetic(True)
    return made
