"""Run verbs of the program, each in a process of its own, and say what each took.

Input: a list of lists of arguments, as JSON. Output: for each its exit status, what it printed, the
most memory that was resident [bytes] and the processor time [s], as the kernel counts them.
"""

import json
import os
import resource
import sys
import tempfile
import traceback

from hil.cli.main import main
from hil.recording.reader import Recording
from hil.stations.platform.plan import recording_scenario as adhoc

LONGEST_CPU_S = 60
"""A verb is killed after it."""
ONCE = (Recording, adhoc)
"""What most verbs import, imported once."""


def _child(arguments: list[str], printed: int) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (LONGEST_CPU_S, LONGEST_CPU_S))
    os.dup2(printed, 1)
    os.dup2(printed, 2)
    sys.argv = ["hil", *arguments]
    status = 0
    try:
        main()
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1
    except BaseException:  # what no user may see
        traceback.print_exc()
        status = 99
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def _run(arguments: list[str]) -> dict[str, object]:
    with tempfile.TemporaryFile() as printed:
        pid = os.fork()
        if not pid:
            _child(arguments, printed.fileno())
        _, status, used = os.wait4(pid, 0)
        printed.seek(0)
        return {
            "status": os.waitstatus_to_exitcode(status),
            "printed": printed.read().decode(errors="surrogateescape"),
            "memory_bytes": used.ru_maxrss * 1024,
            "cpu_s": used.ru_utime + used.ru_stime,
        }


json.dump([_run(arguments) for arguments in json.load(sys.stdin)], sys.stdout)
