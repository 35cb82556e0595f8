"""Results of a run that is over, for people and programs."""

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Final, Self

from rich.table import Table

from drives.bank import BankEnd
from hil.recording.reader import Recording
from hil.run.end import summarize_conclusion
from hil.run.evidence import Evidence, Lateness, verdicts_of
from hil.run.stall import Stall, stall_of
from hil.stations.platform.bench.run_sequence import RunResult
from hil.stations.platform.cycle.powered_drives import UNDER_POWER, powered_drives
from hil.stations.platform.cycle.touches import touch_line
from hil.stations.platform.fit.motion_fit import SHOWN
from hil.stations.platform.plan.scenario import Plan
from hil.stations.platform.proof.summaries import RunSummary, VerdictSummary
from hil.terminal.console import out, styled


@dataclass(frozen=True, slots=True)
class Figures:
    """Figures from the recording of a run that is over."""

    evidence: Evidence
    drives: str
    """Drives of the run."""
    verdicts: list[dict[str, Any]]
    """Objections of the gate, in order."""
    stall: Stall | None
    """Stall of a computer that was too slow, if that stopped the run."""

    @classmethod
    def of(cls, recording: Recording, evidence: Evidence) -> Self:
        """Figures of a recording."""
        return cls(evidence, drives_of(recording), verdicts_of(recording), stall_of(recording))


NO_FIGURES: Final = Figures(
    Evidence(None, None, None, None, None, None, Lateness(math.nan, math.nan, math.nan)),
    "not known", [], None,
)  # fmt: skip
"""Figures of a recording that cannot be read any more."""


def summarize_run(plan: Plan, result: RunResult, figures: Figures) -> RunSummary:
    """Summary of a run for ``--json``, without advice."""
    return RunSummary(
        **summarize_conclusion(result.end),
        outcome=result.outcome.value,
        reason=result.reason,
        mode=result.mode.name,
        verdicts=[VerdictSummary(**one) for one in figures.verdicts],
        **asdict(figures.evidence),
        cycles=result.cycles,
        overruns=result.overruns,
        touched=[touch_line(touch) for touch in result.link.touched],
        link=dict(result.link.tally),
        gate_record=result.gate_record,
        powered=list(result.link.powered),
        stall=figures.stall,
        beside=list(result.beside),
        report=None,
        real_time=list(result.setup),
        fitted=list(plan.fitted),
        fit=None,
    )


def show_run(plan: Plan, result: RunResult, figures: Figures) -> None:
    """Print the figures of a run, and the objections of the gate."""
    show_drives(figures.drives)
    table = Table(box=None, show_header=False, pad_edge=False)
    for name, text in _figures(plan, result, figures.evidence):
        table.add_row(name, text)
    out.print(table)
    for item in result.setup:
        if not item.ok:
            out.print(f"real time: {item.item}: {item.detail} {item.remedy}")
    if (stall := figures.stall) is not None:
        out.print(styled("red", f"{stall};"), stall.remedy(result.beside), soft_wrap=True)
    for verdict in () if stall else figures.verdicts[:SHOWN]:
        out.print(f"{verdict['t_s']:9.3f} s  {verdict['message']}", soft_wrap=True)


def show_powered(link: BankEnd) -> None:
    """Print the drives that are not proved to be off: the last line of every verb that leaves."""
    if link.powered:
        out.print(styled("red", UNDER_POWER), powered_drives(link), soft_wrap=True)


def drives_of(recording: Recording) -> str:
    """Name of a run's drives."""
    return recording.metadata.get("run", {}).get("drives", "not known")


def show_drives(drives: str) -> None:
    """Print the drives of a run."""
    out.print(f"drives: {drives}", soft_wrap=True)


def _figures(plan: Plan, result: RunResult, evidence: Evidence) -> Iterator[tuple[str, str]]:
    yield "cycles", f"{result.cycles} at {plan.scenario.rate_hz:g} Hz, {plan.scenario.clock} clock"
    if evidence.length_min_m is not None and evidence.length_max_m is not None:
        yield "leg lengths", f"{evidence.length_min_m:.4f} to {evidence.length_max_m:.4f} m"
        yield "strokes", f"{evidence.stroke_min_m:.4f} to {evidence.stroke_max_m:.4f} m"
        yield "leg speed", f"at most {evidence.leg_speed_max_m_s:.4f} m/s"
    if evidence.tracking_error_max_m is not None:
        yield "tracking error", f"at most {evidence.tracking_error_max_m * 1e3:.3f} mm"
    if plan.scenario.clock == "real":
        late = evidence.lateness_us
        yield "lateness", f"p50 {late.p50:.0f}, p99 {late.p99:.0f}, max {late.max:.0f} us"
        yield "overruns", str(result.overruns)
    for touch in result.link.touched:
        yield "touched", touch_line(touch)
