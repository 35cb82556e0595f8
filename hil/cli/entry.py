"""The program `hil`: whose its libraries are is looked at before any of them is loaded.

Its arithmetic keeps to one processor: OpenBLAS's threads spin beside every product of matrices and
take from the gate and the drives the processor that they need.
"""

import os

from hil.config.installation import InstallationError, refuse
from hil.config.libraries import check_libraries
from hil.ipc.child import SINGLE_THREADED


def main() -> None:
    """Entry point of the program."""
    for name, number in SINGLE_THREADED.items():
        os.environ.setdefault(name, number)
    try:
        check_libraries()
    except InstallationError as error:
        refuse(error)
    from hil.cli.main import main as hil  # afterwards: it loads the libraries

    hil()


if __name__ == "__main__":
    main()
