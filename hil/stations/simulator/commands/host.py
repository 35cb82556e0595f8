"""``hil host``: simulators that send to the bench: list, hear, check, record and emulate them."""

import typer

from hil.stations.simulator.commands.host_emulate import emulate
from hil.stations.simulator.commands.host_hear import check, listen, record
from hil.stations.simulator.commands.host_latency import latency
from hil.terminal.console import Json, verb

app = typer.Typer(
    no_args_is_help=True,
    help="Simulators that drive the platform: **list** them, **emulate** one, **listen** to what "
    "comes, **check** its signs, **record** a ride.",
    rich_markup_mode="markdown",
)


@verb
def list_hosts(as_json: Json = False) -> None:
    """List kinds of hosts: where they send, what they tell, and their maps."""
    from hil.stations.simulator.listening.listing import list_and_show

    list_and_show(as_json=as_json)


app.command()(verb(latency))
app.command("list")(list_hosts)
for command in (emulate, listen, check, record):
    app.command()(command)
