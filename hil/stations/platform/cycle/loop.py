"""Loop of the platform: one flat cycle, one exit.

Each turn: control makes a setpoint, the gate judges, the drives get what was allowed and answer,
the journal records it all. Whatever happens, the exit at the end stops the machine: if control
fails, the loop continues without it until the gate has brought the legs to rest.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from drives.bank import BankEnd, DriveError
from drives.waits import Waits
from hil.recording.events import Level
from hil.run.run import play
from hil.stations.platform.cycle.companion import Companion
from hil.stations.platform.cycle.control import ABSENT, STOP_ASKED, Control, PlatformStation
from hil.stations.platform.cycle.gated_bank import Exchange, GatedDrives
from hil.stations.platform.cycle.journal import PlatformJournal
from hil.stations.platform.cycle.supervisor import RunCourse
from hil.stations.platform.cycle.waits import WaitFollower
from hil.stations.platform.signals import CycleFlag
from hil.timing.clock import Clock, Tick
from hil.timing.stop import StopRequest
from safety.modes import Mode
from safety.verdict import DriveRequest, Verdict


@dataclass(frozen=True, slots=True)
class LoopEnd:
    """End of the loop."""

    cycles: int
    """Number of cycles."""
    overruns: int
    """Number of deadlines given up because a cycle took too long."""
    mode: Mode
    """Last mode of the bench."""
    verdict: Verdict | None
    """Last verdict of the gate, None if there was no cycle."""
    failure: Exception | None
    """Error that ended the run, None if there was none."""
    link: BankEnd
    """State in which the drives were left, and events on the link to them."""
    tick: Tick
    """Tick of the last cycle."""


class Loop:
    """Run of the bench, as `hil.run.run.Run` has it.

    Args:
        stop_on_overrun: whether a cycle that took too long ends the motion.
        report: takes a line about what the drives wait for longer than 2 s; does not wait itself.
        companion: part of every cycle beside control, of a station that extends this one.
    """

    def __init__(
        self,
        clock: Clock,
        period_s: float,
        station: PlatformStation,
        supervisor: RunCourse,
        gated: GatedDrives,
        journal: PlatformJournal,
        stop: StopRequest,
        *,
        stop_on_overrun: bool = False,
        report: Callable[[str], None] | None = None,
        companion: Companion | None = None,
    ) -> None:
        self._companion = companion
        self._clock = clock
        self._period_s = period_s
        self._station = station
        self._supervisor = supervisor
        self._gated = gated
        self._journal = journal
        self._stop = stop
        self._stop_on_overrun = stop_on_overrun
        self._say = report
        self._waits = WaitFollower()
        self._overruns = 0
        self._verdict: Verdict | None = None
        self._failure: Exception | None = None
        self._link = BankEnd()
        self._busy_s = 0.0
        self._cycles = 0
        self._tick = Tick(0, 0.0, 0.0, 0.0)
        self._failed_cycles = 0
        self._flags = 0
        self._deaf = False

    def run(self) -> LoopEnd:
        """Run until the course is over, or nothing can be done any more.

        The drives are disabled and the bus is left whatever ends it.
        """
        play(self)
        return self.end

    @property
    def clock(self) -> Clock:
        """Clock that paces the cycles."""
        return self._clock

    @property
    def period_s(self) -> float:
        """Cycle time [s]."""
        return self._period_s

    def turn(self, tick: Tick) -> bool:
        """Run one cycle; returns whether it was the last."""
        started_s = self._clock.now_s()
        self.cycle(tick)
        self._busy_s = self._clock.now_s() - started_s - self._gated.waited_s
        return self._supervisor.done if self._failure is None else self._over_after_failure()

    def failed(self, error: Exception) -> bool:
        """Whether an error ends the run: without a link the drives stop by their watchdogs."""
        if not isinstance(error, DriveError):
            return False
        self._failure = self._failure or error
        return True

    def close(self) -> None:
        """Disable the drives and leave the bus."""
        try:
            self._link = self._gated.close()
        except DriveError as error:
            self._failure = self._failure or error

    @property
    def end(self) -> LoopEnd:
        """End of the loop, with its figures."""
        return LoopEnd(
            self._cycles,
            self._clock.overruns,
            self._gated.mode,
            self._verdict,
            self._failure,
            self._link,
            self._tick,
        )

    def cycle(self, tick: Tick) -> Exchange:
        """Run one turn: control, gate, drives, journal."""
        control = self._control(tick)
        exchange = self._gated.cycle(
            tick, control.asked, control.requests, reset=control.reset, act_s=control.act_s
        )
        self._verdict = exchange.verdict
        for one in (*exchange.earlier, exchange):
            # Cycles that control was not there for had nothing of it.
            self._note(one.tick, control if one.tick.index == tick.index else ABSENT, one)
        self._cycles += 1
        self._tick = exchange.tick
        waits = exchange.feedback.waits
        if exchange.verdict.mode is Mode.STANDBY:
            waits += self._supervisor.hindrance
        if waits or self._supervisor.waits:
            self._follow_waits(exchange.tick, waits)
        return exchange

    def _follow_waits(self, tick: Tick, waits: Waits) -> None:
        """Report what the drives wait for, should it last; a run that is given up names it."""
        self._supervisor.waits = waits
        line = self._waits.step(tick.t_s, waits)
        if not line:
            return
        if self._say is not None:
            self._say(line)
        if self._waits.new and not self._deaf:
            # Without a remedy it only takes its time, as homing does.
            level = Level.WARNING if any(wait.remedy for wait in waits) else Level.INFO
            with suppress(Exception):  # whoever only looks on may fail
                self._journal.note(tick, line, level)

    def _control(self, tick: Tick) -> Control:
        """Control's part; once it has failed only a stop is requested.

        Leaving the loop instead would drop the legs in the middle of their motion.
        """
        if self._failure is None:
            try:
                self._flags = 0
                if self._stop.asked is not None or self._clock.overruns > self._overruns:
                    self._note_stop_and_overruns(tick)
                if self._companion is None:
                    return self._station.step(tick, self._verdict)
                return self._step_with_companion(tick, self._companion)
            except Exception as error:
                self._fail(tick, error)
        return STOP_ASKED

    def _step_with_companion(self, tick: Tick, companion: Companion) -> Control:
        """Control's step, with its companion's part before and after."""
        verdict = self._verdict
        self._supervisor.hindrance = companion.update(tick, verdict)
        if companion.given_up and verdict is not None and verdict.mode is Mode.ENGAGED:
            self._supervisor.give_up(companion.given_up)
        control = self._station.step(tick, verdict)
        return control._replace(beside=companion.row(control))

    def _note_stop_and_overruns(self, tick: Tick) -> None:
        """Act on the operator's stop request, and on deadlines that were given up."""
        if self._stop.asked is not None:
            self._supervisor.stop("stopped by the operator")
            self._flags |= CycleFlag.STOP_ASKED
        overruns = self._clock.overruns
        if overruns > self._overruns:
            self._overruns = overruns
            self._flags |= CycleFlag.OVERRUN
            if self._stop_on_overrun:
                self._supervisor.trip(f"{overruns} deadlines given up; overruns = 'stop'")
                self._journal.object(tick, "overrun", float(overruns), 0.0, "deadlines")

    def _note(self, tick: Tick, control: Control, exchange: Exchange) -> None:
        """Record the cycle; a failing observer does not stop the controlled stop."""
        if self._deaf:
            return
        verdict, feedback = exchange.verdict, exchange.feedback
        try:
            failed = self._failure is not None
            reached = None if failed else self._station.reached(tick, feedback)
            if self._companion is not None and reached is not None:
                self._companion.reached(reached)
            self._journal.cycle(
                tick,
                control,
                verdict,
                feedback,
                reached,
                self._busy_s,
                self._flags,
                exchange.sent_s,
            )
            if self._supervisor.done and self._supervisor.gave_up:
                self._journal.note(tick, f"given up: {self._supervisor.gave_up}", Level.FATAL)
        except Exception as error:
            self._deaf = self._failure is not None  # not control then, but the journal itself
            self._fail(tick, error)

    def _fail(self, tick: Tick, error: Exception) -> None:
        self._failure = self._failure or error
        with suppress(Exception):  # the journal may be what failed; the error is kept either way
            self._journal.note(tick, f"control failed: {error!r}", Level.FATAL)

    def _over_after_failure(self) -> bool:
        """Count a cycle without control; whether the machine is at rest, or patience has ended."""
        verdict = self._verdict
        self._failed_cycles += 1
        if verdict is None or self._failed_cycles > self._supervisor.patience_cycles:
            return True
        if verdict.mode in (Mode.FAULT, Mode.LOCKOUT):
            return verdict.drives is DriveRequest.OFF
        return verdict.mode in _AT_REST


_AT_REST = (Mode.OFF, Mode.IDLE, Mode.STANDBY, Mode.HOLD)
"""Modes in which power may go: the commanded state is at rest."""
