"""A run with a desk, of a station that is steered: panels watch it, anyone stops it, one holds it.

Such a run knows a stop, and a motion that is live knows a dead-man besides: let go, it wants zero
velocity. A motion that was proved before it began needs nobody to hold it. If the desk dies no
panel can stop the run any more, so that is a stop as well, whatever is played.
"""

import math
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hil.config.errors import RefusedError
from hil.desk.operation import DONE, Operation, Refusal
from hil.desk.operator import Operator, OrderSource
from hil.desk.order import Button
from hil.desk.publisher import OperationSink, Publisher, TelemetrySink
from hil.desk.run_end import EndCause, EndStep, RunEnd
from hil.desk.velocity.source import SourceWrapper, Twist, VelocitySource, rest
from hil.recording.header import RunHeader
from hil.timing.stop import StopRequest

if TYPE_CHECKING:
    from hil.desk.process import DeskProcess

STOPS = (Button.HOLD, Button.SHUT_DOWN)
"""Buttons that end the stream, however late; every other button means nothing here."""

DESK_EVERY_S = 0.1
"""Time between two checks of the desk [s]."""

Said = Callable[[str, dict[str, str | bool]], None]


class PanelOperator:
    """The operator of a run at the panels: requests its stop, and holds it; read as the run turns.

    Args:
        now_s: monotonic time [s], the clock that stamps the orders.
        station: what it is called in a refusal.
        live: whether the motion has to be held.
        desk_news: what has become of the desk since the last call; empty while it is well.
    """

    def __init__(
        self,
        slot: OrderSource,
        sink: OperationSink,
        now_s: Callable[[], float],
        *,
        station: str,
        live: bool,
        desk_news: Callable[[], str] = str,
    ) -> None:
        self._desk_news, self._next_poll_s = desk_news, -math.inf
        self._operator = Operator(slot, now_s, ageless=STOPS)
        self._sink, self._now_s, self._begun_s = sink, now_s, now_s()
        self.live: bool = live
        """Whether the motion has to be held."""
        self.held: bool = False
        """Whether the dead-man counts as held."""
        self.stopped: str = ""
        """Who asked for the end, in a sentence; empty while nobody has."""
        self.lost: str = ""
        """Why nobody can ask for it any more, in a sentence; empty while the desk is well."""
        self.telemetry: TelemetrySink | None = None
        """What panels read; the run's frames and events belong there."""
        self.say: Said = lambda text, data: None
        """Where it is written down what the operator did."""
        self.ending: Callable[[], str] = str
        """Why control ends the run of itself; empty while it does not."""
        self.take_table: Callable[[bytes], None] = lambda table: None
        """Takes the newest table that the owner asked for and the desk has proved, as JSON."""
        self._serial = 0
        self._station, self._owner = station, ""
        self._refused = DONE
        self._signals: StopRequest | None = None
        self._end: RunEnd | None = None

    def poll(self) -> None:
        """Take the newest order; called many times between two waypoints."""
        self._check_desk()
        request = self._operator.poll()
        if request.order.owner != self._owner:
            self._owner = request.order.owner
            whose = f"{self._owner} owns" if self._owner else "nobody owns"
            self.say(f"{whose} the motion", {"owner": self._owner})
        if self.live and self.held and not request.held:
            self.say("hold-to-run released: zero velocity", {"held": False})
        self.held = request.held
        if request.order.motion_serial not in (0, self._serial):
            self._serial = request.order.motion_serial
            self._refused = DONE if self._refused.serial else self._refused
            self.take_table(request.order.motion_json)
        for button in request.pressed:
            self._press(button, request.order.presser)
        for button, _ in request.stale:
            self._refuse(button, request.order.presser)
        if self._signals is not None and self._signals.asked is not None:
            self._ends(EndCause.TERMINAL)
        if why := self.ending():
            self._ends(EndCause.CONTROL, why)
        operation = Operation(
            held=self.held, playing="play" if self._end is None else "", refused=self._refused,
            seen=self._operator.seen, dead_man=self._operator.rule, end=self._end,
        )  # fmt: skip
        self._sink.publish(self._now_s() - self._begun_s, operation)

    def _ends(self, cause: EndCause, why: str = "") -> None:
        """The end is under way; the first cause counts."""
        self._end = self._end or RunEnd(cause, EndStep.STOPPING, why)

    def take_source_end(self, end_reason: str) -> None:
        """Take the reason why the source has ended; empty while it lasts."""
        if end_reason:
            self._ends(EndCause.SOURCE, end_reason)

    def _check_desk(self) -> None:
        """Without a desk nobody can press stop, so its end is one."""
        now_s = self._now_s()
        if now_s < self._next_poll_s:
            return
        self._next_poll_s = now_s + DESK_EVERY_S
        if news := self._desk_news():
            self.lost = self.lost or f"operator's desk: {news}"
            self.say(f"operator's desk: {news}", {"stopped": True})
            self._ends(EndCause.DESK, news)

    def _press(self, button: Button, by: str) -> None:
        if button not in STOPS:
            self._refuse(button, by)
            return
        self._refused = DONE
        self.stopped = self.stopped or f"{button.name} by {by or 'a panel'}"
        self._ends(EndCause.SHUT_DOWN, by)
        self.say(f"{button.name} pressed", {"button": button.value, "taken": True, "by": by})

    def _refuse(self, button: Button, by: str) -> None:
        data: dict[str, str | bool] = {"button": button.value, "taken": False, "by": by}
        self._refused = Refusal(
            f"the {self._station} station knows only HOLD and SHUT_DOWN", button.value
        )
        self.say(f"pressed, nothing done: {self._refused}", data)

    def refuse_table(self, why: str) -> None:
        """Report to panels why the newest table, which the desk has proved, was not taken."""
        self._refused = Refusal(why, serial=self._serial)

    def stops(self, signals: StopRequest) -> StopRequest:
        """Stop request of this operator, beside that of the terminal, which panels are shown."""
        self._signals = signals
        return _EitherStop(signals, self)


