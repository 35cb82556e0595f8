"""What the panel's plots share: a look that follows the theme, and no menu that hides keys."""

from typing import Any

import pyqtgraph as pg
from PySide6.QtGui import QColor, QPen

from hil.panel.theme import Theme


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
    """What a plot is made of; its methods are made at run time, so no type knows them."""
    return plot.getPlotItem()


def take_theme(plot: pg.PlotWidget, theme: Theme) -> None:
    """Give a plot the colours of a theme."""
    plot.setBackground(theme.base)
    item = item_of(plot)
    for side in ("left", "bottom"):
        axis = item.getAxis(side)
        axis.setPen(pen(theme.dim))
        axis.setTextPen(pen(theme.text))


def pen(colour: str, width: float = 1.0) -> QPen:
    """A pen of so many pixels, whatever the plot's scale."""
    made = QPen(QColor(colour), width)
    made.setCosmetic(True)
    return made
