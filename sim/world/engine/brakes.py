"""Brakes of joints: they slow a joint down by friction and lock it once it is at rest.

Friction alone creeps under a load for ever; so a joint at rest is held by a tie to the place where
its brake closed (``mjEQ_JOINT``), which is switched on and off while the engine runs.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final
from xml.etree.ElementTree import fromstring

import numpy as np

from sim.world.engine.mjcf_robot import TIE_STEPS
from sim.world.engine.model_compiler import ModelText
from sim.world.engine.world import World
from sim.world.robots.xml_writer import add, document, numbers
from sim.world.scenes.model import BodyMotion

LOCK_IMPEDANCE: Final = (0.98, 0.9999, 0.0001, 0.5, 2.0)
"""``solimp`` of a locked joint: 600 N on the rod of a hexapod yield 2 µm and no more."""
LOCKS_BELOW_M_S: Final = 1e-3
"""Speed at which a brake stops slipping and holds [m/s] or [rad/s]."""


def with_brakes(text: ModelText, joints: Sequence[str]) -> ModelText:
    """The text of a model whose joints can be locked, and have hard ends and brakes.

    Args:
        joints: names of slides and hinges.

    Raises:
        ValueError: if the model has no such joint.
    """
    root = fromstring(text.text)  # noqa: S314  # our own text
    flags = root.find("option/flag")
    if flags is not None and not any(body.motion is BodyMotion.FREE for body in text.bodies):
        flags.set("island", "disable")  # there is but one: to look for more costs a tenth of a step
    equality = root.find("equality")
    if equality is None:
        equality = add(root, "equality")
    step_s = float(root.findall("option")[0].attrib["timestep"])  # it bounds how stiff a lock is
    hard = {"solref": (TIE_STEPS * step_s, 1.0), "solimp": LOCK_IMPEDANCE}
    for joint in joints:
        add(equality, "joint", name=f"{joint}_brake", joint1=joint, active=False, **hard)
        element = root.find(f"worldbody//joint[@name='{joint}']")
        if element is None:
            raise ValueError(f"no joint {joint} to brake")
        for what in ("limit", "friction"):
            element.attrib.update({f"{key}{what}": numbers(of) for key, of in hard.items()})
    return replace(text, text=document(root))


@dataclass(frozen=True, slots=True)
class BrakesSnapshot:
    """What brakes do; friction and ties are in the world's own snapshot."""

    joints: tuple[str, ...]
    """Names of the joints."""
    closing: tuple[bool, ...]
    """Which brakes are closed, or slip."""
    locked: tuple[bool, ...]
    """Which joints are tied to their places."""


class Brakes:
    """Brakes of some joints of a world.

    Args:
        joints: that `with_brakes` was told of.
        friction_n: with which each slows its joint down beside the joint's own friction, shape
            (joints,) [N] or [N m].
    """

    def __init__(self, world: World, joints: Sequence[str], friction_n: Sequence[float]) -> None:
        self._model: Any = world._model  # noqa: SLF001  # two halves of one thing
        self._data: Any = world._data  # noqa: SLF001
        self._joints = tuple(joints)
        handles = [self._model.joint(name) for name in joints]
        self._ties = [int(self._model.equality(f"{name}_brake").id) for name in joints]
        self._positions = np.array([int(one.qposadr[0]) for one in handles])
        self._freedoms = np.array([int(one.dofadr[0]) for one in handles])
        self._own_n = [float(self._model.dof_frictionloss[at]) for at in self._freedoms]
        self._friction_n = tuple(float(value) for value in friction_n)
        self._closing = [False] * len(joints)
        self.locked: list[bool] = [False] * len(joints)
        """Which joints are tied to their places."""
        self._open = True

    def close(self, closed: Sequence[bool]) -> None:
        """Close some, open the others; to be said before every step, for a joint slows down."""
        if self._open and not any(closed):
            return
        if all(self.locked) and all(closed):
            return
        for index, wanted in enumerate(closed):
            if not wanted:
                if self._closing[index]:
                    self._set(index, locked=False, friction_n=0.0)
            elif not self.locked[index]:
                slow = abs(float(self._data.qvel[self._freedoms[index]])) <= LOCKS_BELOW_M_S
                self._set(index, locked=slow, friction_n=0.0 if slow else self._friction_n[index])
            self._closing[index] = bool(wanted)
        self._open = not any(closed)

    def snapshot(self) -> BrakesSnapshot:
        """What they do, besides the world's own snapshot."""
        return BrakesSnapshot(self._joints, tuple(self._closing), tuple(self.locked))

    def restore(self, snapshot: BrakesSnapshot) -> None:
        """Go on from a snapshot, once the world has.

        Raises:
            ValueError: if it is of brakes of other joints.
        """
        if snapshot.joints != self._joints:
            raise ValueError(f"snapshot of brakes of {snapshot.joints}, not of {self._joints}")
        self._closing, self.locked = list(snapshot.closing), list(snapshot.locked)
        self._open = not any(self._closing)

    def carry_over(self, old: BrakesSnapshot) -> None:
        """Go on from before an edit, once the world has (`carry_over`): by the names of joints."""
        for index, joint in enumerate(self._joints):
            if joint in old.joints:
                at = old.joints.index(joint)
                self._closing[index], self.locked[index] = old.closing[at], old.locked[at]
                if old.closing[at] and not old.locked[at]:
                    self._model.dof_frictionloss[self._freedoms[index]] = self._friction_n[index]
        self._open = not any(self._closing)

    def _set(self, index: int, *, locked: bool, friction_n: float) -> None:
        freedom, tie, at = self._freedoms[index], self._ties[index], self._positions[index]
        self._model.dof_frictionloss[freedom] = self._own_n[index] + friction_n
        if locked:
            self._model.eq_data[tie, 0] = self._data.qpos[at] - self._model.qpos0[at]
        self._data.eq_active[tie] = locked
        self.locked[index] = locked
