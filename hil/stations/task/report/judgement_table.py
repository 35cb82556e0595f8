"""Judgement of a recorded task: what the judge found, the phases, and what was drawn."""

from __future__ import annotations

from hil.recording.end import RecordedEnd
from hil.report.recorded_run import RecordedRun, Row, Table, Tables
from hil.stations.task.report.phases import phases_of_run


def judgement(run: RecordedRun) -> Tables | None:
    """Tables of findings, of phases and of drawn values."""
    if not len(run.times):
        return None
    return Tables((_findings(run), _phases(run), _drawn(run)))


def _findings(run: RecordedRun) -> Table:
    """Findings of the judge, and how the run ended."""
    found = [one for one in run.recording.events if one.name == "judge" and "reason" in one.data]
    rows = [
        Row((str(one.data["reason"]), f"{one.t_s:.3f}", str(one.data.get("text", "")),
             _limited(one.data.get("value"), one.data.get("unit")),
             _limited(one.data.get("limit"), one.data.get("unit"))), bad=True)
        for one in found
    ]  # fmt: skip
    end = RecordedEnd.of(run.recording.metadata).end
    outcome = "unknown" if end is None else end.outcome
    reason = "" if end is None else end.reason
    last = Row((outcome, f"{run.times[-1]:.3f}", reason, "", ""), bad=bool(reason))
    heads = ("finding", "at [s]", "what", "value", "limit")
    return Table(heads, (*rows, last), "What was found")


def _limited(value: object, unit: object) -> str:
    return f"{value:.4g} {unit or ''}".strip() if isinstance(value, int | float) else ""


def _phases(run: RecordedRun) -> Table:
    times: dict[str, float] = {}
    for one in phases_of_run(run):
        times[one.name] = times.get(one.name, 0.0) + one.end_s - one.begin_s
    rows = tuple(Row((name, f"{time_s:.2f}")) for name, time_s in times.items())
    return Table(("phase", "time [s]"), rows, "Time in each phase")


def _drawn(run: RecordedRun) -> Table:
    table = (run.recording.scenario or {}).get("task", {})
    drawn = table.get("drawn", {}) if isinstance(table, dict) else {}
    rows = tuple(Row((str(name), f"{value:.4g}")) for name, value in drawn.items())
    return Table(("drawn value", "SI"), rows, "What was drawn")
