"""The chain of driven joints from a robot's base to one of its places, as numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim.world.motion.chain_kernel import chain_ends, chain_frames, chain_jacobian
from sim.world.robots.dh import pose_of
from sim.world.robots.driven_universals import driven_universals, with_hinges
from sim.world.robots.model import DRIVEN, NOWHERE, JointType, RobotJoint
from sim.world.robots.tree import RobotTree, motion, spanning_tree, unit

Array = NDArray[np.float64]


class ChainError(ValueError):
    """Chain that a robot does not have; the text says why."""


@dataclass(frozen=True, slots=True)
class _Link:
    """Path from a link to the place where the chain ends, its last joint first."""

    joints: tuple[RobotJoint, ...]
    place: Array


class Chain:
    """Driven joints that move a place of a robot; all other joints stay as they are.

    Joints that follow a driven one (`Mimic`) move with it. Loops are not seen: a chain through a
    loop is that of the spanning tree.

    Args:
        tree: of the robot.
        end: number of the joint of the place; None for the robot's first one, or the frame of its
            last link if it has none.
        base: pose of the robot in the world, shape (4, 4).
        held: coordinates of joints that the chain does not move; others are where they start.

    Raises:
        ChainError: if there is no such end, or no driven joint leads to it.
    """

    def __init__(
        self,
        tree: RobotTree,
        end: int | None = None,
        base: Array | None = None,
        held: Mapping[int, Sequence[float]] | None = None,
    ) -> None:
        if driven_universals(tree.robot):
            tree = spanning_tree(with_hinges(tree.robot))
        path = _path_to(tree, end)
        coordinates = tree.coordinates(held or {})
        driven = [drive.joint for drive in tree.robot.drives]
        leads = {joint.number: _leader(tree, joint) for joint in path.joints}
        used = sorted({lead for lead, _, _ in leads.values() if lead in driven}, key=driven.index)
        if not used:
            raise ChainError(f"end {end}: no driven hinge or slide leads to it")
        self.joints: tuple[int, ...] = tuple(used)
        """Numbers of the joints whose coordinates are its variables, in the order of drives."""
        self.places: tuple[int, ...] = tuple(driven.index(number) for number in used)
        """Places of these among the robot's drives."""
        links = {link.number: link for link in tree.links}
        fixed = np.eye(4) if base is None else np.array(base, dtype=np.float64)
        before: list[Array] = []
        moved: list[RobotJoint] = []
        for joint in path.joints:
            fixed = fixed @ pose_of(links[joint.child].dh)
            if leads[joint.number][0] in used and joint.type in DRIVEN:
                before.append(fixed)
                moved.append(joint)
                fixed = np.eye(4)
            else:
                fixed = fixed @ motion(joint, coordinates[joint.number])
        self._before, self._last = np.array(before), fixed @ path.place
        self._axes = np.array([unit(joint.axis) for joint in moved])
        self._slides = np.array([joint.type is JointType.SLIDE for joint in moved])
        self._variables = np.array([used.index(leads[joint.number][0]) for joint in moved])
        self._drives = np.array(self.places)[self._variables]
        self._ratios = np.array([leads[joint.number][1] for joint in moved])
        self._offsets = np.array([leads[joint.number][2] for joint in moved])
        bounds = {joint.number: joint.limits for joint in tree.drivers.values()}
        limits = [bounds[number][0] if bounds[number] else (-np.inf, np.inf) for number in used]
        least, greatest = zip(*limits, strict=True)
        self.least: Array = np.array(least)
        self.greatest: Array = np.array(greatest)
        """Limits of the variables [rad] or [m], shape (n,) each; infinite where there are none."""
        frames = self.frames(np.zeros(len(used)))  # kernels are loaded now, and not within a cycle
        self.jacobian(frames)
        self.ends(frames)

    def turning(self) -> tuple[Array, Array, Array]:
        """Convert to a chain of hinges, each turned by the variable of its own number.

        Returns:
            Of each joint its pose before it is turned, in the joint before, shape (n, 4, 4), and
            its axis there, shape (n, 3); of the place its pose in the last joint, shape (4, 4).

        Raises:
            ChainError: if it is another.
        """
        count = len(self._variables)
        if self._slides.any():
            raise ChainError("a joint of the chain slides; joints that turn are needed")
        if self._variables.tolist() != list(range(count)):
            raise ChainError("its drives are not in the order of its joints, one for each")
        if (self._ratios != 1.0).any() or self._offsets.any():
            raise ChainError("a joint of the chain follows another one")
        return self._before.copy(), self._axes.copy(), self._last.copy()

    def pose(self, q: Array) -> Array:
        """Compute the pose of the place in the world, shape (4, 4), for variables of shape (n,)."""
        return self.frames(q)[-1]

    def pose_by_drives(self, positions: Array) -> Array:
        """Pose of the place in the world by the positions of all drives, shape (4, 4)."""
        return self._frames(positions[self._drives])[-1]

    def frames(self, q: Array) -> Array:
        """Compute the joints' frames in the world, then the place's, shape (joints + 1, 4, 4).

        A variable that followers have moves several joints.
        """
        return self._frames(q[self._variables])

    def _frames(self, leading: Array) -> Array:
        """Frames by the variable that leads each moved joint, shape (joints,)."""
        found = np.empty((len(self._before) + 1, 4, 4))
        values = self._ratios * leading + self._offsets
        chain_frames(self._before, self._axes, self._slides, values, self._last, found)
        return found

    def axes(self, frames: Array) -> list[tuple[int, bool, Array, Array]]:
        """Variable, whether it slides, axis and origin in the world, a joint each."""
        return [
            (int(variable), bool(slides), frame[:3, :3] @ axis, frame[:3, 3])
            for variable, slides, axis, frame in zip(
                self._variables, self._slides, self._axes, frames, strict=False
            )
        ]

    def jacobian(self, frames: Array) -> Array:
        """Twist of the place per rate of each variable, shape (6, n): speed, then turn rate.

        Both in the axes of the world, the speed that of the place itself.
        """
        columns = np.zeros((6, len(self.joints)))
        chain_jacobian(frames, self._axes, self._slides, self._variables, self._ratios, columns)
        return columns

    def ends(self, frames: Array) -> tuple[Array, Array]:
        """Compute the pose of the place in the axes of each moved joint.

        Those axes: z along which it slides or about which it turns, x as near as can be to that of
        its frame.

        Returns:
            Rotations from each joint's axes to the place's, shape (joints, 3, 3), and the place in
            them, shape (joints, 3) [m].
        """
        rotations, places = np.empty((len(frames) - 1, 3, 3)), np.empty((len(frames) - 1, 3))
        chain_ends(frames, self._axes, rotations, places)
        return rotations, places

    def within(self, q: Array) -> Array:
        """Clip variables to the limits, shape (n,)."""
        return np.clip(q, self.least, self.greatest)


def _path_to(tree: RobotTree, end: int | None) -> _Link:
    place, link = np.eye(4), tree.links[-1].number
    ends = {joint.number: joint for joint in tree.ends}
    if end is None and ends:
        end = min(ends)
    if end is not None:
        if end not in ends:
            known = ", ".join(map(str, sorted(ends))) or "none"
            raise ChainError(f"end {end}: no such place on the robot; there are: {known}")
        link = ends[end].parent
        place[:3, 3] = ends[end].at_parent_m or (0.0, 0.0, 0.0)
    joints: list[RobotJoint] = []
    while link != NOWHERE:
        joints.append(tree.drivers[link])
        link = joints[-1].parent
    return _Link(tuple(reversed(joints)), place)


def _leader(tree: RobotTree, joint: RobotJoint) -> tuple[int, float, float]:
    """Find the joint that leads one, with ratio and offset; the joint itself if it follows none."""
    ratio, offset = 1.0, 0.0
    moving = {one.number: one for one in tree.drivers.values()}
    while joint.mimic is not None:
        offset += ratio * joint.mimic.offset
        ratio *= joint.mimic.ratio
        joint = moving[joint.mimic.joint]
    return joint.number, ratio, offset
