"""Work in the background that moves nothing and may be ended at any time."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import orjson

from hil.config.errors import ConfigError
from hil.config.file_kind import FileKind
from hil.panel.scenarios.models.catalogue import entry_of
from hil.panel.scenarios.models.launch_child import HIL, Child
from hil.run.preview import Preview
from hil.run.registry import stations
from hil.run.station import CheckFinding
from hil.run.together import part_files

DRY_RUN: Final = ("-m", "hil.panel.scenarios.models.dry_run")
PREVIEW: Final = ("-m", "hil.panel.scenarios.models.preview")


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
    parts_said = said.get("parts")
    if isinstance(parts_said, dict):
        each = {name: outcome_of(one, (parts or {}).get(name)) for name, one in parts_said.items()}
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


@dataclass(frozen=True, slots=True)
class DryOutcome:
    """How a dry run ended."""

    ok: bool
    """Whether all went well."""
    reason: str
    """How it ended, or what went wrong."""
    recording: Path | None
    """Its file; None if there is none."""


class DryRun:
    """A dry run, in the background.

    Args:
        out: folder that gets a new folder for the run.
    """

    def __init__(self, path: Path, out: Path) -> None:
        self._child = Child([*DRY_RUN, str(path), str(out)])
        self._read = 0
        self._outcome: DryOutcome | None = None
        self.share = 0.0
        """How much of it is done, 0 to 1."""

    def poll(self) -> DryOutcome | None:
        """Return how it went; None while it runs."""
        if self._outcome is None:
            ended = self._child.status is not None
            self._listen()
            if ended and self._outcome is None:
                self._outcome = DryOutcome(False, self._child.why(), None)
        return self._outcome

    def _listen(self) -> None:
        *lines, _ = self._child.read_output(self._read).split(b"\n")
        for line in lines:
            self._read += len(line) + 1
            with suppress(orjson.JSONDecodeError, KeyError):
                said = orjson.loads(line)
                self.share = float(said.get("share", self.share))
                if "result" in said:
                    result = said["result"]
                    recording = Path(result["recording"]) if result["recording"] else None
                    self._outcome = DryOutcome(result["ok"], result["reason"], recording)

    def end(self) -> None:
        """End it."""
        self._child.end()


class PreviewRun:
    """The rows of a picture of what a scenario file will look like, in the background.

    Args:
        table: what is in the file, or will be, if it is that of a machine.
    """

    def __init__(self, path: Path, table: Mapping[str, Any] | None = None) -> None:
        machine = () if table is None else ("--machine",)
        given = b"" if table is None else orjson.dumps(table)
        self._child = Child([*PREVIEW, str(path), *machine], given=given)
        self.error = ""
        """Why there is none; empty while there is none yet."""

    def poll(self) -> Preview | None:
        """Return it when it is there."""
        if self._child.status is None:
            return None
        try:
            return Preview.from_mapping(self._child.answer() or {})
        except (KeyError, ValueError):
            self.error = self._child.why() or "?"
            return None

    def end(self) -> None:
        """End it."""
        self._child.end()


class ReportRun:
    """`hil report` of a recording, in the background."""

    def __init__(self, recording: Path) -> None:
        self._child = Child([*HIL, "report", str(recording), "--json"])
        self.error = ""
        """Why there is no page; empty while there is none yet."""

    def poll(self) -> Path | None:
        """Return the page when it is there."""
        if self._child.status is None:
            return None
        page = (self._child.answer() or {}).get("report")
        if not page:
            self.error = self._child.why() or "?"
            return None
        return Path(page)

    def end(self) -> None:
        """End it."""
        self._child.end()
