"""``hil arm``: the arm station, its robot, and the simulated space arm, from the command line."""

import typer

from hil.cli_arm_advance import advance
from hil.cli_arm_emulate import emulate
from hil.cli_arm_identify import identify
from hil.cli_arm_jog import jog
from hil.cli_arm_moves import goto, play
from hil.cli_arm_pose import fk, ik
from hil.cli_arm_run import check, run
from hil.cli_arm_table import table

app = typer.Typer(
    no_args_is_help=True,
    help="The arm station: **check** and **run** its scenarios, drive its robot alone "
    "(**goto**, **jog**, **play**), **identify** its controller, **emulate** it; kinematics of "
    "robots and space arms (**fk**, **ik**); the simulated space arm (**advance**, **table**).",
)
for command in (check, run, goto, jog, play, identify, emulate, fk, ik, advance, table):
    app.command()(command)
