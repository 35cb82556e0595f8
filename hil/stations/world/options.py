"""Options of `hil run` and `hil check` for the virtual environment."""

from typing import Final

from hil.diagram.run.options import PRESS, SLIDE, TRUST
from hil.run.station import Option

ROBOT: Final = Option(
    flag="--robot",
    metavar="ROBOT",
    help="Robot of the virtual environment in place of the scenario's.",
    checks=True,
    key="robot",
)
EDITS: Final = Option(
    flag="--edits",
    metavar="RECORDING",
    help="Take the edits of a recording, and its diagram's changes, at the same steps, in place of "
    "the scenario's.",
    checks=True,
)
EDIT: Final = Option(
    flag="--edit",
    help="Take the robot's document, or the diagram that moves it, each time that it is saved; "
    "needs --clock real.",
    switch=True,
)
VIDEO: Final = Option(
    flag="--video",
    metavar="F.mp4",
    help="Draw a film of a run of the virtual environment when it is over: H.264, 25 pictures a "
    "second, in a process of its own.",
)
OPTIONS: Final = (ROBOT, EDITS, EDIT, PRESS, SLIDE, TRUST, VIDEO)