@dataclass(frozen=True, slots=True)
class _EitherStop:
    signals: StopRequest
    operator: PanelOperator

    @property
    def asked(self) -> object | None:
        """Origin of the request for the end; None while there is none."""
        return self.signals.asked or self.operator.stopped or self.operator.lost or None


class DeadManSource(SourceWrapper):
    """A source that, if it is live, wants zero velocity while the dead-man is released."""

    def __init__(self, inner: VelocitySource, operator: PanelOperator) -> None:
        super().__init__(inner)
        self._operator = operator

    @property
    def held(self) -> bool:
        """Whether it is held to run, at its own device and at the desk."""
        return self._inner.held and (self._operator.held or not self._operator.live)

    def listen(self) -> None:
        """Poll the panels and the source."""
        self._operator.poll()
        self._inner.listen()
        self._operator.take_source_end(self._inner.end_reason)

    def sample(self, t_s: float) -> Twist | None:
        """See `VelocitySource`."""
        self._operator.poll()
        wanted = self._inner.sample(t_s)
        released = self._operator.live and not self._operator.held
        return rest(wanted.frame) if wanted is not None and released else wanted


@contextmanager
def desk_of(
    header: RunHeader, period_s: float, station: str, clock: str, prover: tuple[str, ...] = ()
) -> "Iterator[DeskProcess]":
    """A desk that panels find, for a run of a station.

    Args:
        clock: of the run, which has to be the real one.
        prover: see `DeskProcess`; empty for a station that has nothing to prove.

    Raises:
        RefusedError: on the virtual clock, or if the desk cannot be set up; nothing has moved.
    """
    if clock != "real":
        raise RefusedError(
            f"clock = {clock!r} with --operator: a person lives in real time; use --clock real"
        )
    from hil.desk.endpoints import PlaceError
    from hil.desk.process import DeskError, DeskProcess  # Linux only

    with ExitStack() as stack:
        try:
            desk = stack.enter_context(
                DeskProcess(header, period_s, station=station, prover=prover)
            )
        except (DeskError, PlaceError, OSError) as error:
            raise RefusedError(f"nothing has moved: no operator's desk: {error}") from error
        yield desk


@contextmanager
def led_run(
    header: RunHeader, period_s: float, station: str, clock: str, now_s: Callable[[], float], *,
    live: bool, prover: tuple[str, ...] = (),
) -> "Iterator[PanelOperator]":  # fmt: skip
    """The operator at a desk that panels find, for a run of a station.

    Args:
        clock: of the run, which has to be the real one.
        live: whether the motion has to be held.
        prover: as `desk_of`.

    Raises:
        RefusedError: as `desk_of`.
    """
    with desk_of(header, period_s, station, clock, prover) as desk:
        operator = PanelOperator(
            desk.slot, Publisher(desk.telemetry), now_s, station=station, live=live,
            desk_news=desk.news,
        )  # fmt: skip
        operator.telemetry = desk.telemetry
        yield operator
