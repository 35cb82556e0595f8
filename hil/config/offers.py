"""Offers of installed distributions under a group of entry points: found, judged, or why not.

Stations, verbs, motions and drive buses, ours and those of others, all come this way. A package
that does not load costs nobody else anything: it stays in the list, with the reason. Standard
library only, for the gate's process looks here for the bank of its order.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import Distribution, EntryPoint, EntryPoints, entry_points
from typing import Any

from hil.config.libraries import OURS

Judge = Callable[[EntryPoint, Any], str]
"""Says why what an entry point gives is not what its group is for; empty if it is."""


@dataclass(frozen=True, slots=True)
class Offer:
    """One thing as some distribution offers it."""

    group: str
    """Group of its entry point."""
    name: str
    """Name of its entry point."""
    distribution: str
    """Name and version of the distribution, with a space between."""
    package: str
    """Package or module that the code is in, as it is imported."""
    value: Any
    """The offered object; None if it cannot be used."""
    broken: str = ""
    """Reason why it cannot be used, and what to do; empty if it can."""

    ours: bool = False
    """Whether the bench's own distribution offers it."""

    @property
    def words(self) -> str:
        """Name and distribution, such as `'swing' of hil-swing 1.0`."""
        return f"{self.name!r} of {self.distribution}"


def names_offered(group: str) -> tuple[str, ...]:
    """Names of a group, in order; nothing is imported."""
    return tuple(sorted({one.name for one in _found(group)}))


def offers(group: str, judge: Judge, *, own: Iterable[str] = ()) -> tuple[Offer, ...]:
    """All that is offered under a group, by name; what cannot be used says why.

    Args:
        own: names that are the bench's, beside those that its own distribution offers, and that
            nobody else may have.
    """
    found = sorted(_found(group), key=lambda one: (one.name, *_rank(one)))
    return tuple(_offer(one, found, judge, frozenset(own)) for one in found)


def offer_named(group: str, name: str, judge: Judge, *, own: Iterable[str] = ()) -> Offer | None:
    """One of them; only its own distribution is imported. None if nobody offers it."""
    found = _found_of(group, name)
    return _offer(found[0], found, judge, frozenset(own)) if found else None


def offer_unread(group: str, name: str) -> Offer | None:
    """One of them as its distribution names it; nothing is imported and its value is None.

    It is broken only if its name is taken.
    """
    found = _found_of(group, name)
    if not found:
        return None
    return replace(_plain(found[0]), broken=_name_taken(found[0], found, frozenset()))


def _found(group: str) -> list[EntryPoint]:
    """Entry points of a group; what one distribution says twice over is one."""
    all_of = _installed(group, tuple(sys.path))
    return list({(one.name, one.value, _distribution(one)): one for one in all_of}.values())


def _found_of(group: str, name: str) -> list[EntryPoint]:
    """Those of one name, the bench's own first."""
    return sorted((one for one in _found(group) if one.name == name), key=_rank)


def _rank(entry: EntryPoint) -> tuple[bool, str]:
    return not _is_ours(entry), _distribution(entry)


def _is_ours(entry: EntryPoint) -> bool:
    return entry.dist is not None and _identity(entry.dist)[0] == OURS


@cache
def _installed(group: str, path: tuple[str, ...]) -> EntryPoints:
    """Those of all distributions on the path, which takes milliseconds to read."""
    del path
    return entry_points(group=group)


def _offer(entry: EntryPoint, found: list[EntryPoint], judge: Judge, own: frozenset[str]) -> Offer:
    value, why = None, _name_taken(entry, found, own)
    if not why:
        try:
            value = entry.load()
            why = judge(entry, value)
        except (Exception, SystemExit) as error:  # whatever a foreign package does
            why = f"{entry.value} does not load: {type(error).__name__}: {error}"
    return replace(_plain(entry), value=None if why else value, broken=why)


def _plain(entry: EntryPoint) -> Offer:
    package = entry.module.partition(".")[0]
    distribution = _distribution(entry)
    return Offer(entry.group, entry.name, distribution, package, None, ours=_is_ours(entry))


def _name_taken(entry: EntryPoint, found: list[EntryPoint], own: frozenset[str]) -> str:
    if _is_ours(entry):
        return ""
    named = [one for one in found if one.name == entry.name]
    if entry.name in own or any(map(_is_ours, named)):
        return f"{entry.name!r} is a name of the bench itself; it must bear another one"
    rivals = [_distribution(one) for one in named]
    return f"{' and '.join(rivals)} both have it; uninstall one" if len(rivals) > 1 else ""


def _distribution(entry: EntryPoint) -> str:
    return "unknown" if entry.dist is None else " ".join(_identity(entry.dist))


@cache
def _identity(distribution: Distribution) -> tuple[str, str]:
    """Name and version, for which its whole description is read."""
    metadata = distribution.metadata
    return metadata["Name"], metadata["Version"]
