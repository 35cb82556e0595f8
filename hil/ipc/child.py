"""The start of the bench's other processes, independent of the current folder.

`python -m NAME` searches for NAME, and for everything that it imports, in the current folder first.
A folder `safety` there would become the gate. Each child is therefore started with ``-P``, which
excludes the current folder, and in an environment that has the same effect on all programs that the
child and its libraries start. ``PYTHONPATH`` and editable installs are still used, because they are
the user's choice; their files are judged by `hil.config.installation`, like all others.
"""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

from hil.ipc.arithmetic import TUNABLES, same_everywhere
from hil.ipc.library_settings import ignore_current_folder

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

DEVNULL: Final = subprocess.DEVNULL
PIPE: Final = subprocess.PIPE
ROOT: Final = Path(os.sep)
"""Working folder of a child that receives all its input from its parent."""
SINGLE_THREADED: Final[Mapping[str, str]] = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
"""Environment of a child whose arithmetic uses one processor."""
_SEARCHED: Final = (
    *("PATH", "LD_LIBRARY_PATH", "LIBGL_DRIVERS_PATH", "QT_PLUGIN_PATH"),
    *("QT_QPA_PLATFORM_PLUGIN_PATH", "PYTHONPATH", "PYTHONPYCACHEPREFIX", "PYTHONUSERBASE"),
    *("NUMBA_CACHE_DIR", "MPLCONFIGDIR", "MATPLOTLIBRC", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"),
)
"""Folders that programs, shared libraries, modules, kernels and settings are looked for in."""
ChildTimeout = subprocess.TimeoutExpired
"""Error of waiting for a child that takes too long."""


def isolated(environment: Mapping[str, str]) -> dict[str, str]:
    """Environment in which no program searches for code in its current folder.

    Lists of folders keep only absolute paths: an empty entry, such as that of ``:/opt/bin``,
    is the current folder, and a relative one depends on it. The libraries round alike on every
    processor (`hil.ipc.arithmetic`).
    """
    found = same_everywhere({**environment, "PYTHONSAFEPATH": "1"}, platform.machine())
    for name in _SEARCHED:
        folders = re.split("[:;]" if name == "LD_LIBRARY_PATH" else ":", found.pop(name, ""))
        if whole := [folder for folder in folders if os.path.isabs(folder)]:
            found[name] = ":".join(whole)
    return found


def restart_isolated(home: Path) -> None:
    """Restart this program in an `isolated` environment, unless it already runs in one.

    The process stays the same; only its modules are loaded again.

    Args:
        home: folder of the packages; it stays on the path even if it was only the current folder.
    """
    environment = isolated(os.environ)
    missing = {name for name, value in environment.items() if os.environ.get(name) != value}
    # glibc takes its settings away from a program with privileges of its own (setcap): not again.
    is_refused = sys.orig_argv[1:2] == ["-P"] and missing == {TUNABLES}
    is_done = sys.flags.safe_path and environment == os.environ
    if is_done or is_refused or not sys.executable:
        return
    if str(home) not in sys.path[1:]:
        environment["PYTHONPATH"] = ":".join(
            filter(None, (str(home), environment.get("PYTHONPATH")))
        )
    os.execve(sys.executable, [sys.executable, "-P", *sys.orig_argv[1:]], environment)  # noqa: S606


class ChildProcess(subprocess.Popen[bytes]):
    """A started process with unbuffered pipes."""

    def send(self, line: bytes, *, last: bool = False) -> None:
        """Write to its standard input; a dead process is skipped, its answer will be missing.

        Args:
            last: whether this is the last input; the process then reads the end of its input.
        """
        if self.stdin is None:
            return
        with suppress(OSError):
            rest = memoryview(line)
            while rest:  # unbuffered: a signal may cut a long write short
                rest = rest[self.stdin.write(rest) :]
        if last:
            with suppress(OSError):
                self.stdin.close()
            self.stdin = None

    def end(self, patience_s: float = 0.0) -> int:
        """Wait for its end or kill it, close its pipes, return its status; may be repeated."""
        with suppress(ChildTimeout):
            self.wait(patience_s)
        self.kill()  # one that has ended is not sent anything
        status = self.wait()
        self.close_pipes()
        return status

    def close_pipes(self) -> None:
        """Close its standard input and output; a child that lives by its input ends with it."""
        for pipe in (self.stdin, self.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()


def start_child(
    arguments: Sequence[str],
    *,
    stdin: int | IO[bytes] | None = DEVNULL,
    stdout: int | IO[bytes] | None = None,
    stderr: int | IO[bytes] | None = None,
    pass_fds: Sequence[int] = (),
    own_session: bool = True,
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> ChildProcess:
    """Start a program of our own: this interpreter, without a shell.

    Args:
        arguments: of the interpreter, such as ``-m`` and the name of a module.
        own_session: whether a terminal's Ctrl-C stays with this process.
        environment: variables laid over this process' own.
        folder: working folder; that of this process if left out.
    """
    return ChildProcess(
        [sys.executable, "-P", *arguments],
        bufsize=0,
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        pass_fds=tuple(pass_fds),
        start_new_session=own_session,
        env=isolated({**os.environ, **(environment or {})}),
        cwd=folder,
    )


def run_tool(command: Sequence[str]) -> tuple[int, str]:
    """Run an external program, such as a compiler, to its end, without a shell.

    Returns:
        Its exit status, and what it wrote to its standard error.

    Raises:
        OSError: if there is no such program.
    """
    done = subprocess.run(  # noqa: S603
        command, capture_output=True, text=True, check=False, env=isolated(os.environ)
    )
    return done.returncode, done.stderr


@contextmanager
def worker_pool(workers: int) -> Iterator[ProcessPoolExecutor]:
    """Pool of processes for function calls, independent of the threads of this process.

    The library starts them itself, so their environment has the effect of ``-P``.
    Calls that are still waiting at the end of the context are cancelled.
    """
    # Imported here: a caller with a single child need not load them.
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    before = os.environ.get("PYTHONSAFEPATH")
    os.environ["PYTHONSAFEPATH"] = "1"
    pool = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), ignore_current_folder)
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)
        if before is None:
            del os.environ["PYTHONSAFEPATH"]
        else:
            os.environ["PYTHONSAFEPATH"] = before
