"""Runs of plans that a verb of the drives makes."""

from contextlib import ExitStack
from pathlib import Path

from hil import service
from hil.run.console import Silence
from hil.run.end import Ran
from hil.run.station import Request
from hil.stations.platform.bench.run_sequence import (
    WHOLE_COURSE,
    PreparedPlan,
    RunResult,
    RunSequence,
)
from hil.stations.platform.plan.scenario import Plan
from hil.stations.platform.run.runner import play, proved
from hil.stations.platform.station import STATION
from hil.terminal.run_console import TerminalConsole


def run_moves(plan: Plan, folder: Path, *, as_json: bool) -> Ran:
    """Run a plan that a verb of the drives makes."""
    request = Request(scenario=None, options={}, folder=folder, as_json=as_json)
    prepared = proved(plan, service.console_of(request))
    return service.run_prepared(STATION, prepared, request)


def play_moves(
    plan: Plan,
    folder: Path,
    *,
    quiet: bool,
    course: RunSequence = WHOLE_COURSE,
    until_shown: ExitStack | None = None,
) -> RunResult:
    """Run a plan that a verb of the drives makes, and judges itself; raises as `service.play`."""
    console = Silence() if quiet else TerminalConsole()
    prepared = proved(plan, console, course)
    return play_prepared(prepared, folder, quiet=quiet, until_shown=until_shown)


def play_prepared(
    prepared: PreparedPlan, folder: Path, *, quiet: bool, until_shown: ExitStack | None = None
) -> RunResult:
    """Run a prepared plan, as `play_moves` does."""
    console = Silence() if quiet else TerminalConsole()
    _, result = service.play(
        play, prepared, folder, console=console, stand_in=STATION.stand_in, until_shown=until_shown
    )
    return result
