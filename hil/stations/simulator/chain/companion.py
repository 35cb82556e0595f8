"""Work of a ride beside control in every cycle: poll the source, and fill the row.

The source is asked in every mode, so that a host is known before the platform may engage.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Final

from drives.waits import Wait, Waits
from hil.hosts.watch.states import SOUND, Cause, HostReading, HostState
from hil.recording.events import Level
from hil.stations.platform.cycle.companion import Note
from hil.stations.platform.cycle.control import Control
from hil.stations.platform.signals import SIGNALS as PLATFORM
from hil.stations.simulator.chain.motion import RideMotion, RidePhase
from hil.stations.simulator.chain.predictive_presets import Predictive
from hil.stations.simulator.plan.source import LiveSource
from hil.stations.simulator.signals import NAN3, SIGNALS
from hil.stations.simulator.words import CAUSES, PHYSICAL, state_text
from hil.timing.clock import Tick
from platform6dof.forward import ForwardResult
from safety.bounds import BOUNDS
from safety.modes import Mode
from safety.verdict import Verdict

HEALTHY_S: Final = 1.0
"""A source must have been live for so long before the platform may engage [s]."""
MISSED_MAX: Final = round(BOUNDS["missing_setpoints_max"].most)
"""Cycles that are made up for at most: no gate bridges more."""
PARKED: Final = (Mode.IDLE, Mode.STANDBY)
"""Modes in which a source that was lost is listened to anew."""
_PACK: Final = struct.Struct("<" + SIGNALS.struct.format[len(PLATFORM.struct.format) :]).pack
BLANK: Final = _PACK(
    *(float("nan"),) * 6, *NAN3 * 4, float("nan"), 0, 0, 0, HostState.WAITING, *(0,) * 9
)
"""Part of a row about the ride in cycles that control missed."""
if len(BLANK) != SIGNALS.size - PLATFORM.size or not SIGNALS.struct.format.startswith(
    PLATFORM.struct.format
):  # pragma: no cover
    raise AssertionError(f"{len(BLANK)} bytes beside {PLATFORM.size} are no row of {SIGNALS.size}")


class RideCompanion:
    """Polls the source of a ride, and records what it gives.

    Args:
        now_s: clock of the run [s].
        preset: gives the number of the preset in force.
        predictive: presets that make plans; None if there are none.
    """

    def __init__(
        self,
        ride: RideMotion,
        source: LiveSource,
        now_s: Callable[[], float],
        preset: Callable[[], int],
        predictive: Predictive | None = None,
    ) -> None:
        self._predictive = predictive if predictive is not None and predictive.planned else None
        self._ride, self._source, self._now_s, self._preset = ride, source, now_s, preset
        self.note: Note = _nowhere
        """Publisher of events, set by the run before its first cycle."""
        self._live_since_s: float | None = None
        self._noted: tuple[HostState, Cause] | None = None
        self._taken = float("nan")
        self._leader, self._choice = "", ""
        self._index: int | None = None
        ride.on_follow, ride.on_choose = self._begin, self._choose
        ride.on_lost = lambda: self._why

    def _begin(self) -> None:
        self._source.begin(self._now_s())

    def _choose(self) -> None:
        """A person wants to be led by whoever sends now, if the sender that led is silent."""
        choose = getattr(self._source, "choose", None)
        if choose is not None and choose():
            self._choice = "ENGAGE was pressed: the source may be led by another sender"

    @property
    def given_up(self) -> str:
        """Reason why the motion was given up, once it has come to rest; empty while it was not."""
        return self._ride.given_up

    def update(self, tick: Tick, verdict: Verdict | None) -> Waits:
        """Poll the source, and return what is missing before the platform may engage."""
        now_s = self._now_s()
        if tick.index - 1 != self._index:
            self._note_missed(tick.index)
        self._index = tick.index
        heard = self._source.poll(now_s)
        self._ride.reading, self._ride.source_over = heard, self._source.ended_s <= now_s
        if self._predictive is not None and self._ride.phase is not RidePhase.RESTING:
            self._predictive.look_ahead(self._source, now_s, self._ride.gain.value)
        self._note_host(tick, heard)
        if self._predictive is not None:
            over = self._ride.phase not in (RidePhase.FOLLOWING, RidePhase.FADING)
            self._predictive.report_changes(
                now_s, lambda text: self.note(tick, text, Level.WARNING), over=over
            )
        if heard.host is HostState.LOST and verdict is not None and verdict.mode in PARKED:
            self._source.begin(now_s)  # it may be followed again, once a person engages
        if heard.host not in SOUND:
            self._live_since_s = None
            return (_wait_for(heard, self._why),)
        if self._live_since_s is None:
            self._live_since_s = now_s
        if now_s - self._live_since_s < HEALTHY_S:
            return (_wait_for(heard, ""),)
        return ()

    def _note_missed(self, index: int) -> None:
        """Report to a source that counts cycles those that control missed."""
        missed = 0 if self._index is None else min(index - self._index - 1, MISSED_MAX)
        note_missed = getattr(self._source, "missed", None)
        if missed > 0 and note_missed is not None:
            note_missed(missed)

    def reached(self, found: ForwardResult) -> None:
        """Keep the measured pose, for a source that is a model."""
        if found.converged:
            self._ride.measured = found.X_BP

    def row(self, control: Control) -> bytes:
        """Return the part of this cycle's row about the ride."""
        ride = self._ride
        heard, cued = ride.reading, ride.cued
        new = heard.taken_s != self._taken and heard.taken_s == heard.taken_s
        self._taken = heard.taken_s
        return _PACK(
            heard.host_s if new else _NAN,
            heard.kernel_s if new else _NAN,
            heard.taken_s if new else _NAN,
            _NAN if control.asked is None else self._now_s(),
            ride.weight,
            ride.gain.value,
            *cued.wanted,
            *cued.felt,
            cued.margin,
            heard.packets,
            heard.dropped,
            heard.missing,
            heard.host,
            heard.cause,
            cued.binding,
            cued.active,
            cued.failed,
            ride.muted,
            self._preset(),
            *(_NO_PLANS if self._predictive is None else self._predictive.counts),
        )

    def _note_host(self, tick: Tick, heard: HostReading) -> None:
        """An event for each change of what the source is doing, and of who leads it."""
        leader = str(getattr(self._source, "leader", ""))
        choice, self._choice = self._choice, ""
        if leader != self._leader and leader:
            choice = f"{choice}; " if choice else ""
            choice += f"the source is led by {leader}"
        self._leader = leader
        if choice:
            self.note(tick, choice, Level.INFO)
        seen = heard.host, heard.cause
        if seen == self._noted:
            return
        self._noted = seen
        calm = heard.host in (HostState.WAITING, HostState.LIVE, HostState.FADING_IN)
        level = Level.INFO if calm and heard.cause is not Cause.OTHER_SENDER else Level.WARNING
        self.note(tick, f"source {state_text(heard.host, heard.cause, self._why)}", level)

    @property
    def _why(self) -> str:
        """Details of the source about the cause."""
        return str(getattr(self._source, "why", ""))


_NAN: Final = float("nan")
_NO_PLANS: Final = (0, 0, 0)


def _wait_for(heard: HostReading, more: str) -> Wait:
    """Describe what is missing before the platform may engage; `more` is known of the cause."""
    if heard.host in SOUND:
        return Wait(0, "the source", f"live for less than {HEALTHY_S:g} s", f"{HEALTHY_S:g} s")
    silent = heard.cause in (Cause.NONE, Cause.NO_PACKET)
    why = "silent" if silent else f"not live: {CAUSES[heard.cause]}"
    why = f"{why} ({more})" if more else why
    remedy = "begin it, or end its pause; `hil host listen` shows what comes"
    if heard.cause in PHYSICAL:
        remedy = "mend its map or its settings; `hil host check` judges them in motion"
    return Wait(0, "the source", why, f"live for {HEALTHY_S:g} s", remedy)


def _nowhere(tick: Tick, message: str, level: Level) -> None:
    """Drop an event: before the run has a journal nothing is published."""
