"""What commands of several stations show alike."""

from typing import NoReturn

from hil.run.station import Checked
from hil.terminal.console import leave, print_json


def show_checked(checked: Checked, *, as_json: bool) -> NoReturn:
    """Show what a proof found, and end with its status."""
    if as_json:
        print_json({"ok": checked.ok} | dict(checked.told))
    else:
        checked.show()
    leave(checked.ok)
