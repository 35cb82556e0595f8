"""What a recording says of its run before the first cycle: versions, rig, limits, drives."""

import platform as host
from importlib.metadata import PackageNotFoundError, version

from drives.bank import BankReport
from hil.libraries import origin_lines
from hil.recording.header import RunHeader
from hil.scenario import Plan
from safety.limits import GateLimits
from safety.modes import Mode
from safety.verdict import Action

VERSIONED = ("hil-bench", "numpy", "scipy", "numba", "ruckig", "mcap")
"""Distributions on which the figures of a run depend."""


def run_header(plan: Plan, limits: GateLimits, report: BankReport) -> RunHeader:
    """What a reader must know to judge the run; nothing in it depends on the time of day.

    Args:
        plan: scenario and rig.
        limits: of the gate.
        report: what the drives said of themselves.
    """
    scenario = plan.scenario
    return RunHeader(
        modes=tuple(mode.name for mode in Mode),
        actions=tuple(action.name for action in Action),
        metadata={
            "scenario": scenario.name,
            "rig": plan.rig.name,
            "clock": scenario.clock,
            "rate_hz": repr(scenario.rate_hz),
            "seed": str(scenario.seed),
            "drives": _drives_line(plan, report),
            "axes": "; ".join(report.axes),
            "limits_sha256": limits.digest(),
            "versions": ", ".join(f"{name} {_version(name)}" for name in VERSIONED),
            "python": host.python_version(),
            "distributions": origin_lines(),
        },
        scenario=plan.model_dump(mode="json"),
    )


def _drives_line(plan: Plan, report: BankReport) -> str:
    """The drives of a run in one line; simulated ones can never be taken for real ones."""
    mark = "SIMULATED " if report.simulated else ""
    instead = plan.scenario.devices.in_place_of
    place = f", in place of {instead}, which was not there" if instead else ""
    return f"{mark}{report.name} ({report.url}{place})"


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
