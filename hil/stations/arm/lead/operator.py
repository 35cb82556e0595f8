"""A run of the arm station with a desk: panels watch it, anyone may stop it, the owner holds it.

A stop from a panel ends the robot's stream as Ctrl-C does. A live motion moves only while its own
source is fresh and, beside that, the dead-man at the desk is held; let go, it wants zero velocity.
A planned motion needs nobody to hold it: it was proved in full before it began. If the desk dies no
panel can stop the robot any more, so that ends the stream as well, whatever is played.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from hil.desk.operator import OrderSource
from hil.desk.publisher import OperationSink, Publisher
from hil.desk.velocity.panel_operator import DeadManSource, PanelOperator, desk_of
from hil.desk.velocity.source import VelocitySource
from hil.recording.header import RunHeader
from hil.stations.arm.lead.action_page import buttons_in
from hil.stations.arm.lead.prover_program import PROGRAM
from hil.stations.arm.plan.scenario import ArmPlan
from hil.stations.arm.sources.slew import SlewedSource
from hil.stations.arm.sources.source import SourceLimits
from sim.world.space_arm.simulator import TICK_S


class ArmOperator(PanelOperator):
    """Requests of the panels to an arm station; read whenever its source is polled.

    Args:
        now_s: monotonic time [s], the clock that stamps the orders.
        desk_news: what has become of the desk since the last call; empty while it is well.
    """

    def __init__(
        self,
        slot: OrderSource,
        sink: OperationSink,
        now_s: Callable[[], float],
        *,
        live: bool,
        desk_news: Callable[[], str] = str,
    ) -> None:
        super().__init__(slot, sink, now_s, station="arm", live=live, desk_news=desk_news)

    def holds(self, source: VelocitySource, limits: SourceLimits) -> VelocitySource:
        """Return a source polled together with this operator, who holds it if it is live."""
        held = DeadManSource(source, self)
        return SlewedSource(held, limits) if self.live else held


@contextmanager
def open_arm_desk(
    plan: ArmPlan, header: RunHeader, now_s: Callable[[], float]
) -> Iterator[ArmOperator]:
    """Open a desk that panels find, for a run of the arm; only a live motion has to be held.

    Raises:
        RefusedError: on the virtual clock, or if the desk cannot be set up; nothing has moved.
    """
    live = not plan.scenario.source.planned
    judged = "diagram" in header.scenario or (live and buttons_in(header.scenario))
    prover = PROGRAM if judged else ()
    with desk_of(header, TICK_S, "arm", plan.scenario.clock, prover) as desk:
        operator = ArmOperator(
            desk.slot, Publisher(desk.telemetry), now_s, live=live, desk_news=desk.news
        )
        operator.telemetry = desk.telemetry
        yield operator
