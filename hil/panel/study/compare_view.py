"""Two runs over each other: one signal of both, its difference, figures of all, and settings."""

from pathlib import Path
from typing import Any, Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from hil.panel.scope.models.channels import Channel
from hil.panel.scope.signs import sign_of
from hil.panel.study.compare_results import ComparePlots, FiguresTable, SettingsTable
from hil.panel.study.models.compare import CompareError, comparable, settings_that_differ
from hil.panel.study.models.compare_align import Align
from hil.panel.study.models.compare_work import Comparison, compare, read_run
from hil.panel.study.models.compared_run import ComparedRun
from hil.panel.widgets.background import Background, Watch
from hil.panel.widgets.theme import Theme
from hil.recording.header import RecordingError

_ALIGNS: Final = {
    "none": "motion time",
    "engaged": "start of motion",
    "correlation": "likeness of the signal",
}

_REFUSALS: Final = (RecordingError, OSError)
"""Errors of a recording that cannot be read, or for which there is no memory."""


class CompareView(QWidget):
    """Two recordings beside each other."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._runs: list[ComparedRun | None] = [None, None]
        self._channels: tuple[Channel, ...] = ()
        self._named = ""
        self._reading: list[Background[ComparedRun] | None] = [None, None]
        self._comparing: Background[Comparison] | None = None
        self.shift_s = 0.0
        """By which the second run is shifted now [s]."""
        self.open = [QPushButton(words, self) for words in ("First run…", "Second run…")]
        self.channel = QComboBox(self)
        self.channel.setAccessibleName(self.tr("Signal"))
        self.align = QComboBox(self)
        self.align.setAccessibleName(self.tr("Aligned by"))
        for align in Align:
            self.align.addItem(self.tr(_ALIGNS[align.value]), align)
        self.status_label = QLabel(
            self.tr("Open two recordings of one station to compare them"), self
        )
        self.status_label.setTextFormat(Qt.TextFormat.RichText)
        self.status_label.setWordWrap(True)
        self.progress = QProgressBar(self)
        self.progress.setRange(0, 1000)
        self.progress.hide()
        self.cancel = QPushButton(self.tr("Cancel"), self)
        self.cancel.hide()
        self.cancel.clicked.connect(self.give_up)
        self.plots = ComparePlots(theme, self)
        self.figures = FiguresTable(self)
        self.settings = SettingsTable(self)
        self._arrange()
        self.set_theme(theme)
        for which, button in enumerate(self.open):
            button.clicked.connect(lambda _=False, which=which: self._ask(which))
        self.channel.currentIndexChanged.connect(self._changed)
        self.align.currentIndexChanged.connect(self._changed)
        self.figures.picked.connect(
            lambda name: self.channel.setCurrentIndex(self.channel.findData(name))
        )

    def set_run(self, which: int, run: ComparedRun) -> None:
        """Compare another run.

        Args:
            which: 0 the first, 1 the second.
        """
        self._runs[which] = run
        chosen = self.channel.currentData()
        first, second = self._runs
        try:
            self._channels = ()
            if first is not None and second is not None:
                self._channels = comparable(first.facts, second.facts)
        except CompareError as error:
            self._clear()
            self._refuse(error)
            return
        self.channel.blockSignals(True)
        self.channel.clear()
        for channel in self._channels:
            self.channel.addItem(channel.name, channel.name)
        self.channel.setCurrentIndex(max(0, self.channel.findData(chosen)))
        if chosen is None and self._channels:
            self.channel.setCurrentIndex(max(0, self.channel.findText("measured_length_leg1_m")))
        self.channel.blockSignals(False)
        self._changed()

    def open_file(self, which: int, path: Path) -> None:
        """Read a recording in the background and compare it; a message says if it cannot be.

        Args:
            which: 0 the first, 1 the second.
            path: the file or the run's folder.
        """
        before = self._reading[which]
        if before is not None:
            before.cancel()
        self.status_label.setText(self.tr("Reading {name}…").format(name=path.name))
        self._reading[which] = Background(lambda watch: read_run(path, watch), refusals=_REFUSALS)
        self._show_progress()

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        self._theme = theme
        self.plots.set_theme(theme)
        self._changed()

    def refresh(self) -> None:
        """Look at what is done in the background; seen or not."""
        for which, reading in enumerate(self._reading):
            if reading is None or not reading.done:
                continue
            self._reading[which] = None
            run = reading.poll()
            if run is not None:
                self.set_run(which, run)
            elif reading.refusal is not None:
                self._refuse(reading.refusal)
        comparing = self._comparing
        if comparing is not None and comparing.done:
            self._comparing = None
            found = comparing.poll()
            if found is not None:
                self._show(found)
            elif comparing.refusal is not None:
                self._refuse(comparing.refusal)
        self._show_progress()

    @property
    def busy(self) -> bool:
        """Whether something is read or compared."""
        return self._comparing is not None or any(self._reading)

    def give_up(self) -> None:
        """End what is read or compared now."""
        for work in (*self._reading, self._comparing):
            if work is not None:
                work.cancel()
        if self.busy:
            self._reading, self._comparing = [None, None], None
            self.status_label.setText(self.tr("Given up; open a run or choose a signal to go on"))
        self._show_progress()

    def close_all(self) -> None:
        """End background work as the window closes, and wait for its end.

        A thread that outlived the window would hold a recording's memory, and work for nobody.
        """
        works = [work for work in (*self._reading, self._comparing) if work is not None]
        self._reading, self._comparing = [None, None], None
        for work in works:
            work.cancel()
        for work in works:
            work.wait()

    def _show_progress(self) -> None:
        works = [work for work in (*self._reading, self._comparing) if work is not None]
        for part in (self.progress, self.cancel):
            part.setVisible(bool(works))
        if works:
            share = sum(work.watch.share for work in works) / len(works)
            self.progress.setValue(round(1000.0 * share))

    def _ask(self, which: int) -> None:
        name, _ = QFileDialog.getOpenFileName(
            self, self.tr("Open a recording"), "", self.tr("Recordings (*.mcap)")
        )
        if name:
            self.open_file(which, Path(name))

    def _arrange(self) -> None:
        bar = QHBoxLayout()
        for part in (*self.open, self.channel, self.align):
            bar.addWidget(part)
        bar.addStretch(1)
        tables = QSplitter(Qt.Orientation.Horizontal, self)
        tables.addWidget(self.figures)
        tables.addWidget(self.settings)
        split = QSplitter(Qt.Orientation.Vertical, self)
        split.addWidget(self.plots)
        split.addWidget(tables)
        split.setStretchFactor(0, 3)
        split.setStretchFactor(1, 2)
        split.setSizes([360, 240])
        self.plots.setMinimumHeight(200)
        self.channel.setMinimumContentsLength(26)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(4, 4, 4, 4)
        whole.addLayout(bar)
        whole.addWidget(self.status_label)
        work = QHBoxLayout()
        work.addWidget(self.progress, 1)
        work.addWidget(self.cancel)
        whole.addLayout(work)
        whole.addWidget(split, 1)

    def _clear(self) -> None:
        self.plots.clear_runs()
        self.figures.setRowCount(0)
        self.settings.setRowCount(0)

    def _refuse(self, error: Exception) -> None:
        self.status_label.setText(self.tr("Cannot be compared: {why}").format(why=error))

    def _changed(self, *_: Any) -> None:
        """Work all out anew, in the background: another run, signal or alignment."""
        self._clear()
        if self._comparing is not None:
            self._comparing.cancel()
            self._comparing = None
        first, second = self._runs
        if first is None or second is None or not self._channels:
            return
        channels = self._channels
        shown = channels[max(0, self.channel.currentIndex())]
        align = self.align.currentData()
        self._write_settings(first, second)

        def work(watch: Watch) -> Comparison:
            return compare((first, second), channels, shown, align, watch)

        self._comparing = Background(work, refusals=(CompareError, *_REFUSALS))
        self._show_progress()

    def _show(self, found: Comparison) -> None:
        self.shift_s = found.shift_s
        self.figures.show_figures(found.rows)
        shift = self.tr("second run shifted by {value:+.4f} s").format(value=found.shift_s)
        words = shift if found.rows else self.tr("the runs have no time in common when aligned so")
        self.status_label.setText(f"{self._named} · {words}")
        self.plots.draw(found.shown)

    def _write_settings(self, first: ComparedRun, second: ComparedRun) -> None:
        rows = settings_that_differ(first.facts, second.facts)
        self.settings.show_settings(rows)
        same = (
            self.tr("{count} settings differ").format(count=len(rows))
            if rows
            else self.tr("Rigs, scenarios and limits are the same")
        )
        names = " · ".join(
            f'<span style="color:{self._theme.traces[number]}">{sign_of(number)}</span> '
            f"{key}: {run.facts.name}"
            for number, (key, run) in enumerate((("first", first), ("second", second)))
        )
        self._named = f"{names} · {same}"
        self.status_label.setText(self._named)
