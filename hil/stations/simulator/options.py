"""Options of `hil run` and `hil check` for a ride."""

from typing import Final

from hil.run.station import Option
from hil.stations.platform.options import OPTIONS as PLATFORM_OPTIONS

OPTIONS: Final = (
    *(one for one in PLATFORM_OPTIONS if one.flag in ("--drives", "--world")),
    Option(
        flag="--preset",
        metavar="TEXT",
        help="Cueing preset in place of the scenario's: a name in configs/cueing, or a file.",
        checks=True,
        key="cueing.preset",
    ),
    Option(
        flag="--algorithm",
        metavar="TEXT",
        help="classical, adaptive, optimal, mpc or direct, in place of the preset's.",
        checks=True,
        key="cueing.algorithm",
    ),
    Option(
        flag="--gain",
        metavar="NUMBER",
        help="Factor on the vehicle's force and rates, in place of the scenario's.",
        checks=True,
        key="cueing.gain",
        number=True,
    ),
    Option(
        flag="--trust",
        switch=True,
        help="Load the native code of an FMU that the scenario's source names.",
        checks=True,
    ),
)
