"""Checks of a scene: findings about its values and its bearers."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from sim.world.robots.body import BodyShape
from sim.world.robots.faults import FieldKey, Finding
from sim.world.robots.model import BASE, JointType, Robot
from sim.world.robots.shapes import SIZES
from sim.world.robots.value_checks import NOT_FINITE, ROUNDING, finite, value_findings
from sim.world.scenes.bodies import JOINT_FIELDS, MOVED, joint_of, link_of, placed_body
from sim.world.scenes.model import (
    BODIES_MAX,
    ROBOTS_MAX,
    BodyField,
    BodyMotion,
    Scene,
    SceneBody,
    SceneCamera,
    SceneRobot,
)

RESERVED: Final = ("world", "floor")
"""Names that the engine uses itself."""
STEP_MAX_S: Final = 0.02
"""Greatest step of the engine that contacts bear."""
FRICTION_RATIO_MAX: Final = 1000.0
"""Greatest stiffness of friction against that of the normal contact."""
CONTACT_STEPS: Final = 2
"""Least steps of the engine in a contact's time (MuJoCo, "refsafe")."""
RATIO_MIN: Final = 0.2
"""Least damping of a contact, but of a ball: with less what turns as it strikes gains energy."""

Problem = tuple[str, object, str, str]
"""Field, value, what is wrong, what would be right."""


class SceneError(ValueError):
    """Values that describe no scene; the text has one line for each finding."""

    def __init__(self, findings: Iterable[Finding]) -> None:
        self.findings: tuple[Finding, ...] = tuple(findings)
        super().__init__("\n".join(map(str, self.findings)))


def check_scene(scene: Scene, robots: Mapping[str, Robot]) -> Scene:
    """Check a scene, and return it.

    Args:
        robots: those placed in it, by their names there.

    Raises:
        SceneError: with all that is wrong.
    """
    if found := (*scene_findings(scene), *robot_findings(scene, robots)):
        raise SceneError(found)
    return scene


def scene_findings(scene: Scene, *, whole: bool = True) -> tuple[Finding, ...]:
    """Find all that is wrong with a scene, its robots' documents aside.

    Args:
        whole: False if something of it could not be read, so that names in it say nothing.
    """
    if found := list(_too_many(scene)):
        return tuple(found)
    found, step_s = list(_own(scene)), scene.stepping.step_s
    for index, body in enumerate(scene.bodies):
        problems = (*_of_body(body), *_of_contact(body, step_s))
        found += _findings(("body", index), f"body {body.name}", problems)
    for index, field in enumerate(scene.fields):
        found += _findings(("field", index), f"field {field.name}", _of_field(field))
        for at, kind in enumerate(field.kinds):
            subject = f"kind {kind.name} of field {field.name}"
            problems = (*_of_kind(kind), *_of_contact(kind, step_s))
            found += _findings(("field", index, "kind", at), subject, problems)
    if whole:
        found += _names(scene)
        found += _bearers(scene)
    return tuple(found)


def robot_findings(scene: Scene, robots: Mapping[str, Robot]) -> Iterator[Finding]:
    """Find what is wrong between a scene and the documents of its robots."""
    kinds = (("body", scene.bodies), ("robot", scene.robots), ("camera", scene.cameras))
    for kind, rows in kinds:
        for index, row in enumerate(rows):
            bearer = robots.get(row.on)
            if bearer is not None and row.link not in _links(bearer):
                right = f"one of {', '.join(map(str, _links(bearer)[:12]))}"
                problem = f"{row.on} has no such link"
                yield Finding((kind, index, "link"), f"{kind} {row.name}", row.link, problem, right)
    for index, placed in enumerate(scene.robots):
        robot, subject = robots[placed.name], f"robot {placed.name}"
        free = any(one.type is JointType.FREE and one.child == BASE for one in robot.joints)
        if free and placed.on:
            right = "leave it out: it stands in the world"
            yield Finding(("robot", index, "on"), subject, placed.on, "its base is free", right)
        for link, _ in placed.link_mass_kg:
            if link not in _links(robot):
                key = ("robot", index, "link_mass_kg")
                yield Finding(key, subject, link, "it has no such link", "a link that is there")


