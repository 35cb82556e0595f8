"""Why an operated run ends, and how: the gravest cause first."""

from hil.supervisor import Outcome


class Ending:
    """What speaks for an end of the run.

    Attributes:
        wish: why somebody outside the run wants its end; empty if nobody does.
        fault: what is wrong beyond repair within the run; empty if nothing is.
        gave_up: what the drives did not do in time; empty if they did.
        shut_down: whether the operator wants the end.
    """

    def __init__(self) -> None:
        self.wish = ""
        self.fault = ""
        self.gave_up = ""
        self.shut_down = False

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
