"""The conduct of a campaign: jobs out, results in, a row for each, until none is missing.

Every run is known by seed and variant: those that have a row are not made again. Few jobs are out
at a time, so that little is lost when it is ended.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Final

from hil.campaign.executor import Executor
from hil.campaign.folder import CampaignFolder
from hil.campaign.job import Job, Keep, Result
from hil.campaign.statistics import worst_rows
from hil.campaign.table import RunRow
from hil.config.errors import RefusedError
from hil.timing.clock import worked_s

POLL_S: Final = 0.25
"""Time after which progress is shown again without a result [s]."""
AHEAD: Final = 2
"""Jobs that wait at the executor beside those that are being made."""
Progress = Callable[[int, int, float | None], None]
"""Given runs that are done, all runs, and the time left [s]; None before the first result."""


class Conductor:
    """Conductor of a campaign.

    Args:
        folder: of the campaign.
        executor: makes the runs.
        progress: shows how far it is.
        now_s: monotonic time [s].
    """

    def __init__(
        self,
        folder: CampaignFolder,
        executor: Executor,
        progress: Progress,
        now_s: Callable[[], float] = worked_s,
    ) -> None:
        self._folder, self._executor = folder, executor
        self._progress, self._now_s = progress, now_s
        self._largest_bytes = 0

    def run(self) -> None:
        """Make every run that has no row yet, then those of the worst whose recording is missing.

        Raises:
            RefusedError: if the disk is full, or no run can be made any more; the rows are safe.
        """
        folder = self._folder
        missing = [
            job
            for job in folder.campaign.jobs(folder.path)
            if (job.seed, job.variant) not in folder.table
        ]
        total = len(folder.campaign.seeds) * len(folder.campaign.variants)
        for result in self._results(missing, total):
            folder.table.put(RunRow.of(result, folder.path))
            with folder.safely():
                folder.table.write()
        self._keep_worst()
        folder.remove_leftovers()

    def _keep_worst(self) -> None:
        """Make the worst runs again whose recordings were not kept: a seed gives the same run."""
        folder = self._folder
        rows = [row for row in worst_rows(own_rows(folder)) if row.sha256 and not row.recording]
        jobs = [
            replace(folder.campaign.job(row.seed, row.variant, folder.path, number), keep=Keep.ALL)
            for number, row in enumerate(rows)
        ]
        for result in self._results(jobs, 0):
            row = folder.table.row(result.job.seed, result.job.variant)
            again = RunRow.of(result, folder.path)
            if row is not None and again.sha256 == row.sha256:
                folder.table.put(replace(row, recording=again.recording))
        if jobs:
            with folder.safely():
                folder.table.write()

    def _results(self, jobs: Iterable[Job], total: int) -> Iterator[Result]:
        """Yield the result of each job, in whatever order.

        Args:
            total: all runs of the campaign; 0 if nothing is to be shown.
        """
        waiting, out, begun_s, made = iter(jobs), 0, self._now_s(), 0
        before = len(self._folder.table)
        while True:
            room = self._executor.workers + AHEAD - out
            for job in islice(waiting, max(0, room)):
                self._folder.check_space(self._executor.workers * self._largest_bytes)
                self._executor.submit(job)
                out += 1
            if out == 0:
                return
            result = self._executor.next(POLL_S)
            if result is not None:
                out, made = out - 1, made + 1
                self._check_recorded(result)
                self._largest_bytes = max(self._largest_bytes, result.recording_bytes)
                yield result
            if total:
                left = total - before - made
                spent_s = self._now_s() - begun_s
                self._progress(before + made, total, spent_s * left / made if made else None)

    def _check_recorded(self, result: Result) -> None:
        if not result.unrecorded:
            return
        words = f"seed {result.job.seed} could not be recorded whole: {result.unrecorded}"
        raise RefusedError(f"{words}; {self._folder.how_to_go_on()}")


def own_rows(folder: CampaignFolder) -> list[RunRow]:
    """Rows of the campaign's present seeds and variants."""
    campaign = folder.campaign
    wanted = {(seed, variant) for seed in campaign.seeds for variant in campaign.variants}
    return [row for row in folder.table.rows if (row.seed, row.variant) in wanted]
