"""Random numbers of a task's draw: they follow from its settings and the seed alone."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from hil.config.settings import Settings


def generator_of(
    settings: Settings, judged: AbstractSet[str], seed: int, *attempt: int
) -> np.random.Generator:
    """Counter-based generator, seeded by the settings that draw and the seed.

    Args:
        judged: names of settings that change what is judged and nothing that is drawn.
        attempt: number of the attempt, where a world is drawn until one will do.
    """
    text = json.dumps(settings.model_dump(mode="json", exclude={*judged}), sort_keys=True)
    digest = hashlib.sha256(text.encode()).digest()
    words = [int.from_bytes(digest[at : at + 4], "little") for at in range(0, 16, 4)]
    seeds = np.random.SeedSequence([*words, seed], spawn_key=attempt)
    return np.random.Generator(np.random.Philox(seeds))


def between(rng: np.random.Generator, bounds: tuple[float, float]) -> float:
    """Draw evenly between a least and a greatest value."""
    return float(bounds[0] + (bounds[1] - bounds[0]) * rng.random())
