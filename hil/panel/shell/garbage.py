"""Cycles of garbage are collected in the windows' thread, and in none else.

Python collects them in whatever thread happens to make an object. A recording that is looked
through in a thread of its own would then end wrappers of dead widgets, and with them the process.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from PySide6.QtCore import QObject, QTimer

EVERY_MS: Final = 100
"""Between two looks; what is made meanwhile is collected within a few milliseconds."""


@contextmanager
def collected_here(owner: QObject) -> Iterator[None]:
    """Collect in this thread, young objects only, as long as it lasts.

    Old ones are left to `gc.collect` at a moment when nobody minds a tenth of a second: whoever
    holds a motion gives signs of life without a gap.

    Args:
        owner: in whose thread it is done; it must have an event loop.
    """
    young, middle, _ = gc.get_threshold()

    def look() -> None:
        made, collected, _ = gc.get_count()
        if collected > middle:
            gc.collect(1)
        elif made > young:
            gc.collect(0)

    gc.disable()
    timer = QTimer(owner)
    timer.timeout.connect(look)
    timer.start(EVERY_MS)
    try:
        yield
    finally:
        timer.stop()
        gc.enable()
