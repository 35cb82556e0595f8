"""What a form of a document cannot say of a robot."""

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Final

from sim.world.robots.body import Triple
from sim.world.robots.model import Robot, RobotJoint, RobotLink


@dataclass(frozen=True, slots=True)
class Loss:
    """A value that is left out, or said otherwise."""

    subject: str
    """Of what: ``joint 3``."""
    field: str
    """Which of its fields."""
    value: object
    """What it was."""
    reason: str
    """Why, or how it is said instead."""
    line: int = 0
    """Of the document it was read from, from 1; 0 if it was not read."""
    column: int = 0
    """From 1."""

    def __str__(self) -> str:
        """One line, with its place if it has one."""
        place = f"{self.line}:{self.column}: " if self.line else ""
        value = "" if self.value in (None, "") else f" = {self.value}"
        return f"{place}{self.subject} {self.field}{value}: {self.reason}"


MOTION: Final = frozenset({
    "inertia", "<inertia>", "<inertial>", "armature", "start", "limit", "<limit>", "lower", "upper",
    "effort", "velocity", "mimic", "child", "type", "kind", "damping", 
    "frictionloss", "range", "gravity", "gravity_m_s2", "timestep", "integrator", "density",
    "viscosity", "wind",
    "stiffness", "springref", "springdamper", "gravcomp", "relpose", "site1", "actuatorfrcrange",
    "forcerange", "ctrlrange", "shellinertia", "actuation", "damper", "spring", "equality",
    "constraint", "<joint>", "<freejoint>", "<dynamics>", "dynamics", "<body>", "<tendon>",
    "<connect>", "<weld>",
    "<loop_joint>", "<attach>", "<composite>", "<flexcomp>", "<deformable>", "<flag>", "polycoef",
    *(f"<{one}>" for one in ("general", "motor", "position", "velocity", "intvelocity", "damper",
                             "cylinder", "muscle", "adhesion", "dcmotor")),
})  # fmt: skip
"""Fields whose loss changes how a robot moves by itself."""
TOUCH: Final = frozenset({
    "<collision>", "friction", "<geom>", "<contact>", "<pair>", "<exclude>", "<hfield>",
    "solref", "solimp", "margin", "gap", "condim", "contype", "conaffinity", "mesh",
})  # fmt: skip
"""Fields whose loss changes what it touches, and how."""


def rank(loss: Loss) -> int:
    """0 of what changes a robot's motion, 1 of what it touches, 2 of looks and all else."""
    if loss.field in MOTION or "what it weighs is left out" in loss.reason:
        return 0
    return 1 if loss.field in TOUCH else 2


class LossError(ValueError):
    """A conversion that would lose something and must not; the text has a line for each loss."""

    def __init__(self, losses: Iterable[Loss]) -> None:
        self.losses: tuple[Loss, ...] = tuple(losses)
        super().__init__("\n".join(map(str, self.losses)))


def refuse_losses(losses: Iterable[Loss]) -> None:
    """Refuse a conversion that loses anything.

    Raises:
        LossError: with each loss.
    """
    if found := tuple(losses):
        raise LossError(found)


def gravity_losses(
    robots: Mapping[str, Robot], counts_m_s2: Triple, whose: str
) -> Iterator[Loss]:  # fmt: skip
    """Gravities of robots that do not act, for another one does.

    Args:
        robots: by what they are called.
        counts_m_s2: what acts.
        whose: who says that, and its key.
    """
    for name, robot in robots.items():
        if robot.gravity_m_s2 not in (None, counts_m_s2):
            reason = f"{whose} counts, {counts_m_s2}; write it there, if this one is meant"
            yield Loss(f"robot {name}", "gravity_m_s2", robot.gravity_m_s2, reason)


def losses_beside(
    robot: Robot, of_links: Container[str], of_joints: Container[str], reason: str
) -> Iterator[Loss]:
    """What is said of a robot besides some fields of its links and joints."""
    for name in ("name", "drives", "sensors", "machine", "gravity_m_s2"):
        if value := getattr(robot, name):
            yield Loss("robot", name, value, reason)
    for link in robot.links:
        yield from _beside(link, f"link {link.number}", of_links, reason)
    for joint in robot.joints:
        yield from _beside(joint, f"joint {joint.number}", of_joints, reason)


def _beside(
    row: RobotLink | RobotJoint, subject: str, said: Container[str], reason: str
) -> Iterator[Loss]:
    for field in fields(row):
        value = getattr(row, field.name)
        if field.name in said or value == field.default:
            continue
        yield Loss(subject, field.name, value, reason)
