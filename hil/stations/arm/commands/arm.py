"""``hil arm``: the arm station, its robot, and the simulated space arm, from the command line."""

import typer

from hil.space_arm.commands.advance import advance
from hil.space_arm.commands.table import table
from hil.stations.arm.commands.emulate import emulate
from hil.stations.arm.commands.identify import identify
from hil.stations.arm.commands.jog import jog
from hil.stations.arm.commands.moves import goto, play
from hil.stations.arm.commands.pose import fk, ik
from hil.stations.arm.commands.run import check, run

app = typer.Typer(
    no_args_is_help=True,
    help="The arm station: **check** and **run** its scenarios, drive its robot alone "
    "(**goto**, **jog**, **play**), **identify** its controller, **emulate** it; kinematics of "
    "robots and space arms (**fk**, **ik**); the simulated space arm (**advance**, **table**).",
)
for command in (check, run, goto, jog, play, identify, emulate, fk, ik, advance, table):
    app.command()(command)
