"""``hil host``: list, receive, check, record and emulate simulators that send to the bench."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hil.stations.simulator.commands.host_options import HostArg, hearing, key_of
from hil.terminal.console import Json, leave, verb
from hil.terminal.options import SetOption

if TYPE_CHECKING:
    from hil.stations.simulator.listening.host_receiver import ListenChoice

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


def latency(
    scenario: Annotated[
        str,
        typer.Argument(metavar="SCENARIO", help="A ride with a live host, such as flight_live."),
    ],
    seconds: Annotated[
        float, typer.Option("--seconds", metavar="S", help="How long it is ridden.")
    ] = 20.0,
    drives: Annotated[
        str,
        typer.Option(
            "--drives", metavar="URL", help="Drives; left out: emulated CANopen ones; or `sim:`."
        ),
    ] = "",
    unpaced: Annotated[
        bool,
        typer.Option("--unpaced", help="Emulated drives whose frames take no time on the bus."),
    ] = False,
    folder: Annotated[
        Path, typer.Option("--out", metavar="FOLDER", help="Folder that gets the recording.")
    ] = Path("runs"),
    overrides: SetOption = None,
    as_json: Json = False,
) -> None:
    """Ride a live scenario, and say where the time goes from the host to the legs."""
    from hil.stations.simulator.cue.latency_run import latency_and_show, require_seconds

    require_seconds(seconds)
    leave(
        latency_and_show(
            scenario, seconds=seconds, drives=drives, changes=overrides or (), folder=folder,
            as_json=as_json, paced=not unpaced,
        )
    )  # fmt: skip


Feed = Annotated[
    str,
    typer.Option(
        "--feed",
        metavar="auto|jsbsim|flight|loop|drive|FILE",
        help="The vehicle: JSBSim where installed, else a flight by script (auto); a flight "
        "with a loop, a drive; or a recorded ride, CSV.",
    ),
]
Rate = Annotated[float, typer.Option("--rate", metavar="HZ", help="Packets a second.")]
Jitter = Annotated[
    float, typer.Option("--jitter", metavar="MS", help="Packets come up to so much later.")
]
Loss = Annotated[
    float, typer.Option("--loss", metavar="SHARE", help="Of the packets, never to arrive.")
]
Order = Annotated[
    float, typer.Option("--order", metavar="SHARE", help="Of the packets, overtaken.")
]
Version = Annotated[
    str,
    typer.Option(
        "--version",
        metavar="FORM",
        help="xplane: 11, 12; flightgear_generic: binary, ascii; hcu1: binary, json; "
        "pose_template: text, binary; a layout: the game, such as forza.",
    ),
]
Faults = Annotated[
    list[str] | None,
    typer.Option(
        "--fault",
        metavar="FAULT@S",
        help="A fault at a time: pause@20, 'spike value=30@25'; may be repeated. The console "
        "takes the same words; its `help` lists them.",
    ),
]
RestFirst = Annotated[
    float, typer.Option("--stands", metavar="S", help="The vehicle waits so long at first.")
]
To = Annotated[str, typer.Option("--to", metavar="ADDRESS", help="Where to.")]
Port = Annotated[
    int | None,
    typer.Option("--port", min=1, max=65535, help="UDP port there; the kind's if left out."),
]
AskedOn = Annotated[
    int | None,
    typer.Option(
        "--asked-on",
        min=0,
        max=65535,
        help="UDP port for requests of X-Plane's users; 49000 if left out.",
    ),
]
KeyFile = Annotated[
    Path | None, typer.Option("--key-file", help="Its content signs frames of hcu1.")
]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Of jitter, loss and order.")]
EndWithFeed = Annotated[
    bool, typer.Option("--end-with-feed", help="End when the vehicle's ride has.")
]
EndWithInput = Annotated[
    bool, typer.Option("--end-with-input", help="End when standard input does: for scripts.")
]


@verb
def emulate(
    kind: HostArg,
    feed: Feed = "auto",
    rate_hz: Rate = 60.0,
    jitter_ms: Jitter = 0.0,
    loss: Loss = 0.0,
    order: Order = 0.0,
    version: Version = "",
    fault: Faults = None,
    rest_s: RestFirst = 0.0,
    to: To = "127.0.0.1",
    port: Port = None,
    asked_on: AskedOn = None,
    key_file: KeyFile = None,
    seed: Seed = 0,
    end_with_feed: EndWithFeed = False,
    end_with_input: EndWithInput = False,
) -> None:
    """Emulate a simulator: it sends until Ctrl-C, and standard input is a console for faults."""
    from hil.stations.simulator.listening import emulation

    choice = emulation.EmulateChoice(
        name=kind, feed=feed, rate_hz=rate_hz, jitter_s=1e-3 * jitter_ms, loss=loss, order=order,
        version=version, seed=seed, faults=tuple(fault or ()), rest_s=rest_s,
        key=key_of(key_file),
    )  # fmt: skip
    emulation.emulate(
        choice, address=to, port=port, asked_on=asked_on, end_with_input=end_with_input,
        end_with_feed=end_with_feed,
    )  # fmt: skip


app = typer.Typer(
    no_args_is_help=True,
    help="Simulators that drive the platform: **list** them, **emulate** one, **listen** to what "
    "comes, **check** its signs, **record** a ride.",
    rich_markup_mode="markdown",
)


@verb
def list_hosts(as_json: Json = False) -> None:
    """List kinds of hosts: where they send, what they tell, and their maps."""
    from hil.stations.simulator.listening.host_list import list_and_show

    list_and_show(as_json=as_json)


app.command()(verb(latency))
app.command("list")(list_hosts)
for command in (emulate, listen, check, record):
    app.command()(command)
