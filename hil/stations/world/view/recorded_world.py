"""World of a recording: everything in it, and its coordinates in each row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from hil.recording.row_arrays import gathered, let_go
from hil.stations.world.plan.recorded_plan import RecordedPlan
from hil.stations.world.plan.scene_placement import placed_of
from sim.world.engine.mjcf import model_text
from sim.world.engine.mjcf_robot import PlacedRobot
from sim.world.engine.model_compiler import ModelText
from sim.world.engine.world import World
from sim.world.robots.robot_toml_reader import read_toml
from sim.world.scenes.model import Stepping

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hil.recording.reader import Recording
    from sim.world.robots.model import Robot
    from sim.world.scenes.model import Scene

Array = NDArray[np.float64]

COORDINATES = "world_coordinates"
"""Signal with the coordinates of everything that moves."""


@dataclass(frozen=True, slots=True, eq=False)
class RecordedWorld:
    """Model and states of a recorded run."""

    text: ModelText
    """Model of the engine when the run began."""
    scene: Scene | None
    """Scene around the robot; None without one."""
    times_s: Array
    """Times of the rows [s], shape (rows,)."""
    positions: Array
    """Coordinates of everything that moved at the beginning, shape (rows, coordinates); of what
    an edit took away the last one is repeated."""

    @classmethod
    def of(cls, recording: Recording) -> Self:
        """Read the world of a recording.

        Raises:
            KeyError: if it has no coordinates.
            ValueError: if its plan, or a document in it, is not valid.
        """
        text, scene = world_text(recording.header.scenario)
        folder = recording.path.parent
        times_s = gathered((piece.rows.t_s for piece in recording.pieces()), folder)
        return cls(text, scene, times_s, gathered(_known(recording), folder))

    def rows(self, rate_hz: float) -> NDArray[np.intp]:
        """Numbers of the rows nearest to times at a rate, from the first to the last."""
        times_s, start_s = self.times_s, self.times_s[0]
        wanted_s = np.arange(0.0, times_s[-1] - start_s + 0.5 / rate_hz, 1.0 / rate_hz) + start_s
        after = np.clip(np.searchsorted(times_s, wanted_s), 1, len(times_s) - 1)
        nearer = wanted_s - times_s[after - 1] < times_s[after] - wanted_s
        let_go(times_s)
        return np.asarray(after - nearer, np.intp)

    def spread(self, count: int) -> NDArray[np.intp]:
        """Numbers of some rows, evenly apart, the first and the last among them."""
        return np.unique(np.linspace(0, len(self.times_s) - 1, count).astype(np.intp))

    def world(self) -> World:
        """Engine with this model, for kinematics.

        Raises:
            EngineMissingError: if it is not installed.
        """
        return World(self.text)


def world_text(document: Mapping[str, Any]) -> tuple[ModelText, Scene | None]:
    """Model of a recorded plan, and its scene.

    Raises:
        ValueError: if it is not such a plan, or a document in it is not valid.
    """
    kept = RecordedPlan.of(document)
    known = kept.stepping()
    stepping = Stepping(known.step_s, known.integrator, known.gravity_m_s2)
    if kept.scene is not None:
        placed = placed_of(kept.scene)
        return placed.text(stepping, known.seed), placed.scene
    return model_text([PlacedRobot(recorded_robot(document))], stepping), None


def recorded_robot(document: Mapping[str, Any]) -> Robot:
    """Robot of a recorded plan; raises as `world_text` does."""
    kept = RecordedPlan.of(document)
    return read_toml(kept.robot, kept.robot_file)


def _known(recording: Recording) -> Iterator[Array]:
    """Coordinates of some rows after others; a missing number repeats the last before it."""
    last: Array | None = None
    for piece in recording.pieces():
        columns = piece.rows.column(COORDINATES).reshape(piece.rows.cycles, -1)
        whole = columns if last is None else np.vstack([last, columns])
        rows = np.where(np.isfinite(whole), np.arange(len(whole))[:, None], 0)
        found = np.take_along_axis(whole, np.maximum.accumulate(rows, axis=0), axis=0)
        yield found[len(whole) - len(columns) :]
        last = found[-1:]
