"""Command line that runs or checks a motion with the changes that make it fit, to be pasted."""

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Literal

from hil.config.toml_text import toml_value
from hil.run.station import Request
from hil.stations.platform.motion.columns import SECONDS
from hil.stations.platform.plan.fit_changes import FitChange
from hil.stations.platform.plan.motion_settings import RecordedSettings
from hil.stations.platform.plan.scenario import Plan

Verb = Literal["check", "run"]
MAP: Final = "motion.map"
TIME: Final = "motion.time"


def command_line(verb: Verb, request: Request, plan: Plan) -> str:
    """Command of a request, with the changes of a plan that fits.

    Args:
        plan: plan from the search.
    """
    return shlex.join(["hil", verb, *_words(verb, request, plan)])


def _words(verb: Verb, request: Request, plan: Plan) -> Iterator[str]:
    changes, overrides = plan.fitted, request.overrides
    if request.scenario is not None:
        yield str(request.scenario)
    else:
        yield from ("--rig", request.options["--rig"])
        motions = [str(one) for one in request.options["--motion"]]
        for one in motions:
            yield from ("--motion", one)
        maps, settings = list(request.options.get("--map") or ()), plan.scenario.motion
        if isinstance(settings, RecordedSettings) and any(_of(MAP, one.key) for one in changes):
            maps = [_map_text(settings, one) for one in ("", *motions[1:])]
            changes = tuple(one for one in changes if not _of(MAP, one.key))
            overrides = tuple(one for one in overrides if not (_of(MAP, one) or _of(TIME, one)))
        for one in maps:
            yield from ("--map", one)
    for flag in ("--drives", "--world"):
        if (value := request.options.get(flag)) is not None:
            yield from (flag, value)
    anew = {one.key for one in changes}
    kept = (one for one in overrides if one.partition("=")[0].strip() not in anew)
    for one in (*kept, *map(_override, changes)):
        yield from ("--set", one)
    if verb == "run":
        yield from _options_of_runs(request)


def _options_of_runs(request: Request) -> Iterator[str]:
    for flag, value in (("--clock", request.clock), ("--fallback", request.fallback)):
        if value is not None:
            yield from (flag, value)
    if request.folder != Path("runs"):
        yield from ("--out", str(request.folder))
    for flag, given in (("--report", request.report), ("--operator", request.operator)):
        if given:
            yield flag


def _of(place: str, key: str) -> bool:
    """Whether a key, or an override, belongs to a table."""
    return key == place or key.startswith((f"{place}.", f"{place}="))


def _override(change: FitChange) -> str:
    return f"{change.key}={toml_value(change.after)}"


def _map_text(settings: RecordedSettings, file: str) -> str:
    """Map of a file's columns as `--map` takes it; without a name, of the motion's own."""
    parts: list[str] = []
    if not file and (settings.time.column, settings.time.unit) != (SECONDS.column, SECONDS.unit):
        parts.append(f"t={settings.time.column}:{settings.time.unit}")
    for axis, column in settings.map.items():
        if column.file != file:
            continue
        text = f"{axis}={column.column}:{column.unit}"
        if column.bias != 0.0 or column.scale != 1.0:
            text += f":{column.bias!r}"
        if column.scale != 1.0:
            text += f":{column.scale!r}"
        parts.append(text)
    return ",".join(parts)
