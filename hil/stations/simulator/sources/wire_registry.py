"""Wires of emulated simulators of other distributions: found by the entry points of `GROUP`.

One that bears the name of a kind of host is that host, emulated.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import EntryPoint
from typing import Final

from hil.config.offers import Offer, offer_named, offers
from sim.hosts.kinds import KINDS, EmulatedKind

GROUP: Final = "hil.emulated_hosts"
"""Entry points whose objects are `sim.hosts.kinds.EmulatedKind` values; each bears its name."""


def installed_wires() -> tuple[Offer, ...]:
    """Return all wires of other distributions by name; unusable ones have the reason."""
    return offers(GROUP, _not_a_wire, own=KINDS)


def wires_with(name: str) -> Mapping[str, EmulatedKind]:
    """Return the wires of the bench, and the one of a name that somebody else offers.

    Raises:
        ValueError: If that one cannot be used, with the reason.
    """
    if name in KINDS:
        return KINDS
    offer = offer_named(GROUP, name, _not_a_wire, own=KINDS)
    if offer is None:
        return KINDS
    if offer.broken:
        raise ValueError(f"the wire {offer.words} cannot be used: {offer.broken}")
    return {**KINDS, name: offer.value}


def _not_a_wire(entry: EntryPoint, value: object) -> str:
    kind = type(value).__name__
    return "" if isinstance(value, EmulatedKind) else f"{entry.value} is a {kind}, no EmulatedKind"
