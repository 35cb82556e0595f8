"""``hil host latency``: where the time goes between a simulator and the legs."""

from pathlib import Path
from typing import Annotated

import typer

from hil.terminal.console import Json, leave
from hil.terminal.options import SetOption


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
    from hil.stations.simulator.latency_run import latency_and_show, require_seconds

    require_seconds(seconds)
    leave(
        latency_and_show(
            scenario, seconds=seconds, drives=drives, changes=overrides or (), folder=folder,
            as_json=as_json, paced=not unpaced,
        )
    )  # fmt: skip
