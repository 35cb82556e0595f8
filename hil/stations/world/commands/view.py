"""``hil world view``: a world in a live window."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hil.terminal.completion import offered
from hil.terminal.console import err, leave, verb

if TYPE_CHECKING:
    from hil.stations.world.run.session import WorldResult


@verb
def view(
    name: Annotated[
        str,
        typer.Argument(
            metavar="SCENARIO|ROBOT|SCENE",
            help="Name of a shipped one, or a path; a machine such as rig:paper.",
            autocompletion=offered("scenarios", "world/robots", "world/scenes"),
        ),
    ],
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Change a setting of the scenario."),
    ] = None,
    edit: Annotated[
        bool,
        typer.Option("--edit", help="Take a scenario's robot anew each time its file is saved."),
    ] = False,
    folder: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="Folder for the recording of a scenario.")
    ] = Path("runs"),
) -> None:
    """A live window: forces at contacts, pause, single step, speed, pulling at bodies by mouse.

    A scenario runs, gate and all, and is recorded with every pull; a robot holds where it starts.
    Space pauses, the right arrow makes one step, + and - change the speed of time (0.01 to 100),
    a double click chooses a body, Ctrl and the right button pull at it. Closing it ends the run.
    Exit status 1 if something else ended it before its motion did, or there is no window.
    """
    from hil.stations.world.run.live_view import watch_document

    path = _scenario(name)
    if path is None:
        watch_document(name)
        return
    from hil.stations.world.plan.scenario_reader import load_world_plan
    from hil.stations.world.run.live_view import watch_run
    from hil.stations.world.run.world_output import show_losses

    plan = load_world_plan(path, changes or ())
    show_losses(plan.losses)
    err.print("Space: pause; right arrow: one step; + -: speed; close the window to end")
    result = watch_run(plan, folder, _show, edit=edit)
    leave(result.ok)


def _show(result: WorldResult) -> None:
    """Show the result while the window shows the end of the run."""
    from hil.terminal.run_end import show_end, show_last

    show_end(result.end)
    show_last(result.end)


def _scenario(name: str) -> Path | None:
    """File of a scenario of this station, by name; None if the name means none."""
    from hil.config.errors import ConfigError
    from hil.config.file_search import find_file
    from hil.config.settings import read_toml
    from hil.stations.world.signals import STATION

    try:
        path = find_file(name, folder="scenarios", key="SCENARIO")
        table = read_toml(path)
    except ConfigError:
        return None
    return path if table.get("station") == STATION else None
