"""The docks by which people lead a run: controls of a platform, handles of an arm."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from hil.desk import messages as m
from hil.panel.lead.controls_view import ControlsView
from hil.panel.lead.handles_view import HandlesView
from hil.panel.lead.models.controls import ControlsModel
from hil.panel.lead.models.handles import HandlesModel, RemoteWriter
from hil.panel.live.models.feed import column
from hil.panel.live.session import LiveSession, Session, Turn
from hil.panel.shell.dock_views import OfRun, Plain
from hil.panel.shell.theme import Theme
from hil.stations.arm.sources.gamepad import HandleShape
from hil.stations.platform.scenario import Plan
from safety.modes import Mode

HANDLE_SHAPE: Final = HandleShape(linear_m_s=0.05, angular_rad_s=math.radians(5.0))
"""Of the handles on the screen: half of what the arms may do, so that nothing saturates."""
_NOTHING: Final = (
    "Take on a platform that runs to lead it from here: Bench, Benches that run, or the tab "
    "Scenarios. An arm is steered by the handles."
)


class ControlsDock(OfRun[ControlsView]):
    """Pose, tempo and motion of a platform that runs."""

    def __init__(self, theme: Theme, now_s: Callable[[], float]) -> None:
        super().__init__(theme)
        self.say(_NOTHING)
        self._now_s = now_s
        self._session: LiveSession | None = None
        self.model: ControlsModel | None = None
        """Of the platform that is led; None without one."""

    def set_session(self, session: Session | None) -> None:
        """Lead another run; a recording and an arm have nothing here."""
        self._drop()
        if not isinstance(session, LiveSession) or session.facts.station != "platform":
            return
        try:
            plan = Plan.build(session.facts.header.scenario, "header")
        except ValueError as error:
            self.say(f"This run's plan cannot be read: {error!s}")
            return
        self._session = session
        self.model = ControlsModel(plan, session.next_id, session.in_force)
        self.view = ControlsView(self.model, self._now_s, self._theme)
        self.put(self.view)

    def _drop(self) -> None:
        if self.view is not None:
            self.take_away(self.view)
        self._session = self.model = self.view = None
        self.say(_NOTHING)

    def take(self, turn: Turn) -> None:
        """Hear the answers, and say what is to be said; seen or not."""
        model, session, view = self.model, self._session, self.view
        if model is None or session is None or view is None:
            return
        for message in turn.messages:
            if isinstance(message, m.Answer):
                model.answered(message)
        bench, rows = session.bench, turn.batch.rows
        if bench.mode == Mode.ENGAGED.name and not bench.operation.playing and len(rows):
            model.stands_at(rows[-1, column(session.facts.signals, "wanted_pose")])
        bench.target_given = model.in_force.pose is not None
        view.set_owner(session.owns)
        for wish in model.messages(self._now_s()):
            session.send(wish)


class HandlesDock(Plain[HandlesView]):
    """Handles of an arm station that was started here; their velocity is sent in every turn."""

    every_turn = True

    def __init__(self, theme: Theme, now_s: Callable[[], float]) -> None:
        super().__init__(HandlesView(HandlesModel(HANDLE_SHAPE), None, now_s, theme))

    def steer(self, writer: RemoteWriter) -> None:
        """Send the velocities there from now on."""
        self.widget.writer = writer

    def close(self) -> None:
        """Leave the arm; its station takes that for zero."""
        if self.widget.writer is not None:
            self.widget.writer.close()
