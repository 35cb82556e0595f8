"""Drive buses, ours and those of others: found by the scheme of a URL, under `hil.buses`.

This is what URLs and the file of a rig need of a bus; the rest is its `bus_kind.BusKind`. Its bank
is made in the gate's process (`offered_banks`). A bank of others without an entry here has no table
and takes any URL of its scheme.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from typing import Final

from drives.links import LinkUrlError
from hil.config.offers import Offer, offer_named, offers
from hil.config.settings import Settings
from hil.machines.rig.offered_banks import BUSES, SIM, bank_unread, schemes_of_banks


@dataclass(frozen=True, slots=True, kw_only=True)
class DriveBus:
    """A drive bus as URLs and the file of a rig see it."""

    protocol: str
    """What its drives speak: the name of its table in ``[drives]``, and of its emulated drives."""
    form: str
    """How its URLs are written, such as ``glide://HOST:PORT``, for refusals."""
    check: Callable[[str], object]
    """Raises `LinkUrlError` for a URL that is written wrongly; opens nothing."""
    table: Callable[[], type[Settings]] | None = None
    """Gives the model of the table ``[drives.PROTOCOL]``; None: the bus has no keys of its own."""
    links_max: int = 1
    """URLs that it takes at most, with a space between."""


def _check_sim(url: str) -> None:
    if url != f"{SIM}:":
        rest = url.removeprefix(f"{SIM}:")
        raise LinkUrlError(f"link '{url}': '{rest}' stands after sim:, which is all there is")


NO_BUS: Final = DriveBus(protocol="", form=f"{SIM}:", check=_check_sim)
"""Cylinders that are arithmetic."""


def buses_offered() -> tuple[Offer, ...]:
    """All buses of other distributions by scheme; those that cannot be used say why."""
    return tuple(one for one in _all_buses() if not one.ours)


def bus_of(url: str) -> DriveBus:
    """Return the bus of the drives at a URL, which is checked; the first if there are two.

    Raises:
        LinkUrlError: With the place that is wrong, and the right form; or that nobody offers the
            scheme, or why what is offered cannot be used.
    """
    return buses_at(url)[0]


def buses_at(url: str) -> tuple[DriveBus, ...]:
    """Return the bus of each URL of several, with spaces between; raises as `bus_of`."""
    return tuple(_bus_at(part) for part in url.split() or [url])


def bus_speaking(protocol: str) -> DriveBus | None:
    """Return the bus of a protocol; None if nobody offers one.

    Raises:
        LinkUrlError: If it is offered and cannot be used, or by two distributions.
    """
    every = _all_buses()
    found = [one for one in every if not one.broken and one.value.protocol == protocol]
    found = [one for one in found if one.ours] or found
    rivals = dict.fromkeys(one.distribution for one in found)
    if len(rivals) > 1:
        raise LinkUrlError(f"{' and '.join(rivals)} both have {protocol!r}; uninstall one")
    if not found:
        for one in every:
            if one.broken and one.name == protocol:
                raise LinkUrlError(f"the bus {one.words} cannot be used: {one.broken}")
        return None
    return found[0].value


def usable_buses() -> tuple[DriveBus, ...]:
    """Return all buses that can be used, ours first."""
    usable = [one for one in _all_buses() if not one.broken]
    usable.sort(key=lambda one: (not one.ours, one.value.protocol))
    return tuple({id(one.value): one.value for one in usable}.values())


def _all_buses() -> tuple[Offer, ...]:
    return offers(BUSES, _not_a_bus, own=(SIM,))


def _bus_at(url: str) -> DriveBus:
    scheme, colon, _ = url.partition(":")
    written = colon and not any(ord(letter) <= 0x20 for letter in url)
    bus = _bus_of_scheme(scheme, url) if written else None
    if bus is None:
        raise LinkUrlError(f"link '{url}' begins like none of {', '.join(_forms())}")
    try:
        bus.check(url)
    except LinkUrlError:
        raise
    except Exception as error:  # of a foreign package
        why = f"{type(error).__name__}: {error}"
        raise LinkUrlError(f"link '{url}' is not {bus.form}: {why}") from None
    return bus


def _bus_of_scheme(scheme: str, url: str) -> DriveBus | None:
    if scheme == SIM:
        return NO_BUS
    bus, bank = offer_named(BUSES, scheme, _not_a_bus, own=(SIM,)), bank_unread(scheme)
    for what, offer in (("bus", bus), ("bank", bank)):
        if offer is not None and offer.broken:
            text = f"the {what} {offer.words} cannot be used: {offer.broken}"
            raise LinkUrlError(f"link '{url}': {text}")
    if bank is None:
        if bus is None:
            return None
        text = f"the bus {bus.words} has no bank: an entry point of its name under hil.banks"
        raise LinkUrlError(f"link '{url}': {text}")
    if bus is None:
        return DriveBus(protocol=scheme, form=f"{scheme}:", check=len)
    if bus.distribution != bank.distribution:
        text = f"{bus.distribution} has its bus and {bank.distribution} its bank; uninstall one"
        raise LinkUrlError(f"link '{url}': {text}")
    return bus.value


def _forms() -> tuple[str, ...]:
    """All forms of URLs that can be used, ours first."""
    buses = {one.name for one in _all_buses()}
    plain = [f"{one}:" for one in schemes_of_banks() if one not in buses]
    return (NO_BUS.form, *(one.form for one in usable_buses()), *plain)


def _not_a_bus(entry: EntryPoint, value: object) -> str:
    if not isinstance(value, DriveBus):
        return f"{entry.value} is a {type(value).__name__}, no BusKind"
    if not value.protocol.replace("-", "_").isidentifier():
        return f"its protocol is {value.protocol!r}; letters, digits and - are needed"
    if value.table is None:
        return ""
    model = value.table()
    right = isinstance(model, type) and issubclass(model, Settings)
    return "" if right else f"its table is {model!r}; it must be a hil.config.settings.Settings"
