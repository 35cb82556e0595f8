"""Simulated world and emulated devices."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sim.devices.arm.controller import ArmController
    from sim.devices.can.rack import CanRack
    from sim.world.space_arm.arm import Arm
    from sim.world.space_arm.programmed_rates import ProgrammedRates
    from sim.world.space_arm.simulator import SpaceArm

    __version__: str

__all__ = [
    "Arm",
    "ArmController",
    "CanRack",
    "ProgrammedRates",
    "SpaceArm",
    "__version__",
]
_HOME = {
    "Arm": "world.space_arm.arm",
    "ArmController": "devices.arm.controller",
    "CanRack": "devices.can.rack",
    "ProgrammedRates": "world.space_arm.programmed_rates",
    "SpaceArm": "world.space_arm.simulator",
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
