"""Random numbers of sensors, drawn in blocks ahead, each block from a generator of its own.

A block's generator is seeded by the run's seed, the sensor's name and the block's number (NumPy's
`SeedSequence`), so the numbers of a step follow from these three: no other sensor changes them, and
nothing but the step has to be kept to go on with them.
"""

import hashlib
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

BLOCK: Final = 256
"""Number of steps that are drawn at once."""


class SensorDraws:
    """Random numbers of several sensors.

    Args:
        seed: of the run, 0 or more.
        names: of the sensors, unique.
        counts: normal numbers of each sensor a step.
        used: whether a sensor's numbers are; zeros and ones if not.
    """

    def __init__(
        self, seed: int, names: Sequence[str], counts: Sequence[int], used: Sequence[bool]
    ) -> None:
        self._seed = seed
        self._keys = [_words(name) for name in names]
        self._counts, self._used = list(counts), list(used)

    def block(self, number: int) -> tuple[Array, Array]:
        """Draw the numbers of steps from ``number * BLOCK`` on.

        Returns:
            Normal ones, shape (BLOCK, all counts), and one of 0 … 1 a sensor, shape
            (BLOCK, sensors).
        """
        normals, uniforms = np.zeros((BLOCK, sum(self._counts))), np.ones((BLOCK, len(self._keys)))
        begin = 0
        for index, (key, count) in enumerate(zip(self._keys, self._counts, strict=True)):
            if self._used[index]:
                seeds = np.random.SeedSequence(self._seed, spawn_key=(*key, number))
                rng = np.random.Generator(np.random.PCG64(seeds))
                uniforms[:, index] = rng.random(BLOCK)
                normals[:, begin : begin + count] = rng.standard_normal((BLOCK, count))
            begin += count
        return normals, uniforms


def _words(name: str) -> tuple[int, ...]:
    """Hash a name to 128 bits, as words of 32."""
    digest = hashlib.sha256(name.encode()).digest()
    return tuple(int.from_bytes(digest[at : at + 4], "little") for at in range(0, 16, 4))
