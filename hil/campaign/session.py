"""A campaign from its options to its summary."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from hil.campaign.campaign_summaries import (
    CampaignSummary,
    RateSummary,
    ReplaysSummary,
    ReplaySummary,
    VariantSummary,
)
from hil.campaign.cluster import ClusterExecutor
from hil.campaign.conduct import Conductor, Progress, own_rows
from hil.campaign.execution import execute, station_of
from hil.campaign.executor import Executor
from hil.campaign.folder import PAGE_NAME, CampaignFolder
from hil.campaign.job import Keep
from hil.campaign.local import LocalExecutor
from hil.campaign.page import compared_names, write_page
from hil.campaign.plan import Campaign, diagram_change, read_compared
from hil.campaign.seeds import read_seeds, seeds_text
from hil.campaign.statistics import Rate, medians_of, rate_of, reasons_of
from hil.config.errors import ConfigError, RefusedError
from hil.run.file_kinds import TOGETHER, find_kind, scenario_kinds
from hil.terminal.console import waiting

WORKERS_MAX: Final = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignOptions:
    """Options of the command line."""

    scenario: str | None
    """Name or path; None to go on with the one of `resume`."""
    seeds: str | None
    workers: int | None
    """Processes; None for as many as this computer has processors."""
    cluster: str | None
    diagram: Path | None
    overrides: tuple[str, ...]
    compared: tuple[str, ...]
    keep: str | None
    out: Path | None
    resume: Path | None
    report: bool = False
    """Whether the worst runs get pages of their own."""
    quiet: bool = False
    """Whether the output is for a program."""


def conduct(options: CampaignOptions, progress: Progress) -> CampaignFolder:
    """Conduct a campaign to its end, and write its page.

    Raises:
        ConfigError: before anything runs, if an option or a file is wrong.
        RefusedError: if it had to end before; its rows are safe.
    """
    _check(options)
    campaign = None if options.scenario is None else _campaign(options, options.scenario)
    with _executor(options) as executor:
        folder = _folder(options, campaign)
        with folder.locked():
            folder.write_state()
            station_of(folder.campaign.scenario).warm(True)
            try:
                Conductor(folder, executor, progress).run()
            except KeyboardInterrupt:
                raise RefusedError(f"interrupted; {folder.how_to_go_on()}") from None
            with waiting("drawing the worst runs", quiet=options.quiet):
                write_page(folder, pages=options.report)
    return folder


def _check(options: CampaignOptions) -> None:
    count = options.workers
    if count is not None and not 1 <= count <= WORKERS_MAX:
        there = os.cpu_count() or 1
        line = f"{count}: 1 to {WORKERS_MAX} are possible; this computer has {there} processors"
        raise ConfigError("--workers", [line])
    if options.keep is not None and options.keep not in (*Keep,):
        raise ConfigError("--keep", [f"{options.keep!r}: {' or '.join(Keep)} is needed"])
    if options.resume is None and options.scenario is None:
        raise ConfigError("command line", ["a SCENARIO is needed, or --resume DIR"])
    if options.resume is None and options.seeds is None:
        raise ConfigError("command line", ["--seeds is needed, such as --seeds 0:100"])
    if options.resume is not None and options.out is not None:
        raise ConfigError("--out", ["means nothing with --resume, which names the folder"])
    changed = options.overrides or options.compared or options.diagram or options.keep
    if options.scenario is None and changed:
        line = "changes of a campaign need its SCENARIO; without it, it goes on as it was begun"
        raise ConfigError("--resume", [line])


def _campaign(options: CampaignOptions, scenario: str) -> Campaign:
    kinds = [kind for kind in scenario_kinds() if kind is not TOGETHER]
    path = find_kind(scenario, *kinds, key="SCENARIO")[0]
    changes = list(options.overrides)
    if options.diagram is not None:
        changes.append(diagram_change(path, options.diagram))
    seeds = () if options.seeds is None else read_seeds(options.seeds)
    keep = Keep(options.keep or Keep.FAILURES)
    return Campaign(path, seeds, tuple(changes), read_compared(options.compared), keep)


def _folder(options: CampaignOptions, campaign: Campaign | None) -> CampaignFolder:
    if options.resume is not None:
        return CampaignFolder.reopen(options.resume, campaign, options.seeds)
    if campaign is None:
        raise ConfigError("command line", ["a SCENARIO is needed, or --resume DIR"])
    return CampaignFolder.create(options.out, campaign)


@contextmanager
def _executor(options: CampaignOptions) -> Iterator[Executor]:
    executor: Executor
    if options.cluster is not None:
        if options.workers is not None:
            raise ConfigError("--workers", ["means nothing with --cluster, which has its own"])
        executor = ClusterExecutor(options.cluster)
    else:
        executor = LocalExecutor(options.workers or os.cpu_count() or 1)
    try:
        yield executor
    finally:
        executor.close()


def summarize_campaign(folder: CampaignFolder) -> CampaignSummary:
    """Summarize a campaign as far as it is."""
    campaign, rows = folder.campaign, own_rows(folder)
    variants = list[VariantSummary]()
    for variant in campaign.variants:
        own = [row for row in rows if row.variant == variant]
        named = dict(zip(campaign.keys, variant, strict=True))
        reasons = dict(reasons_of(own))
        medians = medians_of(own, compared_names(campaign.scenario, rows))
        variants.append(
            VariantSummary(
                variant=named, **_rate(rate_of(own)), reasons=reasons, medians=medians
            )
        )  # fmt: skip
    return CampaignSummary(
        ok=len(rows) == len(campaign.seeds) * len(campaign.variants),
        folder=str(folder.path),
        table=str(folder.table.path),
        page=str(folder.path / PAGE_NAME),
        **_rate(rate_of(rows)),
        reasons=dict(reasons_of(rows)),
        variants=variants,
    )


def _rate(rate: Rate) -> RateSummary:
    low, high = rate.interval()
    value = rate.value if rate.runs else None
    return RateSummary(
        runs=rate.runs, succeeded=rate.succeeded, rate=value, low=low, high=high
    )  # fmt: skip


def replay(path: Path, seed: int) -> ReplaysSummary:
    """Make the runs of a seed again, with their recordings kept, and compare them.

    Raises:
        ConfigError: if the folder holds no campaign, or no row of this seed, or files have changed.
        RefusedError: if a run cannot be recorded.
    """
    folder = CampaignFolder.reopen(path, None, None)
    with folder.locked():
        rows = [row for row in folder.table.rows if row.seed == seed]
    if not rows:
        there = seeds_text(tuple(sorted({row.seed for row in folder.table.rows}))) or "none"
        raise ConfigError(str(path), [f"seed {seed} has no row; there are {there}"])
    found = list[ReplaySummary]()
    for number, row in enumerate(rows):
        job = folder.campaign.job(seed, row.variant, path, number)
        place = Path(job.folder).parents[1] / "replays" / Path(job.folder).name
        result = execute(replace(job, keep=Keep.ALL, folder=str(place)))
        if result.unrecorded:
            raise RefusedError(result.unrecorded)
        with suppress(OSError):
            place.rmdir()  # of a run that was refused
        found.append(
            ReplaySummary(
                variant=dict(zip(folder.campaign.keys, row.variant, strict=True)),
                seed=seed,
                outcome=result.outcome.value,
                reason=result.reason,
                recording=result.recording,
                recording_sha256=result.sha256,
                wanted_sha256=row.sha256,
                same=result.sha256 == row.sha256 and result.outcome == row.outcome,
            )
        )
    return ReplaysSummary(ok=all(one["same"] for one in found), replays=found)
