"""The loop: one flat cycle, one exit.

Each turn: control says what it wants, the gate judges, the drives get what was allowed and answer,
the journal notes it all. Whatever happens, the exit at the end stops the machine: if control
fails, the loop goes on without it until the gate has brought the legs to rest.
"""

from dataclasses import dataclass
from typing import Protocol

from drives.bank import BankFeedback, DriveError
from hil.clock import Clock, Tick
from hil.gated_bank import Exchange, GatedBank
from hil.journal import Journal
from hil.recording.frame import CycleFlag, Level
from hil.stations.platform import NOTHING_ASKED, Control, PlatformStation
from hil.supervisor import Supervisor
from platform6dof.forward import ForwardResult
from safety.modes import Mode
from safety.verdict import DriveRequest, Verdict


class StopWish(Protocol):
    """Whether the operator wants the run to end (Ctrl-C, SIGTERM)."""

    @property
    def asked(self) -> object | None:
        """What asked for it first; None while nothing did."""
        ...


@dataclass(frozen=True, slots=True)
class LoopEnd:
    """How the loop ended.

    Args:
        cycles: how many were run.
        overruns: deadlines given up because a cycle took too long.
        mode: the bench's last mode.
        verdict: the gate's last verdict, None if there was no cycle.
        failure: what broke, None if nothing did.
    """

    cycles: int
    overruns: int
    mode: Mode
    verdict: Verdict | None
    failure: Exception | None


class Loop:
    """One run of the bench.

    Args:
        clock: what paces the cycles.
        period_s: cycle time [s].
        station: control.
        supervisor: the course of the run; says when it is over.
        gated: the drives behind their gate.
        journal: where every cycle is noted.
        stop: the operator's wish to end.
        stop_on_overrun: whether a cycle that took too long ends the motion.
    """

    def __init__(
        self,
        clock: Clock,
        period_s: float,
        station: PlatformStation,
        supervisor: Supervisor,
        gated: GatedBank,
        journal: Journal,
        stop: StopWish,
        *,
        stop_on_overrun: bool = False,
    ) -> None:
        self._clock = clock
        self._period_s = period_s
        self._station = station
        self._supervisor = supervisor
        self._gated = gated
        self._journal = journal
        self._stop = stop
        self._stop_on_overrun = stop_on_overrun
        self._overruns = 0
        self._verdict: Verdict | None = None
        self._failure: Exception | None = None
        self._busy_s = 0.0
        self._cycles = 0

    def run(self) -> LoopEnd:
        """Run until the course is over, or nothing can be done any more.

        The drives are disabled and the bus is left on every way out.
        """
        try:
            for tick in self._clock.ticks(self._period_s):
                started_s = self._clock.now_s()
                self.cycle(tick)
                self._busy_s = self._clock.now_s() - started_s
                if self._over():
                    break
        except DriveError as error:
            # The link is gone: the drives stop by their own watchdog, nothing can be sent.
            self._failure = error
        finally:
            self._gated.close()
        return LoopEnd(
            self._cycles, self._clock.overruns, self._gated.mode, self._verdict, self._failure
        )

    def cycle(self, tick: Tick) -> Exchange:
        """One turn: control, gate, drives, journal."""
        stop_asked, overrun = self._look_around(tick)
        control = self._control(tick)
        exchange = self._gated.cycle(tick, control.asked, control.requests)
        self._verdict = exchange.verdict
        reached = self._reached(tick, exchange.feedback)
        self._journal.cycle(
            tick,
            control,
            exchange.verdict,
            exchange.feedback,
            reached,
            self._busy_s,
            (CycleFlag.STOP_ASKED if stop_asked else 0) | (CycleFlag.OVERRUN if overrun else 0),
        )
        if self._supervisor.gave_up and self._supervisor.done:
            self._journal.note(tick, f"given up: {self._supervisor.gave_up}", Level.FATAL)
        self._cycles += 1
        return exchange

    def _look_around(self, tick: Tick) -> tuple[bool, bool]:
        """Whether the operator wants the end, and whether deadlines were given up since last."""
        asked = self._stop.asked
        if asked is not None:
            self._supervisor.stop("stopped by the operator")
        overruns = self._clock.overruns
        overrun, self._overruns = overruns > self._overruns, overruns
        if overrun and self._stop_on_overrun:
            self._supervisor.trip(f"{overruns} deadlines given up; overruns = 'stop'")
            self._journal.object(tick, "overrun", float(overruns), 0.0, "deadlines")
        return asked is not None, overrun

    def _control(self, tick: Tick) -> Control:
        if self._failure is not None:
            return NOTHING_ASKED
        try:
            return self._station.step(tick, self._verdict)
        except Exception as error:
            # Without setpoints the gate makes a controlled stop; leaving now would drop the legs.
            self._failure = error
            self._journal.note(tick, f"control failed: {error!r}", Level.FATAL)
            return NOTHING_ASKED

    def _reached(self, tick: Tick, feedback: BankFeedback) -> ForwardResult | None:
        return None if self._failure is not None else self._station.reached(tick, feedback)

    def _over(self) -> bool:
        verdict = self._verdict
        if self._failure is None:
            return self._supervisor.done
        if verdict is None or verdict.mode not in _MOVING:
            return verdict is None or verdict.mode is not Mode.FAULT or _released(verdict)
        return False


_MOVING = (Mode.ENGAGING, Mode.ENGAGED, Mode.PARKING, Mode.CSTOP, Mode.QSTOP)


def _released(verdict: Verdict) -> bool:
    return verdict.drives is DriveRequest.OFF
