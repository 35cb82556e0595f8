"""Reason and outcome of an operated run's end: the gravest cause first."""

from hil.desk.run_end import EndCause, EndStep, RunEnd
from hil.stations.platform.cycle.supervisor import Outcome
from hil.stations.platform.lead.button_commands import refusal_of
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
"""Step of an end in each mode, if nobody parks."""


class EndConditions:
    """Reasons for an end of the run.

    Attributes:
        stop_request: request from outside the run for its end; empty if there is none.
        fault: irreparable fault within the run; empty if there is none.
        gave_up: failure of the drives to act in time; empty if they did.
        shut_down: whether the operator wants the end.
        by: name of the operator who pressed for it.
    """

    def __init__(self) -> None:
        self.stop_request = ""
        self.fault = ""
        self.gave_up = ""
        self.shut_down = False
        self.by = ""

    @property
    def has_begun(self) -> bool:
        """Whether the run is to end, for whatever cause."""
        return bool(self.shut_down or self.stop_request or self.fault or self.gave_up)

    @property
    def reason(self) -> str:
        """Reason why the run was not completed: the gravest cause; empty if it was."""
        return self.fault or self.gave_up or self.stop_request

    @property
    def outcome(self) -> Outcome:
        """Outcome of the run: completed when the operator shut it down."""
        if self.fault:
            return Outcome.TRIPPED
        if self.gave_up:
            return Outcome.FAILED
        return Outcome.STOPPED if self.stop_request else Outcome.COMPLETED

    def end_now(self, verdict: Verdict | None, *, parks: bool, left_s: float) -> RunEnd | None:
        """End of the run for panels; None while there is none.

        Args:
            verdict: the gate's last verdict, None before the first cycle.
            parks: whether the platform is or will be parked.
            left_s: remaining wait for PARK in HOLD [s].
        """
        lost = verdict is not None and verdict.mode is Mode.LOCKOUT
        if not (self.has_begun or lost):
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
        """Gravest cause, and its text; `lost` is a lockout's verdict."""
        if lost is not None or self.fault:
            first = "" if lost is None else describe_faults(lost.faults)
            return EndCause.FAULT, self.fault or first or Mode.LOCKOUT.name
        if self.gave_up:
            return EndCause.GAVE_UP, self.gave_up
        if self.stop_request:
            return EndCause.TERMINAL, ""
        return EndCause.SHUT_DOWN, self.by
