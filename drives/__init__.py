"""Six-axis drive banks: one interface, and behind it the simulated cylinders and the real buses."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from drives.bank import (
        BankEnd,
        BankFeedback,
        BankReport,
        DriveBank,
        DriveError,
        DriveGoal,
        DriveState,
        LegCommand,
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
    "LegCommand",
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
    "LegCommand": "bank",
    "LinkError": "bank",
    "LinkLostError": "bank",
    "SimulatedBank": "sim.bank",
    "parse_link": "links",
}
"""Module of each public name, loaded when the name is asked for."""


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version  # the gate's process never asks

        return version("hil-bench")
    if name in _HOME:
        return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
