"""What a window shows first, as the command line means it."""

from pathlib import Path

from hil.panel.shell.host import Host
from hil.panel.shell.models.start_view import StartView
from hil.panel.shell.window_menus import Menus
from hil.panel.shell.window_turns import Turns


def open_view(window: Host, menus: Menus, turns: Turns, opening: StartView) -> None:
    """Show a recording, a bench, a choice of benches, or scenarios."""
    match opening.what:
        case "run":
            window.replay(opening.path or Path())
        case "bench":
            window.connect_to(opening.path or Path())
        case "choice":
            menus.choose_bench()
        case "scenario":
            window.docks.show("scenarios")
            turns.views["scenarios"].open_scenario(opening.path)
        case "scenarios":
            turns.waiting.watch.expect_all()  # no bench ran a moment ago
            window.docks.show("scenarios")
            turns.views["scenarios"].suggest(opening.path)
