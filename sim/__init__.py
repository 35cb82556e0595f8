"""Simulated world and emulated devices."""

from typing import TYPE_CHECKING

from hil_common.lazy_names import lazy_names

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

__getattr__, __dir__ = lazy_names(__name__, _HOME)
