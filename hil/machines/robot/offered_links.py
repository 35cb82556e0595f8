"""Links to industrial robots: found by the scheme of a URL, of the bench or of others.

Those of other distributions are entry points `hil.arm_links`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from importlib.metadata import EntryPoint
from typing import Final

from arm_driver.contour.link import KIND as CONTOUR
from arm_driver.link import GROUP, LinkKind
from arm_driver.link_errors import ArmLinkUrlError
from hil.config.libraries import code_origin
from hil.config.offers import Offer, offer_named, offers

SIM_URL: Final = "sim:"
"""URL of the emulated controller in the process of the run."""


def _check_sim(url: str) -> None:
    if url != SIM_URL:
        raise _unknown(url)


OWN: Final[Mapping[str, LinkKind]] = {
    "sim": replace(CONTOUR, form=SIM_URL, check=_check_sim, virtual=True),
    "serial": CONTOUR,
    "socket": CONTOUR,
}
"""Links of the bench itself, by scheme; the emulated one is opened by the station."""


def links_offered() -> tuple[Offer, ...]:
    """List all links of other distributions by scheme; those that cannot be used say why."""
    return offers(GROUP, _not_a_link, own=OWN)


def link_kind(url: str) -> LinkKind:
    """Return the kind of a link; only its own distribution is imported.

    Raises:
        ArmLinkUrlError: If the scheme is unknown, or its distribution cannot be used, or the URL
            is written wrongly; with the right forms.
    """
    scheme = url.partition(":")[0]
    kind = OWN.get(scheme) or _offered_kind(url, scheme)
    try:
        kind.check(url)
    except ArmLinkUrlError:
        raise
    except Exception as error:  # of a foreign package
        why = f"{type(error).__name__}: {error}"
        raise ArmLinkUrlError(f"link '{url}' is not {kind.form}: {why}") from None
    return kind


def _offered_kind(url: str, scheme: str) -> LinkKind:
    offer = offer_named(GROUP, scheme, _not_a_link, own=OWN)
    if offer is None:
        raise _unknown(url)
    if offer.broken:
        raise ArmLinkUrlError(f"link '{url}': {offer.words} cannot be used: {offer.broken}")
    return offer.value


def _unknown(url: str) -> ArmLinkUrlError:
    forms = [CONTOUR.form, *(one.value.form for one in links_offered() if not one.broken)]
    return ArmLinkUrlError(f"link '{url}' begins like none of {', '.join(forms)}")


def has_power(url: str) -> bool:
    """Whether a robot behind a link moves for real; only a link that says otherwise does not."""
    return not link_kind(url).virtual


def link_origin(url: str) -> str:
    """Identify a foreign link's code: scheme, distribution, version, digest; empty for ours."""
    scheme = url.partition(":")[0]
    if scheme in OWN:
        return ""
    offer = offer_named(GROUP, scheme, _not_a_link, own=OWN)
    if offer is None:
        return ""
    name, _, _ = offer.distribution.partition(" ")
    return f"{offer.name} of {code_origin(name, [offer.package])}"


def _not_a_link(entry: EntryPoint, value: object) -> str:
    kind = type(value).__name__
    return "" if isinstance(value, LinkKind) else f"{entry.value} is a {kind}, no LinkKind"
