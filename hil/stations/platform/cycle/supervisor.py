"""Course of a run: requests to the modes, step by step, from power-up to parked.

The supervisor requests; the gate decides (:mod:`safety.modes`). So a supervisor that requests
nonsense moves nothing.
"""

from enum import Enum
from typing import Protocol

from drives.waits import Waits, in_words
from safety.faults import describe_faults
from safety.modes import FOLLOWING_MODES, Mode, Request
from safety.verdict import Check, DriveRequest, Verdict

REFUSED_CYCLES = 5
"""Number of cycles for which parking is requested from a gate that refuses it."""


HINDRANCE_SHARE = 6
"""Factor on the patience with drives while others' conditions are waited for."""


class Outcome(Enum):
    """Outcome of a run."""

    COMPLETED = "completed"
    STOPPED = "stopped"  # the operator asked; parked
    TRIPPED = "tripped"  # the gate stopped it; fault latched
    REFUSED = "refused"  # nothing moved
    FAILED = "failed"  # a program error or a dead link; stopped as far as the link allowed


class RunCourse(Protocol):
    """Course of a run: a supervisor, or the operator's presses."""

    patience_cycles: int
    """Longest stop in cycles, should control fail."""
    waits: Waits
    """Last reported waits of the drives."""
    hindrance: Waits
    """Conditions before the platform may engage, besides the drives'; empty if it may."""
    done: bool
    """Whether the run is over."""

    @property
    def reason(self) -> str:
        """Reason why the run was not completed: the gravest cause, or an empty text."""
        ...

    @property
    def gave_up(self) -> str:
        """Failure of the drives to act in time, or an empty text."""
        ...

    @property
    def outcome(self) -> Outcome:
        """Outcome of the run."""
        ...

    def stop(self, why: str) -> None:
        """End the run at the operator's request: stop smoothly, park, shut down."""
        ...

    def finish(self) -> None:
        """End the run in the same orderly way, as a success: its purpose is reached."""
        ...

    def trip(self, why: str) -> None:
        """End the run in the same orderly way, as something outside the gate's sight is wrong."""
        ...

    def give_up(self, why: str) -> None:
        """Give the motion up, which is at rest: park; harmless when repeated."""
        ...

    def ask(self, verdict: Verdict | None, path_done: bool) -> tuple[Request, ...]:
        """Requests of this cycle; sets ``done`` when the run is over.

        Args:
            verdict: the gate's last verdict, None before the first cycle.
            path_done: whether the present slow move or motion has been sampled to its end.
        """
        ...


