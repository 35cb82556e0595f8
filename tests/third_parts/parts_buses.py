"""Drive buses with one planted fault each, named by their schemes."""

from own_bus import check

from drives.links import LinkUrlError
from hil.config.settings import Settings
from hil.machines.rig.bus_kind import BusKind


def unchecked(url):
    raise IndexError("no such row")


def right(url):
    if not url.endswith(":"):
        raise LinkUrlError(f"link '{url}' is not needy:")


class Needs(Settings):
    """A table whose key has no default."""

    turns: int


ODD = BusKind(protocol="odd", form="odd:ROW", check=unchecked)
NEEDY = BusKind(protocol="needy", form="needy:", check=right, table=lambda: Needs)
TABLE = BusKind(protocol="table", form="table:", check=check, table=lambda: dict)
RAISES = BusKind(protocol="raises", form="raises:", check=check, table=lambda: 1 // 0)
NAMELESS = BusKind(protocol="a b", form="nameless:", check=check)
