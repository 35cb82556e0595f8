"""Signal chain of sensors: bias, filter, delay, rate, noise, quantisation, dropout.

In this order, once a step, over the values of all sensors of a robot at once. A step of the filter
is exact for a measurement that is constant during the step: ``y += (1 - exp(-2π f h)) (x - y)``.
Noise is that of a sample and stays until the next one; values are quantised after it; a sample that
is lost leaves the last one there. In the beginning all is as if the first measurement had held for
ever, and no sample is lost. Infinite values, such as a ray that hits nothing, pass the filter at
once.
"""

from dataclasses import dataclass, fields
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sim.world.sensors.chain_kernel import read_sensors
from sim.world.sensors.draws import BLOCK, SensorDraws
from sim.world.sensors.layout import SensorLayout
from sim.world.sensors.rotations import quaternions_of

Array = NDArray[np.float64]

EARLY: Final = 1e-6
"""Lead of a sample's phase, so that rounding puts no sample a step late."""


@dataclass(frozen=True, slots=True)
class ChainSnapshot:
    """State that decides future readings bit by bit; random numbers follow from seed and step."""

    seed: int
    """Seed of the run."""
    step: int
    """Number of readings taken."""
    values: tuple[str, ...]
    """Sensor, quantity and part of each value, as names."""
    begun: bytes
    """Flags of the values that have been measured."""
    filtered: bytes
    """State of the filters."""
    history: bytes
    """Measurements that are still delayed."""
    published: bytes
    """The last reading."""


class SensorChain:
    """Signal chain of one robot's sensors.

    Args:
        seed: of the run, 0 or more.
    """

    def __init__(self, layout: SensorLayout, seed: int) -> None:
        self.layout: SensorLayout = layout
        self._seed = seed
        count = len(layout.values)
        per_sensor = np.bincount(layout.sensors, minlength=len(layout.names))
        used = layout.dropout > 0.0
        used[layout.sensors[layout.noise > 0.0]] = True
        used[layout.sensors[layout.quaternions[:, :1][layout.turning > 0.0]]] = True
        self._draws = SensorDraws(seed, layout.names, per_sensor.tolist(), used.tolist())
        self._holds = bool(np.any(layout.rate < 1.0) or np.any(layout.dropout))
        self._block = -1
        self._noise, self._turns = np.zeros((BLOCK, count)), np.zeros((BLOCK, 0, 4))
        self._lost = np.zeros((BLOCK, count), np.bool_)
        self._defects = np.vstack([layout.bias, layout.share, layout.quantisation])
        self._depth = int(layout.delay.max(initial=0)) + 1
        self._cut_axes = layout.quaternions[layout.share[layout.quaternions[:, 0]] < 1.0]
        self._biased = quaternions_of(layout.turned if np.any(layout.turned) else np.zeros((0, 3)))
        self._noisy_axes = bool(np.any(layout.turning))
        self._forget()
        self.advance(np.zeros(count))  # compiles the kernel before the first step of a run
        self._forget()

    def _forget(self) -> None:
        """Return to the state before the first reading."""
        count = len(self.layout.values)
        self._step = 0
        self._begun, self._all_begun = np.zeros(count, np.bool_), not count
        self._filtered, self._published = np.zeros(count), np.zeros(count)
        self._history = np.zeros((self._depth, count))
        self._scratch = np.zeros(count)

    def advance(self, measured: Array) -> Array:
        """Compute the next reading, shape (values,).

        Args:
            measured: what the sensors measure in this step, without defects, shape (values,).
        """
        if self._step and not len(measured):  # the first compiles the kernel all the same
            self._step += 1
            return measured
        block, row = divmod(self._step, BLOCK)
        if block != self._block:
            self._draw(block)
        layout = self.layout
        read_sensors(
            measured, self._defects, layout.delay, layout.quaternions, self._cut_axes,
            layout.boundless, self._biased, self._step, row, self._noise, self._turns,
            self._lost, self._begun, self._filtered, self._history, self._published, self._scratch,
        )  # fmt: skip
        if not self._all_begun:
            self._begun[:] = self._all_begun = True
        self._step += 1
        return self._published.copy()

    def _draw(self, block: int) -> None:
        """Draw the noise of the next steps, and which values stay as they were."""
        layout = self.layout
        normals, uniforms = self._draws.block(block)
        np.multiply(layout.noise, normals, out=self._noise)
        if self._noisy_axes:
            self._turns = quaternions_of(layout.turning * normals[:, layout.quaternions[:, :3]])
        if self._holds:
            steps = block * BLOCK + np.arange(-1, BLOCK)
            samples = np.floor(steps[:, None] * layout.rate + EARLY)
            lost = (samples[1:] == samples[:-1]) | (uniforms < layout.dropout)
            np.take(lost, layout.sensors, axis=1, out=self._lost)
        self._block = block

    def snapshot(self) -> ChainSnapshot:
        """Return the state that decides the future readings."""
        arrays = (self._begun, self._filtered, self._history, self._published)
        kept = (array.tobytes() for array in arrays)
        return ChainSnapshot(self._seed, self._step, self.layout.values, *kept)

    def restore(self, snapshot: ChainSnapshot) -> None:
        """Restore a snapshot of the same sensors.

        Raises:
            ValueError: if it is of others, or of another seed.
        """
        own = self.snapshot()
        if snapshot.values != own.values or snapshot.seed != own.seed:
            raise ValueError(
                f"snapshot of {len(snapshot.values)} values and seed {snapshot.seed}: not of these "
                f"{len(own.values)} and seed {own.seed}"
            )
        for one in fields(snapshot)[3:]:
            wanted, found = len(getattr(own, one.name)), len(getattr(snapshot, one.name))
            if wanted != found:
                raise ValueError(f"snapshot's {one.name}: {found} bytes and not {wanted}")
        self._step = snapshot.step
        self._begun[:] = np.frombuffer(snapshot.begun, dtype=np.bool_)
        self._all_begun = bool(self._begun.all())
        self._filtered[:] = np.frombuffer(snapshot.filtered)
        self._history[:] = np.frombuffer(snapshot.history).reshape(self._history.shape)
        self._published = np.frombuffer(snapshot.published).copy()

    def carry_over(self, old: ChainSnapshot) -> None:
        """Continue from before an edit, with values of the same sensor, quantity and part.

        The others begin with their next measurement. What is delayed keeps its age in steps.
        """
        self._step = old.step
        places = {name: index for index, name in enumerate(old.values)}
        known = [at for at, name in enumerate(self.layout.values) if name in places]
        if not known:
            return
        there = [places[self.layout.values[at]] for at in known]
        self._begun[known] = np.frombuffer(old.begun, dtype=np.bool_)[there]
        self._all_begun = bool(self._begun.all())
        self._filtered[known] = np.frombuffer(old.filtered)[there]
        self._published[known] = np.frombuffer(old.published)[there]
        history = np.frombuffer(old.history).reshape(-1, len(old.values))
        for age in range(1, self._depth + 1):
            row = (old.step - min(age, len(history))) % len(history)
            self._history[(old.step - age) % self._depth, known] = history[row, there]