class Supervisor:
    """Course of one run: home, engage, rise, play the motion, park, shut down.

    Args:
        patience_cycles: most cycles of a mode in which only the drives work (enabling, settling, a
            stop, standstill after a fault) before the run is given up.
        homing_cycles: most cycles of homing, which takes its time; like the others if left out.
        engage: whether the platform shall rise at all; else the run is over once it is homed.
        period_s: cycle time, to report how long something was waited for [s]; 0 if not known.
    """

    def __init__(
        self,
        patience_cycles: int,
        homing_cycles: int | None = None,
        *,
        engage: bool = True,
        period_s: float = 0.0,
    ) -> None:
        self.patience_cycles = patience_cycles
        self.waits: Waits = ()
        self.hindrance: Waits = ()
        """Conditions that must come before the platform may engage, besides the drives'."""
        self._period_s = period_s
        self._homing_cycles = homing_cycles or patience_cycles
        self._waited = self._hindered = self._held_up = 0
        self._mode = Mode.OFF
        self._engage = engage
        self._finished = False
        self._played = False
        self._gave_up = ""
        self._trip = ""
        self._fault = ""
        self._stop_request = ""
        self._refused = 0
        self._after = ""
        self.done = False

    @property
    def reason(self) -> str:
        """Gravest cause why the run was not completed, and what followed; empty if it was."""
        why = self._trip or self._fault or self._gave_up or self._stop_request
        return f"{why}; {self._after}" if why and self._after else why

    @property
    def gave_up(self) -> str:
        """Failure of the drives to act in time, or an empty text."""
        return self._gave_up

    def stop(self, why: str) -> None:
        """End the run at the operator's request: stop smoothly, park, shut down."""
        self._stop_request = self._stop_request or why

    def finish(self) -> None:
        """End the run in the same orderly way, as a success: its purpose is reached."""
        self._finished = True

    def trip(self, why: str) -> None:
        """End the run in the same orderly way, as something outside the gate's sight is wrong."""
        self._trip = self._trip or why

    def give_up(self, why: str) -> None:
        """Give the motion up, which is at rest: the run ends with this reason."""
        self.trip(why)

    def ask(self, verdict: Verdict | None, path_done: bool) -> tuple[Request, ...]:
        """Requests of this cycle; sets ``done`` when the run is over.

        Args:
            verdict: the gate's last verdict, None before the first cycle.
            path_done: whether the present slow move or motion has been sampled to its end.
        """
        if verdict is None:
            return (Request.CONFIGURED,)
        ending = verdict.faults or self._ending
        if verdict.mode in FOLLOWING_MODES and not (path_done or ending):
            self._mode = verdict.mode
            return ()  # on the way, which is nearly always
        self._waited = self._waited + 1 if verdict.mode is self._mode else 0
        self._mode = verdict.mode
        self._learn(verdict)
        homing = verdict.mode is Mode.HOMING
        patience = self._homing_cycles if homing else self.patience_cycles
        if verdict.mode is Mode.STANDBY and self.hindrance and not ending:
            self._waited, self._held_up = 0, self._held_up + 1  # the drives are not to blame
            if self._held_up > HINDRANCE_SHARE * self.patience_cycles:
                self._waited = patience = HINDRANCE_SHARE * self.patience_cycles
                self._waited += 1
        # Homing takes its time; what keeps it from beginning gets no more than any other wait.
        hindered = homing and any(wait.remedy for wait in self.waits)
        self._hindered = self._hindered + 1 if hindered else 0
        if self._hindered > self.patience_cycles:
            self._waited, patience = patience + 1, self.patience_cycles
        if verdict.mode in _WAITS and self._waited > patience:
            self._gave_up = timeout_reason(verdict, patience * self._period_s, self.waits)
            self.done = not homing  # homing legs are stopped first
            return (Request.SHUT_DOWN,)
        request = self._next(verdict, path_done)
        return () if request is None else (request,)

    def _learn(self, verdict: Verdict) -> None:
        """Keep the reason why the gate has stopped the run, and how it went on."""
        if verdict.faults:
            self._fault = describe_faults(verdict.faults)
        if verdict.mode is Mode.PARKING and self._stopped:
            self._after = PARKED_ALONE
        refused = verdict.mode is Mode.HOLD and any(
            found.request is Request.PARK for found in verdict.violations
        )
        self._refused = self._refused + 1 if refused else 0
        if self._refused > REFUSED_CYCLES:
            self._after = "not parked: the gate refuses it"

    def _next(self, verdict: Verdict, path_done: bool) -> Request | None:
        ending = self._ending
        leaving = self._played or ending
        match verdict.mode:
            case Mode.OFF:
                self.done = leaving
                return None if leaving else Request.CONFIGURED
            case Mode.IDLE:
                self.done = leaving
                return None if leaving else Request.HOME
            case Mode.HOMING if ending:
                return Request.HOLD
            case Mode.STANDBY if self._engage and self.hindrance and not leaving:
                return None
            case Mode.STANDBY:
                self._played = leaving or not self._engage
                return Request.SHUT_DOWN if self._played else Request.ENGAGE
            case Mode.ENGAGING if not ending:
                return Request.RISEN if path_done else None
            case Mode.ENGAGED if not (ending or path_done):
                return None
            case Mode.HOLD if self._refused > REFUSED_CYCLES:
                return Request.SHUT_DOWN
            case Mode.ENGAGING | Mode.ENGAGED | Mode.HOLD:
                self._played = True
                return Request.PARK
            case Mode.PARKING:
                return Request.PARKED if path_done else None
            case Mode.FAULT | Mode.LOCKOUT:
                self.done = verdict.drives is DriveRequest.OFF
        return None

    @property
    def _stopped(self) -> bool:
        """Whether a fault ended it, rather than its end."""
        return bool(self._trip or self._fault)

    @property
    def _ending(self) -> bool:
        halted = self._stop_request or self._trip or self._fault
        return bool(self._finished or halted or self._gave_up)

    @property
    def outcome(self) -> Outcome:
        """Outcome of the run."""
        if self._stopped:
            return Outcome.TRIPPED
        if self._gave_up:
            return Outcome.FAILED
        return Outcome.STOPPED if self._stop_request else Outcome.COMPLETED


PARKED_ALONE = "then it parked by itself, as part of the stop"
"""Statement about a run without operator that has parked after a stop."""


def timeout_reason(verdict: Verdict, patience_s: float, waits: Waits) -> str:
    """Return the reason why a mode did not end in time, in words.

    Args:
        patience_s: time for which it was waited [s]; 0 if that is not known.
    """
    refused = next((v.note for v in verdict.violations if v.check is Check.REQUEST), "")
    why = in_words(waits) or refused or _ENDS.get(verdict.mode, "its end was waited for")
    span = f" within {patience_s:.1f} s" if patience_s else ""
    return f"{verdict.mode.name} did not end{span}: {why}"


_ENDS = {
    Mode.HOMING: "the drives did not tell that all legs are homed",
    Mode.STANDBY: "the drives did not tell that all legs are enabled",
    Mode.CSTOP: "the setpoints did not come to rest",
    Mode.QSTOP: "the measured lengths did not come to rest",
    Mode.FAULT: "the measured lengths did not come to rest, or the power did not go",
    Mode.LOCKOUT: "the measured lengths did not come to rest, or the power did not go",
}
"""Missing end of a mode that lasts, where neither drives nor gate say more."""
_WAITS = (
    Mode.OFF,
    Mode.IDLE,
    Mode.HOMING,
    Mode.STANDBY,
    Mode.CSTOP,
    Mode.QSTOP,
    Mode.FAULT,
    Mode.LOCKOUT,
)
"""Modes in which control only waits for the drives."""
