"""The docks by which people lead a run: controls of its pose and motion, handles that steer it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from hil.desk import messages as m
from hil.panel.lead.controls_view import ControlsView
from hil.panel.lead.handles_view import HandlesView
from hil.panel.lead.models.controls import ControlsModel
from hil.panel.lead.models.handles import HandlesModel
from hil.panel.lead.models.live_motion import LiveMotion
from hil.panel.live.dock_views import OfRun, Plain
from hil.panel.live.models.feed import column
from hil.panel.live.session import LiveSession, Session, Turn
from hil.panel.widgets.theme import Theme
from hil.run.lead import Steered
from hil.run.registry import stations

_NOTHING: Final = (
    "Take on a platform that runs to lead it from here: Bench, Benches that run, or the tab "
    "Scenarios. An arm is steered by the handles."
)


class ControlsDock(OfRun[ControlsView]):
    """Pose, tempo and motion of a run that has poses to be set."""

    def __init__(self, theme: Theme, now_s: Callable[[], float]) -> None:
        super().__init__(theme)
        self.say(_NOTHING)
        self._now_s = now_s
        self._session: LiveSession | None = None
        self._rest_signal = ""
        self.model: ControlsModel | None = None
        """Of the run that is led; None without one."""

    def set_session(self, session: Session | None) -> None:
        """Lead another run; a recording, and a run without poses to be set, have nothing here."""
        self._drop()
        if not isinstance(session, LiveSession):
            return
        station = session.facts.installed
        if station is None or station.lead is None or station.lead.controls is None:
            return
        try:
            controls = station.lead.controls(session.facts.header.scenario)
        except ValueError as error:
            self.say(f"This run's plan cannot be read: {error!s}")
            return
        motion = LiveMotion(station.scenarios, controls.motion, session.in_force)
        self._session, self._rest_signal = session, controls.poses.rest_signal
        self.model = ControlsModel(controls.poses, motion, session.next_id, session.in_force)
        self.view = ControlsView(self.model, self._now_s, self._theme)
        self.put(self.view)

    def _drop(self) -> None:
        if self.view is not None:
            self.take_away(self.view)
        self._session = self.model = self.view = None
        self.say(_NOTHING)

    def take(self, turn: Turn) -> None:
        """Read the answers, and send what is due; visible or not."""
        model, session, view = self.model, self._session, self.view
        if model is None or session is None or view is None:
            return
        for message in turn.messages:
            if isinstance(message, m.Answer):
                model.answered(message)
        bench, rows, facts = session.bench, turn.batch.rows, session.facts
        if bench.mode in facts.views.moving and not bench.operation.playing and len(rows):
            model.take_rest_pose(rows[-1, column(facts.signals, self._rest_signal)])
        bench.target_given = model.in_force.pose is not None
        view.set_owner(session.owns)
        for one in model.messages(self._now_s()):
            session.send(one)


class HandlesDock(Plain[HandlesView]):
    """Handles of a run that was started here; their velocity is sent in every turn."""

    every_turn = True

    def __init__(self, theme: Theme, now_s: Callable[[], float]) -> None:
        found = (one.lead.handles for one in stations() if one.lead is not None)
        handles = next((make() for make in found if make is not None), None)
        super().__init__(HandlesView(HandlesModel(handles), None, now_s, theme))

    def steer(self, run: Steered) -> None:
        """Send the velocities there from now on."""
        self.widget.steer(run)

    def close(self) -> None:
        """Leave the run; it takes that for zero."""
        if self.widget.writer is not None:
            self.widget.writer.close()
