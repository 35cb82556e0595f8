"""Arguments that several verbs of the virtual environment share."""

from typing import Annotated

import typer

from hil.terminal.completion import offered


def _robots(begun: str) -> list[str]:
    from hil.machines.world.documents import machine_names

    machines = [name for name in machine_names() if name.startswith(begun)]
    return machines + offered("world/robots")(begun)


RobotDocArg = Annotated[
    str,
    typer.Argument(
        metavar="ROBOT",
        help="A robot: a document (.toml, .txt, .urdf, .mjcf or .xml), the name of a shipped one "
        "(robot_a, four_bar), or a machine by its kind and file (rig:paper, robot:rm01, arm:bkm).",
        autocompletion=_robots,
    ),
]
