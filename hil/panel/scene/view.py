"""The picture in space: one machine or two beside each other, with names, legend and keys."""

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QBoxLayout, QLabel, QVBoxLayout, QWidget

from hil.panel.scene.flat import FlatCanvas
from hil.panel.scene.gl_support import opengl_problem
from hil.panel.scene.models.build import SceneError, scenes_of
from hil.recording.header import RunHeader
from hil.scene.colours import SceneColours
from hil.scene.figure import Figure, Scene

Array = NDArray[np.float64]

LEAST_PX = 40
MARGIN_PX = 6
LEGEND_LEAST_PX = 340
"""A picture lower than this has no room for a legend; the tool tip has it, too."""


class SceneView(QWidget):
    """All scenes of a run."""

    def __init__(
        self, model: Sequence[Scene] = (), theme: Any = None, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._colours = SceneColours.of(theme)
        self._problem: str | None = None
        self._panes: list[_Pane] = []
        self._layout = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(2)
        self._nothing = ""
        self._empty = QLabel(self)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._empty.setWordWrap(True)
        self._layout.addWidget(self._empty)
        self.setMinimumSize(LEAST_PX, LEAST_PX)
        self.setAccessibleName(self.tr("Picture of the machine in space"))
        self.set_scenes(model)

    def set_run(self, facts: Any, words: str = "") -> None:
        """Show another run's machines.

        Args:
            words: what is said if there is no run, in place of what is always said.
            facts: has the run's ``header``; None when there is no run. A run that cannot be drawn
                is said in words.
        """
        self._show(None if facts is None else facts.header)
        if facts is None and words:
            self._empty.setText(words)

    def set_preview(self, header: RunHeader, words: str) -> None:
        """Show the machines of a run that is none yet.

        Args:
            words: what it will be.
        """
        self._show(header)
        for pane in self._panes:
            pane.say(self.tr("Preview; nothing runs: {words}").format(words=words))

    def _show(self, header: RunHeader | None) -> None:
        try:
            self.set_scenes(() if header is None else scenes_of(header))
        except SceneError as error:
            self.set_scenes(())
            self._empty.setText(self.tr("Nothing to draw: {why}").format(why=str(error)))

    def say(self, words: str) -> None:
        """Say this while there is nothing to draw."""
        self._nothing = words
        self._empty.setText(words)

    def set_scenes(self, scenes: Sequence[Scene]) -> None:
        """Show these machines."""
        for pane in self._panes:
            self._layout.removeWidget(pane)
            pane.deleteLater()
        self._panes = []
        self._empty.setText(self._nothing)
        self._empty.setVisible(not scenes)
        if scenes and self._problem is None:
            self._problem = opengl_problem()
        for scene in scenes:
            pane = _Pane(scene, self._colours, self._problem or "", self)
            self._panes.append(pane)
            self._layout.addWidget(pane, 1)
        if self._panes:
            self.setFocusProxy(self._panes[0].canvas)
        self._arrange()

    def set_theme(self, theme: Any) -> None:
        """Draw in the colours of another theme."""
        self._colours = SceneColours.of(theme)
        for pane in self._panes:
            pane.set_colours(self._colours)

    def refresh(self, rows: Array, now_s: float) -> None:
        """Show the newest frames; draws nothing while hidden.

        Args:
            rows: values of the frames since the last call, oldest first, shape (N, values).
        """
        visible = self.isVisible()
        for pane in self._panes:
            pane.scene.take(rows, now_s)
            if visible:
                pane.show_figure(pane.scene.figure(now_s))

    @property
    def panes(self) -> tuple["_Pane", ...]:
        """One picture a machine."""
        return tuple(self._panes)

    def resizeEvent(self, event: Any) -> None:  # noqa: N802 - Qt's name
        """Put two machines where both are larger."""
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        wide = self.width() >= self.height()
        directions = QBoxLayout.Direction
        self._layout.setDirection(directions.LeftToRight if wide else directions.TopToBottom)


class _Pane(QWidget):
    """One machine: its picture, and over it its name, a note and the legend."""

    def __init__(
        self, scene: Scene, colours: SceneColours, problem: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.scene = scene
        self._colours = colours
        self._note = self._words = ""
        self._why = problem
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self.canvas = self._made_canvas()
        self._layout.addWidget(self.canvas)
        self._heading = _overlay(self)
        self._legend = _overlay(self)
        self._write()

    def show_figure(self, figure: Figure) -> None:
        """Draw a figure; say its note if it has one."""
        if figure.note != self._note:
            self._note = figure.note
            self._write()
        self.canvas.show_figure(figure)

    def say(self, words: str) -> None:
        """Say this below its name."""
        self._words = words
        self._write()

    def set_colours(self, colours: SceneColours) -> None:
        """Draw in other colours."""
        self._colours = colours
        self.canvas.set_colours(colours)
        self._write()

    def resizeEvent(self, event: Any) -> None:  # noqa: N802 - Qt's name
        """Keep the words in their corners."""
        super().resizeEvent(event)
        self._place()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """Another font takes another place."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and hasattr(self, "_legend"):
            self._write()

    def _made_canvas(self) -> Any:
        if self._why:
            return FlatCanvas(self.scene.build, self._colours, self)
        from hil.panel.scene.gl_canvas import Canvas  # here: it needs OpenGL, which may be missing

        canvas = Canvas(self.scene.build, self._colours, self)
        canvas.failed.connect(self._fall_back, Qt.ConnectionType.QueuedConnection)
        return canvas

    def _fall_back(self, why: str) -> None:
        """OpenGL was promised and refused: draw flat from now on."""
        old = self.canvas
        self._why = why
        self.canvas = self._made_canvas()
        self._layout.replaceWidget(old, self.canvas)
        old.deleteLater()
        self._heading.raise_()
        self._legend.raise_()
        self._write()

    def _write(self) -> None:
        lines = [f"<b>{self.scene.title}</b>"]
        if self._words:
            lines.append(escape(self._words))
        warn = self._colours.hex_of["warn"]
        if self._note:
            lines.append(f'<span style="color:{warn}">●</span> {self._note}')
        if self._why:
            lines.append(self.tr("Drawn flat: {why}").format(why=self._why))
        self._heading.setText("<br>".join(lines))
        legend = "<br>".join(
            f'<span style="color:{self._colours.hex_of[entry.role]}">■</span> ' + entry.words
            for entry in self.scene.build.legend
        )
        self._legend.setText(legend)
        keys = self.tr(
            "Drag: turn. Middle button: shift. Wheel, + and -: zoom. Arrows: turn, "
            "with Ctrl: shift. F front, S side, T top, R reset."
        )
        self.setToolTip(f"{legend}<br>{keys}")
        red, green, blue = (round(255.0 * part) for part in self._colours.rgba("background")[:3])
        style = f"color: {self._colours.hex_of['text']}; background: "
        self._heading.setStyleSheet(style + "transparent;")
        self._legend.setStyleSheet(style + f"rgba({red}, {green}, {blue}, 170);")
        self._place()

    def _place(self) -> None:
        self._heading.setFixedWidth(max(10, self.width() - 2 * MARGIN_PX))
        self._heading.adjustSize()
        self._heading.move(MARGIN_PX, MARGIN_PX)
        self._legend.adjustSize()
        self._legend.move(MARGIN_PX, self.height() - self._legend.height() - MARGIN_PX)
        self._legend.setVisible(self.height() >= LEGEND_LEAST_PX)


def _overlay(parent: QWidget) -> QLabel:
    label = QLabel(parent)
    label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
    label.setTextFormat(Qt.TextFormat.RichText)
    label.setWordWrap(False)
    return label