def _links(robot: Robot) -> list[int]:
    return [link.number for link in robot.links]


def _findings(path: FieldKey, subject: str, problems: Iterable[Problem]) -> Iterator[Finding]:
    for field, value, problem, remedy in problems:
        yield Finding((*path, field), subject, value, problem, remedy)


def _too_many(scene: Scene) -> Iterator[Finding]:
    if len(scene.robots) > ROBOTS_MAX:
        key, count = ("robot", ROBOTS_MAX, "name"), len(scene.robots)
        yield Finding(key, "scene", count, "too many robots", f"at most {ROBOTS_MAX}")
    bodies = len(scene.bodies) + sum(max(field.count, 0) for field in scene.fields)
    kinds = sum(len(field.kinds) for field in scene.fields) + len(scene.fields)
    for what, count in (
        ("bodies", bodies), ("kinds of bodies", kinds), ("lights", len(scene.lights)),
        ("cameras", len(scene.cameras)),
    ):  # fmt: skip
        if count > BODIES_MAX:
            yield Finding(("scene",), "scene", count, f"too many {what}", f"at most {BODIES_MAX}")


def _own(scene: Scene) -> Iterator[Finding]:
    stepping, floor = scene.stepping, scene.floor
    yield from _findings(("stepping",), "stepping", _finite(stepping, "gravity_m_s2", "magnetic_t"))
    if not 0.0 < stepping.step_s <= STEP_MAX_S:
        right = f"above 0 s, at most {STEP_MAX_S} s"
        yield Finding(("stepping", "step_s"), "stepping", stepping.step_s, "no step", right)
    if not 1.0 <= stepping.friction_ratio <= FRICTION_RATIO_MAX:
        key, value = ("stepping", "friction_ratio"), stepping.friction_ratio
        yield Finding(key, "stepping", value, "no ratio", f"1 to {FRICTION_RATIO_MAX:g}")
    if floor is not None:
        problems = (*_above(floor, "square_m"), *_least(floor, "friction"), *_colours(floor))
        yield from _findings(("floor",), "floor", problems)
    for index, light in enumerate(scene.lights):
        problems = (*_finite(light, "position_m"), *_direction(light.direction), *_colours(light))
        yield from _findings(("light", index), f"light {index + 1}", problems)
    for index, camera in enumerate(scene.cameras):
        yield from _findings(("camera", index), f"camera {camera.name}", _of_camera(camera))
    for index, robot in enumerate(scene.robots):
        yield from _findings(("robot", index), f"robot {robot.name}", _of_robot(robot))


def _of_camera(camera: SceneCamera) -> Iterator[Problem]:
    broken = list(_finite(camera, "position_m", "looks_at_m"))
    yield from broken
    if not broken and math.dist(camera.position_m, camera.looks_at_m) < 1e-6:
        yield "looks_at_m", camera.looks_at_m, "it is where the camera is", "another point"
    if not 0.0 < camera.fov_rad < math.pi:
        yield "fov_rad", camera.fov_rad, "no angle of view", "above 0 rad, below π rad"


def _of_robot(robot: SceneRobot) -> Iterator[Problem]:
    yield from _posed(robot)
    for link, mass in robot.link_mass_kg:
        if not (finite(mass) and mass > 0.0):
            yield "link_mass_kg", mass, f"no mass of link {link}", "above 0 kg"


def _posed(row: SceneBody | SceneRobot) -> Iterator[Problem]:
    yield from _finite(row, "position_m")
    length = math.hypot(*row.quaternion)
    if not abs(length - 1.0) <= ROUNDING:
        problem = f"the quaternion's length is {length:.9g}"
        yield "quaternion", row.quaternion, problem, "w, x, y, z of length 1 (to 1e-9)"


def _of_body(body: SceneBody) -> list[Problem]:
    """Find what is wrong with a body by itself."""
    found = list(_of_values(body))
    return found or list(_of_mass(body))


