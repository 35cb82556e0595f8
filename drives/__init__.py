"""Six-axis drive banks: one interface, and behind it the simulated cylinders and the real buses."""

from typing import TYPE_CHECKING

from hil_common.lazy_names import lazy_names

if TYPE_CHECKING:
    from drives.bank import (
        BankEnd,
        BankFeedback,
        BankReport,
        DriveBank,
        DriveError,
        DriveGoal,
        DriveState,
        LinkError,
        LinkLostError,
    )
    from drives.links import parse_link
    from drives.sim.bank import SimulatedBank
    from drives.sim.cylinder_model import CylinderModel

    __version__: str

__all__ = [
    "BankEnd",
    "BankFeedback",
    "BankReport",
    "CylinderModel",
    "DriveBank",
    "DriveError",
    "DriveGoal",
    "DriveState",
    "LinkError",
    "LinkLostError",
    "SimulatedBank",
    "__version__",
    "parse_link",
]
_HOME = {
    "BankEnd": "bank",
    "BankFeedback": "bank",
    "BankReport": "bank",
    "CylinderModel": "sim.cylinder_model",
    "DriveBank": "bank",
    "DriveError": "bank",
    "DriveGoal": "bank",
    "DriveState": "bank",
    "LinkError": "bank",
    "LinkLostError": "bank",
    "SimulatedBank": "sim.bank",
    "parse_link": "links",
}
"""Module of each public name, loaded when the name is asked for."""

__getattr__, __dir__ = lazy_names(__name__, _HOME)
