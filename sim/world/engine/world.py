"""A world that the engine steps: its robots and bodies, contacts, its whole state.

It owns the engine's model and state; robots and bodies are parts of it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sim.world.engine.library import engine
from sim.world.engine.model_compiler import ModelRefusedError, ModelText, model_from, model_of
from sim.world.engine.world_bodies import Contact, Push, WorldBody, contacts_of, corners_of, ties_of
from sim.world.engine.world_robot import WorldRobot

Array = NDArray[np.float64]

__all__ = (
    "CHANGED_WHILE_RUNNING", "DivergedError", "ModelRefusedError", "World", "WorldRobot",
    "WorldSnapshot",
)  # fmt: skip

DIVERGED: Final = slice(3, 6)
"""The engine's warnings of bad positions, speeds and accelerations."""
GREATEST: Final = 1e10
"""Greatest position, speed or acceleration that the engine accepts."""
CHANGED_WHILE_RUNNING: Final = ("eq_data", "dof_frictionloss", "opt.gravity")
"""Fields of the model that a world changes; the engine does not count them to its state."""


class DivergedError(ArithmeticError):
    """Step that ended in no number, or one beyond all bounds."""

    def __init__(self, time_s: float, joint: str) -> None:
        self.time_s: float = time_s
        self.joint: str = joint
        super().__init__(
            f"{joint}: its motion went beyond {GREATEST:g} after t = {time_s:.6g} s, the last good "
            "step: a smaller step, smaller gains or larger masses may hold"
        )


@dataclass(frozen=True, slots=True)
class WorldSnapshot:
    """State that decides a world's future, bit by bit."""

    state: bytes
    """State of the engine, with start values of its solver, delayed sensors and switched ties."""
    model: tuple[bytes, ...]
    """Values of the fields of `CHANGED_WHILE_RUNNING`."""
    pushes: tuple[Push, ...] = ()
    """Pushes that still act."""


