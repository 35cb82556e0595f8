"""The trigger of a scope and the sweep that it caught last."""

from dataclasses import dataclass

from hil.panel.scope.models.ring import Window
from hil.panel.scope.models.trigger import TriggerPhase, TriggerSettings, TriggerState, start, step


@dataclass(frozen=True, slots=True)
class Caught:
    """A sweep, with samples of its own that nothing overwrites."""

    window: Window
    """Its samples, and a few more on either side."""
    edge_s: float
    """Time of the trigger's edge [s]."""


class Catcher:
    """Waits for edges, and keeps the last sweep that became full."""

    def __init__(self) -> None:
        self.settings = TriggerSettings()
        """What is waited for."""
        self.caught: Caught | None = None
        """The last full sweep; None before the first."""
        self._state = TriggerState()

    @property
    def phase(self) -> TriggerPhase:
        """Phase of the trigger."""
        return self._state.phase if self.settings.active else TriggerPhase.IDLE

    @property
    def edge_s(self) -> float:
        """Time of the edge of the sweep that is being filled [s]."""
        return self._state.edge_s

    @property
    def filling(self) -> bool:
        """Whether a sweep has begun and is not full yet."""
        return self._state.phase is TriggerPhase.FILLING

    def arm(self) -> None:
        """Wait for the next edge, forgetting the last one."""
        self.caught = None
        self._state = start(self._state)

    def update(
        self, window: Window, since: int, column: int, span_s: float, reach_s: float
    ) -> None:
        """Look for edges in samples that have not been looked at.

        Args:
            since: number of the first new one since the beginning.
            column: of the signal that triggers.
            reach_s: of what is kept before and behind a sweep [s].
        """
        fresh = window.part(max(0, since - window.first), len(window))
        self._state, full = step(
            self._state, self.settings, span_s, fresh.t_s, fresh.values[column]
        )
        if full:
            from_s = full[-1] - self.settings.pre * span_s
            kept = window.between(from_s - reach_s, from_s + span_s + reach_s).kept()
            self.caught = Caught(kept, full[-1])
