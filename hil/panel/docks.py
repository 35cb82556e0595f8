"""All docks of a window, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from hil.panel.dock_scope import ScopeDock
from hil.panel.dock_views import SceneDock, View
from hil.panel.theme import Theme

if TYPE_CHECKING:
    from hil.panel.window import MainWindow


def views_of(window: MainWindow, theme: Theme, now_s: Callable[[], float]) -> dict[str, View]:
    """All views of a window, by the names of their docks.

    Args:
        window: that they ask to open runs and to send wishes.
        theme: colours.
        now_s: monotonic time [s].
    """
    return {
        "scene": SceneDock(theme, now_s),
        "scope": ScopeDock(theme),
    }
