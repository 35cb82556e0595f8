"""The pendulum in space: a post, a rod and a bob; y goes through the bearing."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from hil.recording.header import RunHeader
from hil.scene.figure import Build, Camera, Figure, LegendEntry, Part, Piece, Scene, grid
from hil.scene.margins import MarginGroup, travel
from hil.scene.solids import ball, bar, box


def margins_of(scenario: Mapping[str, Any]) -> tuple[MarginGroup, ...]:
    """What is left to the gate's limit."""
    most = np.radians([scenario["angle_max_deg"]])
    return (MarginGroup(("Pendulum",), ("rad",), "angle_rad", travel(-most, most)),)


def scenes_of(header: RunHeader) -> tuple[Scene, ...]:
    """What the pendulum of a run looks like."""
    return (PendulumScene(header),)


class PendulumScene:
    title = "Pendulum"

    def __init__(self, header: RunHeader) -> None:
        m = float(header.scenario["length_m"])
        self._angle = header.signals.places["angle_rad"].start
        self._angle_rad = 0.0
        post = Piece(box((0.1 * m, 0.1 * m, 1.4 * m)).moved(0.0, -0.2 * m, -0.7 * m), "base")
        rod = Piece(bar((0.0, 0.0, 0.0), (0.0, 0.0, -m), 0.02 * m), "rod")
        bob = Piece(ball(0.1 * m).moved(0.0, 0.0, -m), "plate")
        self.build = Build(
            parts=(Part("post", (post,)), Part("rod", (rod,)), Part("bob", (bob,))),
            roles={"base": "base", "rod": "rod", "plate": "plate"},
            ground=grid(1.5 * m, 0.5, -1.4 * m),
            labels=(),
            legend=(LegendEntry("plate", "bob"),),
            camera=Camera((0.0, 0.0, -0.6 * m), 2.5 * m),
        )

    def take(self, rows: np.ndarray, now_s: float) -> None:
        """Keep the newest row's angle."""
        if len(rows):
            self._angle_rad = float(rows[-1, self._angle])

    def figure(self, now_s: float) -> Figure:
        """Rod and bob turned about y."""
        turned, (c, s) = np.eye(4), (np.cos(self._angle_rad), np.sin(self._angle_rad))
        turned[:3, :3] = ((c, 0, -s), (0, 1, 0), (s, 0, c))
        return Figure(np.array([np.eye(4), turned, turned]), tuple(self.build.roles.values()))
