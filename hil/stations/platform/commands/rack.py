"""``hil drives rack``: six emulated drives on a real wire."""

from pathlib import Path
from typing import Annotated

import typer

from hil.terminal.console import verb
from hil.terminal.options import AnyUser

TypeOption = Annotated[
    str,
    typer.Option(
        "--type",
        metavar="TYPE",
        help="CANopen: epos4, cl4, ipos …, or a drive file; Modbus: nanotec_modbus_rtu. The "
        "bench's own emulated drives if left out.",
    ),
]
PortOption = Annotated[
    int,
    typer.Option(
        "--port",
        min=0,
        max=65535,
        help="TCP port; 0 takes a free one, and a pseudo-terminal for modbus-rtu.",
    ),
]
StoredRateOption = Annotated[
    float,
    typer.Option(
        "--rate",
        min=4.0,
        max=1000.0,
        metavar="HZ",
        help="nanotec_modbus_rtu: of the runs to come; stored in its drives (60C2h).",
    ),
]
WorldOption = Annotated[
    str,
    typer.Option(
        "--world",
        metavar="SCENE",
        help="What hangs on the rods in the physics engine: a scene's name or file.",
    ),
]
EndOption = Annotated[
    bool,
    typer.Option("--end-with-input", help="End when standard input does: for scripts."),
]
ScriptOption = Annotated[
    Path | None, typer.Option("--script", help="TOML file of faults, each with its time.")
]


@verb
def rack(
    protocol: Annotated[
        str, typer.Option("--protocol", metavar="canopen|modbus-tcp|modbus-rtu")
    ] = "canopen",
    rig: Annotated[str, typer.Option("--rig", help="The rig whose drives are emulated.")] = "paper",
    kind: TypeOption = "",
    port: PortOption = 0,
    any_user: AnyUser = False,
    pty: Annotated[
        bool, typer.Option("--pty", help="CANopen: a pseudo-terminal instead of TCP.")
    ] = False,
    buses: Annotated[
        int, typer.Option("--buses", min=1, max=2, help="CANopen: on one CAN bus, or on two.")
    ] = 1,
    script: ScriptOption = None,
    baud: Annotated[int, typer.Option("--baud", help="modbus-rtu: of the line [Bd].")] = 115_200,
    rate_hz: StoredRateOption = 1.0 / 0.06,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Where the rods stand at first.")] = 0,
    end_with_input: EndOption = False,
    unpaced: Annotated[
        bool, typer.Option("--unpaced", help="Let frames take no time on the wire.")
    ] = False,
    world: WorldOption = "",
) -> None:
    """Emulate the six drives of a rig on the real wire, in this process.

    Prints the URL to use on the first line; then standard input is a console for faults (`help`).
    """
    from hil.stations.platform.drives.rack import serve_rack

    serve_rack(
        rig,
        protocol,
        port=port,
        any_user=any_user,
        pty=pty,
        buses=buses,
        script=script,
        baud=baud,
        seed=seed,
        paced=not unpaced,
        kind=kind,
        world=world,
        rate_hz=rate_hz,
        end_with_input=end_with_input,
    )
