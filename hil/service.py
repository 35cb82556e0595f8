"""Checks, runs and dry runs of any station: all that is not the station's own.

A station loads a plan, proves it, plays it within an `Opening`, and sums the run up. Around that
stand here its signals, console, progress, emulated devices in place of absent ones, page and end.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from hil.config.drawn import DrawnValues, current_drawn
from hil.config.errors import DEVICE_ABSENT, RefusedError
from hil.config.inputs import collected
from hil.draw.scenario_draw import check_read, drawn_request, summarize_drawn
from hil.run.console import Console, ReportingConsole, Silence
from hil.run.end import Conclusion, Ran
from hil.run.run import Opening, conduct
from hil.run.station import SIMULATED, Checked, Prepared, Request, StandIn, Station, Summary
from hil.terminal.console import err, out, styled
from hil.terminal.run_console import TerminalConsole
from hil.terminal.run_products import Afterwards
from hil.timing.stop import StopRequest, StopSignals

P = TypeVar("P", bound=Prepared)
R = TypeVar("R")


def check(station: Station, request: Request) -> Checked:
    """Prove the whole motion of a scenario; nothing moves.

    Raises:
        ConfigError: with the file, the key path, the value and what would have been right.
        RefusedError: if the motion cannot be judged at all.
    """
    with drawn_request(station, request) as (request, drawn):
        checked = station.prove(station.plan(request), request)
        if drawn is None:
            return checked
        check_read(drawn, str(request.scenario))
    values = {**checked.values, **summarize_drawn(drawn)}
    return replace(checked, values=values, show=partial(_show_drawn, drawn, checked.show))


def run(station: Station, request: Request) -> Ran:
    """Run a scenario; its recording lists the files that were read for it.

    Raises:
        ConfigError: as `check`.
        RefusedError: if the motion is refused, or a device is not there; nothing has moved.
        RecordingError: if it cannot be recorded; nothing has moved.
    """
    with collected(), drawn_request(station, request) as (request, drawn):
        ran = run_plan(station, station.plan(request), request)
    if drawn is None:
        return ran
    values = {**ran.values, **summarize_drawn(drawn, ran.values)}
    return replace(ran, values=values, show=partial(_show_drawn, drawn, ran.show))


def run_plan(station: Station, plan: Any, request: Request) -> Ran:
    """Run a plan that is loaded; see `run`."""
    prepared = station.prepare(plan, request, console_of(request))
    if (drawn := current_drawn()) is not None:
        check_read(drawn, str(request.scenario))
    return run_prepared(station, prepared, request)


def run_prepared(station: Station, prepared: Any, request: Request) -> Ran:
    """Run a plan that is prepared; see `run`."""

    def playing(prepared: Any, opening: Opening) -> Callable[[Conclusion], tuple[Any, Conclusion]]:
        finish = station.play(prepared, opening)
        return lambda end: (end if finish is None else finish(end), end)

    with ExitStack() as until_shown:
        result, end = play(
            playing, prepared, request.folder, console=console_of(request),
            operator=request.operator, stand_in=station.stand_in, until_shown=until_shown,
        )  # fmt: skip
        after = Afterwards(end)
        summary = _outcome(end) if station.summary is None else station.summary(result, after)
        path = end.recorder.path
        page = after.make("report", partial(_report, path, after.view)) if request.report else None

        def show() -> None:
            summary.show()
            if page is not None:
                out.print(f"report:    {page}", soft_wrap=True)

        values = {**summary.values, "report": None if page is None else str(page)}
        return Ran(end=after.end, values=values, show=show, until_shown=until_shown.pop_all())


def play(
    playing: Callable[[P, Opening], Callable[[Conclusion], R]],
    prepared: P,
    folder: Path,
    *,
    console: Console | None = None,
    operator: bool = False,
    stand_in: StandIn | None = None,
    until_shown: ExitStack | None = None,
) -> R:
    """Play a prepared plan, with emulated devices where its own are absent and it allows that.

    Args:
        playing: `Station.play`.
        folder: in which the run gets a folder of its own.
        console: that of the run; a silent one if left out.
        operator: whether a person leads it from a panel.
        stand_in: what emulates devices of the station, if it has any.
        until_shown: left once the result is told; until then a signal that asks for the end of a
            run that is over does not take its result away. Left out, until the run is over.

    Raises:
        RefusedError: if the motion is refused, or a device is not there; nothing has moved.
    """
    shown = console or Silence()

    def run_on(prepared: P) -> R:
        opening = Opening(
            prepared.name, folder, virtual=prepared.clock == "virtual", stop=_signals(until_shown),
            console=shown, operator=operator,
        )  # fmt: skip
        return conduct(partial(playing, prepared), opening)

    try:
        return run_on(prepared)
    except RefusedError as error:
        if error.code != DEVICE_ABSENT or stand_in is None:
            raise
        if stand_in.fallback(prepared) != "sim":
            command = shlex.join(["hil", *sys.argv[1:]])
            text = f"{error}\nto go on with emulated {stand_in.device} instead:  "
            raise RefusedError(
                f"{text}{command} --fallback sim", error.code, **error.values
            ) from error
        at, says = error.values["url"], error.values["says"]
    with stand_in.emulated(prepared) as (emulated, url):
        err.print(
            styled("black on yellow", f" SIMULATED {stand_in.device.upper()} "),
            f"{at} is not there ({says}); emulated {stand_in.device} at {url} instead",
            soft_wrap=True,
        )
        return run_on(emulated)


def dry_run(
    station: Station, scenario: Path, folder: Path, progress: Callable[[float, float], None]
) -> Conclusion:
    """Run a scenario on the virtual clock with simulated devices, whatever it says; how it ended.

    Args:
        folder: in which the run gets a folder of its own.
        progress: given the time of the run and that of its end [s].

    Raises:
        ConfigError: as `run`.
    """
    devices = {one.flag: SIMULATED for one in station.options if one.device}
    request = Request(
        scenario=scenario, options=devices, clock="virtual", folder=folder, progress=progress
    )
    ran = run(station, request)
    ran.until_shown.close()
    return ran.end


def console_of(request: Request) -> Console:
    """Where a run says how far it is."""
    if request.progress is not None:
        return ReportingConsole(request.progress)
    return Silence() if request.as_json else TerminalConsole(operator=request.operator)


@contextmanager
def _signals(until_shown: ExitStack | None) -> Iterator[StopRequest]:
    """Take signals as a stop request in a run, and after a good one until its result is shown."""
    with ExitStack() as run_only:
        yield run_only.enter_context(StopSignals())
        if until_shown is not None:
            until_shown.push(run_only.pop_all())


def _show_drawn(drawn: DrawnValues, show: Callable[[], None]) -> None:
    """Show what was drawn, then the rest."""
    words = ", ".join(f"{key} {value:g}" for key, value in drawn.values.items())
    out.print(f"drawn by seed {drawn.seed}: {words}", soft_wrap=True)
    show()


def _report(path: Path, view: Any) -> Path:
    from hil.recording.reader import Recording
    from hil.report.page import write_report

    recording = Recording.open(path) if view is None else view.recording
    return write_report(recording, path.parent, view)


def _outcome(end: Conclusion) -> Summary:
    return Summary({"outcome": end.outcome}, lambda: None)
