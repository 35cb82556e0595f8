"""The common ground of the packages, so that no two of them keep a copy of the same thing.

The standard library only; `hil_common.arrays` needs numpy as well. It imports nothing of ours, and
the packages that may not import each other may import it.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from hil_common.lazy_names import lazy_names

if TYPE_CHECKING:
    from hil_common.arrays.pose import Pose, PoseError
    from hil_common.legs import LegTarget
    from hil_common.lines import LineSplitter
    from hil_common.port_lock import PortLock

    __version__: str

__all__ = [
    "LegTarget", "LineSplitter", "PortLock", "Pose", "PoseError", "__version__", "lazy_names",
]  # fmt: skip
_HOME = {
    "LegTarget": "legs",
    "LineSplitter": "lines",
    "PortLock": "port_lock",
    "Pose": "arrays.pose",
    "PoseError": "arrays.pose",
}
"""Module of each public name, loaded when the name is asked for."""

__getattr__: Callable[[str], Any]
__dir__: Callable[[], list[str]]
__getattr__, __dir__ = lazy_names(__name__, _HOME)
