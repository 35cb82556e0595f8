"""Histograms of lateness and work, both axes logarithmic, and their figures in words."""

import math
from html import escape
from typing import Final

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from hil.panel.live.models.lateness import BINS, EDGES_S, PER_DECADE, WINDOW_S, LatenessModel
from hil.panel.widgets.figures import time_figure
from hil.panel.widgets.plots import item_of, line_style, plot_of, take_theme
from hil.panel.widgets.theme import LIGHT, Theme

REDRAW_EVERY: Final = 6
"""Updates per drawing: of thirty a second a histogram of a minute needs no more than five."""
LEAST_PX: Final = 80
"""A plot lower than this cannot be read."""
HALF: Final = 0.5
"""Is added to every count, so that an empty bin has a logarithm, which lies below the axis."""
_FIRST: Final = math.log10(EDGES_S[0]) - 1.0 / PER_DECADE
_BORDERS: Final = np.concatenate(
    [[_FIRST], np.log10(EDGES_S), [math.log10(EDGES_S[-1]) + 1.0 / PER_DECADE]]
)
_STROKES: Final = ((Qt.PenStyle.SolidLine, "▬"), (Qt.PenStyle.DashLine, "╍"))
"""Pen styles of the first line and the second, and how the words beside show them."""
_NONE: Final = np.full(BINS, math.log10(HALF))


class LatenessView(QWidget):
    """One stepped line a quantity."""

    def __init__(
        self, model: LatenessModel, theme: Theme = LIGHT, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._model, self._theme = model, theme
        self._serial, self._skipped = -1, REDRAW_EVERY
        self.words = QLabel(self)
        self.words.setWordWrap(True)
        self.plot = plot_of({"bottom": _TimeAxis("bottom"), "left": _CountAxis("left")})
        self.plot.setMouseEnabled(x=False, y=False)
        self.plot.setMinimumHeight(LEAST_PX)
        item_of(self.plot).getAxis("left").enableAutoSIPrefix(False)
        self._curves: list[pg.PlotCurveItem] = []
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4, 4, 4, 4)
        layout.addWidget(self.words)
        layout.addWidget(self.plot, 1)
        layout.addStretch()  # instead of a plot that is hidden
        self.set_model(model)

    def set_model(self, model: LatenessModel) -> None:
        """Show another run."""
        self._model, self._serial, self._skipped = model, -1, REDRAW_EVERY
        for curve in self._curves:
            self.plot.removeItem(curve)
        self._curves = [pg.PlotCurveItem(_BORDERS, _NONE, stepMode="center") for _ in model.names]
        for curve in self._curves:
            self.plot.addItem(curve)
        self.plot.setVisible(not model.problem)
        self.words.setText(model.problem)
        self.set_theme(self._theme)

    def set_theme(self, theme: Theme) -> None:
        """Draw in the colours of another theme."""
        self._theme, self._serial, self._skipped = theme, -1, REDRAW_EVERY
        take_theme(self.plot, theme)
        self.plot.setLabel("left", self.tr("Cycles"), color=theme.text)
        for curve, colour, (style, _) in zip(self._curves, theme.traces, _STROKES, strict=False):
            drawn = line_style(colour, 2.0)
            drawn.setStyle(style)
            curve.setPen(drawn)

    def refresh(self) -> None:
        """Show the newest counts, a few times a second; does nothing while hidden."""
        if self._model.problem or not self.isVisible():
            return
        self._skipped += 1
        if self._model.serial == self._serial or self._skipped < REDRAW_EVERY:
            return
        self._serial, self._skipped = self._model.serial, 0
        lines: list[str] = []
        low, high, most = math.inf, -math.inf, 1
        for curve, name, colour, (_, stroke) in zip(
            self._curves, self._model.names, self._theme.traces, _STROKES, strict=False
        ):
            counts = self._model.counts(name)
            curve.setData(_BORDERS, np.log10(counts + HALF))
            used = np.flatnonzero(counts)
            if len(used):
                low, high = min(low, int(used[0])), max(high, int(used[-1]))
                most = max(most, int(counts.max()))
            lines.append(self._line(name, colour, stroke))
        self.words.setText("<br>".join(lines))
        if low <= high:
            left, right = _BORDERS[int(low)], _BORDERS[int(high) + 1]
            item_of(self.plot).setXRange(left - 0.1, right + 0.1, padding=0.0)
            item_of(self.plot).setYRange(-0.3, math.log10(most) + 0.2, padding=0.0)

    def _line(self, name: str, colour: str, stroke: str) -> str:
        spread = self._model.spread(name)
        spot = f'<span style="color:{colour}">{stroke}</span> '
        if not spread.count:
            return spot + escape(f"{name}: {self.tr('Nothing measured')}")
        words = self.tr(
            "{name}: median {p50}, p99 {p99}, largest {largest} ({count} cycles in the "
            "last {window_s} s)"
        ).format(
            name=name,
            p50=time_figure(spread.p50_s),
            p99=time_figure(spread.p99_s),
            largest=time_figure(spread.largest_s),
            count=spread.count,
            window_s=f"{WINDOW_S:g}",
        )
        return spot + escape(words)


class _TimeAxis(pg.AxisItem):
    """Logarithms of seconds, written as times."""

    def tickValues(  # noqa: N802 - Qt's name
        self, minVal: float, maxVal: float, size: float
    ) -> list[tuple[float, list[float]]]:
        """Decades, and halves of them where decades are few."""
        places = np.arange(math.floor(minVal), math.ceil(maxVal) + 1)
        tens = [float(place) for place in places]
        between = [place + math.log10(part) for place in tens for part in (2.0, 5.0)]
        return [(1.0, tens), (0.3, between if maxVal - minVal < 3.0 else [])]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:  # noqa: N802
        """Such as 100 µs."""
        return [
            time_figure(10.0**value).replace(".00 ", " ").replace(".0 ", " ") for value in values
        ]


class _CountAxis(pg.AxisItem):
    """Logarithms of counts, written as counts."""

    def tickValues(  # noqa: N802 - Qt's name
        self, minVal: float, maxVal: float, size: float
    ) -> list[tuple[float, list[float]]]:
        """Powers of ten."""
        return [
            (
                1.0,
                [
                    float(place)
                    for place in range(max(0, math.floor(minVal)), math.ceil(maxVal) + 1)
                ],
            )
        ]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:  # noqa: N802
        """Such as 1000."""
        return [f"{10.0**value:.0f}" for value in values]
