"""``hil host``: simulators that send to the bench: list, hear, check, record and emulate them."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hil.config.errors import ConfigError
from hil.terminal.console import Json, leave, verb

if TYPE_CHECKING:
    from hil.stations.simulator.listening.ears import ListenChoice

app = typer.Typer(
    no_args_is_help=True,
    help="Simulators that drive the platform: **list** them, **emulate** one, **listen** to what "
    "comes, **check** its signs, **record** a ride.",
    rich_markup_mode="markdown",
)

HostArg = Annotated[
    str,
    typer.Argument(
        metavar="KIND",
        help="Kind of host, name of a shipped map, or a map's file: `hil host list`.",
    ),
]
PortOption = Annotated[
    int | None,
    typer.Option(
        "--port", min=0, max=65535, help="UDP port; the kind's if left out, 0 for any free one."
    ),
]
AddressOption = Annotated[
    str,
    typer.Option(
        "--address",
        help="Of this machine, on which it is heard. Not a loopback one needs --key-file or "
        "--allow.",
    ),
]
HostAtOption = Annotated[
    str,
    typer.Option(
        "--host",
        metavar="ADDRESS[:PORT]",
        help="Where the simulator runs, for wires that must be asked.",
    ),
]
AllowOption = Annotated[
    list[str] | None,
    typer.Option("--allow", metavar="ADDRESS", help="A sender that is heard; may be repeated."),
]
KeyOption = Annotated[
    Path | None, typer.Option("--key-file", help="With the key that frames of hcu1 are signed by.")
]
MapSetOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Change a key of the map; may be repeated."),
]


@app.command("list")
@verb
def list_hosts(as_json: Json = False) -> None:
    """List kinds of hosts: where they send, what they tell, and their maps."""
    from hil.stations.simulator.listening.listing import list_and_show

    list_and_show(as_json=as_json)


@app.command()
@verb
def emulate(
    kind: HostArg,
    feed: Annotated[
        str,
        typer.Option(
            "--feed",
            metavar="auto|jsbsim|flight|loop|drive|FILE",
            help="The vehicle: JSBSim where installed, else a flight by script (auto); a flight "
            "with a loop, a drive; or a recorded ride, CSV.",
        ),
    ] = "auto",
    rate_hz: Annotated[
        float, typer.Option("--rate", metavar="HZ", help="Packets a second.")
    ] = 60.0,
    jitter_ms: Annotated[
        float, typer.Option("--jitter", metavar="MS", help="Packets come up to so much later.")
    ] = 0.0,
    loss: Annotated[
        float, typer.Option("--loss", metavar="SHARE", help="Of the packets, never to arrive.")
    ] = 0.0,
    order: Annotated[
        float, typer.Option("--order", metavar="SHARE", help="Of the packets, overtaken.")
    ] = 0.0,
    version: Annotated[
        str,
        typer.Option(
            "--version",
            metavar="FORM",
            help="xplane: 11, 12; flightgear_generic: binary, ascii; hcu1: binary, json; "
            "pose_template: text, binary.",
        ),
    ] = "",
    fault: Annotated[
        list[str] | None,
        typer.Option(
            "--fault",
            metavar="FAULT@S",
            help="A fault at a time: pause@20, 'spike value=30@25'; may be repeated. The console "
            "takes the same words; its `help` lists them.",
        ),
    ] = None,
    stands_s: Annotated[
        float, typer.Option("--stands", metavar="S", help="The vehicle waits so long at first.")
    ] = 0.0,
    to: Annotated[str, typer.Option("--to", metavar="ADDRESS", help="Where to.")] = "127.0.0.1",
    port: Annotated[
        int | None,
        typer.Option("--port", min=1, max=65535, help="UDP port there; the kind's if left out."),
    ] = None,
    asked_on: Annotated[
        int | None,
        typer.Option(
            "--asked-on",
            min=0,
            max=65535,
            help="UDP port for requests of X-Plane's users; 49000 if left out.",
        ),
    ] = None,
    key_file: Annotated[
        Path | None, typer.Option("--key-file", help="Its content signs frames of hcu1.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of jitter, loss and order.")] = 0,
    end_with_feed: Annotated[
        bool, typer.Option("--end-with-feed", help="End when the vehicle's ride has.")
    ] = False,
    end_with_input: Annotated[
        bool, typer.Option("--end-with-input", help="End when standard input does: for scripts.")
    ] = False,
) -> None:
    """Emulate a simulator: it sends until Ctrl-C, and standard input is a console for faults."""
    from hil.stations.simulator.listening import emulation

    choice = emulation.EmulateChoice(
        name=kind, feed=feed, rate_hz=rate_hz, jitter_s=1e-3 * jitter_ms, loss=loss, order=order,
        version=version, seed=seed, faults=tuple(fault or ()), stands_s=stands_s,
        key=_key(key_file),
    )  # fmt: skip
    emulation.emulate(
        choice, address=to, port=port, asked_on=asked_on, end_with_input=end_with_input,
        end_with_feed=end_with_feed,
    )  # fmt: skip


@app.command()
@verb
def listen(
    kind: HostArg,
    seconds: Annotated[
        float | None, typer.Option("--seconds", metavar="S", help="How long; else until Ctrl-C.")
    ] = None,
    port: PortOption = None,
    address: AddressOption = "127.0.0.1",
    host: HostAtOption = "127.0.0.1",
    allow: AllowOption = None,
    key_file: KeyOption = None,
    change: MapSetOption = None,
    as_json: Json = False,
) -> None:
    """Show what a host sends: rate, jitter, loss, values in SI, and its state as a run sees it."""
    from hil.stations.simulator.listening.listen import listen_and_show

    choice = _choice(kind, port, address, host, allow, key_file, change)
    leave(listen_and_show(choice, seconds, as_json=as_json))


@app.command()
@verb
def check(
    kind: HostArg,
    seconds: Annotated[
        float, typer.Option("--seconds", metavar="S", help="How long to listen.")
    ] = 30.0,
    port: PortOption = None,
    address: AddressOption = "127.0.0.1",
    host: HostAtOption = "127.0.0.1",
    allow: AllowOption = None,
    key_file: KeyOption = None,
    change: MapSetOption = None,
    as_json: Json = False,
) -> None:
    """Hold what a host tells against itself: wrong signs and units are refused (exit 1).

    Accelerate, brake and take bends meanwhile. Force is held against the change of speed and
    against speed times yaw rate, rates against the attitude.
    """
    from hil.stations.simulator.listening.recording import check_and_show

    choice = _choice(kind, port, address, host, allow, key_file, change)
    leave(check_and_show(choice, seconds, as_json=as_json))


@app.command()
@verb
def record(
    kind: HostArg,
    file: Annotated[
        Path, typer.Option("--out", "-o", metavar="FILE", help="CSV to write; it must not exist.")
    ],
    seconds: Annotated[
        float | None, typer.Option("--seconds", metavar="S", help="How long; else until Ctrl-C.")
    ] = None,
    port: PortOption = None,
    address: AddressOption = "127.0.0.1",
    host: HostAtOption = "127.0.0.1",
    allow: AllowOption = None,
    key_file: KeyOption = None,
    change: MapSetOption = None,
    as_json: Json = False,
) -> None:
    """Record a ride of a host for `hil cue`: each packet is on disk as soon as it came."""
    from hil.stations.simulator.listening.recording import record_and_show

    choice = _choice(kind, port, address, host, allow, key_file, change)
    leave(record_and_show(choice, file, seconds, as_json=as_json))


def _choice(
    kind: str,
    port: int | None,
    address: str,
    host: str,
    allow: list[str] | None,
    key_file: Path | None,
    change: list[str] | None,
) -> "ListenChoice":
    from hil.stations.simulator.listening.ears import ListenChoice
    from hil.stations.simulator.listening.named import named_host

    named = named_host(kind, tuple(change or ()))
    at, colon, port_text = host.partition(":")
    asks_port = named.kind.asks_port
    if colon:
        if not (port_text.isdecimal() and 0 < int(port_text) <= 65535):
            raise ConfigError("--host", [f"{host!r}: ADDRESS or ADDRESS:PORT is needed"])
        asks_port = int(port_text)
    return ListenChoice(
        host=named, address=address, port=port, allow=tuple(allow or ()), key=_key(key_file),
        asks=None if asks_port is None else (at, asks_port),
    )  # fmt: skip


def _key(file: Path | None) -> bytes:
    if file is None:
        return b""
    try:
        key = file.read_bytes().strip()
    except OSError as error:
        raise ConfigError(str(file), [f"--key-file cannot be read: {error.strerror}"]) from None
    if not key:
        raise ConfigError(str(file), ["--key-file is empty: a key is needed"])
    return key
