"""The program `hil`: whose its libraries are is looked at before any of them is loaded."""

from hil.installation import InstallationError, refuse
from hil.libraries import check_libraries


def main() -> None:
    """Entry point of the program."""
    try:
        check_libraries()
    except InstallationError as error:
        refuse(error)
    from hil.cli import main as hil  # afterwards: it loads the libraries

    hil()


if __name__ == "__main__":
    main()
