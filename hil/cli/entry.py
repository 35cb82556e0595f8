"""The program `hil`: whose its libraries are is looked at before any of them is loaded.

Nothing of the current folder is: the program starts anew without it, and in an environment that
says so to everything that its libraries start.

Its arithmetic keeps to one processor: OpenBLAS's threads spin beside every product of matrices and
take from the gate and the drives the processor that they need.
"""

import os
import sys
from pathlib import Path
from typing import Final

from hil.config.installation import HOME, InstallationError, refuse
from hil.config.libraries import check_libraries
from hil.ipc.child import SINGLE_THREADED, isolated, restart_isolated
from hil.ipc.library_settings import ignore_current_folder

WANTED: Final = 1024
"""Descriptors that the system is asked for, if it allows fewer at first."""
DESCRIPTORS_LEAST: Final = 64
"""Files and sockets that a run may have open at once; with fewer not even modules are found."""


def main() -> None:
    """Entry point of the program."""
    if (left := _descriptors_left()) < DESCRIPTORS_LEAST:
        text = f"error: {max(left, 0)} files may still be opened; {DESCRIPTORS_LEAST} are needed"
        os.write(2, f"{text} (ulimit -n 1024)\n".encode())
        sys.exit(1)
    for name, number in SINGLE_THREADED.items():
        os.environ.setdefault(name, number)
    try:
        check_libraries()
    except InstallationError as error:
        refuse(error)
    if _is_program():
        restart_isolated(HOME)
    os.environ.update(isolated(os.environ))
    ignore_current_folder()
    from hil.cli.main import main as hil  # afterwards: it loads the libraries

    hil()


def _descriptors_left() -> int:
    """How many more files this process may open, after asking the system for more."""
    try:
        import resource
    except ImportError:  # pragma: no cover  # no POSIX: there is no such bound
        return DESCRIPTORS_LEAST
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    bounds = [bound for bound in (hard, WANTED) if bound != resource.RLIM_INFINITY]
    if soft != resource.RLIM_INFINITY and soft < min(bounds):
        soft = min(bounds)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    if soft == resource.RLIM_INFINITY:
        return WANTED
    return soft - sum(_is_open(number) for number in range(min(soft, WANTED)))


def _is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


def _is_program() -> bool:
    """Whether this process is `hil`, and not a larger one that calls it."""
    program = sys.modules["__main__"]
    spec, file = getattr(program, "__spec__", None), getattr(program, "__file__", "")
    return spec.name.startswith("hil.") if spec is not None else Path(file).name == "hil"


if __name__ == "__main__":
    main()
