"""Says that kernels are compiled, if a verb spends its first seconds on that.

Kernels compile as their modules are imported, anywhere; so the stack of the verb is looked at
a few times, from a thread that ends before a long verb is under way.
"""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

PERIOD_S: Final = 1.0
LOOKS: Final = 10
"""Times that it is looked; a run that is led or in real time has begun long before."""
WORDS: Final = "compiling kernels, once on this machine: up to a minute (`hil warm` does all) …"
_COMPILER: Final = "numba.core.compiler"


@contextmanager
def announce_compiling(
    say: Callable[[str], None], has_said: Callable[[], object], period_s: float = PERIOD_S
) -> Iterator[None]:
    """While it is open, say once that kernels are compiled, if two looks in a row find that.

    Args:
        say: shows a line.
        has_said: whether something else already says what is waited for.
        period_s: how often it is looked [s].
    """
    over, verb = threading.Event(), threading.get_ident()

    def poll() -> None:
        seen = 0
        for _ in range(LOOKS):
            if over.wait(period_s):
                return
            seen = seen + 1 if _compiles(verb) else 0
            if seen == 2 and not has_said():
                say(WORDS)
                return

    looking = threading.Thread(target=poll, name="compiling", daemon=True)
    looking.start()
    try:
        yield
    finally:
        over.set()
        looking.join()


def _compiles(thread: int) -> bool:
    """Whether a thread is within the compiler of kernels."""
    frame = sys._current_frames().get(thread)  # noqa: SLF001  # its only name
    while frame is not None:
        if str(frame.f_globals.get("__name__", "")).startswith(_COMPILER):
            return True
        frame = frame.f_back
    return False
