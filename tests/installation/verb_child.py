"""Run verbs of the program as `hil` does, one after the other, in the current folder.

    python verb_child.py bare|whole [MODULE ...] < LIST_OF_VERBS.json

`whole` begins as the program does; `bare` leaves out what keeps the current folder away, and so is
the control of whoever looks for what that folder has done. Modules are loaded first, as the program
would load them, so that not each verb has to. A verb is its arguments, or an object:
`arguments`; `until`, a pattern of its output, after which `then` is run with what the pattern's
group has found in place of `{found}`, and the verb is interrupted; `window`, whether it opens one,
which is closed once it is filled. Prints each verb's exit status and output as JSON.
"""

import importlib
import json
import os
import re
import signal
import sys
from contextlib import suppress

from hil.cli import entry

CLOSED_MS = 100
"""After a window is filled it turns for so long: what it does at once is seen."""


MOST_S = 300
"""A verb that does not end by then is killed: what it has opened is known."""


def main() -> None:
    if sys.argv[1] == "bare":
        entry.isolated = dict
        with suppress(ImportError):
            import glfw  # noqa: F401
    if sys.argv[2:]:
        begin_as_program()
        for name in sys.argv[2:]:
            importlib.import_module(name)
    print(json.dumps([run(verb) for verb in json.load(sys.stdin)]))


def run(verb):
    """A verb's exit status, that of what ran meanwhile, and their output."""
    asked = verb if isinstance(verb, dict) else {"arguments": verb}
    pid, output = begun(asked["arguments"], window=asked.get("window", False))
    said, inner = "", 0
    wanted = re.compile(asked["until"]) if "until" in asked else None
    for line in output:
        said += line
        if wanted and (found := wanted.search(said)):
            wanted = None
            if "then" in asked:
                inner, more = run([one.replace("{found}", found[1]) for one in asked["then"]])
                said += more
            os.kill(pid, signal.SIGINT)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) or inner, said


def begun(arguments, *, window):
    """A process that runs a verb, and what it says."""
    read, write = os.pipe()
    pid = os.fork()
    if not pid:
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        for number in (1, 2):
            os.dup2(write, number)
        sys.argv = ["hil", *arguments]
        signal.alarm(MOST_S)
        try:
            if window:
                close_when_filled()
            entry.main()
        except SystemExit as end:
            os._exit(end.code if isinstance(end.code, int) else 1)
        finally:
            sys.stdout.flush()
            os._exit(99)
    os.close(write)
    return pid, os.fdopen(read, errors="replace")


def begin_as_program():
    """What the program does before it loads anything."""
    os.environ.update(entry.isolated(os.environ))
    entry.ignore_current_folder()


def close_when_filled():
    """Have the window of this process close by itself."""
    begin_as_program()
    from PySide6.QtCore import QCoreApplication, QTimer

    from hil.panel.shell import window

    class Closing(window.MainWindow):
        def open(self, opening):
            super().open(opening)
            QTimer.singleShot(CLOSED_MS, QCoreApplication.quit)

    window.MainWindow = Closing


main()
