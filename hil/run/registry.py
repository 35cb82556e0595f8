"""The stations that are installed: found by their entry points, loaded when they are asked for."""

from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Final

from hil.config.errors import ConfigError
from hil.config.file_kind import FileKind
from hil.run.station import Station

GROUP: Final = "hil.stations"
"""Entry points whose objects are `Station` values; each bears the station's name."""
DEFAULT: Final = "platform"  # of a scenario that names none


@dataclass(frozen=True, slots=True)
class Installed:
    """A station as some distribution offers it."""

    name: str
    distribution: str
    station: Station | None
    broken: str = ""
    """Why not, and what to do; empty if it can."""


@cache
def installed() -> tuple[Installed, ...]:
    """All stations that are offered, by name; those that cannot be used say why."""
    found = sorted(entry_points(group=GROUP), key=lambda one: (one.name, _distribution(one)))
    twice = {one.name for one in found if sum(other.name == one.name for other in found) > 1}
    return tuple(
        Installed(one.name, _distribution(one), None, _doubled(one.name, found))
        if one.name in twice
        else _loaded(one)
        for one in found
    )


def stations() -> tuple[Station, ...]:
    """Those that can be used."""
    return tuple(one.station for one in installed() if one.station is not None)


def station_or_none(name: str) -> Station | None:
    """A station by its name; None if it is not installed, or broken."""
    return next((one for one in stations() if one.name == name), None)


def station_named(name: object, source: str) -> Station:
    """A station by its name.

    Raises:
        ConfigError: if it is not installed, or broken; with those that can be used.
    """
    for one in installed():
        if one.name == name and one.station is not None:
            return one.station
        if one.name == name:
            raise ConfigError(source, [f"station = {name!r} cannot be used: {one.broken}"])
    known = ", ".join(repr(one.name) for one in stations()) or "none"
    raise ConfigError(source, [f"station = {name!r} is not installed; installed are {known}"])


def missing(name: str) -> str:
    """What is missing to show more of a station's run than its signals and events, in words."""
    told = next((one for one in installed() if one.name == name), None)
    if told is None:
        return f"station {name!r} is not installed here; install the package that brings it"
    return told.broken or f"station {name!r} has none"


def station_of_kind(kind: FileKind) -> Station:
    """The station whose scenarios are of a kind; a `ConfigError` if none that works is here."""
    for one in stations():
        if one.scenarios is kind:
            return one
    raise ConfigError(kind.name, ["no station that can be used has such scenarios: hil stations"])


def _loaded(entry: EntryPoint) -> Installed:
    try:
        station = entry.load()
    except Exception as error:  # whatever a foreign package does when it is imported
        why = f"{entry.value} does not load: {type(error).__name__}: {error}"
    else:
        if not isinstance(station, Station):
            kind = type(station).__name__
            why = f"{entry.value} is a {kind}; it must be a hil.run.station.Station"
        elif station.name != entry.name:
            why = f"{entry.value} is station {station.name!r}; its entry point must bear that name"
        elif (told := station.signals.station) != station.name:
            why = f"its signals are of station {told!r}; they must bear its name"
        else:
            return Installed(entry.name, _distribution(entry), station)
    return Installed(entry.name, _distribution(entry), None, why)


def _distribution(entry: EntryPoint) -> str:
    return "unknown" if entry.dist is None else f"{entry.dist.name} {entry.dist.version}"


def _doubled(name: str, found: list[EntryPoint]) -> str:
    whose = " and ".join(_distribution(one) for one in found if one.name == name)
    return f"{whose} both have it; uninstall one"
