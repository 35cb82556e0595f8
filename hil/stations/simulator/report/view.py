"""A ride's recording prepared for pictures: that of the platform, and what was heard and felt."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hil.recording.reader import Recording
from hil.stations.platform.report.view import RunView
from hil.stations.simulator.scenario import RidePlan


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class RideView(RunView):
    """What the pictures and tables of a ride are made of."""

    @classmethod
    def of_ride(cls, recording: Recording) -> RideView:
        """Prepare a recording; an odd one gives notes, not an error."""
        return cls.of(recording, RidePlan.build)

    @property
    def badges(self) -> tuple[str, ...]:
        """Clock, source, presets, and what the scenario says of itself."""
        if not isinstance(self.plan, RidePlan):
            return ()
        scenario, facts = self.plan.scenario, self.facts()
        badges = (
            f"{scenario.clock} clock, {scenario.rate_hz:g} Hz",
            f"source: {facts.get('source', 'unknown')}",
            f"cueing: {facts.get('cueing', 'unknown')}, gain {scenario.cueing.gain:g}",
            scenario.description,
        )
        return tuple(text for text in badges if text)

    @property
    def engaged(self) -> NDArray[np.bool_]:
        """Cycles of the ride itself, shape (N,)."""
        return self.recording.column("mode") == self.recording.header.modes.index("ENGAGED")
