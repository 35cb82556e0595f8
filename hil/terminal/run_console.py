"""The console of a run on standard error: lines, what is waited for, and a bar of a dry run."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field

from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from hil.run.console import ProgressReport
from hil.terminal.console import err, styled, waiting


@dataclass(frozen=True, slots=True)
class TerminalConsole:
    """The console of a run on standard error."""

    operator: bool = False
    """Whether a person leads it: then nobody knows how long it takes."""
    quiet: bool = field(default=False, init=False)

    def say(self, line: str, style: str = "") -> None:
        """Show a line."""
        err.print(styled(style, line) if style else line, soft_wrap=True)

    def waiting(self, words: str) -> AbstractContextManager[None]:
        """Show what is waited for."""
        return waiting(words)

    @contextmanager
    def progress(
        self, name: str, total_s: float, *, paced: bool, hint: str = ""
    ) -> Iterator[ProgressReport | None]:
        """A bar of a dry run; a line before a paced one, whose loop nothing may disturb."""
        known = math.isfinite(total_s)
        if self.operator:
            yield None
        elif paced:
            about = f" for about {total_s:.0f} s" if known else ""
            self.say(f"running{about} in real time{f'; {hint}' if hint else ''}")
            yield None
        elif not known:
            with waiting(f"running {name}"):
                yield None
        else:
            with _bar(name, total_s) as report:
                yield report


@contextmanager
def _bar(name: str, total_s: float) -> Iterator[ProgressReport]:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:.0f} of {task.total:.0f} s"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=err) as bar:
        task = bar.add_task(name, total=total_s)
        yield lambda t_s: bar.update(task, completed=min(t_s, total_s))
        bar.update(task, completed=total_s)