class World:
    """Model of the engine and its state.

    Args:
        compiled: the model that the engine made of the text (`compiled`), so that it need not
            again; made by the same release of it.

    Raises:
        EngineMissingError: if the engine is not installed.
        ModelRefusedError: if it does not take the text.
    """

    def __init__(self, text: ModelText, compiled: bytes | None = None) -> None:
        self._engine: Any = engine()
        self._model: Any = model_of(text) if compiled is None else model_from(compiled)
        self._data: Any = self._engine.MjData(self._model)
        self._bad = self._data.warning.number[DIVERGED]
        self._whole = self._engine.mjtState.mjSTATE_INTEGRATION
        self._state = np.zeros(self._engine.mj_stateSize(self._model, self._whole))
        self.text: ModelText = text
        """Text of its model."""
        self.step_s: float = float(self._model.opt.timestep)
        """Step of time."""
        self.robots: tuple[WorldRobot, ...] = tuple(
            WorldRobot(self._model, self._data, placed, start)
            for placed, start in zip(text.robots, text.starts, strict=True)
        )
        """Robots in the order of the text."""
        self.bodies: dict[str, WorldBody] = {
            body.name: WorldBody(self._engine, self._model, self._data, body)
            for body in text.bodies
        }
        """Bodies of the scene, by their names."""
        kinds, found = self._engine.mjtEq, self._model.eq_type
        tied = (found == int(kinds.mjEQ_CONNECT)) | (found == int(kinds.mjEQ_WELD))
        sides = self._model.eq_obj1id[tied], self._model.eq_obj2id[tied]
        self._tied: NDArray[np.intp] = np.array(sides, dtype=np.intp)  # two sites a tie
        self._sites_m: Array = self._data.site_xpos  # a view of an array of the engine
        self._pushes: list[Push] = []
        self.restart()

    def restart(self) -> None:
        """Return to the beginning: all where its document has it, at rest, nothing pushed."""
        self._engine.mj_resetData(self._model, self._data)
        self._pushes.clear()
        for robot in self.robots:
            robot.move_to(robot.start)
        for body in self.bodies.values():
            body.move_to(body.start)
        self.settle()

    def settle(self) -> None:
        """Compute the dependent values of positions and speeds, without a step."""
        self._engine.mj_forward(self._model, self._data)

    def pull(self, gravity_m_s2: Sequence[float]) -> None:
        """Change gravity from the next step on, in the world's axes; a restart keeps it.

        Raises:
            ValueError: if it is not three finite numbers.
        """
        if len(gravity_m_s2) != 3 or not np.isfinite(gravity_m_s2).all():
            raise ValueError(f"gravity {tuple(gravity_m_s2)} m/s2: three finite numbers")
        self._model.opt.gravity[:] = gravity_m_s2

    def step(self, count: int = 1) -> None:
        """Advance by some steps.

        Raises:
            DivergedError: at the first step that comes to no good number.
        """
        for _ in range(count):
            before_s = self._data.time
            if self._pushes:
                self._step_pushed()
            else:
                self._engine.mj_step(self._model, self._data)
            if any(self._bad.tolist()):
                raise DivergedError(before_s, self._worst_joint())

    def push(
        self,
        body: str,
        force_n: Sequence[float],
        duration_s: float,
        moment_nm: Sequence[float] = (0.0, 0.0, 0.0),
    ) -> None:
        """Apply a force to a body's centre of mass from now on, besides those that act already.

        Args:
            body: of the scene, or a robot's link by its name in the engine.
            force_n: in the world, shape (3,).
            duration_s: how long; a last part of a step acts with that part of the force.
            moment_nm: in the world, shape (3,).

        Raises:
            KeyError: if there is no such body.
            ValueError: if a number is not finite, or the duration below 0.
        """
        values = (*force_n, *moment_nm, duration_s)
        if len(values) != 7 or not np.isfinite(values).all() or duration_s < 0.0:
            raise ValueError(f"push of {body}: {values}: finite, three and three, not below 0 s")
        number = int(self._model.body(body).id)
        self._pushes.append(Push(number, tuple(map(float, values[:6])), float(duration_s)))

    def _step_pushed(self) -> None:
        """Step with all pushes, which are removed afterwards."""
        applied = self._data.xfrc_applied
        before = applied.copy()
        for push in self._pushes:
            applied[push.body] += np.multiply(push.wrench, min(1.0, push.left_s / self.step_s))
        self._engine.mj_step(self._model, self._data)
        applied[:] = before
        left = (push.after(self.step_s) for push in self._pushes)
        self._pushes = [push for push in left if push.left_s > 0.0]

    def body_name(self, number: int) -> str:
        """Name of a body by the engine's number of it."""
        return str(self._model.body(number).name)

    def contacts(self) -> tuple[Contact, ...]:
        """Contacts of the last step, with their forces."""
        return contacts_of(self._engine, self._model, self._data)

    def ties(self) -> tuple[tuple[str, str], ...]:
        """Names of the two parts of each equality of the engine."""
        return ties_of(self._engine, self._model)

    def set_step(self, step_s: float) -> None:
        """Make the next steps as long as this, at most as the model's own [s]."""
        self._model.opt.timestep = step_s

    @property
    def time_s(self) -> float:
        """Time since the beginning."""
        return float(self._data.time)

    @property
    def gap_max_m(self) -> float:
        """Greatest distance of two tied points of the loops; 0 without loops."""
        if not self._tied.size:
            return 0.0
        first, second = self._sites_m[self._tied]
        return float(np.sqrt(np.square(first - second).sum(axis=1).max()))

    @property
    def positions(self) -> Array:
        """Coordinates of everything that moves, in the engine's order; a copy."""
        return self._data.qpos.copy()

    @property
    def sizes(self) -> tuple[int, int, int]:
        """Counts of bodies without the world itself, joints of the engine, and equalities."""
        return int(self._model.nbody) - 1, int(self._model.njnt), int(self._model.neq)

    def move_to(self, positions: Array) -> None:
        """Move everything at once to `positions`; see `settle` for what follows.

        Raises:
            ValueError: if they are not as many as it has.
        """
        if positions.shape != self._data.qpos.shape:
            raise ValueError(f"{positions.size} positions: the world has {self._data.qpos.size}")
        self._data.qpos[:] = positions

    def corners_m(self) -> Array:
        """Corners of boxes about all bodies but endless ones, in the world, shape (n, 3)."""
        return corners_of(self._engine, self._model, self._data)

    def coordinate_names(self) -> tuple[tuple[str, str], ...]:
        """Name and unit of each of `positions`; a quaternion's numbers have the unit 1."""
        kinds, found = self._engine.mjtJoint, list[tuple[str, str]]()
        quaternion = [(part, "1") for part in ("qw", "qx", "qy", "qz")]
        parts = {
            int(kinds.mjJNT_HINGE): [("", "rad")],
            int(kinds.mjJNT_SLIDE): [("", "m")],
            int(kinds.mjJNT_BALL): quaternion,
            int(kinds.mjJNT_FREE): [*((axis, "m") for axis in "xyz"), *quaternion],
        }
        for index, kind in enumerate(self._model.jnt_type.tolist()):
            name = self._model.joint(index).name
            found += [(f"{name}/{part}" if part else name, unit) for part, unit in parts[kind]]
        return tuple(found)

    def energy_j(self) -> tuple[float, float]:
        """Potential and kinetic energy."""
        self._engine.mj_energyPos(self._model, self._data)
        self._engine.mj_energyVel(self._model, self._data)
        potential, kinetic = self._data.energy.tolist()
        return potential, kinetic

    def snapshot(self) -> WorldSnapshot:
        """Return the state that decides its future."""
        self._engine.mj_getState(self._model, self._data, self._state, self._whole)
        changed = tuple(field.tobytes() for field in self._changed())
        return WorldSnapshot(self._state.tobytes(), changed, tuple(self._pushes))

    def restore(self, snapshot: WorldSnapshot) -> None:
        """Restore a snapshot of a world of the same text.

        Raises:
            ValueError: if it is of another model.
        """
        wanted = [self._state.nbytes]
        wanted += [field.nbytes for field in self._changed()]
        found = [len(one) for one in (snapshot.state, *snapshot.model)]
        if found != wanted:
            raise ValueError(f"snapshot of another model: {found} bytes and not {wanted}")
        for field, values in zip(self._changed(), snapshot.model, strict=True):
            field[:] = np.frombuffer(values).reshape(field.shape)
        state = np.frombuffer(snapshot.state)
        self._engine.mj_setState(self._model, self._data, state, self._whole)
        self._data.warning.number[:] = 0
        self._pushes = list(snapshot.pushes)

    def _changed(self) -> list[Any]:
        return [attrgetter(name)(self._model) for name in CHANGED_WHILE_RUNNING]

    def camera(self, name: str) -> tuple[Array, float]:
        """Pose of a scene's camera, axes right, up and back, and its angle of view.

        Returns:
            The pose in the world, shape (4, 4), and the angle from the lower to the upper edge
            [rad].

        Raises:
            KeyError: if there is no such camera.
        """
        number, pose = int(self._model.camera(name).id), np.eye(4)
        pose[:3, :3] = self._data.cam_xmat[number].reshape(3, 3)
        pose[:3, 3] = self._data.cam_xpos[number]
        return pose, math.radians(float(self._model.cam_fovy[number]))

    def mass_matrix(self) -> Array:
        """Mass matrix of all freedoms, rotors included, shape (freedoms, freedoms)."""
        full = np.zeros((self._model.nv, self._model.nv))
        self._engine.mj_fullM(self._model, self._data, full)
        return full

    @property
    def gravity_m_s2(self) -> Array:
        """Present gravity in the world's axes [m/s²], shape (3,)."""
        return np.array(self._model.opt.gravity)

    def holding_forces(self) -> Array:
        """Forces of all freedoms against gravity and, in motion, inertia [N, Nm], shape (n,)."""
        return np.array(self._data.qfrc_bias)

    def tie_jacobian(self) -> Array:
        """Jacobian of the gaps of tied points by all freedoms, shape (3 ties, freedoms)."""
        point = int(self._engine.mjtEq.mjEQ_CONNECT)
        rows: list[Array] = []
        for index, kind in enumerate(self._model.eq_type.tolist()):
            if kind == point:
                sides = np.zeros((2, 3, self._model.nv))
                for side, site in zip(sides, (self._model.eq_obj1id, self._model.eq_obj2id),
                                      strict=True):  # fmt: skip
                    self._engine.mj_jacSite(self._model, self._data, side, None, int(site[index]))
                rows.append(sides[1] - sides[0])
        return np.concatenate([np.zeros((0, self._model.nv)), *rows])

    def _worst_joint(self) -> str:
        values = np.abs([self._data.qacc, self._data.qvel])
        worst = int(np.argmax(np.where(np.isfinite(values), values, np.inf).max(axis=0)))
        number = int(self._model.dof_jntid[worst])
        return self._model.joint(number).name
