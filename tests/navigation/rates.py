"""Rates of navigators over drawn rooms: `python tests/navigation/rates.py robust 1000:1060`."""

from __future__ import annotations

import collections
import math
import sys
from multiprocessing import get_context

from driven import Driven, Outcome
from rooms import drawn

LIMIT_S = 150.0


def outcome_of(job: tuple[str, int]) -> tuple[int, Outcome]:
    """One drive."""
    law, seed = job
    return seed, Driven(law, drawn(seed), seed).run(LIMIT_S)


def wilson(successes: int, count: int) -> tuple[float, float]:
    """95 % interval of a rate."""
    z, rate = 1.959964, successes / count
    middle = rate + z * z / (2 * count)
    half = z * math.sqrt(rate * (1.0 - rate) / count + (z / (2 * count)) ** 2)
    return (middle - half) / (1 + z * z / count), (middle + half) / (1 + z * z / count)


def main(name: str, seeds: str, processes: int = 1) -> None:
    """Print the rate, and each drive that failed."""
    first, last = map(int, seeds.split(":"))
    ends: collections.Counter[str] = collections.Counter()
    clean: list[Outcome] = []
    with get_context("spawn").Pool(processes) as pool:
        jobs = [(f"mf4_drive_{name}", seed) for seed in range(first, last)]
        for seed, one in pool.imap(outcome_of, jobs):
            ends["clean" if one.clean else one.end + (", contact" if one.contacts else "")] += 1
            if one.clean:
                clean.append(one)
            else:
                print(seed, one, flush=True)
    low, high = wilson(len(clean), last - first)
    mean_s, mean_m = (sum(values) / max(1, len(clean)) for values in (
        [one.time_s for one in clean], [one.path_m for one in clean]))  # fmt: skip
    print(f"{name} {seeds}: {len(clean)} of {last - first} clean ({low:.1%} to {high:.1%}), "
          f"{mean_s:.1f} s, {mean_m:.2f} m; {dict(ends)}", flush=True)  # fmt: skip


if __name__ == "__main__":
    main(*sys.argv[1:3], *map(int, sys.argv[3:]))