def _of_values(body: SceneBody) -> Iterator[Problem]:
    yield from _posed(body)
    yield from _least(
        body, "friction", "friction_torsion_m", "friction_rolling_m", "contact_time_s"
    )  # fmt: skip
    yield from _above(body, "contact_damping")
    robot = Robot((link_of(body),), (joint_of(body),))
    for one in value_findings(robot):
        field = str(one.field[-1])
        own = JOINT_FIELDS.get(field, field) if one.field[0] == "joint" else field
        yield own, one.value, one.problem, one.remedy
    if body.motion is BodyMotion.FREE and body.on:
        yield "on", body.on, "a free body stands in the world", "leave it out"
    for field in ("start", "limits", "joint_friction", "damping", "armature"):
        value = getattr(body, field)
        if value and body.motion is BodyMotion.FREE:
            yield field, value, "a free body has no joint", "leave it out"
        elif field == "start" and value and body.motion not in MOVED:
            yield field, value, "a fixed body does not move", "leave it out"


def _of_mass(body: SceneBody) -> Iterator[Problem]:
    """Check a body in which nothing else is wrong: only its size gives its length."""
    names = SIZES[body.shape]
    if len(body.size_m) < len(names):
        yield "size_m", body.size_m, f"{len(body.size_m)} numbers", f"{', '.join(names)} in m"
    elif body.motion is not BodyMotion.FIXED and placed_body(body).mass.mass_kg <= 0.0:
        right = "above 0 (wood: 600 kg/m3, steel: 7850 kg/m3)"
        yield "density_kg_m3", body.density_kg_m3, "a moving body has no mass", right


def _of_contact(body: SceneBody, step_s: float) -> Iterator[Problem]:
    """Check a contact that gives and returns within a step, which the engine cannot follow.

    It pushes as a spring of 1 / (time ratio)² and a damper of 2 / time, each by its mass (MuJoCo,
    "Solver parameters"), and below a step for time ratio what is dropped flies off faster than it
    came; the engine takes two steps for a shorter time. The spring is by the mass that a contact
    moves, which of all but a ball changes as friction holds and lets go: with little damping that
    makes energy, too, however small the step is.
    """
    time_s, ratio = body.contact_time_s, body.contact_damping
    if time_s == 0.0 and ratio != 1.0:
        problem = "it does not count without contact_time_s"
        yield "contact_damping", ratio, problem, "contact_time_s = 0.02 (the engine's), or leave it"
    if not (step_s > 0.0 and 0.0 < time_s < math.inf and 0.0 < ratio < math.inf):
        return
    if time_s < CONTACT_STEPS * step_s:
        problem = f"shorter than {CONTACT_STEPS} steps of {step_s:g} s"
        yield "contact_time_s", time_s, problem, f"{_up(CONTACT_STEPS * step_s)} s or more"
    elif ratio < RATIO_MIN and body.shape is not BodyShape.SPHERE:
        problem = "it makes energy where a body turns or slides as it strikes"
        yield "contact_damping", ratio, problem, f"{_up(max(step_s / time_s, RATIO_MIN))} or more"
    elif time_s * ratio < step_s:
        problem = f"with contact_time_s = {time_s:g} s and steps of {step_s:g} s it makes energy"
        right = f"{_up(step_s / time_s)} or more, or contact_time_s of {_up(step_s / ratio)} s"
        yield "contact_damping", ratio, problem, right


def _up(value: float) -> str:
    """Round up to a number of three digits."""
    unit = 10.0 ** (math.floor(math.log10(value)) - 2)
    return f"{math.ceil(value / unit - 1e-9) * unit:.3g}"


def _of_kind(kind: SceneBody) -> Iterator[Problem]:
    yield from _of_body(kind)
    if kind.shape is BodyShape.NONE:
        yield "shape", kind.shape.value, "a field's body needs a shape", "box, cylinder, ..."
    if kind.motion in MOVED:
        yield "motion", kind.motion.value, "a field's body bears on nothing", "fixed or free"


def _of_field(field: BodyField) -> Iterator[Problem]:
    if field.count < 1:
        yield "count", field.count, "no bodies", "1 or more"
    if not field.kinds:
        yield "kind", None, "it has no kinds of bodies", "[[field.kind]] with name and shape"
    yield from _least(field, "gap_m")
    least, greatest = field.box_m[0], field.box_m[-1]
    flat = not (least[0] < greatest[0] and least[1] < greatest[1] and least[2] <= greatest[2])
    if len(field.box_m) != 2 or not finite(field.box_m) or flat:
        right = "[[x, y, z], [x, y, z]] in m, the least corner first"
        yield "box_m", field.box_m, "its corners span no area", right
    if not finite(field.clear_m) or any(circle[2] < 0.0 for circle in field.clear_m):
        yield "clear_m", field.clear_m, "no circles", "[[x, y, radius], ...] in m"


