"""The program `hil`: whose its libraries are is looked at before any of them is loaded."""

from hil.config.installation import InstallationError, refuse
from hil.config.libraries import check_libraries


def main() -> None:
    """Entry point of the program."""
    try:
        check_libraries()
    except InstallationError as error:
        refuse(error)
    from hil.cli.main import main as hil  # afterwards: it loads the libraries

    hil()


if __name__ == "__main__":
    main()
