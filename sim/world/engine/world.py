"""A world that the engine steps: robots, their joints and drives, its whole state.

The only module that holds the engine's model and state.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sim.world.engine.library import engine
from sim.world.engine.mjcf import ModelText
from sim.world.engine.mjcf_robot import PlacedRobot, joint_names, link_name
from sim.world.robots.model import JointType, Numbers, RobotDrive, RobotJoint

Array = NDArray[np.float64]

DIVERGED: Final = (3, 4, 5)
"""The engine's warnings of bad positions, speeds and accelerations."""
GREATEST: Final = 1e10
"""Of positions, speeds and accelerations that the engine takes for good ones."""
CHANGED_WHILE_RUNNING: Final = ("eq_data", "dof_frictionloss")
"""Fields of the model that a world changes; the engine does not count them to its state."""


class ModelRefusedError(ValueError):
    """The engine does not take a model; the text says why."""


class DivergedError(ArithmeticError):
    """A step came to no number, or one beyond all bounds."""

    def __init__(self, time_s: float, joint: str) -> None:
        self.time_s, self.joint = time_s, joint
        super().__init__(
            f"{joint}: its motion went beyond {GREATEST:g} after t = {time_s:.6g} s, the last good "
            "step: a smaller step, smaller gains or larger masses may hold"
        )


@dataclass(frozen=True, slots=True)
class WorldSnapshot:
    """All that decides how a world goes on, bit by bit."""

    state: bytes
    """The engine's, with what its solver begins from, delayed sensors and switched ties."""
    model: tuple[bytes, ...]
    """The fields of `CHANGED_WHILE_RUNNING`."""


class World:
    """A model and its state.

    Raises:
        EngineMissingError: if the engine is not installed.
        ModelRefusedError: if it does not take the text.
    """

    def __init__(self, text: ModelText) -> None:
        self._engine: Any = engine()
        try:
            self._model: Any = self._engine.MjModel.from_xml_string(text.text)
        except ValueError as error:
            raise ModelRefusedError(f"the engine refuses the model: {error}") from error
        self._data: Any = self._engine.MjData(self._model)
        self._warnings = self._data.warning.number
        self._whole = self._engine.mjtState.mjSTATE_INTEGRATION
        self._state = np.zeros(self._engine.mj_stateSize(self._model, self._whole))
        self.step_s = float(self._model.opt.timestep)
        """Of time."""
        self.robots = tuple(
            WorldRobot(self, placed, start)
            for placed, start in zip(text.robots, text.starts, strict=True)
        )
        """In the order of the text."""
        self.restart()

    def restart(self) -> None:
        """Go back to the beginning: every robot where its document starts, at rest."""
        self._engine.mj_resetData(self._model, self._data)
        for robot in self.robots:
            robot.move_to(robot.start)
        self.settle()

    def settle(self) -> None:
        """Compute what follows from positions and speeds, without a step."""
        self._engine.mj_forward(self._model, self._data)

    def step(self, count: int = 1) -> None:
        """Go on by some steps.

        Raises:
            DivergedError: at the first step that comes to no good number.
        """
        for _ in range(count):
            before_s = self._data.time
            self._engine.mj_step(self._model, self._data)
            warned = self._warnings.tolist()
            if any(warned[kind] for kind in DIVERGED):
                raise DivergedError(before_s, self._worst_joint())

    @property
    def time_s(self) -> float:
        """Since the beginning."""
        return float(self._data.time)

    @property
    def gap_max_m(self) -> float:
        """Of the loops, the greatest distance of two tied points; 0 without loops."""
        ties = self._engine.mjtEq
        gaps = [0.0]
        for index in range(self._model.neq):
            if self._model.eq_type[index] in (ties.mjEQ_CONNECT, ties.mjEQ_WELD):
                first = self._data.site_xpos[self._model.eq_obj1id[index]]
                second = self._data.site_xpos[self._model.eq_obj2id[index]]
                gaps.append(float(np.linalg.norm(first - second)))
        return max(gaps)

    def energy_j(self) -> tuple[float, float]:
        """Potential and kinetic."""
        self._engine.mj_energyPos(self._model, self._data)
        self._engine.mj_energyVel(self._model, self._data)
        potential, kinetic = self._data.energy.tolist()
        return potential, kinetic

    def snapshot(self) -> WorldSnapshot:
        """All that decides how it goes on."""
        self._engine.mj_getState(self._model, self._data, self._state, self._whole)
        changed = tuple(getattr(self._model, name).tobytes() for name in CHANGED_WHILE_RUNNING)
        return WorldSnapshot(self._state.tobytes(), changed)

    def restore(self, snapshot: WorldSnapshot) -> None:
        """Go on from a snapshot of a world of the same text.

        Raises:
            ValueError: if it is of another model.
        """
        wanted = [self._state.nbytes]
        wanted += [getattr(self._model, name).nbytes for name in CHANGED_WHILE_RUNNING]
        found = [len(one) for one in (snapshot.state, *snapshot.model)]
        if found != wanted:
            raise ValueError(f"snapshot of another model: {found} bytes and not {wanted}")
        for name, values in zip(CHANGED_WHILE_RUNNING, snapshot.model, strict=True):
            field = getattr(self._model, name)
            field[:] = np.frombuffer(values).reshape(field.shape)
        state = np.frombuffer(snapshot.state)
        self._engine.mj_setState(self._model, self._data, state, self._whole)
        self._data.warning.number[:] = 0

    def mass_matrix(self) -> Array:
        """Of all freedoms, rotors included, shape (freedoms, freedoms)."""
        full = np.zeros((self._model.nv, self._model.nv))
        self._engine.mj_fullM(self._model, self._data, full)
        return full

    def _worst_joint(self) -> str:
        values = np.abs([self._data.qacc, self._data.qvel])
        worst = int(np.argmax(np.where(np.isfinite(values), values, np.inf).max(axis=0)))
        number = int(self._model.dof_jntid[worst])
        return self._model.joint(number).name


