"""The program `hil`: whose its libraries are is looked at before any of them is loaded.

Nothing of the current folder is: the program starts anew without it, and in an environment that
says so to everything that its libraries start.

Its arithmetic keeps to one processor: OpenBLAS's threads spin beside every product of matrices and
take from the gate and the drives the processor that they need.
"""

import os
import sys
from pathlib import Path

from hil.config.installation import HOME, InstallationError, refuse
from hil.config.libraries import check_libraries
from hil.ipc.child import SINGLE_THREADED, isolated, restart_isolated


def main() -> None:
    """Entry point of the program."""
    for name, number in SINGLE_THREADED.items():
        os.environ.setdefault(name, number)
    try:
        check_libraries()
    except InstallationError as error:
        refuse(error)
    if _is_program():
        restart_isolated(HOME)
    os.environ.update(isolated(os.environ))
    from hil.cli.main import main as hil  # afterwards: it loads the libraries

    hil()


def _is_program() -> bool:
    """Whether this process is `hil`, and not a larger one that calls it."""
    program = sys.modules["__main__"]
    spec, file = getattr(program, "__spec__", None), getattr(program, "__file__", "")
    return spec.name.startswith("hil.") if spec is not None else Path(file).name == "hil"


if __name__ == "__main__":
    main()
