"""Goal of a recorded run, judged once more by its rows, as a table of its page."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from hil.report.recorded_run import RecordedRun, Row, Table, Tables
from hil.stations.world.plan.goal import Goal
from hil.stations.world.report.goal_judge import GoalFinding, GoalJudge

if TYPE_CHECKING:
    from hil.recording.reader import Recording


def recorded_findings(recording: Recording) -> tuple[GoalFinding, ...]:
    """Judge a recording by the goal in its header; nothing without a goal or rows."""
    table = recording.header.scenario.get("scenario", {})
    known = table.get("goal") if isinstance(table, dict) else None
    if not known:
        return ()
    goal = Goal.build(known, f"{recording.path}: goal")
    judge = GoalJudge(goal, recording.header.signals)
    for piece in recording.pieces():
        judge.take({name: piece.rows.column(name) for name in judge.columns})
    begun = (one for one in recording.events if one.name == "contact")
    judge.contacts = sum(1 for one in begun if one.data.get("begun_s") == one.t_s)
    return judge.findings()


def goal_parts(run: RecordedRun) -> Tables | None:
    """Parts of the goal with value, limit and judgement; None without a goal."""
    found = recorded_findings(run.recording)
    if not found:
        return None
    rows = tuple(
        Row(
            (one.name, "met" if one.met else one.miss, f"{one.value:.4g} {one.unit}", one.wanted,
             "" if math.isnan(one.at_s) else f"{one.at_s:.3f}"),
            bad=not one.met,
        )
        for one in found
    )  # fmt: skip
    return Tables((Table(("part", "judgement", "value", "wanted", "at [s]"), rows),))
