"""Choice of the accuracy with which a run simulates its space arm, and the reason of the choice.

It depends on the scenario alone, so that the same scenario gives the same motion on every machine.
How much of a motion the bound on a tick's work left to the usual accuracy is known when it has been
played.
"""

from dataclasses import dataclass
from typing import Final, Literal

from sim.world.space_arm.capped_sdirk4 import TICK_WORK_S, TRIES_MAX

AskedAccuracy = Literal["auto", "usual", "fine"]
ASKED: Final[tuple[AskedAccuracy, ...]] = ("auto", "usual", "fine")
"""All that a scenario may ask for."""
FINE_MODELS: Final = "abdef"
"""Drive models that the fourth-order method knows; of the others it is told to be usual."""


@dataclass(frozen=True, slots=True)
class SimulationAccuracy:
    """Accuracy of the simulation of a space arm."""

    accuracy: Literal["usual", "fine"]
    """Accuracy that is taken."""
    capped: bool
    """Whether a waypoint that takes too much work is left to the usual accuracy."""
    why: str
    """Reason in words."""

    def in_words(self, usual_waypoints: int | None) -> str:
        """Return the accuracy and its reason, with the number of waypoints that were left."""
        text = f"{self.accuracy} ({self.why})"
        if not (self.capped and usual_waypoints):
            return text
        return f"{text}; {usual_waypoints} waypoints took more, and are usual from there on"


def simulation_accuracy(asked: AskedAccuracy, model: str) -> SimulationAccuracy:
    """Choose the accuracy.

    Args:
        asked: by the scenario.
        model: letter of the drive model that is simulated.
    """
    if asked != "auto":
        return SimulationAccuracy(asked, capped=False, why="the scenario says so")
    if model not in FINE_MODELS:
        why = f"auto: the fine simulation does not know model {model}"
        return SimulationAccuracy("usual", capped=False, why=why)
    work = f"{TRIES_MAX} steps, {1e3 * TICK_WORK_S:g} ms of a slow processor"
    why = f"auto: as far as a waypoint takes at most {work}"
    return SimulationAccuracy("fine", capped=True, why=why)
