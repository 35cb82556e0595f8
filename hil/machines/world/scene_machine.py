"""A scene around a machine of one's own: it takes the place of the scene's machine of its kind."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from hil.config.errors import ConfigError, about
from hil.machines.world.scene_documents import FurnishedScene
from sim.world.engine.mjcf_scene import scene_text
from sim.world.engine.model_compiler import ModelText
from sim.world.robots.model import Robot
from sim.world.scenes.model import Scene, SceneRobot


@dataclass(frozen=True, slots=True)
class MachineScene:
    """A scene with one robot, a machine that a run or a device emulator moves."""

    scene: Scene
    """With that robot alone."""
    robot: str
    """Its name there."""
    left_out: tuple[str, ...] = ()
    """The scene's other robots, and all that they bore: nobody would move them."""
    bearer: str = ""
    """Name of the robot on which that one stands, and which somebody else moves; empty if none."""

    def text(
        self, robot: Robot, step_s: float, seed: int = 0, bearer: Robot | None = None
    ) -> ModelText:
        """The engine's text of it.

        Args:
            robot: the machine.
            step_s: greatest step of the engine [s]; a scene may ask for a smaller one.
            seed: of fields without a seed of their own.
            bearer: the robot on which it stands, if it does.

        Raises:
            SceneError: if the scene bears something on a link that the machine does not have.
            FieldFullError: if a field's bodies find no places.
        """
        stepping = self.scene.stepping
        quick = replace(stepping, step_s=min(step_s, stepping.step_s))
        robots = {self.robot: robot} | ({} if bearer is None else {self.bearer: bearer})
        return scene_text(replace(self.scene, stepping=quick), robots, seed)


def scene_around(
    found: FurnishedScene, kind: str, machine: str, *, borne: bool = False
) -> MachineScene:
    """A scene with a machine in the place of its machine of that kind, else in its origin.

    Args:
        kind: of the machine: ``rig``, ``arm``.
        machine: name of the machine.
        borne: whether somebody moves the robot on which the scene's machine stands; else it may
            stand on none.

    Raises:
        ConfigError: if the scene has several of that kind; if its machine stands on a robot that
            nobody moves, or somebody moves one and it stands on none.
    """
    scene, source = found.scene, str(found.file)
    own = [one for one in scene.robots if one.document.partition(":")[0] == kind]
    if len(own) > 1:
        names = ", ".join(one.name for one in own)
        raise ConfigError(source, [about("robot", f"{names}: one {kind}: is needed, not several")])
    bearer = _bearer(scene, own[0]) if own and borne else ""
    if borne and not bearer:
        line = f'robot: a {kind}: on a robot is needed, for there is a ride: on = "its name"'
        raise ConfigError(source, [about("robot", line)])
    others = frozenset(one.name for one in scene.robots if one not in own and one.name != bearer)
    gone = frozenset(_borne(scene, others))
    if own and own[0].name in gone:
        line = f"{own[0].name} stands on {own[0].on}, which nobody moves here: the world is needed"
        raise ConfigError(source, [about("robot", line)])
    taken = {one.name for one in (*scene.bodies, *scene.fields, *scene.robots)}
    free = next(name for name in (kind, *(f"{kind}_{n}" for n in range(99))) if name not in taken)
    placed = own[0] if own else SceneRobot(free, "")
    kept = replace(
        scene,
        robots=(
            *(one for one in scene.robots if one.name == bearer),
            replace(placed, document=f"{kind}:{machine}"),
        ),
        bodies=tuple(body for body in scene.bodies if body.name not in gone),
        cameras=tuple(camera for camera in scene.cameras if camera.on not in gone),
    )
    return MachineScene(kept, placed.name, tuple(sorted(gone)), bearer)


def _bearer(scene: Scene, robot: SceneRobot) -> str:
    """Name of the robot that bears another one, itself or by bodies; empty for none."""
    rows = {row.name: row for row in (*scene.robots, *scene.bodies)}
    at = robot.on
    while at and not isinstance(rows[at], SceneRobot):
        at = rows[at].on
    return at


def _borne(scene: Scene, robots: frozenset[str]) -> Iterator[str]:
    """Robots, and whatever stands on them."""
    rows = (*scene.robots, *scene.bodies)
    found = set(robots)
    while more := {row.name for row in rows if row.on in found} - found:
        found |= more
    yield from found
