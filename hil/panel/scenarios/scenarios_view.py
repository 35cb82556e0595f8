"""Scenarios: pick, edit, check, try in a dry run, run."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from PySide6.QtCore import QUrl, Signal
from PySide6.QtGui import QDesktopServices, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from hil.config.file_kind import FileKind
from hil.config.settings import ConfigError
from hil.config.toml_text import TomlError
from hil.panel.scenarios.form_view import FormView
from hil.panel.scenarios.models.catalogue import (
    Entry,
    SaveError,
    Writer,
    begun_entry,
    catalogue,
    entry_of,
    table_of,
)
from hil.panel.scenarios.models.form import FormModel
from hil.panel.scenarios.models.form_check import problems_of
from hil.panel.scenarios.models.scenario_work import News, ScenarioWork
from hil.panel.scenarios.workspace_view import WorkspacePage
from hil.panel.widgets.theme import LIGHT, Theme
from hil.run.file_kinds import all_kinds
from hil.run.registry import machine_preview
from hil.run.station import CheckFinding

_BUTTONS: Final = {
    "check": "Check",
    "dry": "Dry run",
    "run": "Run",
    "stop": "End",
    "save": "Save as…",
    "report": "Report",
    "replay": "Replay",
}
_MARKED: Final = "Put right what is marked, then check or run it."
_UNSAVED: Final = "Changed: save it under another name, then check or run it."
_SUGGESTED: Final = (
    "Dry run computes it in a few seconds. Run moves simulated drives in real time: "
    "press Home, Engage and Play while Space is held."
)


class ScenariosView(QWidget):
    """Scenarios and machines."""

    bench_ready = Signal(object)
    """The socket (Path) of the desk of a bench that was started here."""
    steered = Signal(object)
    """A run (`Steered`) that was started here and listens to handles."""
    replay_wanted = Signal(object)
    """The recording (Path) to show."""
    previewed = Signal(object)
    """Preview of the file that was picked (`Preview`), or why it cannot be shown yet."""

    def __init__(
        self, now_s: Callable[[], float], out: Path = Path("runs"),
        folders: Iterable[Path] = (Path(),), theme: Theme = LIGHT,
    ) -> None:  # fmt: skip
        super().__init__()
        self._folders = tuple(folders)
        self.work = ScenarioWork(now_s, out)
        """What goes on with scenarios."""
        self._entry: Entry | None = None
        self._writer = Writer()
        self._previews = False
        self._pictured: tuple[FormModel, int] | None = None
        self.workspace = WorkspacePage(now_s, theme)
        self._build(theme)
        self.reload()

    # --- building -------------------------------------------------------------------------------

    def _build(self, theme: Theme) -> None:
        self.picker = QComboBox()
        self.picker.setAccessibleName(self.tr("Scenario or machine to show"))
        self.picker.setMinimumContentsLength(12)
        policy = QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        self.picker.setSizeAdjustPolicy(policy)
        self.picker.activated.connect(self._picked)
        self._description = QLabel()
        self._description.setWordWrap(True)
        self.form = FormView(theme, workspace=self.workspace)
        self.form.changed.connect(self._enable)
        self.form.changed.connect(self._preview_machine)
        self._status_label = QLabel()
        self._status_label.setWordWrap(True)
        self.progress = QProgressBar()
        self.progress.setRange(0, 1000)
        self.findings = QListWidget()
        self.findings.setWordWrap(True)
        self.findings.setMaximumHeight(6 * self.fontMetrics().lineSpacing())
        acts = (
            self.check, self.dry_run, self.run, self.stop, self.save_as, self.report, self._replay,
        )  # fmt: skip
        self.buttons = {name: QPushButton(self.tr(_BUTTONS[name])) for name in _BUTTONS}
        first, second = QHBoxLayout(), QHBoxLayout()
        for name, act in zip(_BUTTONS, acts, strict=True):
            self.buttons[name].clicked.connect(lambda _, act=act: act())
            (second if name in ("save", "report", "replay") else first).addWidget(
                self.buttons[name]
            )
        layout = QVBoxLayout(self)
        layout.addWidget(self.picker)
        layout.addWidget(self._description)
        layout.addLayout(first)
        layout.addLayout(second)
        for widget in (self._status_label, self.progress, self.findings):
            layout.addWidget(widget)
        layout.addWidget(self.form, 1)
        self.progress.hide()
        self.findings.hide()
        QShortcut(QKeySequence.StandardKey.Save, self, self.save_again)

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        self.form.set_theme(theme)

    def reload(self) -> None:
        """Look for files again."""
        self.picker.clear()
        for entry in catalogue(self._folders):
            station = entry.station.capitalize() or self.tr("Machine")
            folder = "" if entry.shipped else f" ({entry.path.parent.name})"
            self.picker.addItem(f"{station}: {entry.name}{folder}", entry.path)
        for kind in all_kinds():
            if kind.begun is not None:
                self.picker.addItem(self.tr("New {kind}").format(kind=kind.name), kind)
        self.picker.setCurrentIndex(-1 if self._entry is None else self._row_of(self._entry.path))
        self._enable()

    def _row_of(self, path: Path) -> int:
        rows = range(self.picker.count())
        return next((row for row in rows if self.picker.itemData(row) == path), -1)

    # --- files ----------------------------------------------------------------------------------

    def _picked(self, row: int) -> None:
        picked = self.picker.itemData(row)
        if isinstance(picked, FileKind):
            self.begin(picked)
        else:
            self.open_scenario(picked)

    def begin(self, kind: FileKind) -> None:
        """Begin a new file of a kind, with as little in it as there can be."""
        entry = self._entry = begun_entry(kind, Path.cwd())
        self.picker.setCurrentIndex(self.picker.findData(kind))
        self._description.setText(self.tr("New: fill it in, then save it"))
        self._show_findings(())
        self._status_label.clear()
        self._show_form(FormModel(kind, kind.begun or {}), kind, entry.path)
        self._preview()
        self._enable()

    def open_scenario(self, path: Path | None) -> None:
        """Show a file; one that cannot be read says why."""
        if path is None:
            return
        entry = self._entry = entry_of(path.resolve())
        self.picker.setCurrentIndex(self._row_of(entry.path))
        self._description.setText(entry.problem or entry.description)
        self._show_findings(())
        self._status_label.clear()
        self.form.set_model(None)
        if entry.kind is not None:
            try:
                table, _ = table_of(entry.path)
            except ConfigError as error:
                self._description.setText(str(error))
            else:
                self._show_form(FormModel(entry.kind, table), entry.kind, entry.path)
        self._preview()
        self._enable()

    def want_previews(self, wanted: bool) -> None:
        """Whether what is picked is to be shown in space: not beside a run."""
        begins, self._previews = wanted and not self._previews, wanted
        self.workspace.allow(wanted)
        if begins:
            self._preview()

    def _preview_machine(self) -> None:
        """Show a machine as it is edited, whenever nothing is wrong with it."""
        model, entry = self.form.model, self._entry
        if model is None or entry is None or entry.station or not self._previews:
            return
        pictured = (model, model.revision)
        whole = model.judged == model.revision and not model.problems
        if whole and pictured != self._pictured and machine_preview(model.kind) is not None:
            self._pictured = pictured
            self.work.begin_preview(entry, model.table)

    def _preview(self) -> None:
        kind = None if self._entry is None else self._entry.kind
        if kind is not None and machine_preview(kind) is not None:
            self._pictured = None
            self._preview_machine()
        elif self._entry is not None and self._previews:
            self.work.begin_preview(self._entry)
            self.previewed.emit(f"Preparing a picture of {self._entry.name} …")

    def suggest(self, path: Path | None) -> None:
        """Show a scenario to who has chosen none, and say what can be done with it."""
        if path is None:
            return
        self.open_scenario(path)
        if self._entry is not None and self._entry.station:
            self._status_label.setText(_SUGGESTED)

    def _show_form(self, model: FormModel, kind: FileKind, path: Path) -> None:
        self.form.set_model(model, lambda table: problems_of(kind, table, path), path)

    def save_as(self) -> None:
        """Ask for a name and save there."""
        model, entry = self.form.model, self._entry
        if model is None or entry is None:
            return
        name = str(model.table.get("name") or entry.path.stem)
        start = Path.cwd() if entry.shipped else entry.path.parent
        chosen, _ = QFileDialog.getSaveFileName(
            self, self.tr("Save settings as a new file"), str(start / f"{name}.toml"),
            self.tr("Settings ({endings})").format(
                endings=" ".join(f"*{ending}" for ending in model.kind.endings)
            ),
        )  # fmt: skip
        if chosen:
            self.save(Path(chosen))

    def save_again(self) -> None:
        """Save where it was saved last; ask for a name if that is a file of somebody else's."""
        entry = self._entry
        if entry is None or not self.buttons["save"].isEnabled():
            return
        if entry.path.exists() and not self._writer.may_write(entry.path):
            self.save(entry.path)
        else:
            self.save_as()

    def save(self, path: Path) -> bool:
        """Save what is edited as a file; says why if it cannot.

        A form of file that cannot say all of it is written beside: what is edited stays.

        Returns:
            Whether it was saved.
        """
        model, entry = self.form.model, self._entry
        if model is None or entry is None:
            return False
        known = path.suffix.lower() in model.kind.endings
        path = path if known else path.with_name(f"{path.name}.toml")
        try:
            self._writer.save(model.table, path, entry.path, model.kind)
        except (SaveError, TomlError, ConfigError) as error:
            self._status_label.setText(str(error))
            return False
        if lost := self._writer.lost:
            words = self.tr("Saved as {path}, which cannot say: {lost}")
            self._status_label.setText(words.format(path=path, lost="; ".join(lost)))
            return True
        model.saved()
        self._folders = tuple(dict.fromkeys((*self._folders, path.parent)))
        self.open_scenario(path)
        self.reload()
        self._status_label.setText(self.tr("Saved as {path}").format(path=path))
        return True

    # --- what is done with one ------------------------------------------------------------------

    def check(self) -> None:
        """Prove the whole motion, in a process of its own."""
        if self._entry is not None and self.work.check is None:
            self._show_findings(())
            self._status_label.setText(self.work.begin_check(self._entry))
            self._enable()

    def dry_run(self) -> None:
        """Try it in the virtual clock, in a process of its own."""
        if self._entry is not None and self.work.dry is None:
            self._status_label.setText(self.work.begin_dry_run(self._entry))
            self.progress.show()
            self._enable()

    def run(self) -> None:
        """Begin a bench in real time, led from panels."""
        entry, model = self._entry, self.form.model
        if entry is not None and model is not None and not self.work.running:
            self._status_label.setText(self.work.begin_bench(entry, model.table))
            self._enable()

    def stop(self) -> None:
        """Ask the bench that was started here to stop along its path, park and end."""
        if self.work.bench is not None:
            self.work.bench.ask_to_stop()

    def report(self) -> None:
        """Make the page of the last recording, and open it."""
        if self.work.recording is not None and self.work.report is None:
            self._status_label.setText(self.work.begin_report(self.work.recording))
            self._enable()

    def _replay(self) -> None:
        if self.work.recording is not None:
            self.replay_wanted.emit(self.work.recording)

    # --- looking --------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Look at the processes; called by the window's timer, hidden or not."""
        if self.work.dry is not None:
            self.progress.setValue(round(1000.0 * self.work.dry.share))
        for news in self.work.poll():
            self._take_news(news)
        self.workspace.refresh()

    def _take_news(self, news: News) -> None:
        if news.preview is not None:
            self.previewed.emit(news.preview)
            return
        self._status_label.setText(news.words)
        self.progress.setVisible(self.work.dry is not None)
        if news.findings is not None:
            self._show_findings(news.findings)
        if news.desk is not None:
            self.bench_ready.emit(news.desk)
        if news.steered is not None:
            self.steered.emit(news.steered)
        if news.page is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(news.page.resolve())))
        self._enable()

    def _show_findings(self, findings: Iterable[CheckFinding]) -> None:
        self.findings.clear()
        for one in findings:
            when = "" if one.t_s is None else f"{one.t_s:.3f} s, "
            self.findings.addItem(
                f"{when}{one.place}: {one.quantity} {one.value:.5g} {one.unit}, "
                f"limit {one.limit:.5g} {one.unit}"
            )
        self.findings.setVisible(self.findings.count() > 0)

    def _enable(self) -> None:
        """Let only what makes sense now be pressed, and say why the rest cannot."""
        model, entry = self.form.model, self._entry
        wrong = model is None or bool(model.problems)
        changed = model is not None and model.changed
        ready = entry is not None and bool(entry.station) and not wrong and not changed
        work = self.work
        possible = {
            "check": ready and not work.proving,
            "dry": ready and not work.proving and not (entry and entry.several),
            "run": ready and not work.running,
            "stop": work.running,
            "save": model is not None and not wrong,
            "report": work.recording is not None and work.report is None,
            "replay": work.recording is not None,
        }
        marked, unsaved = self.tr(_MARKED), self.tr(_UNSAVED)
        why = marked if wrong and model else unsaved if changed else ""
        for name, button in self.buttons.items():
            button.setEnabled(possible[name])
            button.setToolTip("" if possible[name] else why)
        if why:
            self._status_label.setText(why)
        elif self._status_label.text() in (marked, unsaved):
            self._status_label.clear()

    def close_all(self) -> None:
        """End what moves nothing, as the window closes; a bench runs on, without its dead-man."""
        self.form.close_checks()
        self.workspace.close_work()
        self.work.close()
