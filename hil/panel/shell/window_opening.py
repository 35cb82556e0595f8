"""What a window shows first, as the command line means it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from hil.panel.shell.models.opening import StartView

if TYPE_CHECKING:
    from hil.panel.shell.window import MainWindow


def open_view(window: MainWindow, opening: StartView) -> None:
    """Show a recording, a bench, a choice of benches, or scenarios."""
    match opening.what:
        case "run":
            window.replay(opening.path or Path())
        case "bench":
            window.connect_to(opening.path or Path())
        case "choice":
            window.menus.choose_bench()
        case "scenario":
            window.docks.show("scenarios")
            window.views["scenarios"].open_scenario(opening.path)
        case "scenarios":
            window.turns.waiting.watch.expect_all()  # no bench ran a moment ago
            window.docks.show("scenarios")
            window.views["scenarios"].suggest(opening.path)
