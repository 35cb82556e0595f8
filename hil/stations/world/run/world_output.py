"""Console and JSON output of a check and a run of the virtual environment."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from hil.run.end import summarize_conclusion
from hil.stations.world.report.summaries import (
    GoalSummary,
    WorldCheckSummary,
    WorldErrorsSummary,
    WorldRunSummary,
)
from hil.stations.world.signals import STATION
from hil.terminal.console import err, out, styled

if TYPE_CHECKING:
    from hil.stations.world.cycle.extension import RunObserver
    from hil.stations.world.cycle.figures import WorldFigures
    from hil.stations.world.plan.scenario import WorldPlan
    from hil.stations.world.report.goal_judge import GoalFinding
    from hil.stations.world.run.session import WorldResult

LOSSES_MAX: Final = 20
"""Most lines about contents that have no effect."""


class VideoProgress:
    """Progress of a film: on one line of a terminal, else in quarters."""

    def __init__(self) -> None:
        self._quarters = 0

    def __call__(self, share: float) -> None:
        """Print the share, if it is due."""
        if sys.stderr.isatty():
            err.print(f"video: {100.0 * share:.0f} %", end="\r")
        elif int(4.0 * share) > self._quarters:
            self._quarters = int(4.0 * share)
            err.print(f"video: {25 * self._quarters} %")


def show_losses(lines: Sequence[str]) -> None:
    """Print contents of documents that have no effect, a line each, of many the first ones."""
    for line in lines[:LOSSES_MAX]:
        err.print(f"lost: {line}", soft_wrap=True)
    if (more := len(lines) - LOSSES_MAX) > 0:
        err.print(f"lost: {more} more; hil world check of the document tells all", soft_wrap=True)


def summarize_errors(figures: WorldFigures) -> WorldErrorsSummary:
    """Errors of joints and tool."""
    line_m = figures.line_max_m
    return WorldErrorsSummary(
        joint_error_final_deg=math.degrees(figures.error_final_rad),
        joint_error_max_deg=math.degrees(figures.error_max_rad),
        way_error_final_mm=1e3 * figures.error_final_m,
        way_error_max_mm=1e3 * figures.error_max_m,
        line_deviation_max_mm=None if math.isnan(line_m) else 1e3 * line_m,
    )


def summarize_run(
    result: WorldResult, plain: WorldFigures | None, video: str | None, video_failure: str
) -> WorldRunSummary:
    """Summary of a run as JSON.

    Args:
        plain: figures of the same by plain PID; None if that was not run.
        video: path of its film, if one was asked for.
        video_failure: reason why a film that was asked for is missing; else empty.
    """
    figures, changer = result.figures, result.changer
    return WorldRunSummary(
        **summarize_conclusion(result.end), station=STATION,
        robot=result.plan.robot.name or result.plan.scenario.robot, ended=figures.ended,
        reason=figures.reason, **summarize_errors(figures),
        goal=_goal(result.observer),
        plain_pid=None if plain is None else summarize_errors(plain), contacts=figures.contacts,
        edits=result.editor.taken, edits_refused=result.editor.refused,
        changes=0 if changer is None else changer.taken,
        changes_refused=0 if changer is None else changer.refused,
        edit_pause_max_ms=1e3 * result.editor.pause_max_s,
        loop_gap_max_um=1e6 * figures.gap_max_m, steps=figures.steps,
        step_us=1e6 * result.step_s, overruns=result.overruns,
        real_time_factor=result.plan.scenario.step_s / max(result.step_s, 1e-9),
        report=None, video=video, video_failure=video_failure, losses=list(result.plan.losses),
    )  # fmt: skip


def _goal(observer: RunObserver | None) -> list[GoalSummary] | None:
    """Judgements of a goal; None without one."""
    if not (findings := _goal_findings(observer)):
        return None
    return [
        GoalSummary(
            name=one.name, met=one.met, value=None if math.isnan(one.value) else one.value,
            wanted=one.wanted, unit=one.unit, at_s=None if math.isnan(one.at_s) else one.at_s,
            miss=one.miss,
        )
        for one in findings
    ]  # fmt: skip


def _goal_findings(observer: RunObserver | None) -> tuple[GoalFinding, ...]:
    """Judgements of the parts of a goal; none without a goal."""
    from hil.stations.world.cycle.goal_observer import GoalObserver  # brings arrays

    return observer.findings if isinstance(observer, GoalObserver) else ()


def _show_goal(observer: RunObserver | None) -> None:
    """Print the parts of a goal for people."""
    for one in _goal_findings(observer):
        out.print("goal:", styled("green" if one.met else "red", str(one)), soft_wrap=True)


def show_check(plan: WorldPlan, summary: WorldCheckSummary) -> None:
    """Print a check for people."""
    style, word = ("green", "ok") if summary["ok"] else ("red", "refused")
    out.print(styled(style, word), f": {plan.scenario.name}, {summary['robot']}, ", sep="", end="")
    out.print(f"{summary['duration_s']:.2f} s")
    out.print(_error_line(summary))
    for one in summary["violations"]:
        out.print(styled("red", one), soft_wrap=True)


def _error_line(summary: WorldErrorsSummary) -> str:
    words = (
        f"joints: at most {summary['joint_error_max_deg']:.4f} deg in motion, "
        f"{summary['joint_error_final_deg']:.5f} deg at the end"
    )
    if summary["way_error_max_mm"]:
        most, final = summary["way_error_max_mm"], summary["way_error_final_mm"]
        words += f"; slides: {most:.4f} mm, {final:.4f} mm"
    line = summary["line_deviation_max_mm"]
    return words if line is None else f"{words}; line: {line:.4f} mm"


def show_run(result: WorldResult, summary: WorldRunSummary) -> None:
    """Print the figures of a run for people."""
    out.print(f"robot: {summary['robot']}", soft_wrap=True)
    out.print(_error_line(summary))
    _show_goal(result.observer)
    if summary["plain_pid"] is not None:
        out.print("by plain PID:", _error_line(summary["plain_pid"]))
    if summary["contacts"]:
        out.print(f"contacts: {summary['contacts']}; the first: {result.figures.violations[0]}")
    if summary["edits"] or summary["edits_refused"]:
        pause = f", at most {summary['edit_pause_max_ms']:.2f} ms each"
        out.print(
            f"edits: {summary['edits']} taken{pause if summary['edit_pause_max_ms'] else ''}, "
            f"{summary['edits_refused']} refused"
        )
    if summary["changes"] or summary["changes_refused"]:
        counts = f"{summary['changes']} taken, {summary['changes_refused']} refused"
        out.print(f"changes of the diagram: {counts}")
    changer = result.changer
    for missed in (*result.editor.missed, *(() if changer is None else changer.missed)):
        out.print(missed, soft_wrap=True)
    if summary["loop_gap_max_um"]:
        out.print(f"loops: gap at most {summary['loop_gap_max_um']:.2f} um")
    out.print(
        f"{summary['steps']} steps, {summary['step_us']:.0f} us each, "
        f"{summary['real_time_factor']:.1f} x real time, {summary['overruns']} overruns"
    )
    if summary["video"] is not None:
        out.print(f"video:     {summary['video']}", soft_wrap=True)