class WorldRobot:
    """A robot of a world, by the numbers of its document."""

    def __init__(self, world: World, placed: PlacedRobot, start: Mapping[int, Numbers]) -> None:
        self.placed = placed
        """Its document, and where it stands."""
        self.start = start
        """Coordinates of its joints where it begins."""
        model, self._data = world._model, world._data  # noqa: SLF001  # two halves of one thing
        self._places = {
            number: np.concatenate([_positions(model, name) for name in names])
            for number, names in self._engine_joints().items()
        }
        self._bodies = {
            link.number: model.body(link_name(link.number, placed.prefix)).id
            for link in placed.robot.links
        }
        self.drives: tuple[RobotDrive, ...] = placed.robot.drives
        """In the order of commands, of joint angles and of speeds."""
        names = [f"{placed.prefix}j{drive.joint}" for drive in self.drives]
        self._positions = np.array([model.joint(name).qposadr[0] for name in names], dtype=int)
        self._freedoms = np.array([model.joint(name).dofadr[0] for name in names], dtype=int)
        names = [f"{placed.prefix}d{drive.joint}" for drive in self.drives]
        self._commands = np.array([model.actuator(name).id for name in names], dtype=int)

    def _engine_joints(self) -> dict[int, tuple[str, ...]]:
        joints: Sequence[RobotJoint] = self.placed.robot.joints
        return {
            joint.number: joint_names(joint, self.placed.prefix)
            for joint in joints
            if not joint.closes and joint.type not in (JointType.FIXED, JointType.END)
        }

    def move_to(self, coordinates: Mapping[int, Sequence[float]]) -> None:
        """Put joints elsewhere at once; what follows from it is computed by `World.settle`."""
        for number, values in coordinates.items():
            if number in self._places:
                self._data.qpos[self._places[number]] = values

    def coordinates(self) -> dict[int, Numbers]:
        """Of every joint that moves, as in the document."""
        return {number: tuple(self._data.qpos[at].tolist()) for number, at in self._places.items()}

    def pose(self, link: int) -> Array:
        """Frame of a link in the world after the last step, shape (4, 4)."""
        body = self._bodies[link]
        pose = np.eye(4)
        pose[:3, :3] = self._data.xmat[body].reshape(3, 3)
        pose[:3, 3] = self._data.xpos[body]
        return pose

    def command(self, values: Sequence[float] | Array) -> None:
        """What each drive is told: speed, torque or voltage, by its control.

        Raises:
            ValueError: if a value is not finite; none is taken.
        """
        if not np.isfinite(values).all():
            raise ValueError(f"command {list(values)}: not finite")
        self._data.ctrl[self._commands] = values

    def positions(self) -> Array:
        """Of the driven joints [rad] or [m], shape (drives,)."""
        return self._data.qpos[self._positions]

    def speeds(self) -> Array:
        """Of the driven joints [rad/s] or [m/s], shape (drives,)."""
        return self._data.qvel[self._freedoms]

    def efforts(self) -> Array:
        """Of the drives in the last step [N m] or [N], shape (drives,)."""
        return self._data.actuator_force[self._commands]

    def bias(self) -> Array:
        """Gravity and velocity terms of the driven joints [N m] or [N], shape (drives,)."""
        return self._data.qfrc_bias[self._freedoms]

    def passive(self) -> Array:
        """Of friction by damping [N m] or [N], shape (drives,)."""
        return self._data.qfrc_passive[self._freedoms]


def _positions(model: Any, name: str) -> NDArray[np.int_]:
    """Places of a joint's coordinates in the engine's positions."""
    joint = model.joint(name)
    return np.arange(joint.qposadr[0], joint.qposadr[0] + len(joint.qpos0))
