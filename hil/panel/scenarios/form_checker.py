"""Checks of a form in another thread, begun when typing rests."""

from collections.abc import Callable
from typing import Any, Final

from PySide6.QtCore import QObject, QRunnable, QThreadPool, QTimer, Signal

from hil.panel.scenarios.models.form import FormModel
from hil.panel.scenarios.models.form_check import Problem

IDLE_MS: Final = 150
"""Rest after the last key before the settings are checked [ms]."""

Check = Callable[[dict[str, Any]], tuple[Problem, ...]]


class Checker(QObject):
    """Checks of one form, one at a time."""

    found = Signal(int, object)
    """The revision that was checked, and its problems (tuple of `Problem`)."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._work: tuple[FormModel, Check] | None = None
        self.pool = QThreadPool(self)
        self.pool.setMaxThreadCount(1)
        self.idle = QTimer(self)
        self.idle.setSingleShot(True)
        self.idle.setInterval(IDLE_MS)
        self.idle.timeout.connect(self.begin)

    def set_work(self, model: FormModel | None, check: Check | None) -> None:
        """Check another form from now on, with another check; at once for the first time."""
        self._work = None if model is None or check is None else (model, check)
        self.begin()

    def rest(self) -> None:
        """Check when nothing was changed for a moment."""
        self.idle.start()

    def begin(self) -> None:
        """Check now."""
        if self._work is not None:
            model, check = self._work
            self.pool.start(_Checking(check, model.table, model.revision, self))

    def close(self) -> None:
        """Wait for a check under way: the window closes."""
        self.idle.stop()
        self.pool.waitForDone()


class _Checking(QRunnable):
    """One check."""

    def __init__(
        self, check: Check, table: dict[str, Any], revision: int, checker: Checker
    ) -> None:
        super().__init__()
        self._check, self._table, self._revision, self._checker = check, table, revision, checker

    def run(self) -> None:
        """Check, and say what was found."""
        self._checker.found.emit(self._revision, self._check(self._table))
