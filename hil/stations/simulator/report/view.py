"""A ride's recording prepared for pictures: that of the platform, and the source's and rider's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hil.recording.reader import Recording
from hil.stations.platform.report.view import RunView
from hil.stations.simulator.figures.felt_ride import gain_of
from hil.stations.simulator.plan.scenario import RidePlan


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class RideView(RunView):
    """Data of a ride for pictures and tables."""

    @classmethod
    def of_ride(cls, recording: Recording) -> RideView:
        """Prepare a recording; an odd one gives notes, not an error."""
        return cls.of(recording, RidePlan.build)

    @property
    def badges(self) -> tuple[str, ...]:
        """Clock, source, presets, and the scenario's own badges."""
        if not isinstance(self.plan, RidePlan):
            return ()
        scenario, facts = self.plan.scenario, self.facts()
        badges = (
            f"{scenario.clock} clock, {scenario.rate_hz:g} Hz",
            f"source: {facts.get('source', 'unknown')}",
            f"cueing: {facts.get('cueing', 'unknown')}, gain {scenario.cueing.gain:g} of the "
            f"scenario: {gain_of(self.plan):.3g} of the vehicle's forward force wanted",
            scenario.description,
        )
        return tuple(text for text in badges if text)

    @property
    def engaged(self) -> NDArray[np.bool_]:
        """Cycles of the ride itself, shape (N,)."""
        return self.recording.column("mode") == self.recording.header.modes.index("ENGAGED")

    @property
    def was_engaged(self) -> bool:
        """Whether there was a ride."""
        return any(phase.mode == "ENGAGED" for phase in self.phases)


def governor_active(part: RideView) -> NDArray[np.bool_]:
    """In which cycles the governor held the motion back, shape (N,)."""
    return part.recording.column("governor_active") != 0


def share_engaged(view: RideView, chosen: Callable[[RideView], NDArray[np.bool_]]) -> str:
    """Return the share of the cycles of the ride, as text; there is at least one."""
    count = found = 0
    for part in view.pieces():
        engaged = part.run.engaged[part.before :]
        count += int(np.count_nonzero(engaged))
        found += int(np.count_nonzero(chosen(part.run)[part.before :] & engaged))
    return f"{100.0 * found / count:.1f} %"
