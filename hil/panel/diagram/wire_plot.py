"""A scope on wires: what outputs had over the last seconds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from hil.diagram.run.stepper import BACK_S
from hil.diagram.run.trace import Trace
from hil.panel.scope.curve import PlotLine, trace_style
from hil.panel.widgets.plots import grid_axes, item_of, plot_of, take_theme
from hil.panel.widgets.theme import Theme

NOTHING: Final = "Choose a wire or a block to see its past here."
_ROOM: Final = 1e-3
"""Height of an axis, as a part of a constant that it shows."""


class WirePlot(QWidget):
    """Curves of what is chosen, the newest tick at the right."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.legend = QLabel(NOTHING)
        self.legend.setWordWrap(True)
        self._plot = plot_of(grid_axes())
        self._item = item_of(self._plot)
        self._item.showGrid(x=True, y=True, alpha=0.3)
        self._item.setLabel("bottom", "t", units="s")
        take_theme(self._plot, theme)
        self.lines: list[PlotLine] = []
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.legend)
        column.addWidget(self._plot)

    def draw(self, traces: Sequence[tuple[str, Trace]], base_s: float, tick: int) -> None:
        """Draw names and their pasts, as many curves as there are colours."""
        curves = [
            (f"{name}[{element + 1}]" if trace.size > 1 else name, trace, element)
            for name, trace in traces
            for element in range(trace.size)
        ]
        shown = curves[: len(self._theme.traces)]
        self._write([name for name, _, _ in shown], len(curves))
        while len(self.lines) < len(shown):
            number = len(self.lines)
            line = PlotLine()
            line.set_style(trace_style(self._theme, number, 1.5), number)
            self._item.addItem(line, ignoreBounds=True)
            self.lines.append(line)
        end_s = tick * base_s
        begin_s = max(0.0, end_s - BACK_S)
        columns = [
            (trace.ticks.astype(float) * base_s, trace.rows[:, element])
            for _, trace, element in shown
        ]
        known = [y for _, y in columns if len(y)]
        low = min((float(y.min()) for y in known), default=0.0)
        high = max((float(y.max()) for y in known), default=1.0)
        height = max(high - low, _ROOM * max(abs(low), abs(high)), 1e-9)
        low, high = 0.5 * (low + high) - 0.6 * height, 0.5 * (low + high) + 0.6 * height
        width = max(end_s - begin_s, base_s)
        bounds = QRectF(begin_s, low, width, high - low)
        empty = np.empty(0)
        for number, line in enumerate(self.lines):
            x, y = columns[number] if number < len(columns) else (empty, empty)
            line.set_points(x, y, bounds)
        self._item.setXRange(begin_s, begin_s + width, padding=0.0)
        self._item.setYRange(low, high, padding=0.0)

    def _write(self, names: Sequence[str], count: int) -> None:
        words = [f'<span style="color:{self._theme.traces[number]}">{name}</span>'
                 for number, name in enumerate(names)]  # fmt: skip
        if count > len(names):
            words.append(f"and {count - len(names)} more")
        text = ", ".join(words) or NOTHING
        if self.legend.text() != text:
            self.legend.setText(text)
