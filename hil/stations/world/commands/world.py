"""``hil world``: robots of the virtual environment, from the command line."""

import typer

from hil.stations.world.commands.convert import convert
from hil.stations.world.commands.inverse import ik
from hil.stations.world.commands.jog import jog
from hil.stations.world.commands.pose import fk
from hil.stations.world.commands.rerun import rerun
from hil.stations.world.commands.send import send
from hil.stations.world.commands.show import check, listed, show
from hil.stations.world.commands.view import view

app = typer.Typer(
    no_args_is_help=True, help="Robots, platforms and mechanisms of the virtual environment."
)
app.command("list")(listed)
app.command()(show)
app.command()(check)
app.command()(convert)
app.command()(fk)
app.command()(ik)
app.command()(view)
app.command()(rerun)
app.command()(send)
app.command()(jog)
