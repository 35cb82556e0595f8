"""Work on a scenario: check, dry run, run and report; and the news of each.

Every work is a process of its own that is looked at and never waited for. There is at most one of
each kind.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from hil.panel.scenarios.models.catalogue import Entry
from hil.panel.scenarios.models.launch import BenchRun, LaunchState
from hil.panel.scenarios.models.launch_jobs import (
    CheckOutcome,
    CheckRun,
    DryRun,
    PreviewRun,
    ReportRun,
)
from hil.run.lead import Handles, HandlesPlace, Steered
from hil.run.preview import Preview
from hil.run.registry import stations
from hil.run.station import CheckFinding

_STATES: Final = {
    "starting": "{name} starts…",
    "running": "{name} runs.",
    "ended": "{name} has ended.",
    "failed": "{name} failed: {why}",
}

_PARTS_ALONE: Final = "Its parts run without an operator: no panel can watch or lead them."
_PARTS_LED: Final = "Each part has a desk of its own and waits to be led: choose it with Ctrl+B."


@dataclass(frozen=True, slots=True)
class News:
    """News of a work."""

    words: str
    """Sentence for people; empty if there is nothing new to be said."""
    findings: tuple[CheckFinding, ...] | None = None
    """Findings of a check; None if it was none."""
    desk: Path | None = None
    """Socket of the bench that has begun; None if none has, or it has none of its own."""
    steered: Steered | None = None
    """The run that has begun and listens to handles; None if none has."""
    page: Path | None = None
    """The report that was made; None if none was."""
    preview: Preview | str | None = None
    """Preview of the file that was picked, or why it cannot be shown."""


class ScenarioWork:
    """The works of one dock."""

    def __init__(self, now_s: Callable[[], float], out: Path) -> None:
        self._now_s, self._out = now_s, out
        self.check: CheckRun | None = None
        """The check that goes on."""
        self.dry: DryRun | None = None
        """The dry run that goes on."""
        self.report: ReportRun | None = None
        """The report that is being made."""
        self.preview: PreviewRun | None = None
        """The preview that is being made."""
        self.bench: BenchRun | None = None
        """The bench that was started last."""
        self.recording: Path | None = None
        """Of the last run; None while there is none."""
        self._handles: Handles | None = None
        self._place: HandlesPlace | None = None
        self._name = self._words = self._pictured = ""

    @property
    def running(self) -> bool:
        """Whether a bench that was started here still runs."""
        states = (LaunchState.STARTING, LaunchState.RUNNING)
        return self.bench is not None and self.bench.state in states

    @property
    def proving(self) -> bool:
        """Whether a check or a dry run is under way."""
        return self.check is not None or self.dry is not None

    # --- beginning ------------------------------------------------------------------------------

    def begin_check(self, entry: Entry) -> str:
        """Prove the whole motion; return the sentence for people."""
        self._name = entry.name
        self.check = CheckRun(entry.path)
        return "Checking…"

    def begin_dry_run(self, entry: Entry) -> str:
        """Try it in the virtual clock; return the sentence for people."""
        self._name, self.recording = entry.name, None
        self.dry = DryRun(entry.path, self._out)
        return f"Dry run of {entry.name}"

    def begin_bench(self, entry: Entry, table: Mapping[str, Any]) -> str:
        """Run it in real time, led from panels; return the sentence for people.

        Args:
            table: what is in it; what a person moves gives way to the handles on the screen,
                what is planned is played as it is written; parts together say themselves which
                of them are led.
        """
        self.forget_bench()
        self._words = running_words(entry, table)
        self._handles = _handles_of(entry)
        self._place = None if self._handles is None else self._handles.place(table)
        override = "" if self._place is None else self._place.override
        self.bench = BenchRun(entry.path, self._out, now_s=self._now_s,
                              several=entry.several, override=override)  # fmt: skip
        return f"{entry.name} starts…"

    def begin_report(self, recording: Path) -> str:
        """Make the page of a recording; return the sentence for people."""
        self.report = ReportRun(recording)
        return "Making the report…"

    def begin_preview(self, entry: Entry, table: Mapping[str, Any] | None = None) -> None:
        """Find out what it will look like, in place of the file before.

        Args:
            table: what is in it now, if it is that of a machine.
        """
        if self.preview is not None:
            self.preview.end()
        self._pictured = entry.name
        self.preview = PreviewRun(entry.path, table)

    # --- looking --------------------------------------------------------------------------------

    def poll(self) -> Iterator[News]:
        """Look at every work; what is new."""
        for poll in (self._poll_check, self._poll_dry_run, self._poll_bench,
                     self._poll_report, self._poll_preview):  # fmt: skip
            news = poll()
            if news is not None:
                yield news

    def _poll_check(self) -> News | None:
        outcome = None if self.check is None else self.check.poll()
        if outcome is None or self.check is None:
            return None
        self.check.end()
        self.check = None
        return News(self._verdict(outcome), findings=outcome.findings)

    def _verdict(self, outcome: CheckOutcome) -> str:
        wrong = sum(one.wrong for one in outcome.findings)
        if outcome.error:
            return f"{self._name} cannot be checked: {outcome.error}"
        if not outcome.ok:
            return f"{self._name} would be refused: {wrong} limits are passed."
        return f"Nothing is wrong with {self._name}." + (
            " Nearest to its limits:" if outcome.findings else ""
        )

    def _poll_dry_run(self) -> News | None:
        outcome = None if self.dry is None else self.dry.poll()
        if outcome is None or self.dry is None:
            return None
        self.dry.end()
        self.dry = None
        self.recording = outcome.recording
        ended = "well" if outcome.ok else "badly"
        return News(f"The dry run of {self._name} ended {ended}: {outcome.reason}")

    def _poll_bench(self) -> News | None:
        bench = self.bench
        if bench is None:
            return None
        before, now = bench.state, bench.poll()
        if now is before:
            return None
        desk, steered = None, None
        if now is LaunchState.RUNNING:
            words, desk = self._words, bench.desk
            if self._place is not None and self._handles is not None:
                steered = Steered(self._handles, self._place.writer(self._now_s))
        else:
            words = _STATES[now.value].format(name=bench.path.stem, why=bench.error)
            self.recording = bench.recording or self.recording
        return News(words, desk=desk, steered=steered)

    def _poll_report(self) -> News | None:
        if self.report is None:
            return None
        page, error = self.report.poll(), self.report.error
        if page is None and not error:
            return None
        self.report.end()
        self.report = None
        text = f"No report: {error}" if error else str(page)
        return News(text, page=page)

    def _poll_preview(self) -> News | None:
        if self.preview is None:
            return None
        found, error = self.preview.poll(), self.preview.error
        if found is None and not error:
            return None
        self.preview.end()
        self.preview = None
        return News("", preview=found or f"No picture of {self._pictured}: {error}")

    # --- ending ---------------------------------------------------------------------------------

    def forget_bench(self) -> None:
        """Let go of the bench that was started last; it still runs if it did."""
        if self.bench is not None:
            self.bench.forget()
            self.bench = None
        if self._place is not None:
            self._place.remove()
            self._place = None

    def close(self) -> None:
        """End what moves nothing, as the window closes; a bench runs on, without its dead-man."""
        for run in (self.check, self.dry, self.report, self.preview):
            if run is not None:
                run.end()
        self.check = self.dry = self.report = self.preview = None
        self.forget_bench()


def _handles_of(entry: Entry) -> Handles | None:
    """Handles that steer runs of a scenario; None if there are none."""
    lead = next((one.lead for one in stations() if one.scenarios is entry.kind), None)
    return None if lead is None or lead.handles is None else lead.handles()


def running_words(entry: Entry, table: Mapping[str, Any]) -> str:
    """Sentence about a bench once it runs: where its desk is, or those of its parts."""
    name = entry.path.stem
    if not entry.several:
        return f"{name} runs."
    parts = table["part"]
    led = ", ".join(part["name"] for part in parts if part.get("operator", False))
    alone = ", ".join(part["name"] for part in parts if not part.get("operator", False))
    if led and alone:
        return (
            f"{name} has begun. {led}: with a desk of its own, waits to be led; choose it with "
            f"Ctrl+B. {alone}: without an operator, no panel can watch or lead it. "
            "End asks all of them to stop."
        )
    return f"{name} has begun. {_PARTS_LED if led else _PARTS_ALONE} End asks all of them to stop."
