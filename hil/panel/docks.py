"""All docks of a window, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from hil.panel.dock_controls import ControlsDock, ScenariosDock
from hil.panel.dock_models import ModelDock
from hil.panel.dock_replay import CompareDock, ReplayDock
from hil.panel.dock_scope import ScopeDock
from hil.panel.dock_views import SceneDock, View
from hil.panel.faults_view import FaultsView
from hil.panel.lateness_view import LatenessView
from hil.panel.margins_view import MarginsView
from hil.panel.models.faults import FaultsModel
from hil.panel.models.lateness import LatenessModel
from hil.panel.models.margins import MarginsModel
from hil.panel.models.timeline import TimelineModel
from hil.panel.theme import Theme
from hil.panel.timeline_view import TimelineView

if TYPE_CHECKING:
    from hil.panel.window import MainWindow


def views_of(window: MainWindow, theme: Theme, now_s: Callable[[], float]) -> dict[str, View]:
    """All views of a window, by the names of their docks.

    Args:
        window: that they ask to open runs and to send wishes.
        theme: colours.
        now_s: monotonic time [s].
    """
    timeline = ModelDock(
        theme, now_s, TimelineModel, lambda model, theme: _timeline(window, model, theme)
    )
    return {
        "scene": SceneDock(theme, now_s),
        "controls": ControlsDock(theme, now_s),
        "handles": window.handles,
        "scenarios": ScenariosDock(window, theme, now_s),
        "faults": ModelDock(theme, now_s, FaultsModel, FaultsView),
        "margins": ModelDock(theme, now_s, MarginsModel, MarginsView),
        "scope": ScopeDock(theme),
        "lateness": ModelDock(theme, now_s, LatenessModel, LatenessView),
        "timeline": timeline,
        "compare": CompareDock(theme),
        "replay": ReplayDock(theme),
    }


def _timeline(window: MainWindow, model: TimelineModel, theme: Theme) -> TimelineView:
    """A timeline on which a recording goes to the event that people choose."""
    view = TimelineView(model, theme)
    view.chosen.connect(window.seek)
    return view
