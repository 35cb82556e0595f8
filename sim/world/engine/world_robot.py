"""A robot of a world, by the numbers of its document."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.world.engine.mjcf_robot import PlacedRobot, joint_names, link_name
from sim.world.engine.world_bodies import body_pose
from sim.world.robots.body import Numbers
from sim.world.robots.driven_universals import SECOND
from sim.world.robots.model import JointType, RobotDrive, RobotJoint

Array = NDArray[np.float64]


class ClaimedError(RuntimeError):
    """Command to drives that only their gate may command."""


class WorldRobot:
    """A robot of a world.

    Args:
        model: of the engine.
        data: the engine's state.
    """

    def __init__(
        self, model: Any, data: Any, placed: PlacedRobot, start: Mapping[int, Numbers]
    ) -> None:
        self.placed = placed
        """Document of the robot, and its place."""
        self.start = start
        """Coordinates of its joints where it begins."""
        self._model, self._data = model, data
        self._places = {
            number: np.concatenate([_positions(model, name) for name in names])
            for number, names in self._engine_joints().items()
        }
        self._bodies = {
            link.number: model.body(link_name(link.number, placed.prefix)).id
            for link in placed.robot.links
        }
        self.drives: tuple[RobotDrive, ...] = placed.robot.drives
        """Drives in the order of commands, of joint angles and of speeds."""
        names = [f"{placed.prefix}j{drive.joint}" for drive in self.drives]
        self._positions = np.array([model.joint(name).qposadr[0] for name in names], dtype=int)
        self._freedoms = np.array([model.joint(name).dofadr[0] for name in names], dtype=int)
        names = [f"{placed.prefix}d{drive.joint}" for drive in self.drives]
        self._commands = np.array([model.actuator(name).id for name in names], dtype=int)
        self._claimed = False
        # The engine's arrays stay where they are, so that these can be views of them.
        self._controls = _view(data.ctrl, self._commands)
        self._read_positions = _reader(data.qpos, self._positions)
        self._read_speeds = _reader(data.qvel, self._freedoms)
        self._read_efforts = _reader(data.actuator_force, self._commands)

    def _engine_joints(self) -> dict[int, tuple[str, ...]]:
        joints: Sequence[RobotJoint] = self.placed.robot.joints
        return {
            joint.number: joint_names(joint, self.placed.prefix)
            for joint in joints
            if not joint.closes and joint.type not in (JointType.FIXED, JointType.END)
        }

    def freedoms(self, joint: int) -> NDArray[np.int_]:
        """Places of a joint's speeds among all freedoms of the world."""
        names = self._engine_joints()[joint]
        found = [np.atleast_1d(self._model.joint(name).dofadr) for name in names]
        counts = [self._model.joint(name).damping.size for name in names]
        return np.concatenate(
            [np.arange(at[0], at[0] + count) for at, count in zip(found, counts, strict=True)]
        )

    def all_freedoms(self) -> NDArray[np.int_]:
        """Freedoms of all its joints, in the engine's order."""
        return np.sort(np.concatenate([self.freedoms(number) for number in self._engine_joints()]))

    def borne(self, link: int) -> tuple[float, Array]:
        """Rigid body of a link and all that rests on it, after the last step.

        Returns:
            Its mass [kg], and its inertia for the twist of the link's frame, shape (6, 6): speed
            of its origin in the world's axes [m/s], turning in its own [rad/s].
        """
        model, data, root = self._model, self._data, self._bodies[link]
        at_m, axes = data.xpos[root], data.xmat[root].reshape(3, 3)
        mass_kg, inertia = 0.0, np.zeros((6, 6))
        borne = {root}
        for body in range(root, model.nbody):
            if body != root and int(model.body_parentid[body]) not in borne:
                continue
            borne.add(body)
            x, y, z = data.xipos[body] - at_m
            motion = np.eye(6)  # of its centre, by the twist
            motion[:3, 3:] = np.array([[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]]) @ axes
            motion[3:, 3:] = data.ximat[body].reshape(3, 3).T @ axes
            own = np.concatenate([np.full(3, model.body_mass[body]), model.body_inertia[body]])
            mass_kg += float(model.body_mass[body])
            inertia += motion.T @ (own[:, None] * motion)
        return mass_kg, inertia

    def move_to(self, coordinates: Mapping[int, Sequence[float]]) -> None:
        """Move joints at once; what follows from that is computed by `World.settle`.

        A universal joint that is driven has its two coordinates here, too.
        """
        for number, values in coordinates.items():
            if len(values) == 2 and number + SECOND in self._places:
                self._data.qpos[self._places[number]] = values[0]
                self._data.qpos[self._places[number + SECOND]] = values[1]
            elif number in self._places:
                self._data.qpos[self._places[number]] = values

    def stop(self) -> None:
        """Take all speed from its joints at once."""
        for number in self._places:
            self._data.qvel[self.freedoms(number)] = 0.0

    def coordinates(self) -> dict[int, Numbers]:
        """Coordinates of every joint that moves, as in the document."""
        return {number: tuple(self._data.qpos[at].tolist()) for number, at in self._places.items()}

    def pose(self, link: int) -> Array:
        """Frame of a link in the world after the last step, shape (4, 4)."""
        return body_pose(self._data, self._bodies[link])

    def bodies(self) -> dict[int, int]:
        """Engine's numbers of its links' bodies, by link."""
        return dict(self._bodies)

    def command(self, values: Sequence[float] | Array) -> None:
        """Command each drive: speed, torque or voltage, by its control.

        Raises:
            ValueError: if a value is not finite; none is taken.
            ClaimedError: if they are claimed (`claim`).
        """
        if self._claimed:
            raise ClaimedError("the drives are commanded by the robot's gate; ask that")
        self._write(values)

    def claim(self) -> Callable[[Sequence[float] | Array], None]:
        """Return the only way to command the drives from now on, to the first caller.

        Raises:
            ClaimedError: if it was claimed before.
        """
        if self._claimed:
            raise ClaimedError("the drives are claimed already; one gate commands a robot")
        self._claimed = True
        return self._write

    def _write(self, values: Sequence[float] | Array) -> None:
        numbers = values.tolist() if isinstance(values, np.ndarray) else values
        if not math.isfinite(sum(numbers)):
            raise ValueError(f"command {list(values)}: not finite")
        if self._controls is None:
            self._data.ctrl[self._commands] = values
        else:
            self._controls[:] = values

    def positions(self) -> Array:
        """Positions of the driven joints [rad] or [m], shape (drives,)."""
        return self._read_positions()

    def speeds(self) -> Array:
        """Speeds of the driven joints [rad/s] or [m/s], shape (drives,)."""
        return self._read_speeds()

    def measured(self) -> tuple[Array, Array, Array]:
        """Positions, speeds and efforts of the driven joints, shape (drives,) each."""
        return self._read_positions(), self._read_speeds(), self._read_efforts()

    def driven(self) -> tuple[list[float], list[float]]:
        """Positions and speeds of the driven joints as plain numbers, for laws without arrays."""
        return self._read_positions().tolist(), self._read_speeds().tolist()

    def efforts(self) -> Array:
        """Efforts of the drives in the last step [N m] or [N], shape (drives,)."""
        return self._read_efforts()

    def bias(self) -> Array:
        """Gravity and velocity terms of the driven joints [N m] or [N], shape (drives,)."""
        return self._data.qfrc_bias[self._freedoms]

    def passive(self) -> Array:
        """Efforts of friction by damping [N m] or [N], shape (drives,)."""
        return self._data.qfrc_passive[self._freedoms]


def _view(values: Array, places: NDArray[np.int_]) -> Array | None:
    """View of the values at these places; None if they do not rise in equal steps."""
    steps = np.unique(np.diff(places))
    if len(places) < 2 or len(steps) != 1 or steps[0] < 1:
        return None
    return values[places[0] : places[-1] + 1 : steps[0]]


def _reader(values: Array, places: NDArray[np.int_]) -> Callable[[], Array]:
    """Return a function that copies the values at these places."""
    view = _view(values, places)
    return (lambda: values[places]) if view is None else view.copy


def _positions(model: Any, name: str) -> NDArray[np.int_]:
    """Places of a joint's coordinates in the engine's positions."""
    joint = model.joint(name)
    return np.arange(joint.qposadr[0], joint.qposadr[0] + len(joint.qpos0))
