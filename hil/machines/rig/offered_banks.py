"""Banks of drives of other distributions: found by the scheme of a URL, under `hil.banks`.

Control searches names only; the code of a bank is imported in the process that owns the gate. So
this is standard library, `drives` and nothing else.
"""

from __future__ import annotations

from importlib.metadata import EntryPoint
from typing import Final

from drives.links import FORMS, Link, OfferedLink, parse_link
from hil.config.libraries import code_origin
from hil.config.offers import Offer, names_offered, offer_named, offer_unread, offers

GROUP: Final = "hil.banks"
"""Entry points that make a `drives.bank.DriveBank` of a `drives.plugin_bank.BankOrder`; each bears
the scheme of its URLs."""
OWN_SCHEMES: Final = tuple(dict.fromkeys(form.partition(":")[0] for form in FORMS))
"""Schemes of the bench itself."""


def banks_offered() -> tuple[Offer, ...]:
    """List all banks of other distributions by scheme; those that cannot be used say why."""
    return offers(GROUP, _not_a_maker, own=OWN_SCHEMES)


def bank_offered(scheme: str) -> Offer | None:
    """Import the bank of a scheme; None if no distribution offers it."""
    return offer_named(GROUP, scheme, _not_a_maker, own=OWN_SCHEMES)


def bank_origin(offer: Offer) -> str:
    """Identify a bank's code in one line for a recording: scheme, distribution, version, digest."""
    name, _, _ = offer.distribution.partition(" ")
    return f"{offer.name} of {code_origin(name, [offer.package])}"


def origin_of_scheme(scheme: str) -> str:
    """Identify it as `bank_origin` does, without importing it; empty if it is not offered."""
    offer = offer_unread(GROUP, scheme)
    return "" if offer is None else bank_origin(offer)


def link_of(url: str) -> Link:
    """Read a link, as `drives.links.parse_link` does, of the bench or of another distribution.

    Raises:
        LinkUrlError: with the place that is wrong, and the right form.
    """
    return parse_link(url, () if url.partition(":")[0] in OWN_SCHEMES else names_offered(GROUP))


def offered_scheme(url: str) -> str:
    """Scheme of a link of another distribution; empty for one of ours."""
    link = link_of(url.split()[0])
    return link.scheme if isinstance(link, OfferedLink) else ""


def _not_a_maker(entry: EntryPoint, make: object) -> str:
    kind = type(make).__name__
    return "" if callable(make) else f"{entry.value} is a {kind}; it must make banks of orders"
