"""``hil host listen``, ``check`` and ``record``: what a simulator sends, before anything moves."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hil.stations.simulator.commands.host_options import hearing
from hil.terminal.console import Json, leave, verb

if TYPE_CHECKING:
    from hil.stations.simulator.listening.ears import ListenChoice

SecondsOption = Annotated[
    float | None, typer.Option("--seconds", metavar="S", help="How long; else until Ctrl-C.")
]


@verb
@hearing
def listen(choice: "ListenChoice", seconds: SecondsOption = None, as_json: Json = False) -> None:
    """Show what a host sends: rate, jitter, loss, values in SI, and its state as a run sees it."""
    from hil.stations.simulator.listening.listen import listen_and_show

    leave(listen_and_show(choice, seconds, as_json=as_json))


@verb
@hearing
def check(
    choice: "ListenChoice",
    seconds: Annotated[
        float, typer.Option("--seconds", metavar="S", help="How long to listen.")
    ] = 30.0,
    as_json: Json = False,
) -> None:
    """Hold what a host tells against itself: wrong signs and units are refused (exit 1).

    Accelerate, brake and take bends meanwhile. Force is held against the change of speed and
    against speed times yaw rate, rates against the attitude.
    """
    from hil.stations.simulator.listening.recording import check_and_show

    leave(check_and_show(choice, seconds, as_json=as_json))


@verb
@hearing
def record(
    choice: "ListenChoice",
    file: Annotated[
        Path, typer.Option("--out", "-o", metavar="FILE", help="CSV to write; it must not exist.")
    ],
    seconds: SecondsOption = None,
    as_json: Json = False,
) -> None:
    """Record a ride of a host for `hil cue`: each packet is on disk as soon as it came."""
    from hil.stations.simulator.listening.recording import record_and_show

    leave(record_and_show(choice, file, seconds, as_json=as_json))
