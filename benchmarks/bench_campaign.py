"""What a campaign adds to its runs, and what a second worker takes away.

    python -m benchmarks.bench_campaign [--runs N] [--json FILE]

The same runs of a platform are made by the service alone in one process, by campaigns of one and
of two workers, and by a bare pool of two. Each begins with runs that are not counted, in which
kernels are loaded and processes start; times go from the end of the last of those to that of the
last run.
"""

from __future__ import annotations

import multiprocessing
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from benchmarks.frame import main
from hil.campaign.conduct import Conductor
from hil.campaign.execution import execute
from hil.campaign.folder import CampaignFolder
from hil.campaign.job import Job
from hil.campaign.local import LocalExecutor
from hil.campaign.plan import Campaign

SCENARIO: Final = """
name = "campaign_bench"
rig = "paper"
[motion]
kind = "multi_sine"
duration_s = 10.0
terms = [{ axis = "z", amplitude_m = 0.08, frequency_hz = 0.2 }]
[draw]
"motion.terms.0.amplitude_m" = { uniform = [0.02, 0.1] }
"rig.cylinders.moving_mass_kg" = { uniform = [40, 90] }
"""
FIRST: Final = 6
"""Runs that are not counted."""
OVERHEAD_MS: Final = 50.0
"""That a campaign may add to a run [ms]."""
TWO_LEAST: Final = 1.8
"""That two workers must make of the speed of one."""
POOL_LEAST: Final = 0.95
"""That two workers must reach of the speed of a bare pool."""


def _jobs(folder: Path, scenario: Path, count: int) -> Iterator[Job]:
    yield from Campaign(scenario, tuple(range(count))).jobs(folder)


def _alone(folder: Path, scenario: Path, runs: int) -> float:
    """Time of a run by the service alone [s]."""
    jobs = [*_jobs(folder, scenario, FIRST + runs)]
    for job in jobs[:FIRST]:
        execute(job)
    begun_s = time.perf_counter()
    for job in jobs[FIRST:]:
        execute(job)
    return (time.perf_counter() - begun_s) / runs


def _pooled(folder: Path, scenario: Path, runs: int) -> float:
    """Time of a run by a bare pool of two processes [s]."""
    jobs, ends_s = [*_jobs(folder, scenario, FIRST + runs)], list[float]()
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        for _ in pool.imap_unordered(execute, jobs):
            ends_s.append(time.perf_counter())
    return (ends_s[-1] - ends_s[FIRST - 1]) / runs


def _campaign(folder: Path, scenario: Path, runs: int, workers: int) -> float:
    """Time of a run by a campaign [s]."""
    folder.mkdir()
    campaign = CampaignFolder(folder, Campaign(scenario, tuple(range(FIRST + runs))), "bench")
    ends_s: dict[int, float] = {}
    executor = LocalExecutor(workers)
    try:
        with campaign.locked():
            Conductor(
                campaign, executor, lambda done, *_: ends_s.setdefault(done, time.perf_counter())
            ).run()
    finally:
        executor.close()
    return (ends_s[FIRST + runs] - ends_s[FIRST]) / runs


def run(runs: int = 40) -> dict[str, Any]:
    """Measure all four, one after the other [ms per run]."""
    with tempfile.TemporaryDirectory() as name:
        top = Path(name)
        scenario = top / "campaign_bench.toml"
        scenario.write_text(SCENARIO)
        found = {
            "service": _alone(top / "alone", scenario, runs),
            "campaign of one worker": _campaign(top / "one", scenario, runs, 1),
            "campaign of two workers": _campaign(top / "two", scenario, runs, 2),
            "bare pool of two": _pooled(top / "pool", scenario, runs),
        }
    one, two = found["campaign of one worker"], found["campaign of two workers"]
    figures = {f"{case}_ms": 1e3 * each for case, each in found.items()}
    figures |= {
        "overhead_ms": 1e3 * (one - found["service"]),
        "two_over_one": one / two,
        "two_over_pool": found["bare pool of two"] / two,
    }
    asked = {
        "overhead_ms": f"<= {OVERHEAD_MS:g}", "two_over_one": f">= {TWO_LEAST:g}",
        "two_over_pool": f">= {POOL_LEAST:g}",
    }  # fmt: skip
    for case, each in figures.items():
        print(f"{case}: {each:.3g}" + (f", asked {asked[case]}" if case in asked else ""))
    return figures


if __name__ == "__main__":
    main(run, __doc__)
