"""Properties of a robot that a form of a document cannot express."""

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Final

from sim.world.robots.body import Triple
from sim.world.robots.model import Robot, RobotJoint, RobotLink


@dataclass(frozen=True, slots=True)
class Loss:
    """Value that is left out or changed."""

    subject: str
    """Owner of the value: ``joint 3``."""
    field: str
    """Field of the value."""
    value: object
    """Lost value."""
    reason: str
    """Reason, or how it is expressed instead."""
    line: int = 0
    """Line of the document it was read from, from 1; 0 if it was not read."""
    column: int = 0
    """Column, from 1."""

    def __str__(self) -> str:
        """Format as one line, with its place if it has one."""
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
    """Rank a loss: 0 changes a robot's motion, 1 its contacts, 2 looks and all else."""
    if loss.field in MOTION or "what it weighs is left out" in loss.reason:
        return 0
    return 1 if loss.field in TOUCH else 2


class LossError(ValueError):
    """Refused conversion that would lose something; the text has a line for each loss."""

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
    """List gravities of robots that do not act, because another one does.

    Args:
        robots: by what they are called.
        counts_m_s2: what acts.
        whose: what sets that, and its key.
    """
    for name, robot in robots.items():
        if robot.gravity_m_s2 not in (None, counts_m_s2):
            reason = f"{whose} counts, {counts_m_s2}; write it there, if this one is meant"
            yield Loss(f"robot {name}", "gravity_m_s2", robot.gravity_m_s2, reason)


def losses_beside(
    robot: Robot, of_links: Container[str], of_joints: Container[str], reason: str
) -> Iterator[Loss]:
    """List the values of a robot besides some fields of its links and joints, as losses."""
    for name in ("name", "drives", "sensors", "machine", "gravity_m_s2", "own_contacts"):
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
