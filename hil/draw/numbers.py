"""Numbers drawn by laws: a function of the scenario's digest and the seed, and of nothing else.

Neither the order of the runs, nor that of the keys, nor the number of workers plays a part: each
key of each seed has a generator of its own, Philox counted from `SeedSequence(digest, seed; key)`.
Philox: J. K. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011. Of it the raw
64 bits are taken, whose top 53 make a fraction, so that no change of a library's distributions can
change a draw.

Grid and Latin hypercube are of a whole campaign: there the seed's number, modulo the count that
the table declares, is the number of the point. Values are rounded to `DIGITS` significant digits:
what a table of results shows is what was used.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from functools import lru_cache
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Final

from hil.draw.table import ChoiceLaw, GridLaw, LatinLaw, Law, NormalLaw, UniformLaw

if TYPE_CHECKING:
    import numpy as np

DIGITS: Final = 9
"""Significant digits of a drawn value."""
LEFT_OUT: Final = frozenset({"seed", "description"})
"""Keys of a scenario that its digest does not depend on."""
SEED_MAX: Final = 2**32 - 1
"""Greatest seed."""
Number = int | float


def scenario_digest(table: Mapping[str, Any]) -> str:
    """Digest of a scenario's table as it is written in its file: SHA-256, hexadecimal.

    Comments, the order of keys, its seed and its description play no part.
    """
    kept = {key: value for key, value in table.items() if key not in LEFT_OUT}
    text = json.dumps(kept, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def drawn_values(laws: Mapping[str, Law], digest: str, seed: int) -> dict[str, Number]:
    """Value of each key.

    Args:
        digest: of the scenario (`scenario_digest`).
        seed: number of the run, from 0 to `SEED_MAX`.
    """
    return {key: _drawn(key, laws, digest, seed) for key in sorted(laws)}


def _drawn(key: str, laws: Mapping[str, Law], digest: str, seed: int) -> Number:
    law = laws[key]
    match law:
        case UniformLaw(uniform=(low, high), whole=True):
            return int(low) + math.floor(_fraction(digest, seed, key) * (high - low + 1.0))
        case UniformLaw(uniform=(low, high)):
            return _within(low + _fraction(digest, seed, key) * (high - low), low, high)
        case NormalLaw(bounds=(low, high)):
            return _within(_normal(law, _fraction(digest, seed, key)), low, high)
        case ChoiceLaw(choice=values):
            return values[math.floor(_fraction(digest, seed, key) * len(values))]
        case GridLaw(grid=(low, high), count=count):
            place = _grid_place(key, laws, seed)
            step = (high - low) / (count - 1) if count > 1 else 0.0
            return _within(low + place * step, low, high)
        case LatinLaw(latin=(low, high)):
            return _within(low + _latin_fraction(key, laws, digest, seed) * (high - low), low, high)


def _within(value: float, low: float, high: float) -> float:
    return min(max(float(f"{value:.{DIGITS}g}"), low), high)


def _normal(law: NormalLaw, fraction: float) -> float:
    """Inverse of the distribution function between the bounds."""
    distribution = NormalDist(*law.normal)
    low, high = (distribution.cdf(end) for end in law.bounds)
    least = 2.0**-1022
    return distribution.inv_cdf(min(max(low + fraction * (high - low), least), 1.0 - 2.0**-53))


def _words(text: str) -> list[int]:
    """The SHA-256 digest of a text as eight words of 32 bits."""
    data = hashlib.sha256(text.encode()).digest()
    return [int.from_bytes(data[at : at + 4], "big") for at in range(0, 32, 4)]


def _generator(digest: str, seed: int, name: str) -> np.random.Philox:
    import numpy as np

    entropy = [int(digest[at : at + 8], 16) for at in range(0, 64, 8)]
    return np.random.Philox(np.random.SeedSequence([*entropy, seed], spawn_key=_words(name)))


def _fraction(digest: str, seed: int, key: str) -> float:
    """A number from 0 up to, and without, 1."""
    return (int(_generator(digest, seed, key).random_raw()) >> 11) * 2.0**-53


def _grid_place(key: str, laws: Mapping[str, Law], seed: int) -> int:
    """Number of the value of a grid: the seed's digit, the first key changing fastest."""
    for name in sorted(laws):
        law = laws[name]
        if name == key and isinstance(law, GridLaw):
            return seed % law.count
        if isinstance(law, GridLaw):
            seed //= law.count
    raise KeyError(key)


def _latin_fraction(key: str, laws: Mapping[str, Law], digest: str, seed: int) -> float:
    counts = {name: law.count for name, law in sorted(laws.items()) if isinstance(law, LatinLaw)}
    points = _latin_points(digest, len(counts), counts[key])
    return points[seed % counts[key]][list(counts).index(key)]


@lru_cache(maxsize=8)
def _latin_points(digest: str, dimensions: int, count: int) -> list[list[float]]:
    """Points of the hypercube of a scenario, each coordinate from 0 to 1."""
    import numpy as np
    from scipy.stats import qmc

    generator = np.random.Generator(_generator(digest, 0, "latin hypercube"))
    return qmc.LatinHypercube(d=dimensions, rng=generator).random(count).tolist()
