"""The motion of a machine that runs, as a form: what is in force, until somebody edits it.

The form follows the motion in force while nobody has changed it; from the first edit on it is the
operator's, and says so, until it is applied or the steps are taken back.
"""

from collections.abc import Mapping
from typing import Any, Literal

from hil.config.file_kind import FileKind
from hil.config.settings import ConfigError, Settings
from hil.panel.live.models.in_force import InForce
from hil.panel.scenarios.models.form import FormModel
from hil.panel.scenarios.models.form_check import Problem, located
from hil.run.lead import PlayedMotion

Comparison = Literal["untold", "unknown", "same", "proved", "changed"]
"""How the form stands to the motion in force: not told yet, its terms not known here, the same,
given to control but not in force, or another one."""


class LiveMotion:
    """The form."""

    def __init__(self, kind: FileKind, led: PlayedMotion, in_force: InForce) -> None:
        self._in_force, self._kind, self._led = in_force, kind, led
        self.form = FormModel(kind, led.scenario)
        """The scenario; its ``motion`` can be changed. Another object when another is in force."""
        self.live = led.read is not None
        """Whether it can change while it runs."""
        self._built: tuple[object, Settings | None] = (None, None)
        self._known: tuple[object, Settings | None] = (None, None)

    @property
    def table(self) -> dict[str, Any]:
        """The ``[motion]`` table as it is edited; not to be changed."""
        table: dict[str, Any] = self.form.table["motion"]
        return table

    def problems(self) -> tuple[Problem, ...]:
        """Problems of the motion as it is edited, at its fields; not yet those of its course."""
        try:
            self._read(self.table)
        except ConfigError as error:
            found = [located(line) for line in error.problems]
            return tuple(Problem(("motion", *one.place), one.message) for one in found)
        return ()

    @property
    def comparison(self) -> Comparison:
        """Relation of the form to the motion in force."""
        serial, newest = self._in_force.serial, self._in_force.newest
        if serial is None:
            return "untold"
        if (now := self._motion(serial)) is None:
            return "unknown"
        edited = self._edited()
        if edited == now:
            return "same"
        return "proved" if serial != newest and edited == self._motion(newest) else "changed"

    def follow(self) -> None:
        """Show the motion in force, unless another was edited or has just been proved."""
        serial = self._in_force.serial
        if not self.live or self.form.changed or serial is None:
            return
        now = self._motion(serial) if serial == self._in_force.newest else None
        if now is not None and now != self._edited():
            motion = now.model_dump(mode="json", exclude_none=True)
            self.form = FormModel(self._kind, {**self._led.scenario, "motion": motion})

    def _edited(self) -> Settings | None:
        """Settings of the form; None while something is wrong with it."""
        if not self.live:
            return self._led.own
        table = self.table
        if self._built[0] is not table:  # tables are replaced, never changed
            self._built = (table, self._settings(table))
        return self._built[1]

    def _motion(self, serial: int) -> Settings | None:
        """The motion of a number; None if it is not known."""
        if serial == 0:
            return self._led.own
        table = self._in_force.table(serial)
        if table is None:
            return None
        if self._known[0] is not table:
            self._known = (table, self._settings(table))
        return self._known[1]

    def _read(self, table: Mapping[str, Any]) -> Settings:
        return self._led.own if self._led.read is None else self._led.read(table)

    def _settings(self, table: Mapping[str, Any]) -> Settings | None:
        try:
            return self._read(table)
        except ConfigError:
            return None
