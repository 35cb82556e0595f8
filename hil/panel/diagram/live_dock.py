"""The diagram as it runs: begin, stay, a tick on, back; values on its wires; a scope on one."""

from __future__ import annotations

from typing import Any, Final

from PySide6.QtCore import QElapsedTimer, QTimer, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLabel, QLineEdit, QSplitter, QToolBar, QVBoxLayout, QWidget

from hil.config.errors import ConfigError, RefusedError
from hil.desk.endpoints import PlaceError
from hil.diagram.check.flat import Endpoint
from hil.diagram.file.model import DiagramFile
from hil.diagram.run.stepper import BACK_S
from hil.diagram.run.tap_reader import TapReader, find_tapped_laws
from hil.panel.diagram.drawing_view import DiagramView
from hil.panel.diagram.input_table import InputTable
from hil.panel.diagram.models.live_run import LiveRun
from hil.panel.diagram.models.live_station import LiveStation, law_of
from hil.panel.diagram.models.live_values import (
    RunningDiagram,
    active_states,
    port_words,
    visible_ports,
)
from hil.panel.diagram.scene import DiagramScene
from hil.panel.diagram.wire_plot import WirePlot
from hil.panel.widgets.theme import Theme

REFRESH_MS: Final = 50
VALUES_MOST: Final = 200
"""Outputs in sight that have their values written."""
NOT_RUNNING: Final = "It does not run. F5 begins; F8 watches a machine that it moves."


