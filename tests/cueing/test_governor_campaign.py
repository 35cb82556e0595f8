"""Sequences that wish the machine ill, from anywhere, at three rates, with stops between."""

from functools import lru_cache

import numpy as np
import pytest
from campaign import count
from governor_bench import NEUTRAL, RIGS, adversarial, governor, ride, wide_box

from platform6dof.cueing.governor import GovernorError

pytestmark = [pytest.mark.campaign, pytest.mark.timeout(7200)]
SEQUENCES = 10_000
PERIODS_S = (0.002, 0.002, 0.002, 0.001, 0.002, 0.01, 0.002)
PARTS = 4
DURATION_S = 0.7


@lru_cache
def guards(name, period_s, wide):
    return governor(name, period_s, wide_box(name) if wide else None)


def begin(seed, name, guard):
    """Neutral, or a random place of the box from which the governor begins, at its ends as well."""
    rng = np.random.default_rng((seed, 3))
    box = guard.tables.box
    reach = 0.5 * (box.upper - box.lower) - 2e-4
    for _ in range(20 if seed % 3 else 0):
        share = np.clip(rng.uniform(-1.3, 1.3, 6), -1.0, 1.0)
        q = 0.5 * (box.upper + box.lower) + share * reach
        try:
            guard.reset(q)
        except GovernorError:
            continue
        return q
    return NEUTRAL[name]


def sequence(seed):
    """What the judges find in one sequence, and what it was."""
    name = tuple(RIGS)[seed % 2]
    period_s = PERIODS_S[(seed // 2) % len(PERIODS_S)]
    wide = seed % 5 == 0
    guard = guards(name, period_s, wide)
    q = begin(seed, name, guard)
    cycles = int(DURATION_S / period_s)
    rng = np.random.default_rng((seed, 5))
    stops = set(rng.integers(1, cycles, rng.integers(0, 3)).tolist())
    wanted = adversarial(seed, cycles, period_s, q, guard.tables.box)
    return ride(name, wanted, q, period_s, guard, stops), (seed, name, period_s, wide)


@pytest.mark.parametrize("part", range(PARTS))
def test_no_sequence_leaves_a_limit(part):
    wrong, cycles, stops, failed, bindings = [], 0, 0, 0, set()
    for seed in range(part, count(SEQUENCES, 200), PARTS):
        found, what = sequence(seed)
        cycles, stops, failed = cycles + len(found.rows), stops + found.stops, failed + found.failed
        bindings |= found.bindings
        if found.wrong or found.least_margin < 0.0:
            wrong.append((what, found.least_margin, found.wrong))
    print(f"seeds from {part}: {cycles} cycles, {stops} stops, {failed} braked")
    assert wrong == []
    # The judges had something to look at.
    assert {"acceleration", "speed", "not finite"} <= bindings
    assert {one.partition(" of ")[0] for one in bindings} >= {"upper end", "lower end"}
    assert stops > 10
