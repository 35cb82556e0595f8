"""Who makes the runs of a campaign: processes of this computer, or a cluster."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, Protocol

from hil.campaign.job import Job, Result

AGAIN_MAX: Final = 3
"""Times that a run is given again after its worker has ended."""


class Executor(Protocol):
    """Maker of runs; each job that is submitted has one result, in whatever order."""

    @property
    def workers(self) -> int:
        """Number of runs that it makes at the same time."""
        ...

    def submit(self, job: Job) -> None:
        """Take a job; this does not wait for it."""
        ...

    def next(self, timeout_s: float) -> Result | None:
        """Return the next result, or None if there is none within the time [s].

        Raises:
            RefusedError: if no run can be made any more.
        """
        ...

    def close(self) -> None:
        """End all runs at once; may be repeated."""
        ...


def given_again(job: Job) -> Job | None:
    """The job to be given after its worker has ended; None if that was the last time."""
    return replace(job, given=job.given + 1) if job.given <= AGAIN_MAX else None
