"""Options of `hil run` and `hil check` for the arm station."""

from typing import Final

from hil.diagram.run.options import PRESS, SLIDE
from hil.run.station import Option

LINK: Final = Option(
    flag="--arm-link",
    metavar="URL",
    help="Where the robot of an arm station is: `sim:`, serial:/dev/ttyS0?baud=9600, "
    "socket://host:port. A robot on a line takes the real clock.",
    key="devices.arm",
    device=True,
)
AT: Final = Option(
    flag="--arm-at",
    metavar="X,Y,Z,O,A,T",
    help="Where the robot's controller shows its gripper now [mm, deg], for a robot whose "
    "requests do not say so. What the robot says itself goes before it.",
)
WORLD: Final = Option(
    flag="--world",
    metavar="SCENE",
    help="Of an arm station: the scene in which an emulated robot bears its weight and touches "
    "things, `table`, or a file.",
    checks=True,
    key="world",
)


EDIT: Final = Option(
    flag="--edit",
    help="Of an arm station: the diagram that an operator moves it by; on a robot on a line its "
    "structure stays what it is.",
    switch=True,
)
OPTIONS: Final = (LINK, AT, WORLD, PRESS, SLIDE, EDIT)
