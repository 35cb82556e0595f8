"""A diagram that is being edited: its versions, what is wrong with it, its file, its autosave."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Final

from hil.config.errors import ConfigError, RefusedError
from hil.config.settings import settings_text
from hil.diagram.file.model import Diagram, DiagramFile
from hil.diagram.file.read import read_text
from hil.diagram.file.write import save, text_of
from hil.panel.diagram.models.edits import Connect, Edit
from hil.panel.diagram.models.group_edits import Group
from hil.panel.diagram.models.history import History, Step
from hil.panel.diagram.models.journal import DamagedError, EditJournal, journal_path, set_aside
from hil.panel.diagram.models.judge import Faults, connected, faults_of, port_parameters

_DRAWING: Final = frozenset({"places", "note"})
"""Sections that change nothing of the law."""
_UNDECIDED: Final = "there are unsaved edits of before: recover or discard them first"


class Document:
    """What an editor has open.

    The user's file is written by `save` alone. Each edit goes into a journal beside it.

    Args:
        path: Of the diagram; it need not be there yet.

    Raises:
        ConfigError: If the file cannot be read as a diagram.
        RefusedError: If another process edits it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.notice = ""
        """What went wrong with the autosave; empty if nothing did."""
        self.offered: History | None = None
        """Edits that a process left unsaved; see `recover` and `discard`."""
        self._on_disk = settings_text(path) if path.exists() else None
        self._history = History(_parsed(self._on_disk, path))
        self._saved_text = text_of(self.file)
        self._journal: EditJournal | None = None
        self._faults: Faults | None = None
        self._open_journal()

    @property
    def file(self) -> DiagramFile:
        """The version that is shown."""
        return self._history.file

    @property
    def unsaved(self) -> bool:
        """Whether the file would change if it were saved."""
        return text_of(self.file) != self._saved_text

    @property
    def faults(self) -> Faults:
        """Everything that is wrong with the version that is shown."""
        if self._faults is None:
            self._faults = faults_of(self.file)
        return self._faults

    # Edits.

    def do(self, edit: Edit) -> bool:
        """Do an edit; whether it changed anything.

        Raises:
            RefusedError: With the reason; nothing is changed then.
        """
        if self.offered is not None:
            raise RefusedError(_UNDECIDED)
        made = connected(self.file, edit) if isinstance(edit, Connect) else edit.on(self.file)
        step = self._history.step_to(made, edit.words)
        if step is None:
            return False
        self._history.push(step)
        self._changed("do", step)
        return True

    def group(self, where: str, names: Collection[str], name: str) -> None:
        """Make a sub-diagram of blocks; its ports have the types of the wires that are cut.

        Raises:
            RefusedError: With the reason.
        """
        self.do(Group(where, frozenset(names), name, port_parameters(self.file, where)))

    def refusal(self, wire: Connect) -> str:
        """Why a wire cannot be; empty if it can."""
        try:
            connected(self.file, wire)
        except RefusedError as error:
            return str(error)
        return ""

    @property
    def undo_words(self) -> str:
        """What `undo` would take back; empty if nothing."""
        return self._history.done[-1].words if self._history.done else ""

    @property
    def redo_words(self) -> str:
        """What `redo` would do again; empty if nothing."""
        return self._history.undone[-1].words if self._history.undone else ""

    def undo(self) -> bool:
        """Take back the last step; whether there was one."""
        step = self._history.undo()
        if step is not None:
            self._changed("undo", step)
        return step is not None

    def redo(self) -> bool:
        """Do again what was taken back last; whether there was anything."""
        step = self._history.redo()
        if step is not None:
            self._changed("redo", step)
        return step is not None

    def _changed(self, what: str, step: Step) -> None:
        if not all(one.section in _DRAWING for one in step.changes):
            self._faults = None
        if self._journal is not None:
            try:
                self._journal.write(what, step)
            except OSError as error:  # editing goes on, and is told to be without a net
                self._end_journal(remove=False)
                self.notice = f"autosave has ended: {error.strerror}; save the file"

    # The file.

    def save(self, *, overwrite: bool = False) -> None:
        """Write the file: what the engine then runs is what is shown.

        Args:
            overwrite: Also where another program has changed the file since it was read.

        Raises:
            RefusedError: If it cannot be written, or would not be read again.
        """
        try:
            there = settings_text(self.path) if self.path.exists() else None
        except ConfigError:
            there = None
        if there != self._on_disk and not overwrite:
            raise RefusedError(f"{self.path} was changed by another program since it was read")
        self._write(self.path)

    def save_as(self, path: Path, *, overwrite: bool = False) -> None:
        """Write another file, which is edited from then on.

        Raises:
            RefusedError: As `save`, or if there is one already.
        """
        if path.exists() and not overwrite:
            raise RefusedError(f"{path} is there already")
        self._write(path)

    def _write(self, path: Path) -> None:
        if self.offered is not None:
            raise RefusedError(_UNDECIDED)
        text = text_of(self.file)
        try:
            read = read_text(text, path)
            if text_of(read) != text:
                raise RefusedError(f"{path}: not written: it would read as another diagram")
            save(self.file, path)
        except ConfigError as error:
            raise RefusedError(f"{path}: not written: {error.problems[0]}") from None
        except OSError as error:
            raise RefusedError(f"{path}: not written: {error.strerror}") from None
        self._end_journal(remove=path != self.path)
        if path != self.path:
            self._history.file = replace(self.file, path=path, foreign=read.foreign)
            self._faults = None
        self.path, self._on_disk, self._saved_text = path, text, text
        self._begin_journal()

    def close(self, *, discard: bool = False) -> None:
        """Let go of the file.

        Args:
            discard: Unsaved edits too; else they are offered when it is opened again.
        """
        self._end_journal(remove=(discard or not self.unsaved) and self.offered is None)

    # The autosave.

    def recover(self) -> int:
        """Go on with the edits that were left unsaved; how many steps there are."""
        if self.offered is None:
            return 0
        self._history, self.offered, self._faults = self.offered, None, None
        return len(self._history.done)

    def discard(self) -> None:
        """Leave them, for good."""
        self.offered = None
        self._begin_journal()

    def _open_journal(self) -> None:
        try:
            found = EditJournal.resume(self.path)
        except DamagedError as error:
            aside = set_aside(self.path)
            self.notice = f"the autosave is damaged ({error}); it was set aside as {aside.name}"
            found = None
        except OSError as error:
            self.notice = f"no autosave: {journal_path(self.path)}: {error.strerror}"
            return
        if found is not None:
            self._journal, history, text = found
            if text_of(history.file) != self._saved_text:
                self.offered = history
                if text != self._on_disk:
                    self.notice = "the file has changed since the edits that were left unsaved"
                return
        self._begin_journal()

    def _begin_journal(self) -> None:
        self._end_journal(remove=False)
        try:
            self._journal = EditJournal.begin(self.path, self._on_disk)
        except OSError as error:
            self.notice = f"no autosave: {journal_path(self.path)}: {error.strerror}"

    def _end_journal(self, *, remove: bool) -> None:
        if self._journal is not None:
            self._journal.close(remove=remove)
            self._journal = None


def _parsed(text: str | None, path: Path) -> DiagramFile:
    return DiagramFile(Diagram(), path=path) if text is None else read_text(text, path)
