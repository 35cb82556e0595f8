"""The industrial arm: kinematics and the RS-232 link of the contour mode."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arm_driver.kinematics.geometry import PumaGeometry
    from arm_driver.kinematics.mapping import Mapping
    from arm_driver.kinematics.puma import limit_violations, nearest, solutions
    from arm_driver.pose import Pose

    __version__: str

__all__ = [
    "Mapping",
    "Pose",
    "PumaGeometry",
    "__version__",
    "limit_violations",
    "nearest",
    "solutions",
]
_HOME = {
    "Mapping": "kinematics.mapping",
    "Pose": "pose",
    "PumaGeometry": "kinematics.geometry",
    "limit_violations": "kinematics.puma",
    "nearest": "kinematics.puma",
    "solutions": "kinematics.puma",
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
