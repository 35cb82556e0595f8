"""A free body that is led along a motion that nothing can hold up, with all that it bears.

The engine moves its own led (``mocap``) bodies in jumps, without speed: what they bear would feel
nothing of it. So the body stays free, and the stiffest weld that is stable ties it to a led frame.
The weld trails an even motion by twice its time constant; the frame is led by as much.
"""

from dataclasses import replace
from typing import Any, Final
from xml.etree.ElementTree import fromstring

import numpy as np
from numpy.typing import NDArray

from sim.world.engine.brakes import LOCK_IMPEDANCE
from sim.world.engine.mjcf_robot import TIE_STEPS
from sim.world.engine.model_compiler import ModelText
from sim.world.engine.world import World
from sim.world.robots.rotations import quaternion_of
from sim.world.robots.xml_writer import add, document

Array = NDArray[np.float64]

LEADS_STEPS: Final = 2.0 * TIE_STEPS
"""By how many steps a frame is ahead of the body that it leads."""


def with_leader(text: ModelText, body: str) -> ModelText:
    """The text of a model one of whose bodies is led; it must move freely.

    Raises:
        ValueError: if the model has no such body.
    """
    root = fromstring(text.text)  # noqa: S314  # our own text
    if root.find(f"worldbody//body[@name='{body}']") is None:
        raise ValueError(f"no body {body} to lead")
    step_s = float(root.findall("option")[0].attrib["timestep"])
    add(root.findall("worldbody")[0], "body", name=f"{body}_leader", mocap=True)
    add(root.findall("equality")[0], "weld", name=f"{body}_leader", body1=f"{body}_leader",
        body2=body, relpose=(0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0),
        solref=(TIE_STEPS * step_s, 1.0), solimp=LOCK_IMPEDANCE)  # fmt: skip
    return replace(text, text=document(root))


class Leader:
    """The frame that leads a body of a world.

    Args:
        body: that `with_leader` was told of.
    """

    def __init__(self, world: World, body: str) -> None:
        self._data: Any = world._data  # noqa: SLF001  # two halves of one thing
        self._frame = int(world._model.body(f"{body}_leader").mocapid[0])  # noqa: SLF001

    def move_to(self, pose: Array) -> None:
        """Put the frame somewhere in the world, shape (4, 4)."""
        self._data.mocap_pos[self._frame] = pose[:3, 3]
        self._data.mocap_quat[self._frame] = quaternion_of(pose[:3, :3])
