"""Options of `hil run` and `hil check` for a task."""

from typing import Final

from hil.diagram.run.options import PRESS, SLIDE, TRUST
from hil.run.station import Option
from hil.stations.world.options import EDIT, VIDEO

NAVIGATOR: Final = Option(
    flag="--navigator",
    metavar="NAME",
    help="Diagram that comes with the task, in place of the scenario's choice.",
    checks=True,
    key="navigator",
)
SEED: Final = Option(
    flag="--seed",
    metavar="N",
    help="Seed of the world that is drawn, in place of the scenario's.",
    checks=True,
    key="seed",
    number=True,
)
OPTIONS: Final = (NAVIGATOR, SEED, EDIT, PRESS, SLIDE, TRUST, VIDEO)
