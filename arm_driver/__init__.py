"""The industrial arm: kinematics and the RS-232 link of the contour mode."""

from typing import TYPE_CHECKING

from hil_common.lazy_names import lazy_names

if TYPE_CHECKING:
    from arm_driver.kinematics.geometry import PumaGeometry
    from arm_driver.kinematics.motion_map import Mapping
    from arm_driver.kinematics.puma import limit_violations, nearest, solutions

    __version__: str

__all__ = [
    "Mapping",
    "PumaGeometry",
    "__version__",
    "limit_violations",
    "nearest",
    "solutions",
]
_HOME = {
    "Mapping": "kinematics.motion_map",
    "PumaGeometry": "kinematics.geometry",
    "limit_violations": "kinematics.puma",
    "nearest": "kinematics.puma",
    "solutions": "kinematics.puma",
}
"""Module of each public name, loaded when the name is asked for."""

__getattr__, __dir__ = lazy_names(__name__, _HOME)
