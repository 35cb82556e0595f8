"""All docks of a window, by name, each made when it is wanted or when there is time for it.

What a view needs is loaded with it: the first picture waits for nothing but itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, TypeVar

from hil.panel.shell.dock_views import View

if TYPE_CHECKING:
    from hil.panel.live.models.feed import RunFacts
    from hil.panel.live.models.timeline import TimelineModel
    from hil.panel.live.timeline_view import TimelineView
    from hil.panel.shell.dock_models import Model, ModelView
    from hil.panel.shell.theme import Theme
    from hil.panel.shell.window import MainWindow

Maker = Callable[[], View]
_M = TypeVar("_M", bound="Model")


class Views(Mapping[str, View]):
    """Name → view; one that is asked for is made at once, the others one by one.

    Args:
        makers: name → what makes the view, in the order in which they are made.
        place: puts a view that was just made where it belongs.
    """

    def __init__(self, makers: Mapping[str, Maker], place: Callable[[str, View], None]) -> None:
        self._makers = makers
        self._place = place
        self._made: dict[str, View] = {}
        self._due = list(makers)

    def __getitem__(self, name: str) -> View:
        if name not in self._made:
            if name in self._due:  # one that cannot be made is not tried in every turn
                self._due.remove(name)
            view = self._makers[name]()
            self._made[name] = view
            self._place(name, view)
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)

    @property
    def made(self) -> dict[str, View]:
        """Those that are there."""
        return dict(self._made)

    @property
    def complete(self) -> bool:
        """Whether none is left to be made."""
        return not self._due

    def make_next(self) -> None:
        """Make one of those that are left."""
        if self._due:
            self[self._due[0]]


def makers_of(window: MainWindow, now_s: Callable[[], float]) -> dict[str, Maker]:
    """What makes the views of a window, by the names of their docks; what is seen first, first.

    Args:
        window: that they ask to open runs and to send wishes, and whose colours they have.
        now_s: monotonic time [s].
    """
    return {
        "scene": lambda: _scene(window.theme, now_s),
        "scope": lambda: _scope(window.theme),
        "controls": lambda: _controls(window.theme, now_s),
        "timeline": lambda: _timeline(window, now_s),
        "replay": lambda: _replay(window.theme),
        "faults": lambda: _faults(window.theme, now_s),
        "margins": lambda: _margins(window.theme, now_s),
        "lateness": lambda: _lateness(window.theme, now_s),
        "handles": lambda: _handles(window.theme, now_s),
        "scenarios": lambda: _scenarios(window, now_s),
        "compare": lambda: _compare(window.theme),
    }


def _scene(theme: Theme, now_s: Callable[[], float]) -> View:
    from hil.panel.scene.dock_scene import SceneDock

    return SceneDock(theme, now_s)


def _scope(theme: Theme) -> View:
    from hil.panel.scope.dock_scope import ScopeDock

    return ScopeDock(theme)


def _controls(theme: Theme, now_s: Callable[[], float]) -> View:
    from hil.panel.lead.dock_controls import ControlsDock

    return ControlsDock(theme, now_s)


def _handles(theme: Theme, now_s: Callable[[], float]) -> View:
    from hil.panel.lead.dock_controls import HandlesDock

    return HandlesDock(theme, now_s)


def _scenarios(window: MainWindow, now_s: Callable[[], float]) -> View:
    from hil.panel.lead.dock_controls import ScenariosDock

    return ScenariosDock(window, window.theme, now_s)


def _replay(theme: Theme) -> View:
    from hil.panel.study.dock_replay import ReplayDock

    return ReplayDock(theme)


def _compare(theme: Theme) -> View:
    from hil.panel.study.dock_replay import CompareDock

    return CompareDock(theme)


def _of_model(
    theme: Theme,
    now_s: Callable[[], float],
    model: Callable[[RunFacts], _M],
    view: Callable[[_M, Theme], ModelView[_M]],
) -> View:
    from hil.panel.shell.dock_models import ModelDock

    return ModelDock(theme, now_s, model, view)


def _faults(theme: Theme, now_s: Callable[[], float]) -> View:
    from hil.panel.live.faults_view import FaultsView
    from hil.panel.live.models.faults import FaultsModel

    return _of_model(theme, now_s, FaultsModel, FaultsView)


def _margins(theme: Theme, now_s: Callable[[], float]) -> View:
    from hil.panel.live.margins_view import MarginsView
    from hil.panel.live.models.margins import MarginsModel

    return _of_model(theme, now_s, MarginsModel, MarginsView)


def _lateness(theme: Theme, now_s: Callable[[], float]) -> View:
    from hil.panel.live.lateness_view import LatenessView
    from hil.panel.live.models.lateness import LatenessModel

    return _of_model(theme, now_s, LatenessModel, LatenessView)


def _timeline(window: MainWindow, now_s: Callable[[], float]) -> View:
    """A timeline on which a recording goes to the event that people choose."""
    from hil.panel.live.models.timeline import TimelineModel
    from hil.panel.live.timeline_view import TimelineView

    def view(model: TimelineModel, theme: Theme) -> TimelineView:
        made = TimelineView(model, theme)
        made.chosen.connect(window.seek)
        return made

    return _of_model(window.theme, now_s, TimelineModel, view)
