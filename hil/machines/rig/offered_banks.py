"""Banks of drives, ours and those of others: found by the scheme of a URL, under `hil.banks`.

Control searches names only; the code of a bank is imported in the process that owns the gate. So
this is standard library and nothing else. What control has to know of a drive bus is its other half
(`hil.machines.rig.buses`).
"""

from __future__ import annotations

from importlib.metadata import EntryPoint
from typing import Final

from hil.config.libraries import code_origin
from hil.config.offers import Offer, names_offered, offer_named, offer_unread, offers

GROUP: Final = "hil.banks"
"""Entry points that make a `drives.bank.DriveBank` of a `drives.plugin_bank.BankOrder`; each bears
the scheme of its URLs. Ours make it of a whole `BankSpec`."""
BUSES: Final = "hil.buses"
"""Entry points that say what control has to know of a drive bus, by the same schemes."""
SIM: Final = "sim"
"""Scheme of cylinders that are arithmetic: no bus at all, and nobody else's name."""


def banks_offered() -> tuple[Offer, ...]:
    """List all banks of other distributions by scheme; those that cannot be used say why."""
    return tuple(one for one in offers(GROUP, _not_a_maker, own=(SIM,)) if not one.ours)


def bank_offered(scheme: str) -> Offer | None:
    """Import the bank of a scheme; None if no distribution offers it."""
    return offer_named(GROUP, scheme, _not_a_maker, own=(SIM,))


def bank_unread(scheme: str) -> Offer | None:
    """Find it under its own name, without importing; broken only if its scheme is taken."""
    return offer_unread(GROUP, scheme)


def schemes_of_banks() -> tuple[str, ...]:
    """List the schemes that have a bank; nothing is imported."""
    return names_offered(GROUP)


def bank_origin(offer: Offer) -> str:
    """Identify a bank's code in one line for a recording: scheme, distribution, version, digest."""
    name, _, _ = offer.distribution.partition(" ")
    bus = offer_unread(BUSES, offer.name)
    packages = {offer.package} if bus is None else {offer.package, bus.package}
    return f"{offer.name} of {code_origin(name, sorted(packages))}"


def origin_of_scheme(scheme: str) -> str:
    """Identify it as `bank_origin` does, without importing it; empty for ours and for none."""
    offer = bank_unread(scheme)
    return "" if offer is None or offer.ours else bank_origin(offer)


def _not_a_maker(entry: EntryPoint, make: object) -> str:
    kind = type(make).__name__
    return "" if callable(make) else f"{entry.value} is a {kind}; it must make banks of orders"
