"""The progress of a campaign on standard error: a bar on a terminal, now and then a line else."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from rich.progress import BarColumn, TextColumn
from rich.progress import Progress as Bar

from hil.campaign.conduct import Progress
from hil.terminal.console import err

LINES: Final = 10
"""Lines of a whole campaign where the output is piped, beside that after the first run."""


@contextmanager
def shown(name: str, *, quiet: bool) -> Iterator[Progress]:
    """Give the function that shows how far a campaign is."""
    if quiet:
        yield lambda done, total, left_s: None
    elif err.is_terminal:
        with _bar(name) as progress:
            yield progress
    else:
        yield _Lines(name)


@contextmanager
def _bar(name: str) -> Iterator[Progress]:
    count = TextColumn("{task.completed} of {task.total} runs, {task.fields[left]}")
    with Bar(TextColumn("{task.description}"), BarColumn(), count, console=err) as bar:
        task = bar.add_task(name, total=None, left="")

        def progress(done: int, total: int, left_s: float | None) -> None:
            bar.update(task, completed=done, total=total, left=time_left(left_s))

        yield progress


class _Lines:
    def __init__(self, name: str) -> None:
        self._name, self._next = name, 0

    def __call__(self, done: int, total: int, left_s: float | None) -> None:
        if left_s is None or done < self._next:
            return
        self._next = done + 1 if done == total else max(done + 1, done + total // LINES)
        err.print(f"{self._name}: {done} of {total} runs, {time_left(left_s)}", soft_wrap=True)


def time_left(left_s: float | None) -> str:
    """Words on the time left."""
    if left_s is None:
        return "time left: known after the first run"
    minutes, seconds = divmod(round(left_s), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{seconds:02d} left"
