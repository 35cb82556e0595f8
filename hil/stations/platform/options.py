"""Options of `hil run` and `hil check` for the platform."""

from typing import Final

from hil.diagram.run.options import PRESS, SLIDE
from hil.run.station import Option

OPTIONS: Final = (
    Option(
        flag="--rig", metavar="TEXT", help="Rig file, for a motion without a scenario.", checks=True
    ),
    Option(
        flag="--motion",
        metavar="PATH",
        help="File to replay, for a run without a scenario: CSV, or AT2, VT2, DT2. Given again for "
        "files of one record's components: x, y, z in this order, or a --map for each.",
        many=True,
        checks=True,
    ),
    Option(
        flag="--map",
        metavar="AXIS=COLUMN[:UNIT[:BIAS[:SCALE]]]",
        help="Which column is which axis (x y z alpha beta gamma, t for time), e.g. "
        "x=disp_north_m,y=disp_east_m. The unit is taken from the column's name if left out. "
        "Comma-separated, or repeated.",
        many=True,
        checks=True,
    ),
    Option(
        flag="--fit",
        switch=True,
        help="Change a motion that the rig refuses until it fits: bias, fade, low-pass, direction, "
        "scale. The recording tells what was changed. A unit is never guessed.",
        checks=True,
    ),
    Option(
        flag="--drives",
        metavar="URL",
        help="Where the drives are: `sim:`, `rig` (where the rig says), slcan:…, socketcan:…, "
        "modbus-tcp:…, modbus-rtu:…. Drives on a wire take the real clock.",
        key="devices.drives",
        device=True,
    ),
    Option(
        flag="--world",
        metavar="SCENE",
        help="What hangs on the rods of simulated cylinders in the physics engine, and what is in "
        "their way: a scene's name or file.",
        checks=True,
        key="world",
    ),
    PRESS,
    SLIDE,
)
