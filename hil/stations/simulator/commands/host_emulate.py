"""``hil host emulate``: a simulator that is none, with faults."""

from pathlib import Path
from typing import Annotated

import typer

from hil.stations.simulator.commands.host_options import HostArg, key_of
from hil.terminal.console import verb

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
Stands = Annotated[
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
    stands_s: Stands = 0.0,
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
        version=version, seed=seed, faults=tuple(fault or ()), stands_s=stands_s,
        key=key_of(key_file),
    )  # fmt: skip
    emulation.emulate(
        choice, address=to, port=port, asked_on=asked_on, end_with_input=end_with_input,
        end_with_feed=end_with_feed,
    )  # fmt: skip
