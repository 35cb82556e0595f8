"""Stations on the command line: their options in ``run`` and ``check``, and ``hil stations``.

Groups of verbs come with them, under an entry point of their own.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from typer.main import get_command, get_command_name

from hil.cli.command_summaries import PartSummary, StationsSummary, StationSummary
from hil.config.errors import ConfigError
from hil.config.offers import Offer, offer_named, offers
from hil.run import registry
from hil.run.station import Option, Station
from hil.terminal.console import Json, leave, out, print_json, verb

COMMANDS: Final = "hil.commands"
"""Entry points whose objects are groups of verbs by their names, and single verbs of groups: the
function `arm.table` is the verb `hil arm table`."""


@cache
def verbs_offered() -> tuple[Offer, ...]:
    """Groups of verbs, and verbs of groups, by name; those that cannot be used say why."""
    return offers(COMMANDS, _no_verbs)


def _no_verbs(entry: EntryPoint, given: object) -> str:
    kind, (group, dot, verb_name) = type(given).__name__, entry.name.partition(".")
    if not dot:
        right = isinstance(given, typer.Typer)
        return "" if right else f"{entry.value} is a {kind}, no typer.Typer"
    owner = offer_named(COMMANDS, group, _no_verbs)
    if owner is None or owner.broken:
        return f"there is no group of verbs {group!r} that {entry.name} could belong to"
    if verb_name in _names_of(owner.value):
        return f"{owner.words} has a verb {verb_name!r} already; it must bear another name"
    if not inspect.isfunction(given):
        return f"{entry.value} is a {kind}, no function"
    alone = typer.Typer()
    alone.command()(given)
    get_command(alone)  # raises for parameters that cannot be options
    return ""


def _names_of(group: typer.Typer) -> set[str]:
    found = {(one.name, one.callback) for one in group.registered_commands}
    return {name or get_command_name(getattr(call, "__name__", "")) for name, call in found}


def add_verbs(app: typer.Typer) -> None:
    """Give a program the verbs that are offered: groups, then what others add to them."""
    usable = {one.name: one.value for one in reversed(verbs_offered()) if not one.broken}
    for name, value in usable.items():
        group, dot, verb_name = name.partition(".")
        if dot:
            usable[group].command(verb_name)(value)
        else:
            app.add_typer(value, name=name)


def with_station_options(function: Callable[..., None], *, checks: bool) -> Callable[..., None]:
    """A command with the options of all stations beside its own.

    Its argument `options` gets those given, by their flags; ``checks`` leaves those of `hil check`.
    """
    wanted = [
        one
        for station in registry.stations()
        for one in station.options
        if one.checks or not checks
    ]
    by_name: dict[str, Option] = {}
    for one in wanted:
        known = by_name.get(_name(one))
        option = one if known in (None, one) else replace(one, help=f"{known.help} {one.help}")
        by_name[_name(one)] = option

    def command(**given: Any) -> None:
        options = {by_name[name].flag: given.pop(name) for name in by_name}
        function(options={flag: value for flag, value in options.items() if value}, **given)

    own = inspect.signature(function, eval_str=True).parameters
    kinds = {name: one for name, one in own.items() if name != "options"}
    kinds |= {
        name: inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=False if one.switch else None,
            annotation=_annotation(one),
        )
        for name, one in by_name.items()
    }
    parameters = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in kinds.values()]
    command.__name__, command.__doc__ = function.__name__, function.__doc__
    command.__signature__ = inspect.Signature(parameters)  # pyright: ignore[reportFunctionMemberAccess]
    command.__annotations__ = {one.name: one.annotation for one in parameters}
    return command


def refuse_foreign(station: Station, where: Path | None, options: Mapping[str, Any]) -> None:
    """Refuse options that are given, but are other stations'; no path: no scenario."""
    own = [one.flag for one in station.options]
    kind = station.scenarios.name
    right = f"{station.scenarios.named} has --clock, --fallback, --set, {', '.join(own)}"
    refuse(kind, where, [flag for flag in options if flag not in own], right)


def refuse(kind: str, where: Path | None, flags: list[str], right: str) -> None:
    """Refuse options by name: a `ConfigError` if there are any."""
    source = "command line" if where is None else str(where)
    if flags:
        raise ConfigError(
            source, [f"{one} means nothing for this {kind}: {right}" for one in flags]
        )


def _name(option: Option) -> str:
    """What a parameter is called; `--map` must not hide what Python calls so."""
    return f"{option.flag.removeprefix('--').replace('-', '_')}_"


def _annotation(option: Option) -> Any:
    kind = bool if option.switch else list[str] | None if option.many else str | None
    metavar = option.metavar or None
    return Annotated[kind, typer.Option(option.flag, metavar=metavar, help=option.help)]


@verb
def stations(as_json: Json = False) -> None:
    """List the stations that are installed, what came with which package, and what is broken.

    Then what else other packages bring: groups of verbs, motions, banks of drives.
    """
    found, parts = registry.installed(), (*verbs_offered(), *registry.parts_offered())
    ok = not any(one.broken for one in (*found, *parts))
    if as_json:
        print_json(
            StationsSummary(ok=ok, stations=[*map(_station, found)], parts=[*map(_part, parts)])
        )
    else:
        _show(found, parts)
    leave(ok)


def _station(one: registry.Installed) -> StationSummary:
    files = [] if one.station is None else [kind.name for kind in one.station.files]
    return StationSummary(
        name=one.name, distribution=one.distribution, files=files, broken=one.broken
    )


def _part(one: Offer) -> PartSummary:
    return PartSummary(
        group=one.group, name=one.name, distribution=one.distribution, broken=one.broken
    )


def _show(found: tuple[registry.Installed, ...], parts: tuple[Offer, ...]) -> None:
    from rich.table import Table

    table = Table("station", "package", "files", "", box=None, pad_edge=False)
    for one in found:
        kinds = () if one.station is None else one.station.files
        files = ", ".join(kind.name for kind in kinds)
        table.add_row(one.name, one.distribution, files, one.broken)
    out.print(table)
    table = Table("part", "package", "name", "", box=None, pad_edge=False)
    for part in parts:
        table.add_row(part.group, part.distribution, part.name, part.broken)
    out.print(table)
