"""A check of a whole motion in the background, and what its JSON says."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hil.config.errors import ConfigError
from hil.config.file_kind import FileKind
from hil.panel.scenarios.models.catalogue import entry_of
from hil.panel.scenarios.models.launch_child import HIL, Child
from hil.run.registry import stations
from hil.run.station import CheckFinding
from hil.run.together import part_files


@dataclass(frozen=True, slots=True)
class CheckOutcome:
    """How a check ended."""

    ok: bool
    """Whether all is well."""
    findings: tuple[CheckFinding, ...]
    """The wrong ones first."""
    error: str
    """Why there is no verdict on the motion; empty if there is."""
    duration_s: float | None
    """Of the motion [s]; None if not told."""


class CheckRun:
    """`hil check` of a file, in the background."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._child = Child([*HIL, "check", str(path), "--json"])

    def poll(self) -> CheckOutcome | None:
        """Return how it went; None while it runs."""
        if self._child.status is None:
            return None
        said = self._child.answer()
        if said is None:
            return CheckOutcome(False, (), self._child.why(), None)
        parts: dict[str, FileKind | None] = {}
        with suppress(ConfigError):  # of one station, or gone since
            parts = {name: entry_of(file).kind for name, file in part_files(self._path).items()}
        return outcome_of(said, entry_of(self._path).kind, parts)

    def end(self) -> None:
        """End it."""
        self._child.end()


def outcome_of(
    said: dict[str, Any], kind: FileKind | None, parts: Mapping[str, FileKind | None] | None = None
) -> CheckOutcome:
    """What the JSON of `hil check` says.

    Args:
        parts: kinds of the scenarios of its parts, by their names.
    """
    told = said.get("parts")
    if isinstance(told, dict):
        each = {name: outcome_of(one, (parts or {}).get(name)) for name, one in told.items()}
        findings = tuple(
            replace(finding, place=f"{name}: {finding.place}")
            for name, outcome in each.items()
            for finding in outcome.findings
        )
        errors = [f"{name}: {one.error}" for name, one in each.items() if one.error]
        return CheckOutcome(bool(said.get("ok")), _wrong_first(findings), "\n".join(errors), None)
    read = next((one.views.findings for one in stations() if one.scenarios is kind), None)
    findings = () if read is None else read(said)
    error = str(said.get("error") or "")
    return CheckOutcome(bool(said.get("ok")), _wrong_first(findings), error, said.get("duration_s"))


def _wrong_first(findings: tuple[CheckFinding, ...]) -> tuple[CheckFinding, ...]:
    return tuple(sorted(findings, key=lambda one: not one.wrong))
