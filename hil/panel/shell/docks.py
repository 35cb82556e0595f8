"""All docks of a window, by name, each made when it is wanted or when there is time for it.

What a view needs is loaded with it: the first picture waits for nothing but itself.
"""

from collections.abc import Callable, Iterator, Mapping

from hil.panel.live.dock_views import ModelDock, View
from hil.panel.shell.host import Host
from hil.panel.widgets.theme import Theme

Maker = Callable[[], View]


class LazyViews(Mapping[str, View]):
    """Name → view; one that is asked for is made at once, the others one by one.

    Args:
        makers: name → what makes the view, in the order in which they are made.
        place: puts a view that was just made where it belongs.
    """

    def __init__(self, makers: Mapping[str, Maker], place: Callable[[str, View], None]) -> None:
        self._makers, self._place = makers, place
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


def makers_of(host: Host) -> dict[str, Maker]:
    """Makers of a window's views, by the names of their docks; what is seen first, first."""
    makers = (
        _scene, _scope, _controls, _page, _timeline, _replay, _faults, _margins, _lateness,
        _handles, _scenarios, _compare,
    )  # fmt: skip
    return {make.__name__.lstrip("_"): lambda make=make: make(host) for make in makers}


def _scene(host: Host) -> View:
    from hil.panel.scene.dock_scene import SceneDock

    return SceneDock(host.theme, host.now_s)


def _scope(host: Host) -> View:
    from hil.panel.scope.dock_scope import ScopeDock

    return ScopeDock(host.theme)


def _controls(host: Host) -> View:
    from hil.panel.lead.dock_controls import ControlsDock

    return ControlsDock(host.theme, host.now_s)


def _page(host: Host) -> View:
    from hil.panel.live.dock_page import PageDock

    return PageDock(host.theme)


def _handles(host: Host) -> View:
    from hil.panel.lead.dock_controls import HandlesDock

    return HandlesDock(host.theme, host.now_s)


def _scenarios(host: Host) -> View:
    from hil.panel.scenarios.dock_scenarios import ScenariosDock

    return ScenariosDock(host)


def _replay(host: Host) -> View:
    from hil.panel.study.dock_replay import ReplayDock

    return ReplayDock(host.theme)


def _compare(host: Host) -> View:
    from hil.panel.study.dock_replay import CompareDock

    return CompareDock(host.theme)


def _faults(host: Host) -> View:
    from hil.panel.live.faults_view import FaultsView
    from hil.panel.live.models.faults import FaultsModel

    return ModelDock(host.theme, host.now_s, FaultsModel, FaultsView)


def _margins(host: Host) -> View:
    from hil.panel.live.margins_view import MarginsView
    from hil.panel.live.models.margins import MarginsModel

    return ModelDock(host.theme, host.now_s, MarginsModel, MarginsView)


def _lateness(host: Host) -> View:
    from hil.panel.live.lateness_view import LatenessView
    from hil.panel.live.models.lateness import LatenessModel

    return ModelDock(host.theme, host.now_s, LatenessModel, LatenessView)


def _timeline(host: Host) -> View:
    """A timeline on which a recording goes to the event that people choose."""
    from hil.panel.live.models.timeline import TimelineModel
    from hil.panel.live.timeline_view import TimelineView

    def view(model: TimelineModel, theme: Theme) -> TimelineView:
        made = TimelineView(model, theme)
        made.chosen.connect(host.seek)
        return made

    return ModelDock(host.theme, host.now_s, TimelineModel, view)
