"""One station of several, as a process: `hil` that stops when the one who began it is gone.

A part has a session of its own, so a terminal's Ctrl-C does not reach it, and nobody would be left
to stop it if its parent were killed. The kernel then sends it the same wish as the operator would
(prctl(2), PR_SET_PDEATHSIG). The parent watches its progress.

    python -m hil.cli.part PARENT [--given KEY=FILE …] run FILE --json …

Its changes stand in a document, so files that they name are judged as that document's: what it may
name, and the recording of the part that went before, is ``--given``.
"""

import ctypes
import os
import sys
from signal import SIGINT
from typing import Final

from hil.config.named_files import GIVEN

_PR_SET_PDEATHSIG: Final = 1


def tie_to(parent: int) -> None:
    """Be sent SIGINT when the parent ends, in whatever way; leave if it has ended already."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_PDEATHSIG, ctypes.c_ulong(SIGINT), 0, 0, 0) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"prctl refused: {os.strerror(number)}")
    if os.getppid() != parent:
        sys.exit(f"process {parent}, which is to stop this one, is gone")


def main() -> None:
    """Tie this process to its parent, then be `hil` with the rest of the arguments."""
    _, parent, *arguments = sys.argv
    tie_to(int(parent))
    while arguments[:1] == ["--given"]:
        key, _, name = arguments[1].partition("=")
        GIVEN.take(name, key)
        del arguments[:2]
    GIVEN.close()
    from hil.run.progress import Progress

    Progress.inherited()
    from hil.cli.main import main as hil  # afterwards: its imports take a second

    sys.argv = ["hil", *arguments]
    hil()


if __name__ == "__main__":
    main()
