"""Run verbs of the program as `hil` does, one after the other, in the current folder.

    python verb_child.py bare|whole < LIST_OF_ARGUMENTS.json

`whole` begins as the program does; `bare` leaves out what keeps the current folder away, and so is
the control of whoever looks for what that folder has done. Prints each verb's exit status as JSON.
"""

import json
import os
import sys
from contextlib import suppress

from hil.cli import entry


def main() -> None:
    if sys.argv[1] == "bare":
        entry.isolated = dict
        with suppress(ImportError):
            import glfw  # noqa: F401
    ended = []
    for arguments in json.load(sys.stdin):
        pid = os.fork()
        if not pid:
            quiet = os.open(os.devnull, os.O_WRONLY)
            os.dup2(quiet, 1)
            sys.argv = ["hil", *arguments]
            try:
                entry.main()
            except SystemExit as end:
                os._exit(end.code if isinstance(end.code, int) else 1)
            finally:
                os._exit(99)
        ended.append(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    print(json.dumps(ended))


main()
