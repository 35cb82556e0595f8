"""Why an operated run ends, and how: the gravest cause first."""

from hil.desk.run_end import EndCause, EndStep, RunEnd
from hil.stations.platform.operator.button_commands import refusal_of
from hil.stations.platform.supervisor import Outcome
from safety.faults import describe_faults
from safety.modes import Mode, Request
from safety.verdict import Verdict

STEPS = {
    Mode.OFF: EndStep.POWER_OFF,
    Mode.IDLE: EndStep.POWER_OFF,
    Mode.HOMING: EndStep.STOPPING,
    Mode.STANDBY: EndStep.POWER_OFF,
    Mode.ENGAGING: EndStep.STOPPING,
    Mode.ENGAGED: EndStep.STOPPING,
    Mode.CSTOP: EndStep.STOPPING,
    Mode.QSTOP: EndStep.STOPPING,
    Mode.HOLD: EndStep.AWAITING_PARK,
    Mode.PARKING: EndStep.PARKING,
    Mode.FAULT: EndStep.POWER_OFF,
    Mode.LOCKOUT: EndStep.POWER_OFF,
}
"""What an end does in each mode, if nobody parks."""


class EndConditions:
    """What speaks for an end of the run.

    Attributes:
        wish: why somebody outside the run wants its end; empty if nobody does.
        fault: what is wrong beyond repair within the run; empty if nothing is.
        gave_up: what the drives did not do in time; empty if they did.
        shut_down: whether the operator wants the end.
        by: who pressed for it.
    """

    def __init__(self) -> None:
        self.wish = ""
        self.fault = ""
        self.gave_up = ""
        self.shut_down = False
        self.by = ""

    @property
    def under_way(self) -> bool:
        """Whether the run is to end, for whatever cause."""
        return bool(self.shut_down or self.wish or self.fault or self.gave_up)

    @property
    def reason(self) -> str:
        """Why the run did not complete: the gravest cause, or an empty text."""
        return self.fault or self.gave_up or self.wish

    @property
    def outcome(self) -> Outcome:
        """How the run ended: completed when the operator shut it down."""
        if self.fault:
            return Outcome.TRIPPED
        if self.gave_up:
            return Outcome.FAILED
        return Outcome.STOPPED if self.wish else Outcome.COMPLETED

    def end_now(self, verdict: Verdict | None, *, parks: bool, left_s: float) -> RunEnd | None:
        """The end as panels are told of it; None while there is none.

        Args:
            verdict: the gate's last verdict, None before the first cycle.
            parks: whether the platform is going to be parked, or is being.
            left_s: how long PARK is still waited for in HOLD [s].
        """
        lost = verdict is not None and verdict.mode is Mode.LOCKOUT
        if not (self.under_way or lost):
            return None
        cause, why = self._cause(verdict if lost else None)
        step = EndStep.STOPPING if verdict is None else STEPS[verdict.mode]
        waits = "" if verdict is None else refusal_of(Request.SHUT_DOWN, verdict)
        if step is not EndStep.AWAITING_PARK:
            return RunEnd(cause, step, why, waits=waits)
        if parks:
            return RunEnd(cause, EndStep.PARKING, why)
        return RunEnd(cause, step, why, max(left_s, 0.0), waits)

    def _cause(self, lost: Verdict | None) -> tuple[EndCause, str]:
        """The gravest cause, and what is to be said of it; `lost` is a lockout's verdict."""
        if lost is not None or self.fault:
            first = "" if lost is None else describe_faults(lost.faults)
            return EndCause.FAULT, self.fault or first or Mode.LOCKOUT.name
        if self.gave_up:
            return EndCause.GAVE_UP, self.gave_up
        if self.wish:
            return EndCause.TERMINAL, ""
        return EndCause.SHUT_DOWN, self.by
