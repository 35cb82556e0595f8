"""Banks of drives of other distributions: found by the scheme of a URL, under `hil.banks`.

Control looks for names only; what makes a bank is imported in the process that owns the gate. So
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
    """All banks of other distributions by scheme; those that cannot be used say why."""
    return offers(GROUP, _not_a_maker, own=OWN_SCHEMES)


def bank_offered(scheme: str) -> Offer | None:
    """The bank of a scheme; imports it. None if nobody offers it."""
    return offer_named(GROUP, scheme, _not_a_maker, own=OWN_SCHEMES)


def bank_origin(offer: Offer) -> str:
    """Scheme, distribution, version and digest of a bank's code, in one line for a recording."""
    name, _, _ = offer.distribution.partition(" ")
    return f"{offer.name} of {code_origin(name, [offer.package])}"


def origin_of_scheme(scheme: str) -> str:
    """The same without importing it; empty if nobody offers it."""
    offer = offer_unread(GROUP, scheme)
    return "" if offer is None else bank_origin(offer)


def link_of(url: str) -> Link:
    """Read a link, as `drives.links.parse_link` does, of the bench or of another distribution.

    Raises:
        LinkUrlError: with the place that is wrong, and the right form.
    """
    return parse_link(url, () if url.partition(":")[0] in OWN_SCHEMES else names_offered(GROUP))


def offered_scheme(url: str) -> str:
    """The scheme of a link of another distribution; empty for one of ours."""
    link = link_of(url.split()[0])
    return link.scheme if isinstance(link, OfferedLink) else ""


def _not_a_maker(entry: EntryPoint, make: object) -> str:
    kind = type(make).__name__
    return "" if callable(make) else f"{entry.value} is a {kind}; it must make banks of orders"
