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
TRAINEE: Final = Option(
    flag="--trainee",
    metavar="NAME",
    help="Keep the score of the person who drives, by this name, beside the folders of runs.",
)
OPTIONS: Final = (NAVIGATOR, EDIT, PRESS, SLIDE, TRAINEE, TRUST, VIDEO)
