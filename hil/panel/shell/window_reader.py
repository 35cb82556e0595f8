"""A recording on its way to be shown: looked through by a thread, with a bar in the status bar.

An hour at 100 Hz takes a second or more, in which the window must go on: whoever owns a motion
gives signs of life in every turn.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QProgressBar, QPushButton, QStatusBar

from hil.panel.widgets.background import Background, Watch
from hil.recording.header import RecordingError

if TYPE_CHECKING:
    from hil.panel.study.models.replay import FileFeed

_WIDTH_PX = 160


class BackgroundReader:
    """One recording at a time.

    Args:
        now_s: monotonic time [s], by which the recording will be played.
    """

    def __init__(
        self,
        bar: QStatusBar,
        now_s: Callable[[], float],
        opened: Callable[[FileFeed], object],
        refused: Callable[[str], object],
    ) -> None:
        self._now_s, self._opened, self._refused = now_s, opened, refused
        self._path, self._begun_s = Path(), 0.0
        self._work: Background[FileFeed] | None = None
        self._given_up: list[Background[FileFeed]] = []
        self.progress, self.cancel = QProgressBar(), QPushButton("Cancel")
        self.progress.setRange(0, 1000)
        self.progress.setFixedWidth(_WIDTH_PX)
        self.cancel.clicked.connect(self._cancel)
        for part in (self.progress, self.cancel):
            bar.addPermanentWidget(part)
            part.hide()

    @property
    def busy(self) -> bool:
        """Whether a recording is on its way."""
        return self._work is not None

    @property
    def elapsed_s(self) -> float:
        """Time for which one has been on its way [s]; infinite if none is."""
        return self._now_s() - self._begun_s if self.busy else math.inf

    def begin(self, path: Path) -> None:
        """Look through a recording, in place of one that is on its way."""
        self.give_up()
        self._path, self._begun_s = path, self._now_s()
        self._work = Background(
            lambda watch: _open(path, self._now_s, watch),
            refusals=(RecordingError, OSError, ValueError),
        )

    def give_up(self) -> None:
        """Want it no more; returns at once."""
        if self._work is not None:
            self._work.cancel()
            self._given_up.append(self._work)
            self._work = None

    def _cancel(self) -> None:
        self.give_up()
        self._refused(f"{self._path} was given up")

    def poll(self) -> None:
        """Look at it; called in every turn."""
        self._drop_late()
        work = self._work
        if work is not None and work.done:
            self._work = None
            feed = work.poll()
            if feed is not None:
                self._opened(feed)
            else:
                why = f"{self._path}: {work.refusal}"
                self._refused(why)
        for part in (self.progress, self.cancel):
            part.setVisible(self.busy)
        if self._work is not None:
            self.progress.setValue(round(1000.0 * self._work.watch.share))

    def close(self) -> None:
        """The window closes: end it, and wait for its end."""
        self.give_up()
        for work in self._given_up:
            work.wait()
        self._drop_late()

    def _drop_late(self) -> None:
        self._given_up = [work for work in self._given_up if not work.done]


def _open(path: Path, now_s: Callable[[], float], watch: Watch) -> FileFeed:
    from hil.panel.study.models.replay import FileFeed  # its kernels are slow to load

    return FileFeed.open(path, now_s, report=watch.at)