def _names(scene: Scene) -> Iterator[Finding]:
    """Find names that occur twice, or cannot be distinguished from others."""
    seen: set[str] = set()
    grown = [f"{field.name}_{k + 1}" for field in scene.fields for k in range(field.count)]
    rows = [("robot", scene.robots), ("body", scene.bodies), ("field", scene.fields)]
    for kind, row, index in _each(rows):
        key, subject = (kind, index, "name"), f"{kind} {row.name}"
        if not row.name or "/" in row.name or row.name in RESERVED:
            right = f"not empty, no /, and not {' or '.join(RESERVED)}"
            yield Finding(key, subject, row.name, "no name", right)
        if row.name in seen or row.name in grown:
            right = "another name for each body, robot and field"
            yield Finding(key, subject, row.name, "the name stands twice", right)
        seen.add(row.name)
    cameras: set[str] = set()
    for index, camera in enumerate(scene.cameras):
        if not camera.name or camera.name in cameras:
            key = ("camera", index, "name")
            yield Finding(key, "camera", camera.name, "no name of its own", "one for each camera")
        cameras.add(camera.name)


def _bearers(scene: Scene) -> Iterator[Finding]:
    """Find what is borne by nothing, or by itself in the end."""
    robots = {robot.name for robot in scene.robots}
    bears = {row.name: row.on for row in (*scene.robots, *scene.bodies)}
    rows = [("robot", scene.robots), ("body", scene.bodies), ("camera", scene.cameras)]
    for kind, row, index in _each(rows):
        key, subject = (kind, index, "on"), f"{kind} {row.name}"
        if row.on and row.on not in bears:
            known = ", ".join([*bears][:12]) or "none: leave it out"
            yield Finding(key, subject, row.on, "nothing of this name", f"one of {known}")
        elif kind != "camera" and _returns(row.name, bears):
            problem = "it bears itself in the end"
            yield Finding(key, subject, row.on, problem, "a bearer that stands in the world")
        if row.link and row.on not in robots:
            right = "leave it out; links are those of a robot"
            yield Finding((kind, index, "link"), subject, row.link, "no robot bears it", right)


def _each(rows: Sequence[tuple[str, Sequence[Any]]]) -> Iterator[tuple[str, Any, int]]:
    for kind, several in rows:
        for index, row in enumerate(several):
            yield kind, row, index


def _returns(name: str, bears: Mapping[str, str]) -> bool:
    """Whether the bearers of a name lead back to it."""
    at = bears[name]
    for _ in bears:
        if at == name:
            return True
        at = bears.get(at, "")
    return False


def _finite(row: Any, *fields: str) -> Iterator[Problem]:
    for field in fields:
        if not finite(getattr(row, field)):
            yield field, getattr(row, field), *NOT_FINITE


def _least(row: Any, *fields: str) -> Iterator[Problem]:
    for field in fields:
        value = getattr(row, field)
        if not (finite(value) and value >= 0.0):
            yield field, value, "below 0, or not finite", "0 or more"


def _above(row: Any, *fields: str) -> Iterator[Problem]:
    for field in fields:
        value = getattr(row, field)
        if not (finite(value) and value > 0.0):
            yield field, value, "not above 0", "above 0, at most 1e12"


def _colours(row: Any) -> Iterator[Problem]:
    for field in ("colour", "other_colour"):
        colour = getattr(row, field, (0.0,))
        if not all(0.0 <= one <= 1.0 for one in colour):
            yield field, colour, "outside 0 … 1", "red, green and blue are 0 … 1 each"


def _direction(direction: Sequence[float]) -> Iterator[Problem]:
    if not 1e-6 <= math.hypot(*direction) <= 1e6:
        yield "direction", direction, "no direction", "a length of 1e-6 … 1e6, 1 is usual"
