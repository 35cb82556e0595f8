"""Start, pause and stop of the container's diagram, with sensors that stand still."""

from pathlib import Path

import numpy as np

from hil.diagram.check.diagram import load
from hil.diagram.run.engine import Engine

FILE = Path(__file__).parents[2] / "configs/diagrams/container.toml"
WAIT, DRIVE = 1.0, 2.0

TICK_S = 0.002


class Panel:
    """The diagram without a robot: its places jitter, all else stands still."""

    def __init__(self) -> None:
        self.engine = Engine(load(FILE))
        self._rng, self._presses = np.random.default_rng(1), {"start": 0, "stop": 0}
        for side in ("left", "front", "right", "hand"):
            self.engine.set_input(f"{side}_distance_m", np.full(5, 3.0))
        self._arm_rad = np.array([0.0, -0.8, 0.9, 0.0, 1.0, 0.0])
        self.engine.set_input("container_m", [4.0, 0.0, 0.52])
        self.engine.set_input("bin_m", [-4.0, 0.0, 0.32])

    def press(self, name: str) -> None:
        """Press a button."""
        self._presses[name] += 1
        self.engine.set_parameters({(f"{name}/presses", "value"): self._presses[name]})

    def pause(self, on: bool) -> None:
        """Set the switch."""
        self.engine.set_parameters({("pause/on", "value"): on})

    def run(self, ticks: int, seen: float = 1.0) -> float:
        """Compute ticks; returns the phase."""
        for _ in range(ticks):
            places = np.array([0.0, 0.0, 0.12, 0.3, 0.0, 0.12])
            speeds_rad_s = self._rng.normal(0.0, 1e-3, 6)
            self._arm_rad = self._arm_rad + TICK_S * speeds_rad_s
            self.engine.set_input("arm_position_rad", self._arm_rad)
            self.engine.set_input("arm_speed_rad_s", speeds_rad_s)
            self.engine.set_input("places_place_m", places + self._rng.normal(0.0, 1e-3, 6))
            for side in ("left", "front", "right"):
                beams = 3.0 + self._rng.normal(0.0, 0.01, 5)
                self.engine.set_input(f"{side}_distance_m", beams)
                self.engine.set_input(f"{side}_seen", np.full(5, seen))
            self.engine.step()
        return float(self.engine.output("phase")[0])

    @property
    def wheels(self) -> float:
        """Greatest voltage of the wheels."""
        return float(np.abs(self.engine.output("wheels")).max())


def test_nothing_moves_before_start() -> None:
    panel = Panel()
    assert panel.run(400) == WAIT
    assert panel.wheels == 0.0


def test_pause_holds_the_wheels_and_the_clock_of_the_phase() -> None:
    panel = Panel()
    panel.run(300)
    panel.press("start")
    assert panel.run(400) == DRIVE
    assert panel.wheels > 0.1
    panel.pause(True)
    panel.run(2)
    ticks = panel.engine.port("phases", "ticks")[0]
    assert panel.run(200) == DRIVE
    assert panel.wheels == 0.0
    assert panel.engine.port("phases", "ticks")[0] == ticks
    panel.pause(False)
    assert panel.run(100) == DRIVE
    assert panel.wheels > 0.1


def test_stop_ends_it_also_while_it_is_paused() -> None:
    for paused in (False, True):
        panel = Panel()
        panel.run(300)
        panel.press("start")
        panel.run(100)
        panel.pause(paused)
        panel.run(5)
        panel.press("stop")
        panel.run(10)
        assert panel.engine.output("done")[0]
        assert panel.engine.output("reason")[0] == 0.0
        assert panel.wheels == 0.0


def test_beams_that_see_nothing_end_the_drive_with_the_reason_of_a_sensor() -> None:
    panel = Panel()
    panel.run(300)
    panel.press("start")
    panel.run(200)
    panel.run(150, seen=0.0)
    assert panel.engine.output("reason")[0] == 11.0
    assert panel.wheels == 0.0