class LiveDock(QWidget):
    """Runs what is drawn, or watches what runs elsewhere, and writes values into the drawing.

    Args:
        scene: The drawing.
        view: What is seen of it.
        theme: Its colours.
        trusted: Whether the code of FMUs may be loaded.
    """

    refused = Signal(str)
    """Reason why something cannot be done."""

    def __init__(
        self, scene: DiagramScene, view: DiagramView, theme: Theme, *, trusted: bool = False
    ) -> None:
        super().__init__()
        self._trusted = trusted
        self._scene, self._view = scene, view
        self._drawn: tuple[Any, ...] = ()
        self._ports: list[tuple[str, str, Endpoint]] = []
        self.source: RunningDiagram | None = None
        """What is seen; None while nothing runs."""
        self.bar = QToolBar()
        self.status_label = QLabel(NOT_RUNNING)
        self.status_label.setWordWrap(True)
        self.condition = QLineEdit(placeholderText="Pause when… such as pi.y > 0.5")
        self.inputs = InputTable()
        self.plot = WirePlot(theme)
        split = QSplitter()
        split.addWidget(self.inputs)
        split.addWidget(self.plot)
        split.setSizes([300, 700])
        column = QVBoxLayout(self)
        column.setContentsMargins(6, 0, 6, 6)
        for one in (self.bar, self.status_label, split):
            column.addWidget(one)
        column.setStretch(2, 1)
        self.actions_by_name: dict[str, QAction] = {}
        self._actions()
        self._clock, self._timer = QElapsedTimer(), QTimer(self)
        self._timer.setInterval(REFRESH_MS)
        self._timer.timeout.connect(self._elapsed)
        self._enable()
        self.condition.returnPressed.connect(self._stop_when)
        self.inputs.refused.connect(self.refused)
        self.inputs.changed.connect(self.refresh)
        scene.selectionChanged.connect(self.refresh)
        scene.entered.connect(self.refresh)

    def _actions(self) -> None:
        back_by_s = f"Back {BACK_S:g} s"
        for words, key, act in (
            ("Run", "F5", self.run),
            ("Pause", "F6", lambda: self._with(lambda one: one.go(on=False))),
            ("Step", "F10", lambda: self._with(lambda one: one.step())),
            ("Step back", "Shift+F10", lambda: self._with(lambda one: one.back(one.base_s))),
            (back_by_s, "Shift+F5", lambda: self._with(lambda one: one.back(BACK_S))),
            ("Stop", "Ctrl+F5", self.end),
            ("Watch a run", "F8", self.watch),
        ):
            action = QAction(words, self)
            action.setShortcut(key)
            action.setToolTip(f"{words} ({key})")
            action.triggered.connect(lambda _, act=act: act())
            self.bar.addAction(action)
            self.actions_by_name[words] = action
        self._back = [self.actions_by_name[one] for one in ("Step back", back_by_s)]
        self.bar.addWidget(self.condition)

    # What is done.

    def run(self) -> None:
        """Begin, or continue."""
        if self.source is None and not self._begin():
            return
        self._with(lambda one: one.go(on=True))

    def _begin(self) -> bool:
        try:
            made = LiveRun(self._scene.document.file, trusted=self._trusted)
        except ConfigError as error:
            self.refused.emit(f"it cannot run: {error.problems[0]}")
            return False
        except RefusedError as error:
            self.refused.emit(f"it cannot run: {error}")
            return False
        self.inputs.show_run(made)
        self.see(made)
        return True

    def watch(self) -> None:
        """See this diagram as it moves a machine, from now on."""
        document = self._scene.document
        try:
            law = law_of(document.file, str(document.path.resolve()), find_tapped_laws())
            station = LiveStation(law, TapReader.attach(law))
        except (RefusedError, ConfigError, PlaceError) as error:
            self.refused.emit(str(error))
            return
        self.end()
        self.see(station)

    def see(self, source: RunningDiagram) -> None:
        """Show another source from now on."""
        self.source = source
        self._stop_when()
        self._clock.start()
        self._timer.start()
        self.refresh()

    def end(self) -> None:
        """Run no more."""
        self._timer.stop()
        source, self.source = self.source, None
        if source is not None:
            source.release()
        self.inputs.show_run(None)
        self.refresh()

    def edited(self) -> None:
        """The document is another version."""
        if isinstance(self.source, LiveRun):
            self.source.edited(self._scene.document.file)
            self.inputs.show_run(self.source)
        self.refresh()

    def _with(self, act: Any) -> None:
        if self.source is None and not self._begin():
            return
        if self.source is not None:
            act(self.source)
            self._clock.restart()
            self.refresh()

    def _stop_when(self) -> None:
        if self.source is not None:
            try:
                self.source.stop_when(self.condition.text())
            except RefusedError as error:
                self.refused.emit(str(error))

    # What is seen.

    def _elapsed(self) -> None:
        if self.source is not None:
            self.source.advance(1e-3 * self._clock.restart())
            self.refresh()

    def refresh(self) -> None:
        """Write what is so now."""
        source, scene = self.source, self._scene
        self._enable()
        self.status_label.setText(NOT_RUNNING if source is None else source.words)
        if source is None:
            scene.write_values({})
            for item in scene.blocks.values():
                item.show_state("")
                item.show_stop("")
            self.plot.draw([], 1.0, 0)
            return
        file, where, around = scene.document.file, scene.where, scene.around
        chosen = scene.chosen_outputs()
        ends = self._ends(file, where, around, chosen)
        source.show(ends.values())
        words = {one: port_words(source, end, scene.letters(*one)) for one, end in ends.items()}
        scene.write_values(words)
        states = dict(active_states(source, file, where, around))
        begin = f"{around}/" if around else ""
        for name, item in scene.blocks.items():
            item.show_state(states.get(name, ""))
            here = source.stopped_at == begin + name
            inside = source.stopped_at.startswith(f"{begin}{name}/")
            item.show_stop(source.words if here or inside else "")
        watched = [ends[one] for one in chosen if one in ends]
        source.watch(watched)
        traces = [(f"{path}.{port}", source.trace(path, port)) for path, port in watched]
        found = [(name, trace) for name, trace in traces if trace is not None]
        self.plot.draw(found, source.base_s, source.tick)

    def _enable(self) -> None:
        """Let the actions be on that would change something now."""
        runs = self.source is not None
        going = self.source is not None and self.source.going
        self.actions_by_name["Stop"].setEnabled(runs)
        for action in self._back:
            action.setEnabled(self.source is not None and self.source.goes_back)
        self.actions_by_name["Pause"].setEnabled(going)
        self.actions_by_name["Run"].setEnabled(not going)

    def _ends(self, file: DiagramFile, where: str, around: str, chosen: list[tuple[str, str]]
              ) -> dict[tuple[str, str], Endpoint]:  # fmt: skip
        """Outputs whose values are written: those in sight and large enough to be read."""
        drawn = (file, where, around)
        if len(self._drawn) != len(drawn) or any(
            one is not other for one, other in zip(self._drawn, drawn, strict=True)
        ):
            self._drawn = drawn
            self._ports = list(visible_ports(file, where, around))
        seen = self._view.blocks_in_sight()
        first, found = set(chosen), dict[tuple[str, str], Endpoint]()
        for name, port, end in self._ports:
            if (name, port) in first or (name in seen and len(found) < VALUES_MOST):
                found[name, port] = end
        return found
